import type { FastifyInstance } from 'fastify'
import type { ResolveContext, SourceContext } from 'fastify-source-origin'
import { combineSources, pathThrough, type CombinedSource } from 'fastify-source-origin/combine'
import type { Signer } from 'fastify-source-origin/media'
import { resolve } from 'node:path'
import { viewKey } from '../accounts/limits.ts'
import { owner } from '../accounts/owner.ts'
import type { FolderSource } from '../source/folder-source.ts'
import type { Settings } from '../settings.ts'
import { homeId, noteHome } from './home.ts'
import type { LoginsOf } from './logins.ts'
import { openOthers } from './open-sources.ts'

/**
 * Who sees what besides the folder: the owner, and accounts with a login of their own, as at each source itself; others
 * that see all music without favourites and playlists there, since all would share them; those that see a part of the
 * music nothing.
 *
 * @param id of this source, for those that a request comes through
 * @param loginsOf finds logins of accounts
 */
export async function withOthers (
  app: FastifyInstance, settings: Settings, { signer, id }: { signer: Signer, id: string }, loginsOf: LoginsOf,
  resolveHome: ResolveContext
): Promise<ResolveContext> {
  const others = await openOthers(app, settings, signer)
  // The demo music is for who has nothing else.
  const isDemo = settings.MUSIC_DIR === resolve('example/music')
  return async call => {
    const home = await resolveHome(call)
    if (!home) return home
    const { adapter, account, accountName = owner, revision = '', sharesPlaying } = home
    const isOwner = accountName === owner
    const logins = isOwner ? new Map<string, string>() : await loginsOf(accountName, revision)
    const seesAll = viewKey((adapter as FolderSource).limits) === ''
    const path = pathThrough(call.request.headers, id)
    const reached = path === undefined ? [] : others
    const seen = reached.filter(({ id }) => seesAll || logins.has(id)).map(async other => {
      const login = logins.get(other.id)
      const source = await other.context(call, path!, login)
      return isOwner || login !== undefined ? source : shared(source)
    })
    const all = combineSources([
      { id: homeId, name: settings.PAGE_TITLE, ...home, adapter: isDemo ? undefined : adapter },
      ...await Promise.all(seen)
    ], { log: call.request.log, playlistsIn: homeId })
    noteHome(all.adapter, adapter)
    return { ...all, account, accountName: home.accountName, sharesPlaying } satisfies SourceContext
  }
}

/** A source as accounts see it that use the login of somebody else: they neither change it, nor play for it. */
function shared ({ adapter, ...source }: CombinedSource): CombinedSource {
  const { onPlay, startScan, ...others } = adapter!
  return { ...source, adapter: others, stateless: true }
}
