import fastify, { type FastifyServerOptions } from 'fastify'
import { createAccounts, fileAccountStore } from 'fastify-source-origin/accounts'
import { openPostgres } from 'fastify-source-origin/accounts/kysely'
import { redisStore } from 'fastify-source-origin/cache'
import serveSource, { serverOptions, type StartSettings } from 'fastify-source-origin/serve'
import { createAccountUpstream, createUpstream } from 'fastify-source-origin/upstream'
import { Redis } from 'ioredis'
import { createAdapter } from './adapter.ts'
import { audioOf, logins } from './service.ts'

/** The server, which does not listen yet. */
export async function buildApp (settings: StartSettings & { serviceUrl: string }, options?: FastifyServerOptions) {
  const { token, secret, publicUrl, dataDir, serviceUrl } = settings
  // Addresses of proxies whose word of who calls is believed. Without them all clients of a proxy are one.
  const app = fastify({ trustProxy: process.env.TRUST_PROXY || false, ...serverOptions, ...options })
  // Several replicas share both. Without them logins are in a file, and all else in the memory of this process.
  const { DATABASE_URL, REDIS_URL } = process.env
  const database = DATABASE_URL ? await openPostgres(DATABASE_URL) : undefined
  const redis = REDIS_URL ? new Redis(REDIS_URL, { enableOfflineQueue: false, maxRetriesPerRequest: 0 }) : undefined
  redis?.on('error', error => app.log.warn({ reason: error.message }, 'redis connection failed'))
  const upstream = createUpstream({ baseUrl: serviceUrl })
  const store = database ?? fileAccountStore(`${dataDir}/accounts.json`)
  const accounts = createAccounts({ store, secret, tokens: { owner: token } })
  const service = createAccountUpstream({ upstream, accounts, ...logins })
  app.addHook('onClose', () => Promise.all([upstream.close(), database?.close(), redis?.disconnect()]))
  await app.register(serveSource, {
    title: 'my-source',
    accounts,
    stateless: false,
    adapter: call => createAdapter(call, service),
    publicUrl,
    withoutQueries: true,
    shutdown: {},
    // Limits of requests, connections and wrong tokens, compression, and headers for browsers.
    protection: { redis },
    cache: redis && { store: redisStore(redis, { prefix: 'my-source:' }) },
    media: { keys: [Buffer.from(secret)], kinds: { audio: audioOf(service, serviceUrl) } }
  })
  return app
}
