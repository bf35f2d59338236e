import type { FastifyInstance } from 'fastify'
import type { Redis } from 'ioredis'

/**
 * Connects to Redis, in which replicas count wrong tokens together. Each loss of the connection logs one warning.
 *
 * @param url The URL of Redis; an empty string for none
 */
export async function connectRedis (app: FastifyInstance, url: string): Promise<Redis | undefined> {
  if (url === '') return undefined
  const { default: { Redis } } = await import('ioredis')
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 500 })
  let isTold = false
  redis.on('error', ({ message }) => {
    if (!isTold) app.log.warn({ reason: message }, 'redis connection failed')
    isTold = true
  })
  redis.on('ready', () => { isTold = false })
  app.addHook('onClose', async () => redis.disconnect())
  return redis
}
