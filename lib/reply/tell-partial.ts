import type { FastifyReply } from 'fastify'

/** Says in a header which sources an answer lacks: their ids (docs/reference/contract.md, Envelope). */
export function tellPartial (reply: FastifyReply, missing: readonly string[]): void {
  if (missing.length > 0) reply.header('source-partial', missing.join(', '))
}
