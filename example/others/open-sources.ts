import type { FastifyInstance } from 'fastify'
import { NotFoundError } from 'fastify-source-origin'
import type { SourceStates } from 'fastify-source-origin/combine'
import type { LibraryStore } from 'fastify-source-origin/library'
import { mediaProxy, type MediaCall, type Signer } from 'fastify-source-origin/media'
import { requestOrigin } from 'fastify-source-origin/serve'
import { createSubsonicAdapter } from 'fastify-source-origin/subsonic/client'
import { otherSuffixes, type Settings } from '../start/settings.ts'
import { subsonicClient, type SubsonicLogin } from './clients.ts'
import { drawnPath } from '../media/folder-media.ts'
import { openMirrors } from './mirror-file.ts'
import { openFriend } from './open-friend.ts'
import { openLogins } from './open-logins.ts'
import { hostOf } from '../text/other-ids.ts'
import type { OtherSource } from './other-source.ts'

/** Finds the current login of an account at a source. */
export type FindLogin = (accountName: string, source: string) => Promise<string | undefined>

type Suffix = typeof otherSuffixes[number]

/**
 * Opens the sources in the settings.
 *
 * @param id of this source, for requests to sources of friends
 */
export async function openOthers (
  app: FastifyInstance, settings: Settings, { signer, id }: { signer: Signer, id: string }, states: SourceStates,
  findLogin: FindLogin
): Promise<OtherSource[]> {
  const store = openMirrors(settings.DATA_DIR, app.log)
  app.addHook('onClose', async () => store?.close())
  const opened = await Promise.all(otherSuffixes.map(async suffix => [
    ...settings[`SUBSONIC_URL${suffix}`] === ''
      ? []
      : [await openSubsonic(app, settings, signer, states, suffix, findLogin, store)],
    ...settings[`SOURCE_URL${suffix}`] === '' ? [] : [await openFriend(app, settings, { states, suffix, id, store })]
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
  const clientOf = openLogins(app, login => subsonicClient(url, login, library))
  app.addHook('onClose', () => client.close())
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
  // The media kinds of different sources have equal names.
  await app.register(async scope => {
    await scope.register(mediaProxy, { signer, kinds, prefix: `/${id}` })
    mediaUrl = scope.mediaUrl
  })
  const name = hostOf(url)
  // The login in the settings is the one that is listed.
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
          placeholder: of => baseUrl + signer.signStable(drawnPath(`${id}:${of}`)),
          signal,
          log: request.log
        }),
        stateless: false,
        qualityMap,
        playlistSortOptions,
        account,
        varyBy: baseUrl
      }
    }
  }
}
