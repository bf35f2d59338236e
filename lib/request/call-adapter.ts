import type { FastifyReply, FastifyRequest } from 'fastify'
import type { QualityOption } from '../../schemas/index.ts'
import type { AnswerCache, Question } from '../contract/answer-cache.ts'
import { BadRequestError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { Operation } from '../contract/operations.ts'
import { sendCached } from '../reply/send-cached.ts'
import { asError } from '../errors/as-error.ts'
import { shareable } from '../errors/shareable.ts'
import { logFailure, secretsOf } from '../reply/send-error.ts'
import { sendJson } from '../reply/send-json.ts'
import { writeData } from '../reply/write-data.ts'
import { sourceCall, type SourceCall } from './source-call.ts'
import { warnOfQualities } from './warn-of-qualities.ts'

export interface HandlerOptions {
  /** Whether quality keys outside the `qualityMap` are logged, and `Cache-Status` is sent. */
  development: boolean
  cache: AnswerCache | undefined
}

/** Makes the handler of one operation. The checks come in the order of docs/contract.md, Order of checks. */
export function createOperationHandler (operation: Operation, { development, cache }: HandlerOptions) {
  const { method: httpMethod, adapterMethod, parameters: names, stateful, offeredBy } = operation
  const offers = Object.entries(offeredBy)
  const isRead = httpMethod === 'GET'

  return function callAdapter (request: FastifyRequest, reply: FastifyReply): void {
    if (request.validationError) throw request.validationError
    const parameters = (isRead ? request.query : request.body) as Record<string, unknown>
    const context = request.sourceContext!
    if (stateful && context.stateless) {
      throw new UnsupportedFeatureError(`${adapterMethod} needs an account, and this source is stateless`)
    }
    for (const [name, list] of offers) checkOffered(name, parameters[name], context[list])
    const { adapter, qualityMap, account, variant } = context
    const method: unknown = adapter[adapterMethod]
    if (typeof method !== 'function') {
      throw new UnsupportedFeatureError(`This source does not implement ${adapterMethod}`)
    }

    const args = names.map(name => parameters[name])
    const call = request[sourceCall]!
    const ask = () => Reflect.apply(method, adapter, args)
    const write = (data: unknown) => {
      const body = writeData(reply, data)
      if (development && qualityMap !== undefined) warnOfQualities(body, parameters.id, qualityMap, request.log)
      return body
    }
    const send = (data: unknown) => sendJson(reply, write(data))
    const fail = (error: unknown) => { reply.send(asError(error)) }

    // Nobody joins the call of a client that has gone: its signal is aborted already.
    if (cache === undefined || (isRead && reply.raw.destroyed)) return call.run(ask, send, fail)
    const question: Question = { operation: adapterMethod, args, account, variant }
    if (!isRead) return change(cache, question, call, ask, send, fail)
    cache.answer({
      question,
      refresh: isRefresh(request.headers['cache-control']),
      call,
      ask,
      write,
      send (answer) { sendCached(request, reply, answer, development) },
      fail,
      shareable: error => shareable(error, secretsOf(request)),
      report (error) { logFailure(error, request, 'answered what was kept') }
    })
  }
}

const isRefresh = (cacheControl: string | undefined) => cacheControl !== undefined && /\bno-cache\b/i.test(cacheControl)

/**
 * Calls a mutation. Whatever came of it, it may have changed something: the cache forgets that before anything is
 * answered.
 */
function change (
  cache: AnswerCache, mutation: Question, call: SourceCall, ask: () => unknown,
  onAnswer: (data: unknown) => void, onError: (error: Error) => void
): void {
  let isSettled = false
  call.run(async () => {
    let data: unknown
    try {
      data = await ask()
      return data
    } finally {
      isSettled = true
      await cache.change(mutation, data)
    }
  }, onAnswer, async error => {
    // After the time limit the call still runs: it may have changed something already, and may change more.
    if (!isSettled) await cache.change(mutation, undefined)
    onError(error)
  })
}

/** @throws BadRequestError for a value that the source does not offer; without a list any value passes */
function checkOffered (name: string, value: unknown, offered: readonly QualityOption[] | undefined): void {
  // An entry that is no option breaks the contract. `/v1/status` leaves it out, and so does this.
  if (value === undefined || offered === undefined || offered.some(option => option?.key === value)) return
  // A key that is no text, which breaks the contract too, could say anything of the source.
  const keys = offered.map(option => option?.key).filter(key => typeof key === 'string')
  throw new BadRequestError(`Parameter ${name} must be one that this source offers: ${keys.join(', ') || 'none'}`)
}
