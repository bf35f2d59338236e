import type { FastifyInstance } from 'fastify'
import type { ProtectionOptions } from './protection-options.ts'
import { lacksPackage } from '../errors/lacks-package.ts'

/** Sets the security headers of responses for browsers and caches. */
export async function browserHeaders (app: FastifyInstance, { hstsSeconds }: ProtectionOptions): Promise<void> {
  const { default: helmet } = await import('@fastify/helmet').catch(lacksPackage('@fastify/helmet', 'protection'))
  // Without `no-store`, a cache in front of the source could respond for a dead source, or send a 404 for a restored
  // file.
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode >= 400 || !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  await app.register(helmet, {
    // Web clients on any site load media from here.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // HSTS applies to all ports of a host name, and other services may use some of them.
    strictTransportSecurity: hstsSeconds !== undefined && { maxAge: hstsSeconds, includeSubDomains: false }
  })
}

/** Sets the CORS headers. */
export async function allowOrigins (
  app: FastifyInstance, origins: NonNullable<ProtectionOptions['origins']>
): Promise<void> {
  const { default: cors } = await import('@fastify/cors').catch(lacksPackage('@fastify/cors', 'protection'))
  await app.register(cors, {
    origin: origins === '*' ? origins : [...origins],
    // All methods that `/rest` accepts and browsers can send.
    methods: app.supportedMethods.filter(method => method !== 'OPTIONS' && method !== 'TRACE'),
    allowedHeaders: ['Authorization', 'Cache-Control', 'Content-Type', 'If-None-Match', 'Range'],
    exposedHeaders: [
      'Accept-Ranges', 'Content-Length', 'Content-Range', 'ETag', 'Retry-After', 'Source-Partial', 'X-Request-Id',
      'X-Total-Count'
    ],
    maxAge: 24 * 60 * 60
  })
}
