import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { invalidOption, noSource } from '../errors/author-errors.ts'
import { parseBodies, type RegisteredSource } from '../request/index.ts'
import { register, type Registration } from '../routes/index.ts'
import { sendError, withErrorHandler } from '../reply/index.ts'
import { validatePageOptions, type ValidPageOptions, type SourcePageOptions } from './page-options.ts'
import { registerAppPasswords, type AppPasswords } from './register-app-passwords.ts'
import { ownRoutes } from './page-routes.ts'
import { registerBrowse } from './register-browse.ts'
import { registerCovers } from './register-covers.ts'
import { registerDocs } from './register-docs.ts'
import { registerDownloads } from './register-downloads.ts'
import { registerExtras } from './register-extras.ts'
import { registerFiles, type FilesOf, type SourceFiles } from './register-files.ts'
import { registerHousehold, type Household, type HouseholdOperation } from './register-household.ts'
import { registerInspector } from './register-inspector.ts'
import { registerLibrary } from './register-library.ts'
import { registerListening } from './register-listening.ts'
import { registerPlays } from './register-plays.ts'
import { registerPlaylists } from './register-playlists.ts'
import { registerRatings } from './register-ratings.ts'
import { registerProgress, type Progress } from './register-progress.ts'
import type { HouseholdConnection, HouseholdLimit, ListenService } from './page-responses.ts'
import { registerServices, type ListenServices } from './register-services.ts'
import { registerSources } from './register-sources.ts'
import { registerProviders } from './sign-in/register-providers.ts'
import type { PageSignIn, TrustedHeader } from './sign-in/sign-in-options.ts'
import { registerSignIn } from './register-sign-in.ts'
import { registerScan } from './register-scan.ts'
import { sendAsset, sendHtml, sendManifest, sendWorker } from './send-page.ts'

/**
 * The plugin of a page that plays the source beside it, and shows developers the source as clients see it.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION, SOURCE_ORIGIN_ERR_NO_SOURCE,
 *   SOURCE_ORIGIN_ERR_ALREADY_REGISTERED at registration; with `docs` also SOURCE_ORIGIN_ERR_MISSING_PACKAGE if
 *   `@fastify/swagger-ui` is not installed
 */
const sourcePage: FastifyPluginAsync<SourcePageOptions> = fastifyPlugin(registerPage, {
  name: 'fastify-source-origin/page', fastify: '^5.12.0'
})

/** Registers the outer plugin, which finds the source. Everything else is in the inner one. */
async function registerPage (host: FastifyInstance, options: SourcePageOptions): Promise<void> {
  const valid = validatePageOptions(options)
  const { prefix = '', logLevel } = options
  const registration = register(host, 'sourcePage', prefix)
  const { source } = registration
  if (source === undefined) throw noSource('sourcePage', host.prefix + prefix)
  registration.page = host.prefix + prefix + valid.path
  const pagePlugin = withErrorHandler(sendError, pageRoutes(valid, registration, source))
  await host.register(pagePlugin, { prefix, ...logLevel && { logLevel } })
}

const pageRoutes = (
  valid: ValidPageOptions, registration: Registration, source: RegisteredSource
) => async (app: FastifyInstance): Promise<void> => {
  const {
    path, inspector, docs, downloadUrl, resizeCover, progress, appPasswords, services, sources, household, files,
    publicUrl, store
  } = valid
  parseBodies(app)
  const hidden = { schema: { hide: true }, exposeHeadRoute: true }
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const [url = '', ...query] = request.url.split('?')
    // The page loads its files relative to its URL, so that it works behind any prefix, also one that a proxy strips.
    if (url.endsWith('/')) return sendHtml(reply, valid)
    return reply.redirect([`./${url.split('/').at(-1)}/`, ...query].join('?'), 308)
  }
  if (path === '/' && registration.answerRoot !== undefined) registration.answerRoot = page
  else if (app.hasRoute({ method: 'GET', url: app.prefix + path })) {
    throw invalidOption('path', `another one, such as /player/: this server has its own ${app.prefix + path}`)
  } else app.get(path, hidden, page)
  const bare = path.slice(0, -1)
  if (bare !== '' && !app.hasRoute({ method: 'GET', url: app.prefix + bare })) app.get(bare, hidden, page)
  app.get<{ Params: { name: string } }>(
    `${path}page/:name`, hidden, (request, reply) => sendAsset(request, reply, request.params.name)
  )
  app.get(`${path}page/manifest.webmanifest`, hidden, (_request, reply) => sendManifest(reply, valid))
  app.get(`${path}page/worker.js`, hidden, (_request, reply) => sendWorker(reply, valid))
  const route = ownRoutes(app, path, source)
  if (inspector) registerInspector(app, path, route)
  registerBrowse(route, registration, files, household, registerProviders(app, path, valid))
  registerLibrary(route)
  registerFiles(route, files)
  registerRatings(route, registration)
  if (downloadUrl !== undefined) registerDownloads(route, downloadUrl)
  if (progress !== undefined) registerProgress(route, progress)
  registerScan(route)
  registerCovers(app, path, resizeCover)
  registerPlaylists(route)
  registerPlays(route, source.source, registration)
  registerListening(route, registration, store)
  registerExtras(route)
  if (appPasswords !== false) {
    registerAppPasswords(route, appPasswords)
    const { signIn: exchange } = appPasswords
    if (exchange !== undefined) registerSignIn(app, path, exchange, publicUrl)
  }
  if (services !== undefined) registerServices(route, services)
  if (sources !== undefined) registerSources(route, sources)
  if (household !== undefined) registerHousehold(route, household)
  if (docs) await registerDocs(app, path)
}

export {
  sourcePage,
  sourcePage as default,
  type SourcePageOptions,
  type AppPasswords,
  type FilesOf,
  type Household,
  type HouseholdConnection,
  type HouseholdLimit,
  type HouseholdOperation,
  type ListenService,
  type ListenServices,
  type PageSignIn,
  type Progress,
  type SourceFiles,
  type TrustedHeader
}
