import type { FastifyReply, FastifyRequest } from 'fastify'
import { longestId } from '../../schemas/common.ts'
import { resolveRequest, type RegisteredSource } from '../routes/index.ts'
import { Asker } from '../source/index.ts'

export const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= longestId

/**
 * The source as who requests one of the page's own routes may ask it.
 *
 * @throws UnauthorizedError
 */
export async function askerOf (
  source: RegisteredSource, request: FastifyRequest, reply: FastifyReply
): Promise<Asker> {
  const { context, call } = await resolveRequest(source, request, reply)
  const resolve = async () => (await resolveRequest(source, request, reply)).context
  return new Asker({ source: source.source, call, context, resolve })
}
