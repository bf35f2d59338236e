import type { FastifyReply } from 'fastify'
import { jsonType } from '../text/media-type-of.ts'

/** Number of UTF-16 code units from which a body is sent as a Buffer. */
const longBody = 2 ** 16

/** Sends a body that is already JSON, so that no serializer of the host runs. */
export const sendJson = (reply: FastifyReply, json: string | Buffer): FastifyReply =>
  reply.type(jsonType).send(typeof json === 'string' ? longAsBytes(json) : json)

/** A body as it is sent fastest (docs/operations/benchmarks.md). */
export const longAsBytes = (text: string): string | Buffer => text.length >= longBody ? Buffer.from(text) : text
