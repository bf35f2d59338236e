import type { FastifyReply } from 'fastify'

/** Sends a body that is JSON already, so that no hook or serializer of the host comes between. */
export const sendJson = (reply: FastifyReply, json: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(json)
