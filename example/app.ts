import type { FastifyInstance, FastifyRequest } from 'fastify'
import sourceOrigin, {
  BadRequestError, tokenMatches, UnauthorizedError, type ResolveContext
} from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createSigner, withoutQueries } from 'fastify-source-origin/media'
import sourcePage from 'fastify-source-origin/page'
import { noteRunning, readiness, requestIds, requestOrigin } from 'fastify-source-origin/serve'
import subsonic from 'fastify-source-origin/subsonic'
import { setTimeout } from 'node:timers/promises'
import { answerCall } from './accounts/control-socket.ts'
import { closeInTime, openAccounts } from './accounts/open-accounts.ts'
import { runCommand, type AccountServices } from './accounts/run-command.ts'
import { hasPage, signInLinks } from './addresses.ts'
import { browserHeaders } from './browser-headers.ts'
import { chooseToken } from './choose-token.ts'
import { compressAnswers } from './compress-answers.ts'
import { Describer } from './describe.ts'
import { endStreams } from './end-streams.ts'
import { endWhileStarting } from './end-while-starting.ts'
import { FolderSource, playlistSortOptions } from './folder-source.ts'
import { ignoreHangUp } from './ignore-hang-up.ts'
import { limitTries } from './limit-tries.ts'
import { Library } from './library.ts'
import { logLife } from './log-life.ts'
import { loadMediaKey } from './media/load-media-key.ts'
import { mediaRoutes, resizeCover } from './media/media-routes.ts'
import { misspeltSettings } from './misspelt-settings.ts'
import { printWelcome } from './print-welcome.ts'
import { readSettings, type Settings } from './settings.ts'
import { serveMetrics } from './serve-metrics.ts'
import { shedLoad } from './shed-load.ts'
import { StartError } from './start-error.ts'
import { StatefulSource } from './state/stateful-source.ts'
import { claimFolder } from './store/claim-folder.ts'

export { options } from './server-options.ts'

/** Milliseconds that a start waits for a scan, one less for each known track. fastify-cli gives up after 10,000. */
const startWithin = 3000

/** Characters of a name in the DNS and a port; every URL of an answer begins with it. */
const longestHost = 260

/** Operations whose answers are never kept. */
const changing = [
  'getTrackLyrics', 'getDailyTracks', 'getToplist', 'getToplistTracks', 'getArtistDetail', 'getArtistTracks',
  'getSimilarTracks', 'getTrackUrl', 'getRecommendedPlaylist'
]

/**
 * What fastify-cli starts. It prints an error with its stack, which helps nobody whose folder is missing: what the user
 * can put right is told here in one line.
 */
export default async function app (app: FastifyInstance, _options: object): Promise<void> {
  const started = endWhileStarting()
  try {
    app.server.once('error', ({ message }) =>
      endWith(`PORT must be free, and FASTIFY_ADDRESS one of this machine: ${message}`))
    const settings = readSettings(process.env)
    for (const line of misspeltSettings(process.env)) app.log.warn(line)
    ignoreHangUp(app)
    await serveFolder(app, settings)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    endWith(error.message)
  } finally {
    started()
  }
}

function endWith (message: string): never {
  console.error(message)
  process.exit(1)
}

/**
 * A music folder as a source.
 *
 * @throws StartError for what the user has to put right
 */
