import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Status } from '../../schemas/index.ts'
import { sendJson } from '../reply/index.ts'
import type { Serialize } from '../source/index.ts'
import { sdkVersion } from '../text/sdk-version.ts'

/**
 * Creates the handler of `GET /v1/status` (docs/reference/contract.md, Capabilities).
 *
 * @param write the serializer of its envelope
 */
export const sendStatus = (write: Serialize) => ({ sourceContext }: FastifyRequest, reply: FastifyReply): void => {
  const { stateless, capabilities, qualityMap, playlistSortOptions } = sourceContext!
  const data = {
    type: 'wow',
    version: sdkVersion,
    stateless,
    capabilities,
    qualityMap: qualityMap ?? [],
    playlistSortOptions: playlistSortOptions ?? []
  } satisfies Record<keyof Status, unknown>
  sendJson(reply, write({ code: 200, data }))
}
