import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lacksPackage } from '../errors/lacks-package.ts'

/** Of gzip: the default, 6, takes up to three times as long for a tenth less. */
const level = 3

/**
 * Compresses what is JSON or XML, on all routes that come from now on. Audio, pictures and parts of files stay as they
 * are. Whoever could make others' browsers ask here has not their token, which no cookie holds, so that the length of
 * an answer tells nobody a secret.
 */
export async function compressAnswers (app: FastifyInstance): Promise<void> {
  const { default: compress } = await import('@fastify/compress').catch(lacksPackage('@fastify/compress', 'door'))
  await app.register(compress, {
    customTypes: /^(?:application|text)\/(?:json|xml)\b/,
    encodings: ['gzip'],
    globalDecompression: false,
    zlibOptions: { level }
  })
  app.addHook('onRoute', route => { route.onSend = [route.onSend ?? [], weakenTag].flat() })
}

/** The tag of the answer as it was before stands for the same content, and no more for the same bytes. */
async function weakenTag (_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const tag = reply.getHeader('etag')
  if (reply.getHeader('content-encoding') === 'gzip' && typeof tag === 'string') {
    reply.header('etag', tag.replace(/^(?=")/, 'W/'))
  }
}
