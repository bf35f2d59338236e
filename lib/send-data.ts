import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SourceError } from './errors.ts'
import { compileData, type DataProof } from './prove-data.ts'
import { sendJson } from './send-json.ts'

/** Proofs are compiled on first use, once for all plugins of a process. */
const proofs = new Map<TSchema, DataProof>()

function proofOf (schema: TSchema): DataProof {
  let proof = proofs.get(schema)
  if (proof === undefined) proofs.set(schema, proof = compileData(schema))
  return proof
}

/**
 * Makes the function that sends the data of one operation in the envelope (protocol.md, Envelope).
 *
 * @param name the operation, for the log
 * @param schema what the data must be
 * @param refuse whether data that breaks the contract is refused instead of repaired
 */
export function createDataSender (name: string, schema: TSchema, refuse: boolean) {
  const drifts = new Set<string>()

  /** @throws SourceError (500) that names schema and path; a plain error for what is beyond repair */
  return function sendData (request: FastifyRequest, reply: FastifyReply, data: unknown): FastifyReply {
    const proof = proofOf(schema)
    const violation = proof.violation(data)
    if (violation === undefined) return sendJson(reply, `{"code":200,"data":${proof.serialize(data)}}`)

    const message = `Adapter response does not match ${violation.schema}: ${violation.path} ${violation.message}`
    if (refuse) throw new SourceError(500, message)
    // One line for each place, whatever the index and however often it is asked for.
    const place = violation.path.replace(/\/\d+(?=\/|$)/g, '/*')
    if (!drifts.has(place) && drifts.size < 100) {
      drifts.add(place)
      request.log.warn({ operation: name, place }, message)
    }
    return sendJson(reply, `{"code":200,"data":${proof.repair(data)}}`)
  }
}
