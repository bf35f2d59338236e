import type { FastifyReply } from 'fastify'

/**
 * Sends a body that is JSON already, so that no serializer of the host comes between. As text: a Buffer made of it was 5 to
 * 25 % slower for pages of 20 and 100 tracks. For a playlist of 1000 it was up to 20 % faster or 15 % slower, and each process
 * kept to the one or the other.
 */
export const sendJson = (reply: FastifyReply, json: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(json)
