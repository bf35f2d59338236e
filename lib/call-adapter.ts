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
export function createOperationHandler (operation: Operation, { validateResponses }: CheckedOptions, drifts: DriftLog) {
  const { adapterMethod, stateful } = operation
  const offers = Object.entries(operation.offeredBy ?? {})
  const sendData = createDataSender(adapterMethod, schemasOf(adapterMethod).data, validateResponses, drifts)

  return function callAdapter (request: FastifyRequest, reply: FastifyReply): void {
    if (request.validationError) throw request.validationError
    const parameters = (operation.method === 'GET' ? request.query : request.body) as Parameters
    const context = request.sourceContext!
    if (stateful && context.stateless !== false) {
      throw new UnsupportedFeatureError(`${adapterMethod} needs an account, and this source is stateless`)
    }
    for (const [name, list] of offers) checkOffered(name, parameters[name], context[list])
    const method = context.adapter[adapterMethod] as Method | undefined
    if (typeof method !== 'function') throw new UnsupportedFeatureError(`This source does not implement ${adapterMethod}`)

    const args = operation.parameters.map(name => parameters[name])
    request.sourceCall!.within(() => method.apply(context.adapter, args), data => {
      sendData(request, reply, data)
      if (validateResponses && context.qualityMap !== undefined) warnOfQualities(data, parameters.id, context.qualityMap, request.log)
    }, error => reply.send(error))
  }
}

/** 400 for a value that the source does not offer; without a list any value passes. */
function checkOffered (name: string, value: unknown, offered: SourceContext['qualityMap']): void {
  if (value === undefined || offered === undefined || offered.some(({ key }) => key === value)) return
  throw new BadRequestError(`Invalid parameter ${name}: this source offers ${offered.map(({ key }) => key).join(', ') || 'none'}`)
}
