import type { FastifyInstance } from 'fastify'
import serveSource from 'fastify-source-origin/serve'
import { endWithin } from './accounts/open-accounts.ts'
import { owner } from './accounts/owner.ts'
import { pageHousehold } from './accounts/page-household.ts'
import { hasPage, signInLinks } from './start/addresses.ts'
import { connectRedis } from './server/connect-redis.ts'
import { readOrigins } from './start/read-origins.ts'
import { contextOf } from './context-of.ts'
import { pageFiles } from './accounts/page-files.ts'
import { FirstScan } from './index/first-scan.ts'
import { playlistSortOptions } from './source/folder-source.ts'
import { ErrorsOfToday } from './monitoring/errors-of-today.ts'
import { keepLogging } from './monitoring/keep-logging.ts'
import { logLife } from './monitoring/log-life.ts'
import { downloadRoutes } from './media/download-routes.ts'
import { mediaRoutes, resizeCover, type FolderMediaOptions } from './media/folder-media.ts'
import { loginsOf } from './accounts/logins.ts'
import { openResources } from './open-resources.ts'
import { pageServices } from './accounts/page-services.ts'
import { printWelcome } from './monitoring/print-welcome.ts'
import { serveMetrics } from './monitoring/serve-metrics.ts'
import { hasOthers, hasSignIn, type Settings } from './start/settings.ts'
import { downloadUrl, subsonicOptions } from './folder-subsonic.ts'

/**
 * Serves a music folder as a source.
 *
 * @throws StartError for a problem that the user has to fix
 */
export async function serveFolder (app: FastifyInstance, settings: Settings): Promise<void> {
  const production = settings.NODE_ENV === 'production'
  keepLogging(app)
  logLife(app, settings)
  const errors = new ErrorsOfToday()
  ErrorsOfToday.watch(app, errors)
  const resources = await openResources(app, settings)
  const { token, folder, opened, signer, transcoder, cache } = resources
  const firstScan = new FirstScan(folder)
  const checks = {
    ...opened && { database: () => opened.state.checkWritable().then(() => true) },
    scan: firstScan.state
  }
  // While Redis is unavailable, each replica counts wrong tokens separately.
  const redis = await connectRedis(app, settings.REDIS_URL)
  const ofFolder = contextOf(app, resources)
  const others = hasOthers(settings)
    ? await (await import('./other-sources.ts')).openCombination(
      app, settings, resources, opened ? loginsOf(opened.state.listens, opened.seal) : async () => new Map(), ofFolder)
    : undefined
  const optionalChecks = {
    ...redis && { redis: async () => await redis.ping() === 'PONG' },
    ...others?.checks,
    ...opened && Object.fromEntries([...opened.services.keys()].map(name =>
      [name, () => opened.teller.states.find(({ id }) => id === name)?.available ?? true]))
  }
  const signIn = opened && hasSignIn(settings)
    ? (await import('./accounts/page-sign-in.ts')).pageSignIn(app, settings, opened.state)
    : undefined
  await app.register(serveSource, {
    title: settings.PAGE_TITLE,
    resolveContext: others?.resolveContext ?? ofFolder,
    playlistSortOptions,
    publicUrl: settings.PUBLIC_URL || undefined,
    withoutQueries: true,
    requestIds: true,
    readiness: { checks, optionalChecks, delay: settings.SHUTDOWN_DELAY * 1000 },
    shutdown: { timeout: endWithin },
    runtimeFile: !production && token !== '' && { token, dataDir: settings.DATA_DIR },
    protection: {
      origins: settings.CORS_ORIGIN === '' ? undefined : readOrigins(settings.CORS_ORIGIN),
      hstsSeconds: settings.HSTS_MAX_AGE === '' ? undefined : Number(settings.HSTS_MAX_AGE),
      redis
    },
    cache,
    // Without accounts, the default store in memory is used.
    store: opened?.state.subsonic,
    subsonic: subsonicOptions(resources),
    page: hasPage(settings) && {
      downloadUrl,
      resizeCover,
      inspector: !production,
      docs: !production,
      progress: () => folder.progress,
      files: pageFiles(folder),
      appPasswords: opened !== undefined && opened.accounts,
      signIn,
      ...opened && {
        services: pageServices(opened),
        household: pageHousehold({ ...opened, folder, settings, linkOf: signInLinks(settings, app), errors })
      },
      sources: ({ accountName = owner }) =>
        accountName === owner ? [...others?.states.list() ?? [], ...opened?.teller.states ?? []] : []
    }
  })
  const media: FolderMediaOptions = {
    folder,
    signer,
    dataDir: settings.DATA_DIR,
    silent: opened?.state.silent,
    transcoder,
    ownPlaylist: async (listener, id) => opened?.state.playlists.of(listener, id),
    limitsOf: async listener => opened?.state.limitsOf(listener)
  }
  await app.register(mediaRoutes, media)
  await app.register(downloadRoutes, media)
  // A replica without its music folder stays ready, because lists still work.
  const allChecks = { ...checks, ...optionalChecks, music: () => folder.isThere() }
  await serveMetrics(app, settings, { cache, folder, checks: allChecks })
  await firstScan.run(settings.SCAN_INTERVAL * 1000)
  if (!production) printWelcome(app, settings, resources.isTokenMade ? token : undefined)
}
