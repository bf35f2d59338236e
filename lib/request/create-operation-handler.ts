import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdapterMethod } from '../contract/operations.ts'
import { partialOf } from '../contract/partial.ts'
import { asError } from '../errors/as-error.ts'
import { sendCached, sendJson, setPartialHeader } from '../reply/index.ts'
import { type CachedResponse, Question, type Source } from '../source/index.ts'
import { channels } from '../tracing/channels.ts'
import { traceCallback } from '../tracing/trace.ts'
import { callOf } from './current-call.ts'

interface OperationHandler {
  (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined
  /** If `true`, the app has wrapped the handler. An asynchronous wrapper must wait until the response is sent. */
  isWrapped: boolean
}

/**
 * Creates the handler of one operation, which calls the source and sends the response (docs/reference/contract.md,
 * Order of checks).
 */
export function createOperationHandler (source: Source, name: AdapterMethod): OperationHandler {
  const operation = source.operation(name)
  const { isRead, row: { parameters: names } } = operation
  const { cache } = source
  // The app may replace the serializer of the route, so it is not used.
  const write = (data: unknown) => operation.serialize({ code: 200, data })

  /** @param end called when the response or the error is available */
  function askSource (request: FastifyRequest, reply: FastifyReply, end?: (error?: unknown) => void): void {
    if (request.validationError) throw request.validationError
    const parameters = (isRead ? request.query : request.body) as Record<string, unknown>
    const args = names.map(name => parameters[name])
    const call = callOf(request)!
    const refresh = isRefresh(request.headers['cache-control'])
    const question = new Question(source, operation, args, request.sourceContext!, call, refresh)
    const finish = (send: () => unknown, error?: Error) => {
      end?.(error)
      // The app's `handlerTimeout` may have responded already.
      if (!reply.sent) send()
    }
    const fail = (thrown: unknown) => {
      const error = asError(thrown)
      finish(() => reply.send(error), error)
    }
    const send = (body: string) => finish(() => sendJson(reply, body))

    if (!isRead) return source.runChange(question, data => send(write(data)), fail)
    // No request joins a call whose signal is already aborted.
    if (cache === undefined || call.isOver) {
      return call.run(() => question.callAdapter(), data => {
        const body = question.warnOf(write(data))
        setPartialHeader(reply, partialOf(data))
        send(body)
      }, fail)
    }
    const sendKept = (answer: CachedResponse) =>
      finish(() => sendCached(request, reply, answer, source.validateResponses))
    const answer = cache.fetch(question)
    if (answer instanceof Promise) answer.then(sendKept).catch(fail)
    else sendKept(answer)
  }

  const ask = (request: FastifyRequest, reply: FastifyReply): void => {
    if (!channels.operation.hasSubscribers) return askSource(request, reply)
    const { account } = request.sourceContext!
    traceCallback(channels.operation, { operation: name, account }, callOf(request)!.secrets, end =>
      askSource(request, reply, end))
  }

  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    ask(request, reply)
    return handler.isWrapped && !reply.sent ? reply : undefined
  }
  handler.isWrapped = false
  return handler
}

const isRefresh = (cacheControl: string | undefined) => cacheControl !== undefined && /\bno-cache\b/i.test(cacheControl)
