import type { FastifyReply } from 'fastify'

/**
 * Number of UTF-16 code units from which a body is sent as a Buffer. Medians over processes, Node 22 and 24: a playlist of 1000 tracks
 * (0.5 MB) is 1 to 5 % faster as a Buffer, and 15 % if it is Chinese; pages of 20 and 100 tracks (up to 45 kB) are 2 to 10 % slower.
 */
const long = 2 ** 16

/** Sends a body that is JSON already, so that no serializer of the host comes between. */
export const sendJson = (reply: FastifyReply, json: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(json.length < long ? json : Buffer.from(json))
