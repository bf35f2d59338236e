import type { FastifyInstance } from 'fastify'
import type { DoorOptions } from './door-options.ts'
import { lacksPackage } from '../errors/lacks-package.ts'

/** Sets the security headers of responses for browsers and caches. */
export async function browserHeaders (app: FastifyInstance, { hsts }: DoorOptions): Promise<void> {
  const { default: helmet } = await import('@fastify/helmet').catch(lacksPackage('@fastify/helmet', 'door'))
  // A cache in front of the source would answer for a dead one, and 404 for a file that is back.
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode >= 400 || !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  await app.register(helmet, {
    // Players of web clients load media from here, whatever site they are on.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // It holds for all ports of a name, and not all of them are ours.
    strictTransportSecurity: hsts !== undefined && { maxAge: hsts, includeSubDomains: false }
  })
}

/** Sets the CORS headers. */
export async function allowOrigins (app: FastifyInstance, origins: NonNullable<DoorOptions['origins']>): Promise<void> {
  const { default: cors } = await import('@fastify/cors').catch(lacksPackage('@fastify/cors', 'door'))
  await app.register(cors, {
    origin: origins === '*' ? origins : [...origins],
    // Each that `/rest` takes and a page can send.
    methods: app.supportedMethods.filter(method => method !== 'OPTIONS' && method !== 'TRACE'),
    allowedHeaders: ['Authorization', 'Cache-Control', 'Content-Type', 'If-None-Match', 'Range'],
    exposedHeaders: [
      'Accept-Ranges', 'Content-Length', 'Content-Range', 'ETag', 'Retry-After', 'Source-Partial', 'X-Request-Id',
      'X-Total-Count'
    ],
    maxAge: 24 * 60 * 60
  })
}
