import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdapterMethod } from '../contract/operations.ts'
import { asError } from '../errors/as-error.ts'
import { sendCached, sendJson, writeData } from '../reply/index.ts'
import { type CachedAnswer, Question, type Source } from '../source/index.ts'
import { channels } from '../tracing/channels.ts'
import { traceCallback } from '../tracing/trace.ts'
import { sourceCall } from './current-call.ts'

/**
 * Makes the handler of one operation: it asks the source and sends the answer (docs/reference/contract.md, Order of
 * checks).
 */
export function createOperationHandler (source: Source, name: AdapterMethod) {
  const operation = source.operation(name)
  const { isRead, row: { parameters: names } } = operation
  const { cache } = source

  /**
   * @param end told when the answer or the error is known
   * @returns a promise where that takes time: hosts may wrap handlers in functions that wait for it
   */
  function askSource (
    request: FastifyRequest, reply: FastifyReply, end?: (error?: unknown) => void
  ): void | Promise<void> {
    if (request.validationError) throw request.validationError
    const parameters = (isRead ? request.query : request.body) as Record<string, unknown>
    const args = names.map(name => parameters[name])
    const call = request[sourceCall]!
    const refresh = isRefresh(request.headers['cache-control'])
    const question = new Question(source, operation, args, request.sourceContext!, call, refresh)
    let isSent = false
    let sent = () => { isSent = true }
    const fail = (error: unknown) => {
      end?.(asError(error))
      reply.send(asError(error))
      sent()
    }
    const send = (body: string) => {
      end?.()
      sendJson(reply, body)
      sent()
    }

    // Nobody joins a call whose signal is aborted already.
    if (!isRead || cache === undefined || call.isOver) {
      if (isRead) call.run(() => question.callAdapter(), data => send(question.warnOf(writeData(reply, data))), fail)
      else source.runChange(question, data => send(writeData(reply, data)), fail)
      return isSent ? undefined : new Promise<void>(resolve => { sent = resolve })
    }
    const sendKept = (answer: CachedAnswer) => {
      end?.()
      sendCached(request, reply, answer, source.validateResponses)
    }
    const answer = cache.fetch(question)
    if (answer instanceof Promise) return answer.then(sendKept).catch(fail)
    sendKept(answer)
  }

  return (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
    if (!channels.operation.hasSubscribers) return askSource(request, reply)
    const { account } = request.sourceContext!
    return traceCallback(channels.operation, { operation: name, account }, request[sourceCall]!.secrets, end =>
      askSource(request, reply, end))
  }
}

const isRefresh = (cacheControl: string | undefined) => cacheControl !== undefined && /\bno-cache\b/i.test(cacheControl)
