import type { FastifyInstance } from 'fastify'
import type { ResolveContext, SourceContext } from 'fastify-source-origin'
import { createSourceClient } from 'fastify-source-origin/client'
import { combineSources, type CombinedSource } from 'fastify-source-origin/combine'
import { mediaProxy, type Signer } from 'fastify-source-origin/media'
import { requestOrigin } from 'fastify-source-origin/serve'
import { createSubsonicAdapter, createSubsonicClient } from 'fastify-source-origin/subsonic'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { viewKey } from '../accounts/limits.ts'
import { owner } from '../accounts/run-command.ts'
import type { FolderSource } from '../source/folder-source.ts'
import { otherSuffixes, type Settings } from '../settings.ts'
import { homeId, noteHome } from './home.ts'

type ContextCall = Parameters<ResolveContext>[0]

/** The context of another source for one request. */
type OtherSource = (call: ContextCall) => CombinedSource

/** Milliseconds that a start waits for a source of somebody else. */
const startsWithin = 3000

/** Milliseconds for which what a source says of itself is kept. */
const minute = 60_000

/**
 * Who sees what besides the folder: the owner as at each source itself, accounts that see all music without favourites
 * and playlists there, since all would share them, and accounts that see a part of the music nothing.
 */
export async function withOthers (
  app: FastifyInstance, settings: Settings, signer: Signer, resolveHome: ResolveContext
): Promise<ResolveContext> {
  const others = await openOthers(app, settings, signer)
  // The demo music is for who has nothing else.
  const isDemo = settings.MUSIC_DIR === resolve('example/music')
  return async call => {
    const home = await resolveHome(call)
    if (!home) return home
    const { adapter, account, accountName = owner, sharesPlaying } = home
    const more = accountName === owner ? {} : { stateless: true }
    const seen = viewKey((adapter as FolderSource).limits) === '' ? others : []
    const all = combineSources([
      { id: homeId, name: settings.PAGE_TITLE, ...home, adapter: isDemo ? undefined : adapter },
      ...seen.map(other => ({ ...other(call), ...more }))
    ], { log: call.request.log, playlistsIn: homeId })
    noteHome(all.adapter, adapter)
    return { ...all, account, accountName: home.accountName, sharesPlaying } satisfies SourceContext
  }
}

async function openOthers (app: FastifyInstance, settings: Settings, signer: Signer): Promise<OtherSource[]> {
  const opened = await Promise.all(otherSuffixes.map(async suffix => [
    ...settings[`SUBSONIC_URL${suffix}`] === '' ? [] : [await openSubsonic(app, settings, signer, suffix)],
    ...settings[`SOURCE_URL${suffix}`] === '' ? [] : [await openSource(app, settings, suffix)]
  ]))
  return opened.flat()
}

type Suffix = typeof otherSuffixes[number]

async function openSubsonic (
  app: FastifyInstance, settings: Settings, signer: Signer, suffix: Suffix
): Promise<OtherSource> {
  const url = settings[`SUBSONIC_URL${suffix}`]
  const client = createSubsonicClient({
    url, username: settings[`SUBSONIC_USER${suffix}`], password: settings[`SUBSONIC_PASSWORD${suffix}`]
  })
  app.addHook('onClose', () => client.close())
  const id = `subsonic${suffix}`
  let mediaUrl: FastifyInstance['mediaUrl']
  // Each has kinds of the same names.
  await app.register(async scope => {
    await scope.register(mediaProxy, { signer, kinds: client.mediaKinds, prefix: `/${id}` })
    mediaUrl = scope.mediaUrl
  })
  return ({ request, signal }) => {
    const baseUrl = settings.PUBLIC_URL || requestOrigin(request) + app.prefix
    return {
      id,
      name: new URL(url).hostname,
      adapter: createSubsonicAdapter(client, {
        media: (...args) => baseUrl + mediaUrl(...args), signal, log: request.log
      }),
      stateless: false,
      qualityMap: client.qualityMap,
      playlistSortOptions: client.playlistSortOptions,
      account: client.account,
      variant: baseUrl
    }
  }
}

async function openSource (app: FastifyInstance, settings: Settings, suffix: Suffix): Promise<OtherSource> {
  const baseUrl = settings[`SOURCE_URL${suffix}`]
  const client = createSourceClient({ baseUrl, authorization: settings[`SOURCE_TOKEN${suffix}`] })
  /** Until it says what it offers, each method is tried. */
  let known: Pick<CombinedSource, 'adapter' | 'stateless' | 'qualityMap' | 'playlistSortOptions'> = { adapter: client }
  const look = async () => {
    const [adapter, status] = await Promise.all([client.offered(), client.status()])
    const { stateless, qualityMap, playlistSortOptions } = status
    known = { adapter, stateless, qualityMap, playlistSortOptions }
  }
  const tell = (error: unknown) => app.log.warn({ err: error }, `SOURCE_URL${suffix} does not say what it offers`)
  await Promise.race([look().catch(tell), sleep(startsWithin, undefined, { ref: false })])
  const timer = setInterval(() => { look().catch(tell) }, minute).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  return () => ({ id: `source${suffix}`, name: new URL(baseUrl).hostname, account: baseUrl, ...known })
}