export async function serveFolder (app: FastifyInstance, settings: Settings): Promise<void> {
  logLife(app, settings)
  withoutQueries(app)
  await app.register(requestIds, { inErrors: settings.NODE_ENV !== 'production' })
  let provide: (services: AccountServices | undefined) => void
  const provided = new Promise<AccountServices | undefined>(resolve => { provide = resolve })
  const claim = await claimFolder(settings.DATA_DIR, socket => answerCall(socket, async (args, input) => {
    const services = await provided
    if (services === undefined) throw new StartError('There are no accounts, since STATELESS is true')
    return runCommand(services, args, input)
  }, error => app.log.error(error, 'A command failed')))
  // What is registered first is closed last.
  app.addHook('onClose', async () => {
    await claim.release()
    app.log.info('closed')
  })

  const { token, file: tokenFile } = await chooseToken(settings)
  if (tokenFile !== undefined) {
    app.log.info(`The source made a token, since SOURCE_API_TOKEN is not set: it stays until ${tokenFile} is deleted`)
  }
  if (token === '') {
    app.log.warn('SOURCE_API_TOKEN is not set, so only accounts of npm run account are answered. ' +
      'Set it in the environment or in the file .env')
  }
  const library = await Library.open(settings.MUSIC_DIR, settings.DATA_DIR, app.log)
  app.addHook('onClose', () => library.close())
  const opened = settings.STATELESS === 'true' ? undefined : await openAccounts(settings, token, app.log)
  if (opened !== undefined) closeInTime(app, opened.state, settings)
  provide!(opened && { ...opened, library, linkOf: signInLinks(settings, app) })
  const shared = settings.DATABASE_URL === '' ? undefined : opened?.state
  const signer = createSigner({ keys: [await loadMediaKey(settings.DATA_DIR, shared)], ttl: settings.MEDIA_TTL })
  const tries = await limitTries(app, settings.REDIS_URL)
  const known = library.catalogue.tracks.size
  let isScanned = known > 0
  const checks = {
    ...opened && { database: () => opened.state.checkWritable().then(() => true) },
    scan: () => isScanned || 'running'
  }
  // While it is away each replica counts wrong tokens for itself.
  const optionalChecks = { ...tries.ping && { redis: tries.ping } }
  await app.register(readiness, { checks, optionalChecks, delay: settings.SHUTDOWN_DELAY * 1000 })
  endStreams(app)
  await browserHeaders(app, settings)
  await shedLoad(app)
  await compressAnswers(app)
  await app.register(mediaRoutes, {
    library,
    signer,
    played: (listener, track) =>
      opened?.state.plays.count(listener, track, error => app.log.warn(error, 'A play was not counted'))
  })
  const baseUrlOf = (request: FastifyRequest) => {
    if (settings.PUBLIC_URL !== '') return settings.PUBLIC_URL
    if (request.host.length > longestHost) throw new BadRequestError('The Host header is too long')
    return requestOrigin(request) + app.prefix
  }
  /** Who sends nothing has not tried. */
  const look = async <T>(
    request: FastifyRequest, authorization: string | undefined, find: (authorization: string) => T | Promise<T | null>
  ) => authorization ? tries.look(request, authorization, () => find(authorization)) : null
  const resolveContext: ResolveContext = async ({ authorization, request }) => {
    const shared = { qualityMap: library.catalogue.qualities, playlistSortOptions }
    if (opened === undefined) {
      if (!await look(request, authorization, given => tokenMatches(given, token) || null)) return null
      // Answers hold URLs with it: without it, one caller's `Host` would be in the answers to others.
      const baseUrl = baseUrlOf(request)
      const adapter = new FolderSource(library, new Describer(baseUrl, signer))
      return { ...shared, adapter, account: 'owner', variant: baseUrl }
    }
    const account = await look(request, authorization, given => opened.accounts.find(given))
    if (account === null) return null
    const baseUrl = baseUrlOf(request)
    const caller = await opened.state.caller(account.id)
    const adapter = new StatefulSource(library, new Describer(baseUrl, signer, caller), opened.state, caller)
    // What changes an account, here or on another replica, changes its revision, and no older answer is sent.
    const { revision, listener } = caller
    // Not the name, which another account may have had before: what the cache and Subsonic keep stays that one's.
    const accounts = { account: listener, accountName: account.id, revision, variant: baseUrl }
    return { ...shared, adapter, stateless: false, ...accounts }
  }
  const cache = createSourceCache({
    // A kept answer holds URLs of covers, which are valid for half of MEDIA_TTL at least.
    maxAge: settings.MEDIA_TTL / 2,
    // These change with each play, with the day, or with files that no scan looks into.
    operations: Object.fromEntries(changing.map(operation => [operation, false]))
  })
  library.onChange = () => cache.forget({})
  // While the music is away, lists are answered all the same: that does not make a replica unready.
  const allChecks = { ...checks, ...optionalChecks, music: () => library.isThere() }
  await serveMetrics(app, settings, { cache, library, tries, checks: allChecks })
  await app.register(sourceOrigin, { cache, resolveContext })
  const production = settings.NODE_ENV === 'production'
  await app.register(subsonic, {
    async resolveLogin (login) {
      const { verify, secret, username = '', request, signal } = login
      const ofToken = () => token !== '' && verify(token) ? token : null
      let needed: unknown
      const find = async () => opened === undefined
        ? ofToken()
        // An app that needs an app password may guess at the token of the owner, so it is counted as a wrong one.
        : opened.accounts.logIn(login).catch(error => {
          if (!(error instanceof UnauthorizedError)) throw error
          needed = error
          return null
        })
      // Where only a digest was sent, which is another each time, the name is what is known again.
      const found = await tries.look(request, secret ?? `name ${username}`, find, secret !== undefined)
      if (found === null) await tries.slowDown(request, username, signal)
      else tries.prove(request, found)
      if (needed !== undefined) throw needed
      return found
    },
    library: ({ adapter }) => (adapter as FolderSource).everything(),
    tracksByIds: (ids, { adapter }) => (adapter as FolderSource).tracksByIds(ids),
    addedAt: (kind, id) => library.catalogue[`${kind}s`].get(id)?.added,
    sharedLibrary: true,
    title: settings.PAGE_TITLE,
    lists: {
      recommended: ({ id }) => settings.GENRE_PLAYLISTS === 'true' || !library.catalogue.playlists.get(id)?.genre
    },
    // Without accounts it is in memory.
    ...opened && { store: opened.state.subsonic },
    resizeCover,
    ...settings.PUBLIC_URL !== '' && { publicUrl: settings.PUBLIC_URL },
    // Every URL is one of this server.
    media: 'redirect'
  })
  if (hasPage(settings)) {
    await app.register(sourcePage, {
      title: settings.PAGE_TITLE,
      inspector: !production,
      docs: !production,
      browse: (query, { adapter }) => (adapter as FolderSource).browse(query),
      progress: () => library.progress
    })
  }
  const scanned = library.scan().then(() => {
    isScanned = true
    library.watch(settings.SCAN_INTERVAL * 1000)
  })
  // A small folder is whole from the first answer on; a large one is not waited for.
  const scanEnd = new AbortController()
  await Promise.race([scanned, setTimeout(Math.max(0, startWithin - known), undefined, { signal: scanEnd.signal })])
  scanEnd.abort()
  if (!production && token !== '') noteRunning(app, { token, dataDir: settings.DATA_DIR })
  if (!production) printWelcome(app, settings, tokenFile === undefined ? undefined : token)
}
