import type { FastifyInstance } from 'fastify'
import { UpstreamError, type SourceError } from 'fastify-source-origin'
import { createSourceLibrary, pathThrough, type SourceStates } from 'fastify-source-origin/combine'
import type { LibraryStore } from 'fastify-source-origin/library'
import type { otherSuffixes, Settings } from '../start/settings.ts'
import { sourceClient } from './clients.ts'
import { offeredBy, OfferedFile, type OfferedOptions } from './offered.ts'
import { openLogins } from './open-logins.ts'
import { hostOf } from '../text/other-ids.ts'
import type { OtherSource } from './other-source.ts'

interface FriendParts {
  readonly states: SourceStates
  readonly suffix: typeof otherSuffixes[number]
  /** The id of this source. */
  readonly id: string
  readonly store: LibraryStore | undefined
}

/** Opens the source of a friend. */
export async function openFriend (
  app: FastifyInstance, settings: Settings, { states, suffix, id: here, store }: FriendParts
): Promise<OtherSource> {
  const baseUrl = settings[`SOURCE_URL${suffix}`]
  const id = `source${suffix}`
  const notStored = (error: unknown) =>
    app.log.warn({ err: error, source: id }, 'source status not stored')
  const name = hostOf(baseUrl)
  const state = states.of(id, name, baseUrl)
  const onError = (error: unknown) => {
    const { status, message } = error as SourceError
    const isRejected = status === 401 || status === 403
    state.fail(new UpstreamError(isRejected ? `It rejects SOURCE_TOKEN${suffix}` : message, { cause: error }), app.log)
  }
  const file = new OfferedFile(settings.DATA_DIR, id, baseUrl)
  const status = await file.read()
  const path = pathThrough({}, here)!
  const open = (token: string, options: OfferedOptions, background = false) => {
    const client = sourceClient(baseUrl, token)
    const offered = offeredBy(client, options)
    const library = createSourceLibrary(client, { path, log: app.log, background, ...store && { store } })
    return {
      context: async (path: readonly string[]) => library.addTo(await offered(path)),
      close: () => library.close()
    }
  }
  const ofSettings = open(settings[`SOURCE_TOKEN${suffix}`], {
    status,
    onError,
    async keep (status) {
      state.succeed(app.log)
      await file.write(status).catch(notStored)
    }
  }, true)
  app.addHook('onClose', () => ofSettings.close())
  await ofSettings.context([])
  const ofLogin = openLogins(app, token => open(token, { status }))
  return {
    id,
    name,
    context: async (_call, path, own) => own === undefined
      ? { id, name, account: baseUrl, ...await ofSettings.context(path) }
      : { id, name, account: `${baseUrl} ${own.accountName}`, ...await ofLogin(own.login).context(path) }
  }
}
