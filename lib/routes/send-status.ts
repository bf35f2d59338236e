import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Status } from '../../schemas/index.ts'
import { sendJson, writeData } from '../reply/index.ts'
import { sdkVersion } from '../text/sdk-version.ts'

/** The handler of `GET /v1/status` (docs/reference/contract.md, Capabilities). */
export function sendStatus ({ sourceContext }: FastifyRequest, reply: FastifyReply): void {
  const { stateless, capabilities, qualityMap, playlistSortOptions } = sourceContext!
  sendJson(reply, writeData(reply, {
    type: 'wow',
    version: sdkVersion,
    stateless,
    capabilities,
    qualityMap: qualityMap ?? [],
    playlistSortOptions: playlistSortOptions ?? []
  } satisfies Record<keyof Status, unknown>))
}
