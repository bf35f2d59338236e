import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CachedResponse } from '../source/index.ts'
import { sendJson } from './send-json.ts'
import { setPartialHeader } from './partial-header.ts'

/** Sends a cached response, or 304 to a client that already has it (docs/reference/contract.md, Caching). */
export function sendCached (
  request: FastifyRequest, reply: FastifyReply, answer: CachedResponse, validateResponses: boolean
): FastifyReply {
  const { body, etag, cacheControl, missing } = answer
  if (missing !== undefined) setPartialHeader(reply, missing)
  reply.header('cache-control', cacheControl)
  if (validateResponses) reply.header('cache-status', `source-origin; ${answer.cacheStatus()}`)
  if (etag === undefined) return sendJson(reply, body)
  reply.header('etag', etag)
  const wanted = request.headers['if-none-match']
  if (wanted === undefined || !matches(wanted, etag)) return sendJson(reply, body)
  reply.code(304)
  // Fastify takes the length of a HEAD response from the body.
  return request.method === 'HEAD' ? sendJson(reply, body) : reply.send()
}

/** Compares ETags weakly (RFC 9110, 13.1.2), because compressing proxies make strong tags weak. */
const matches = (wanted: string, etag: string) =>
  wanted.trim() === '*' || wanted.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)
