import type { FastifyInstance } from 'fastify'
import { write } from 'node:fs'
import { sdkVersion } from 'fastify-source-origin'
import type { Settings } from '../start/settings.ts'
import { isPlainUrl } from '../text/is-plain-url.ts'

/** Sets the log level, and logs the configuration at the start and the end of the source. Must be called first. */
export function logLife (app: FastifyInstance, settings: Settings): void {
  const { LOG_LEVEL, MUSIC_DIR, DATA_DIR, STATELESS, DATABASE_URL, REDIS_URL } = settings
  app.log.level = LOG_LEVEL
  if (settings.FASTIFY_TRUST_PROXY_ENABLED === 'true') {
    const hint = 'Set FASTIFY_TRUST_PROXY_IPS instead of FASTIFY_TRUST_PROXY_ENABLED'
    app.log.warn({ hint }, 'all clients trusted as proxies')
  }
  const accounts = DATABASE_URL !== '' ? `PostgreSQL${placeOf(DATABASE_URL)}` : 'state.sqlite'
  app.addHook('onReady', async () => {
    app.log.info({
      version: sdkVersion,
      node: process.version,
      music: MUSIC_DIR,
      data: DATA_DIR,
      accounts: STATELESS === 'true' ? 'none' : accounts,
      loginAttempts: REDIS_URL !== '' ? `Redis${placeOf(REDIS_URL)}` : 'memory'
    }, 'source started')
  })
  // Fastify calls `onClose` hooks in reverse order, so hooks that are registered later run before this one.
  app.addHook('onClose', async () => {
    app.log.info({}, 'shutdown finished')
    // After this write, the earlier writes of the log have returned. Otherwise, if the reader of the log has ended, the
    // logger would retry its last write for ever as the process exits.
    await new Promise(resolve => write(1, '', resolve))
  })
}

/**
 * Returns the address of a service without its login, as a suffix of the service's name. Returns an empty string if a
 * part of a password could be taken for a part of the address.
 */
const placeOf = (url: string): string =>
  isPlainUrl(url) ? ` at ${new URL(url).host}${new URL(url).pathname}` : ''
