import type { FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { BadRequestError } from '../contract/errors.ts'

/** The maximum length of a DNS name with a port. Every URL of a response begins with it. */
const longestHost = 260

/**
 * Returns the scheme and host of a request, without a trailing slash. If several trusted proxies send schemes
 * (`X-Forwarded-Proto: https, http`), the first one applies, which the client uses; Fastify's `protocol` is the last
 * one. Without a `Host`, as HTTP/1.0 allows, the host is the address to which the client is connected.
 *
 * @throws BadRequestError if the `Host` is longer than a DNS name
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
  // Calls Fastify's getter, which checks whether the proxy is trusted, with only the first scheme.
  const { protocol } = Object.create(request, { headers: { value: { 'x-forwarded-proto': first } } }) as FastifyRequest
  return protocol
}

function addressOf ({ localAddress = '', localPort }: Socket): string {
  const address = localAddress.replace(/^::ffff:/, '')
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
