import type { FastifyReply } from 'fastify'
import { jsonType } from '../text/media-type-of.ts'

/** The length in UTF-16 code units from which a body is sent as a Buffer. */
const longBody = 2 ** 16

/** Sends a body that is already JSON, without a serializer of the app. */
export const sendJson = (reply: FastifyReply, json: string | Buffer): FastifyReply =>
  reply.type(jsonType).send(typeof json === 'string' ? longAsBytes(json) : json)

/** Returns a body in the form that is sent fastest (docs/operations/benchmarks.md). */
export const longAsBytes = (text: string): string | Buffer => text.length >= longBody ? Buffer.from(text) : text
