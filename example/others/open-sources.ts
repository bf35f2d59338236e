import type { FastifyInstance } from 'fastify'
import { NotFoundError, type ResolveContext } from 'fastify-source-origin'
import type { CombinedSource } from 'fastify-source-origin/combine'
import { mediaProxy, type MediaCall, type Signer } from 'fastify-source-origin/media'
import { requestOrigin } from 'fastify-source-origin/serve'
import { createSubsonicAdapter } from 'fastify-source-origin/subsonic'
import { LRUCache } from 'lru-cache'
import { otherSuffixes, type Settings } from '../settings.ts'
import { atMost } from '../source/at-most.ts'
import { subsonicClient, type SubsonicLogin } from './clients.ts'
import { offeredBy, OfferedFile } from './offered.ts'
import { hostOf } from './other-ids.ts'

type ContextCall = Parameters<ResolveContext>[0]

/** Another source. */
export interface OtherSource {
  readonly id: string
  /**
   * Its context for one request on a path of sources, with the login of an account there. Default: the login of the
   * settings.
   */
  readonly context:
  (call: ContextCall, path: readonly string[], own?: OwnLogin) => CombinedSource | Promise<CombinedSource>
}

/** An account with a login of its own at a source. */
export interface OwnLogin { readonly accountName: string, readonly login: string }

/** Finds the login of an account at a source, as it is now. */
export type FindLogin = (accountName: string, source: string) => Promise<string | undefined>

type Suffix = typeof otherSuffixes[number]

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
    context ({ request, signal }, _path, own) {
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
  const lookers = new LRUCache<string, ReturnType<typeof offeredBy>>(atMost(mostLogins))
  const name = hostOf(baseUrl)
  const warn = (error: unknown) => app.log.warn({ err: error }, `SOURCE_URL${suffix} does not say what it offers`)
  const notStored = (error: unknown) =>
    app.log.warn({ err: error }, `SOURCE_URL${suffix}: what it offers is not stored`)
  const file = new OfferedFile(settings.DATA_DIR, id, baseUrl)
  const status = await file.read()
  const ofSettings = offeredBy(baseUrl, settings[`SOURCE_TOKEN${suffix}`], {
    status, warn, keep: status => file.write(status).catch(notStored)
  })
  await ofSettings([])
  const ofLogin = (login: string) => {
    const looker = lookers.get(login) ?? offeredBy(baseUrl, login, { status, warn })
    lookers.set(login, looker)
    return looker
  }
  return {
    id,
    context: async (_call, path, own) => ({
      id, name, account: baseUrl, ...await (own === undefined ? ofSettings : ofLogin(own.login))(path)
    })
  }
}
