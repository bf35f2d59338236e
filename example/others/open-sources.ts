import type { FastifyInstance } from 'fastify'
import { NotFoundError, type ResolveContext } from 'fastify-source-origin'
import type { CombinedSource } from 'fastify-source-origin/combine'
import { mediaProxy, type MediaCall, type Signer } from 'fastify-source-origin/media'
import { requestOrigin } from 'fastify-source-origin/serve'
import { createSubsonicAdapter } from 'fastify-source-origin/subsonic'
import { LRUCache } from 'lru-cache'
import { setTimeout as sleep } from 'node:timers/promises'
import { otherSuffixes, type Settings } from '../settings.ts'
import { atMost } from '../source/at-most.ts'
import { sourceClient, subsonicClient, type SubsonicLogin } from './clients.ts'
import { hostOf } from './other-ids.ts'

type ContextCall = Parameters<ResolveContext>[0]

/** Another source. */
export interface OtherSource {
  readonly id: string
  /** Its context for one request, with the login of an account there. Default: the login of the settings. */
  readonly context: (call: ContextCall, own?: OwnLogin) => CombinedSource | Promise<CombinedSource>
}

/** An account with a login of its own at a source. */
export interface OwnLogin { readonly accountName: string, readonly login: string }

/** Finds the login of an account at a source, as it is now. */
export type FindLogin = (accountName: string, source: string) => Promise<string | undefined>

type Suffix = typeof otherSuffixes[number]

/** Milliseconds that a start, and the first request of a login, wait for a source of somebody else. */
const waitsFor = 3000

/** Milliseconds for which what a source says of itself is kept. */
const minute = 60_000

/** Logins of accounts that are kept open. */
const mostLogins = 1000

/** The sources that the settings name. */
export async function openOthers (
  app: FastifyInstance, settings: Settings, signer: Signer, findLogin: FindLogin
): Promise<OtherSource[]> {
  const opened = await Promise.all(otherSuffixes.map(async suffix => [
    ...settings[`SUBSONIC_URL${suffix}`] === '' ? [] : [await openSubsonic(app, settings, signer, suffix, findLogin)],
    ...settings[`SOURCE_URL${suffix}`] === '' ? [] : [await openSource(app, settings, suffix)]
  ]))
  return opened.flat()
}

async function openSubsonic (
  app: FastifyInstance, settings: Settings, signer: Signer, suffix: Suffix, findLogin: FindLogin
): Promise<OtherSource> {
  const url = settings[`SUBSONIC_URL${suffix}`]
  const ofSettings = JSON.stringify({
    username: settings[`SUBSONIC_USER${suffix}`], password: settings[`SUBSONIC_PASSWORD${suffix}`]
  } satisfies SubsonicLogin)
  const client = subsonicClient(url, ofSettings)
  const clients = new LRUCache<string, typeof client>({
    ...atMost(mostLogins), dispose: client => { client.close().catch(error => app.log.warn(error)) }
  })
  app.addHook('onClose', async () => {
    clients.clear()
    await client.close()
  })
  const clientOf = (login: string) => {
    const kept = clients.get(login) ?? subsonicClient(url, login)
    clients.set(login, kept)
    return kept
  }
  const id = `subsonic${suffix}`
  let mediaUrl: FastifyInstance['mediaUrl']
  const clientFor = async (account: string | undefined) => {
    const login = account === undefined ? ofSettings : await findLogin(account, id)
    if (login === undefined) throw new NotFoundError('This account has no login there any more')
    return login === ofSettings ? client : clientOf(login)
  }
  const kinds = Object.fromEntries((['audio', 'cover'] as const).map(name => [name, {
    ...client.mediaKinds[name],
    resolve: async ({ account, ...params }: Record<string, string>, call: MediaCall) =>
      (await clientFor(account)).mediaKinds[name].resolve(params, call)
  }]))
  // Each has kinds of the same names.
  await app.register(async scope => {
    await scope.register(mediaProxy, { signer, kinds, prefix: `/${id}` })
    mediaUrl = scope.mediaUrl
  })
  return {
    id,
    context ({ request, signal }, own) {
      const ofAccount = own === undefined ? client : clientOf(own.login)
      const { account, qualityMap, playlistSortOptions } = ofAccount
      const baseUrl = settings.PUBLIC_URL || requestOrigin(request) + app.prefix
      return {
        id,
        name: hostOf(url),
        adapter: createSubsonicAdapter(ofAccount, {
          media: (kind, params, options) =>
            baseUrl + mediaUrl(kind, { ...params, account: own?.accountName }, options),
          signal,
          log: request.log
        }),
        stateless: false,
        qualityMap,
        playlistSortOptions,
        account,
        variant: baseUrl
      }
    }
  }
}

async function openSource (app: FastifyInstance, settings: Settings, suffix: Suffix): Promise<OtherSource> {
  const baseUrl = settings[`SOURCE_URL${suffix}`]
  const id = `source${suffix}`
  const lookers = new LRUCache<string, () => Promise<Offered>>(atMost(mostLogins))
  const name = hostOf(baseUrl)
  const warn = (error: unknown) => app.log.warn({ err: error }, `SOURCE_URL${suffix} does not say what it offers`)
  const lookerOf = (login: string) => {
    const looker = lookers.get(login) ?? offeredBy(baseUrl, login, warn)
    lookers.set(login, looker)
    return looker
  }
  const ofSettings = settings[`SOURCE_TOKEN${suffix}`]
  await lookerOf(ofSettings)()
  return {
    id,
    context: async (_call, own) => ({
      id, name, account: baseUrl, ...await lookerOf(own?.login ?? ofSettings)()
    })
  }
}

type Offered = Pick<CombinedSource, 'adapter' | 'stateless' | 'qualityMap' | 'playlistSortOptions'>

/** What a source offers to a token: as it said last, and at first when it has said so, or has taken too long. */
function offeredBy (baseUrl: string, authorization: string, warn: (error: unknown) => void): () => Promise<Offered> {
  const client = sourceClient(baseUrl, authorization)
  /** Until it says what it offers, each method is tried. */
  let known: Offered = { adapter: client }
  let looked = -Infinity
  let first: Promise<void> | undefined
  const look = async () => {
    known = await client.offered()
  }
  return async () => {
    if (performance.now() - looked > minute) {
      looked = performance.now()
      const looking = look().catch(warn)
      first ??= Promise.race([looking, sleep(waitsFor, undefined, { ref: false })])
    }
    await first
    return known
  }
}
