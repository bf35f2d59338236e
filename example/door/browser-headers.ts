import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { readOrigins } from './read-origins.ts'
import type { Settings } from '../settings.ts'

/** Says to browsers who may call, and to them and to caches what they may do with answers. */
export async function browserHeaders (app: FastifyInstance, { CORS_ORIGIN, HSTS_MAX_AGE }: Settings): Promise<void> {
  // A cache in front of the source would answer for a dead one, and 404 for a file that is back.
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode >= 400 || !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  await app.register(helmet, {
    // Players of web clients load media from here, whatever site they are on.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // It holds for all ports of a name, and not all of them are ours.
    strictTransportSecurity: HSTS_MAX_AGE !== '' && { maxAge: Number(HSTS_MAX_AGE), includeSubDomains: false }
  })
  await app.register(cors, {
    origin: CORS_ORIGIN !== '' && readOrigins(CORS_ORIGIN)!,
    // Each that `/rest` takes and a page can send.
    methods: app.supportedMethods.filter(method => method !== 'OPTIONS' && method !== 'TRACE'),
    allowedHeaders: ['Authorization', 'Cache-Control', 'Content-Type', 'If-None-Match', 'Range'],
    exposedHeaders: [
      'Accept-Ranges', 'Content-Length', 'Content-Range', 'ETag', 'Retry-After', 'X-Request-Id', 'X-Total-Count'
    ],
    maxAge: 24 * 60 * 60
  })
}
