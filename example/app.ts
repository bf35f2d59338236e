import type { FastifyInstance } from 'fastify'
// Loaded with the program: what is loaded while the server starts counts for the time limit of its plugins.
import 'fastify-source-origin/page'
import serveSource from 'fastify-source-origin/serve'
import 'fastify-source-origin/subsonic'
import { endWithin } from './accounts/open-accounts.ts'
import { hasPage } from './addresses.ts'
import { browserHeaders } from './browser-headers.ts'
import { compressAnswers } from './compress-answers.ts'
import { contextOf } from './context-of.ts'
import { endWhileStarting } from './end-while-starting.ts'
import { FirstScan } from './first-scan.ts'
import { playlistSortOptions, type FolderSource } from './folder-source.ts'
import { ignoreHangUp } from './ignore-hang-up.ts'
import { logLife } from './log-life.ts'
import { downloadRoutes } from './media/download-routes.ts'
import { mediaRoutes, type MediaOptions } from './media/media-routes.ts'
import { misspeltSettings } from './misspelt-settings.ts'
import { openParts } from './open-parts.ts'
import { printWelcome } from './print-welcome.ts'
import { serveMetrics } from './serve-metrics.ts'
import { readSettings, type Settings } from './settings.ts'
import { shedLoad } from './shed-load.ts'
import { StartError } from './start-error.ts'
import { subsonicOptions } from './subsonic-options.ts'

export { options } from './server-options.ts'

// fastify-cli makes the server, with some of the settings, before it calls `app`.
try {
  readSettings(process.env)
} catch (error) {
  endWithError(error)
}

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
    endWithError(error)
  } finally {
    started()
  }
}

function endWithError (error: unknown): never {
  if (!(error instanceof StartError)) throw error
  endWith(error.message)
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
  const production = settings.NODE_ENV === 'production'
  logLife(app, settings)
  const parts = await openParts(app, settings)
  const { token, library, opened, signer, tries, cache } = parts
  const firstScan = new FirstScan(library)
  const checks = {
    ...opened && { database: () => opened.state.checkWritable().then(() => true) },
    scan: firstScan.state
  }
  // While it is away each replica counts wrong tokens for itself.
  const optionalChecks = { ...tries.ping && { redis: tries.ping } }
  await app.register(serveSource, {
    resolveContext: contextOf(app, parts),
    playlistSortOptions,
    title: settings.PAGE_TITLE,
    publicUrl: settings.PUBLIC_URL || undefined,
    withoutQueries: true,
    requestIds: { inErrors: !production },
    readiness: { checks, optionalChecks, delay: settings.SHUTDOWN_DELAY * 1000 },
    endStreams: { timeout: endWithin },
    noteRunning: !production && token !== '' && { token, dataDir: settings.DATA_DIR },
    async before () {
      await browserHeaders(app, settings)
      await shedLoad(app)
      await compressAnswers(app)
    },
    cache,
    subsonic: subsonicOptions(parts),
    page: hasPage(settings) && {
      inspector: !production,
      docs: !production,
      browse: (query, { adapter }) => (adapter as FolderSource).browse(query),
      progress: () => library.progress,
      appPasswords: opened !== undefined && opened.accounts
    }
  })
  const media: MediaOptions = {
    library,
    signer,
    played: (listener, track) =>
      opened?.state.plays.count(listener, track, error => app.log.warn(error, 'A play was not counted')),
    ownPlaylist: async id => opened?.state.playlists.ofAny(id)
  }
  await app.register(mediaRoutes, media)
  await app.register(downloadRoutes, media)
  // While the music is away, lists are answered all the same: that does not make a replica unready.
  const allChecks = { ...checks, ...optionalChecks, music: () => library.isThere() }
  await serveMetrics(app, settings, { cache, library, tries, checks: allChecks })
  await firstScan.run(settings.SCAN_INTERVAL * 1000)
  if (!production) printWelcome(app, settings, parts.isTokenMade ? token : undefined)
}
