import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CheckedOptions } from './check-options.ts'
import { BadRequestError, UnsupportedFeatureError } from './errors.ts'
import type { DriftLog } from './log-drift.ts'
import type { Operation } from './operations.ts'
import { createDataSender } from './send-data.ts'
import { schemasOf, type SourceContext } from './source-adapter.ts'
import { warnOfQualities } from './warn-of-qualities.ts'

type Parameters = Record<string, unknown>
type Method = (...args: unknown[]) => unknown

/** The handler of one operation. The checks come in the order of protocol.md, Order of checks. */
export function createOperationHandler (operation: Operation, { adapterTimeout, validateResponses }: CheckedOptions, drifts: DriftLog) {
  const { adapterMethod } = operation
  const sendData = createDataSender(adapterMethod, schemasOf(adapterMethod).data, validateResponses, drifts)

  return async function callAdapter (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (request.validationError) throw request.validationError
    const parameters = (operation.method === 'GET' ? request.query : request.body) as Parameters
    const context = request.sourceContext!
    checkOffered(operation, context, parameters)
    const method = context.adapter[adapterMethod] as Method | undefined
    if (typeof method !== 'function') throw new UnsupportedFeatureError(`This source does not implement ${adapterMethod}`)

    const args = operation.parameters.map(name => parameters[name])
    const data = await request.sourceCall!.within(() => method.apply(context.adapter, args), adapterTimeout)

    sendData(request, reply, data)
    if (validateResponses && context.qualityMap !== undefined) warnOfQualities(data, parameters.id, context.qualityMap, request.log)
    return reply
  }
}

/** 501 for a stateful operation of a stateless source, then 400 for a value that the source does not offer. */
function checkOffered (operation: Operation, context: SourceContext, parameters: Parameters): void {
  if (operation.stateful && context.stateless !== false) {
    throw new UnsupportedFeatureError(`${operation.adapterMethod} needs an account, and this source is stateless`)
  }
  for (const [name, list] of Object.entries(operation.offeredBy ?? {})) {
    const value = parameters[name]
    const offered = context[list]
    if (value === undefined || offered === undefined || offered.some(({ key }) => key === value)) continue
    throw new BadRequestError(`Invalid parameter ${name}: this source offers ${offered.map(({ key }) => key).join(', ') || 'none'}`)
  }
}
