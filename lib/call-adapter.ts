import { compileFunction } from 'node:vm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CheckedOptions } from './check-options.ts'
import { BadRequestError, UnsupportedFeatureError } from './errors.ts'
import type { DriftLog } from './log-drift.ts'
import type { Operation } from './operations.ts'
import { createDataSender } from './send-data.ts'
import { schemasOf, type SourceAdapter, type SourceContext } from './source-adapter.ts'
import { warnOfQualities } from './warn-of-qualities.ts'

type Parameters = Record<string, unknown>
type Call = (method: Function, adapter: SourceAdapter, parameters: Parameters) => unknown

/** The handler of one operation. The checks come in the order of protocol.md, Order of checks. */
export function createOperationHandler (operation: Operation, { validateResponses }: CheckedOptions, drifts: DriftLog) {
  const { adapterMethod, stateful } = operation
  const offers = Object.entries(operation.offeredBy ?? {})
  const sendData = createDataSender(adapterMethod, schemasOf(adapterMethod).data, validateResponses, drifts)
  let call: Call | undefined

  return function callAdapter (request: FastifyRequest, reply: FastifyReply): void {
    if (request.validationError) throw request.validationError
    const parameters = (operation.method === 'GET' ? request.query : request.body) as Parameters
    const context = request.sourceContext!
    if (stateful && context.stateless !== false) {
      throw new UnsupportedFeatureError(`${adapterMethod} needs an account, and this source is stateless`)
    }
    for (const [name, list] of offers) checkOffered(name, parameters[name], context[list])
    const method = context.adapter[adapterMethod]
    if (typeof method !== 'function') throw new UnsupportedFeatureError(`This source does not implement ${adapterMethod}`)

    const callMethod = call ??= compileCall(operation)
    request.sourceCall!.within(() => callMethod(method, context.adapter, parameters), data => {
      sendData(request, reply, data)
      if (validateResponses && context.qualityMap) warnOfQualities(data, parameters.id, context.qualityMap, request.log)
    }, error => reply.send(error))
  }
}

/** Compiles the call of an adapter method with the parameters as its arguments: one for each operation is faster than one for all. */
const compileCall = ({ parameters }: Operation): Call =>
  compileFunction(`return method.call(${['adapter', ...parameters.map(name => `parameters.${name}`)].join(', ')})`, ['method', 'adapter', 'parameters']) as Call

/** 400 for a value that the source does not offer; without a list any value passes. */
function checkOffered (name: string, value: unknown, offered: SourceContext['qualityMap']): void {
  if (value === undefined || !offered || offered.some(({ key }) => key === value)) return
  throw new BadRequestError(`Invalid parameter ${name}: this source offers ${offered.map(({ key }) => key).join(', ') || 'none'}`)
}
