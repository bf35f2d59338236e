import type { FastifyReply } from 'fastify'

/** Sets the header with the ids of the missing sources (docs/reference/contract.md, Envelope). */
export function setPartialHeader (reply: FastifyReply, missing: readonly string[]): void {
  if (missing.length > 0) reply.header('source-partial', missing.join(', '))
}
