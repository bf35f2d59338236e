import type { FastifyReply } from 'fastify'

/**
 * Sends a body that is JSON already, so that no hook or serializer of the host comes between. As text: a Buffer made of it
 * was 5 to 25 % slower for pages of 20 and 100 tracks, and within the noise for 1000.
 */
export const sendJson = (reply: FastifyReply, json: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(json)
