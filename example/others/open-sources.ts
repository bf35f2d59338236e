import type { FastifyInstance } from 'fastify'
import { NotFoundError, UpstreamError, type ResolveContext, type SourceError } from 'fastify-source-origin'
import type { CombinedSource, SourceStates } from 'fastify-source-origin/combine'
import type { LibraryStore } from 'fastify-source-origin/library'
import { mediaProxy, type MediaCall, type Signer } from 'fastify-source-origin/media'
import { requestOrigin } from 'fastify-source-origin/serve'
import { createSubsonicAdapter } from 'fastify-source-origin/subsonic'
import { LRUCache } from 'lru-cache'
import { otherSuffixes, type Settings } from '../settings.ts'
import { atMost } from '../source/at-most.ts'
import { subsonicClient, type SubsonicLogin } from './clients.ts'
import { offeredBy, OfferedFile } from './offered.ts'
import { drawnPath } from '../media/folder-media.ts'
import { openMirrors } from './mirror-file.ts'
import { hostOf } from './other-ids.ts'

type ContextCall = Parameters<ResolveContext>[0]

/** Another source. */
export interface OtherSource {
  readonly id: string
  readonly name: string
  /**
   * Its context for one request, with the login of an account there.
   *
   * @param path of the request
   * @param own default: the login of the settings
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
/** The time after which an unused login is closed, in milliseconds. */
const loginTtl = 7 * 24 * 60 * 60 * 1000

/** The sources that the settings name. */
export async function openOthers (
  app: FastifyInstance, settings: Settings, signer: Signer, states: SourceStates, findLogin: FindLogin
): Promise<OtherSource[]> {
  const isAnySubsonic = otherSuffixes.some(suffix => settings[`SUBSONIC_URL${suffix}`] !== '')
  const store = isAnySubsonic ? openMirrors(settings.DATA_DIR, app.log) : undefined
  app.addHook('onClose', async () => store?.close())
  const opened = await Promise.all(otherSuffixes.map(async suffix => [
    ...settings[`SUBSONIC_URL${suffix}`] === ''
      ? []
      : [await openSubsonic(app, settings, signer, states, suffix, findLogin, store)],
    ...settings[`SOURCE_URL${suffix}`] === '' ? [] : [await openSource(app, settings, states, suffix)]
  ]))
  return opened.flat()
}

async function openSubsonic (
  app: FastifyInstance, settings: Settings, signer: Signer, states: SourceStates, suffix: Suffix,
  findLogin: FindLogin, store: LibraryStore | undefined
): Promise<OtherSource> {
  const url = settings[`SUBSONIC_URL${suffix}`]
  const ofSettings = JSON.stringify({
    username: settings[`SUBSONIC_USER${suffix}`], password: settings[`SUBSONIC_PASSWORD${suffix}`]
  } satisfies SubsonicLogin)
  const library = { ...store && { store }, log: app.log }
  const client = subsonicClient(url, ofSettings, { ...library, background: true })
  const clients = new LRUCache<string, typeof client>({
    ...atMost(mostLogins),
    ttl: loginTtl,
    updateAgeOnGet: true,
    dispose: client => { client.close().catch(error => app.log.warn(error)) }
  })
  app.addHook('onClose', async () => {
    clients.clear()
    await client.close()
  })
  const clientOf = (login: string) => {
    const kept = clients.get(login) ?? subsonicClient(url, login, library)
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
  const name = hostOf(url)
  // The login of the settings is the one that is listed.
  states.of(id, name, client.account)
  return {
    id,
    name,
    context ({ request, signal }, _path, own) {
      const ofAccount = own === undefined ? client : clientOf(own.login)
      const { account, qualityMap, playlistSortOptions } = ofAccount
      const baseUrl = settings.PUBLIC_URL || requestOrigin(request) + app.prefix
      return {
        id,
        name,
        adapter: createSubsonicAdapter(ofAccount, {
          media: (kind, params, options) =>
            baseUrl + mediaUrl(kind, { ...params, account: own?.accountName }, options),
          placeholder: of => baseUrl + signer.signSteadily(drawnPath(`${id}:${of}`)),
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

async function openSource (
  app: FastifyInstance, settings: Settings, states: SourceStates, suffix: Suffix
): Promise<OtherSource> {
  const baseUrl = settings[`SOURCE_URL${suffix}`]
  const id = `source${suffix}`
  const notStored = (error: unknown) =>
    app.log.warn({ err: error }, `SOURCE_URL${suffix}: what it offers is not stored`)
  const lookers = new LRUCache<string, ReturnType<typeof offeredBy>>(atMost(mostLogins))
  const name = hostOf(baseUrl)
  const state = states.of(id, name, baseUrl)
  const warn = (error: unknown) => {
    const { status, message } = error as SourceError
    const isRejected = status === 401 || status === 403
    state.fail(new UpstreamError(isRejected ? `It rejects SOURCE_TOKEN${suffix}` : message, { cause: error }), app.log)
  }
  const file = new OfferedFile(settings.DATA_DIR, id, baseUrl)
  const status = await file.read()
  const ofSettings = offeredBy(baseUrl, settings[`SOURCE_TOKEN${suffix}`], {
    status,
    warn,
    async keep (status) {
      state.succeed(app.log)
      await file.write(status).catch(notStored)
    }
  })
  await ofSettings([])
  const ofLogin = (login: string) => {
    const looker = lookers.get(login) ?? offeredBy(baseUrl, login, { status })
    lookers.set(login, looker)
    return looker
  }
  return {
    id,
    name,
    context: async (_call, path, own) => own === undefined
      ? { id, name, account: baseUrl, ...await ofSettings(path) }
      : { id, name, account: `${baseUrl} ${own.accountName}`, ...await ofLogin(own.login)(path) }
  }
}
