import type { FastifyInstance } from 'fastify'
import { SourceError, type ResolveContext, type SourceContext } from 'fastify-source-origin'
import { combineSources, pathThrough, SourceStates, type CombinedSource } from 'fastify-source-origin/combine'
import type { Signer } from 'fastify-source-origin/media'
import { resolve } from 'node:path'
import { viewKey, type Limits } from './catalogue/limits.ts'
import { owner } from './accounts/owner.ts'
import type { FolderSource } from './source/folder-source.ts'
import type { Settings } from './start/settings.ts'
import { homeId, noteHome } from './others/home.ts'
import type { LoginsOf } from './accounts/logins.ts'
import { openOthers } from './others/open-sources.ts'

/** The combination of the folder and the other sources. */
export interface Others {
  readonly resolveContext: ResolveContext
  /** The states of the other sources, for the owner's page. */
  readonly states: SourceStates
  /** The health checks by the id of the source. A check returns `true` if the last call showed the source available. */
  readonly checks: Readonly<Record<string, () => boolean>>
}

/**
 * Opens the other sources and combines them with the folder. The owner sees a source with the configured login, and an
 * account with its own login sees the source with that login. An account that may see all music sees the other sources
 * without personal data. Other accounts do not see them.
 *
 * @param id The id of this source in requests that pass through several sources
 * @param loginsOf Finds the logins of an account
 */
export async function openCombination (
  app: FastifyInstance, settings: Settings, { signer, id }: { signer: Signer, id: string }, loginsOf: LoginsOf,
  resolveHome: ResolveContext
): Promise<Others> {
  const findLogin = async (account: string, source: string) => (await loginsOf(account)).get(source)
  const states = new SourceStates()
  const others = await openOthers(app, settings, { signer, id }, states, findLogin)
  app.log.info({ sources: others.map(({ id, name }) => ({ id, name })) }, 'other sources opened')
  // The demo music is not shown beside other sources.
  const isDemo = settings.MUSIC_DIR === resolve('example/music')
  const resolveContext: ResolveContext = async call => {
    const home = await resolveHome(call)
    if (!home) return home
    const { adapter, account, accountName = owner, revision = '', sharesPlaying } = home
    const { limits } = adapter as FolderSource
    const isOwner = accountName === owner
    const logins = isOwner ? new Map<string, string>() : await loginsOf(accountName, revision)
    const seesAll = viewKey(limits) === ''
    const path = pathThrough(call.request.headers, id)
    const reached = path === undefined ? [] : others
    const seen = reached.filter(({ id }) => seesAll || logins.has(id)).map(async other => {
      const login = logins.get(other.id)
      const source = await other.context(call, path!, login === undefined ? undefined : { accountName, login })
      return { ...within(source, limits), shared: !isOwner && login === undefined }
    })
    const all = combineSources([
      { id: homeId, name: settings.PAGE_TITLE, ...home, timeout: 0, adapter: isDemo ? undefined : adapter },
      ...await Promise.all(seen)
    ], { log: call.request.log, playlistSource: homeId, unprefixed: homeId, states })
    noteHome(all.adapter, adapter)
    return { ...all, account, accountName: home.accountName, sharesPlaying, limits } satisfies SourceContext
  }
  const isAvailable = (id: string) => states.list().every(state => state.id !== id || state.available)
  return { resolveContext, states, checks: Object.fromEntries(others.map(({ id }) => [id, () => isAvailable(id)])) }
}

/** Applies the limits of an account to a source. */
function within (source: CombinedSource, limits: Limits): CombinedSource {
  if (limits.delete !== false || !source.adapter?.deletePlaylist) return source
  const deletePlaylist = () => { throw new SourceError(403, 'This account may not delete playlists') }
  return { ...source, adapter: { ...source.adapter, deletePlaylist } }
}
