import type { FastifyInstance } from 'fastify'
import { write } from 'node:fs'
import { sdkVersion } from 'fastify-source-origin'
import type { Settings } from '../start/settings.ts'
import { isPlainUrl } from '../text/is-plain-url.ts'

/** Sets the level of the log, and writes what runs there when it starts and when it has ended. To be called first. */
export function logLife (app: FastifyInstance, settings: Settings): void {
  const { LOG_LEVEL, MUSIC_DIR, DATA_DIR, STATELESS, DATABASE_URL, REDIS_URL } = settings
  app.log.level = LOG_LEVEL
  if (settings.FASTIFY_TRUST_PROXY_ENABLED === 'true') {
    app.log.warn('FASTIFY_TRUST_PROXY_ENABLED believes the X-Forwarded- headers of whoever reaches this port: ' +
      'FASTIFY_TRUST_PROXY_IPS believes those of the proxies that it names')
  }
  const accounts = DATABASE_URL !== '' ? `PostgreSQL${placeOf(DATABASE_URL)}` : 'state.sqlite'
  app.addHook('onReady', async () => {
    app.log.info(`fastify-source-origin ${sdkVersion} on Node ${process.version}: music in ${MUSIC_DIR}, ` +
      `data in ${DATA_DIR}, ${STATELESS === 'true' ? 'no accounts' : `accounts in ${accounts}`}, ` +
      `wrong tokens counted in ${REDIS_URL !== '' ? `Redis${placeOf(REDIS_URL)}` : 'memory'}`)
  })
  // What is registered first is closed last.
  app.addHook('onClose', async () => {
    app.log.info('The source has ended')
    // Earlier writes of the log have returned by then. Otherwise, if the reader of the log has gone, the logger would
    // retry its last write for ever as the process exits.
    await new Promise(resolve => write(1, '', resolve))
  })
}

/** Where a service is, without its login; nothing where a password could be read as a part of the address. */
const placeOf = (url: string): string =>
  isPlainUrl(url) ? ` at ${new URL(url).host}${new URL(url).pathname}` : ''
