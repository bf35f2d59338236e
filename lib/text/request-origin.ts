import type { FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { BadRequestError } from '../contract/errors.ts'

/** Characters of a name in the DNS and a port; every URL of an answer begins with it. */
const longestHost = 260

/**
 * Scheme and host that a request asked, without a slash at the end. Of the schemes that several trusted proxies tell
 * (`X-Forwarded-Proto: https, http`) it is the first, which the client uses; Fastify's `protocol` is the last. Without
 * a `Host`, as HTTP/1.0 allows, the host is the address that the client is connected to.
 *
 * @throws BadRequestError where the `Host` is longer than a name in the DNS
 */
export function requestOrigin (request: FastifyRequest): string {
  if (request.host.length > longestHost) throw new BadRequestError('The Host header is too long')
  return `${schemeOf(request)}://${request.host || addressOf(request.raw.socket)}`
}

function schemeOf (request: FastifyRequest): string {
  const forwarded = request.headers['x-forwarded-proto']
  if (forwarded === undefined) return request.protocol
  const first = String(forwarded).split(',')[0]!.trim().toLowerCase()
  if (first !== 'http' && first !== 'https') return request.protocol
  // Fastify's own, which knows whether the proxy is trusted, with nothing but the first one to read.
  const { protocol } = Object.create(request, { headers: { value: { 'x-forwarded-proto': first } } }) as FastifyRequest
  return protocol
}

function addressOf ({ localAddress = '', localPort }: Socket): string {
  const address = localAddress.replace(/^::ffff:/, '')
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
