import type { FastifyInstance } from 'fastify'
import type { ResolveContext } from 'fastify-source-origin'
import type { CombinedSource } from 'fastify-source-origin/combine'
import { mediaProxy, type Signer } from 'fastify-source-origin/media'
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
   * Its context for one request, with a login there.
   *
   * @param path of the request
   * @param login default: that of the settings
   */
  readonly context:
  (call: ContextCall, path: readonly string[], login?: string) => CombinedSource | Promise<CombinedSource>
}

type Suffix = typeof otherSuffixes[number]

/** Logins of accounts that are kept open. */
const mostLogins = 1000

/** The sources that the settings name. */
export async function openOthers (app: FastifyInstance, settings: Settings, signer: Signer): Promise<OtherSource[]> {
  const opened = await Promise.all(otherSuffixes.map(async suffix => [
    ...settings[`SUBSONIC_URL${suffix}`] === '' ? [] : [await openSubsonic(app, settings, signer, suffix)],
    ...settings[`SOURCE_URL${suffix}`] === '' ? [] : [await openSource(app, settings, suffix)]
  ]))
  return opened.flat()
}

async function openSubsonic (
  app: FastifyInstance, settings: Settings, signer: Signer, suffix: Suffix
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
  // Each has kinds of the same names. Audio and covers come by the login of the settings.
  await app.register(async scope => {
    await scope.register(mediaProxy, { signer, kinds: client.mediaKinds, prefix: `/${id}` })
    mediaUrl = scope.mediaUrl
  })
  return {
    id,
    context ({ request, signal }, _path, login) {
      const { account, qualityMap, playlistSortOptions } = login === undefined ? client : clientOf(login)
      const baseUrl = settings.PUBLIC_URL || requestOrigin(request) + app.prefix
      return {
        id,
        name: hostOf(url),
        adapter: createSubsonicAdapter(login === undefined ? client : clientOf(login), {
          media: (...args) => baseUrl + mediaUrl(...args), signal, log: request.log
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
  const notStored = (error: unknown) =>
    app.log.warn({ err: error }, `SOURCE_URL${suffix}: what it offers is not stored`)
  const lookers = new LRUCache<string, ReturnType<typeof offeredBy>>(atMost(mostLogins))
  const name = hostOf(baseUrl)
  const warn = (error: unknown) => app.log.warn({ err: error }, `SOURCE_URL${suffix} does not say what it offers`)
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
    context: async (_call, path, login) => ({
      id, name, account: baseUrl, ...await (login === undefined ? ofSettings : ofLogin(login))(path)
    })
  }
}
