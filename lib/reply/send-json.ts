import type { FastifyReply } from 'fastify'

/** Number of UTF-16 code units from which a body is sent as a Buffer. */
const longBody = 2 ** 16

/** Number of bytes below which a Buffer is sent as text, since Node writes that together with the headers. */
const shortBody = 2 ** 11

/** Sends a body that is already JSON, so that no serializer of the host runs. */
export const sendJson = (reply: FastifyReply, json: string | Buffer): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(typeof json === 'string' ? longAsBytes(json) : shortAsText(json))

/** A body as it is sent fastest (docs/benchmarks.md). */
export const longAsBytes = (text: string): string | Buffer => text.length >= longBody ? Buffer.from(text) : text
const shortAsText = (bytes: Buffer) => bytes.length < shortBody ? bytes.toString() : bytes
