import type { FastifyReply } from 'fastify'

/**
 * The body of a success: data in the envelope, written by the serializer of the route.
 *
 * @throws what the serializer throws for data that breaks the contract
 */
export const writeData = (reply: FastifyReply, data: unknown): string =>
  reply.getSerializationFunction('200')!({ code: 200, data })
