import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import sourceOrigin, { tokenMatches } from 'fastify-source-origin'
import { setTimeout } from 'node:timers/promises'
import { chooseToken } from './choose-token.ts'
import { Describer } from './describe.ts'
import { endStreams } from './end-streams.ts'
import { FolderSource, playlistSortOptions } from './folder-source.ts'
import { Library } from './library.ts'
import { logWithoutQueries } from './log-without-queries.ts'
import { createSigner } from './media/create-signer.ts'
import { loadMediaKey } from './media/load-media-key.ts'
import { mediaRoutes } from './media/media-routes.ts'
import { printWelcome } from './print-welcome.ts'
import { readSettings, type Settings } from './settings.ts'
import { StartError } from './start-error.ts'

/** Milliseconds that the start waits for the first scan; fastify-cli gives up after ten seconds. */
const startWithin = 3000

/**
 * What fastify-cli starts. It prints an error with its stack, which helps nobody whose folder is missing: what the user
 * can put right is told here in one line.
 */
export default async function app (app: FastifyInstance, _options: object): Promise<void> {
  try {
    await serveFolder(app, readSettings(process.env))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

/**
 * A music folder as a source.
 *
 * @throws StartError for what the user has to put right
 */
export async function serveFolder (app: FastifyInstance, settings: Settings): Promise<void> {
  logWithoutQueries(app)
  const signer = createSigner(await loadMediaKey(settings.DATA_DIR), settings.MEDIA_TTL)
  const library = await Library.open(settings.MUSIC_DIR, settings.DATA_DIR, app.log)
  app.addHook('onClose', () => library.close())
  endStreams(app)
  const { token, made } = chooseToken(settings)
  if (token === '') app.log.warn('SOURCE_API_TOKEN is not set, so every /v1 call is answered 401. Set it in the environment or in the file .env')

  // Players of web clients load media from here, whatever site they are on.
  await app.register(helmet, { crossOriginResourcePolicy: { policy: 'cross-origin' } })
  await app.register(cors, {
    origin: settings.CORS_ORIGIN === '' ? false : settings.CORS_ORIGIN === '*' ? '*' : settings.CORS_ORIGIN.split(/\s*,\s*/),
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Range'],
    exposedHeaders: ['Accept-Ranges', 'Content-Length', 'Content-Range', 'ETag', 'Retry-After'],
    maxAge: 24 * 60 * 60
  })
  await app.register(mediaRoutes, { library, signer })
  await app.register(sourceOrigin, {
    resolveContext ({ authorization, request }) {
      if (!tokenMatches(authorization, token)) return null
      const baseUrl = settings.PUBLIC_URL || `${request.protocol}://${request.host}${app.prefix}`
      return {
        adapter: new FolderSource(library, new Describer(baseUrl, signer)),
        qualityMap: library.catalogue.qualities,
        playlistSortOptions
      }
    }
  })
  const scanned = library.scan().then(() => library.watch())
  // A small folder is whole from the first answer on; a large one is not waited for.
  const patience = new AbortController()
  await Promise.race([scanned, setTimeout(startWithin, undefined, { signal: patience.signal })])
  patience.abort()
  if (settings.NODE_ENV !== 'production') printWelcome(app, made ? token : undefined)
}
