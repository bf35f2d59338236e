import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lacksPackage } from '../errors/lacks-package.ts'

/** The gzip level. The default, 6, takes up to three times as long for a tenth less. */
const level = 3

/**
 * Compresses JSON and XML responses of all routes that are registered later. Audio, pictures and partial responses are
 * not compressed. The length of a compressed response does not leak secrets to other sites: they cannot send requests
 * with the token of a user, because it is not in a cookie.
 */
export async function compressAnswers (app: FastifyInstance): Promise<void> {
  const { default: compress } = await import('@fastify/compress').catch(lacksPackage('@fastify/compress', 'protection'))
  await app.register(compress, {
    customTypes: /^(?:application|text)\/(?:json|xml)\b/,
    encodings: ['gzip'],
    globalDecompression: false,
    zlibOptions: { level }
  })
  app.addHook('onRoute', route => { route.onSend = [route.onSend ?? [], weakenTag].flat() })
}

/** Weakens the ETag of a compressed response: it identifies the same content, but not the same bytes any more. */
async function weakenTag (_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const tag = reply.getHeader('etag')
  if (reply.getHeader('content-encoding') === 'gzip' && typeof tag === 'string') {
    reply.header('etag', tag.replace(/^(?=")/, 'W/'))
  }
}
