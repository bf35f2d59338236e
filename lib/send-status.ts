import type { FastifyReply, FastifyRequest } from 'fastify'
import { StatusSchema, type Status } from '../schemas/index.ts'
import { inferCapabilities } from './infer-capabilities.ts'
import type { CheckedOptions } from './check-options.ts'
import type { DriftLog } from './log-drift.ts'
import { sdkVersion } from './sdk-version.ts'
import { createDataSender } from './send-data.ts'

/** The handler of `GET /v1/status` (protocol.md, Capabilities). */
export function createStatusHandler ({ validateResponses }: CheckedOptions, drifts: DriftLog) {
  const sendData = createDataSender('status', StatusSchema, validateResponses, drifts)

  return function sendStatus (request: FastifyRequest, reply: FastifyReply): void {
    const { adapter, stateless, qualityMap, playlistSortOptions } = request.sourceContext!
    sendData(request, reply, {
      type: 'wow',
      version: sdkVersion,
      stateless: stateless !== false,
      capabilities: inferCapabilities(adapter, { stateless }),
      qualityMap: qualityMap ?? [],
      playlistSortOptions: playlistSortOptions ?? []
    } satisfies Record<keyof Status, unknown>)
  }
}
