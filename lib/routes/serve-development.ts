import type { FastifyInstance, FastifyRequest } from 'fastify'
import { extras } from '../../schemas/extras.ts'
import { BadRequestError } from '../contract/errors.ts'
import { developmentPath } from '../contract/operations.ts'
import type { LibraryQuestion } from '../contract/source-library.ts'
import { developmentLog, DevelopmentLog } from '../reply/index.ts'
import { callOf } from '../request/index.ts'
import { SourceSession, type Source } from '../source/index.ts'

interface Asked { readonly request?: string, readonly library?: string }

/**
 * Registers a development route, which shows log lines and responses of the adapter's library to callers with a token.
 * It does not exist in production and is not part of the contract.
 */
export function serveDevelopment (guarded: FastifyInstance, source: Source): void {
  const log = new DevelopmentLog(source.mistakes)
  guarded.decorateRequest(developmentLog, { getter: () => log })
  guarded.get<{ Querystring: Asked }>(developmentPath, async (request, reply) => {
    const { request: id, library } = request.query
    const data = library === undefined
      ? { mistakes: [...source.mistakes], failure: log.failureOf(String(id), request) }
      : await askLibrary(source, request, readQuestion(library))
    return reply.send({ code: 200, data })
  })
}

function readQuestion (text: string): LibraryQuestion {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequestError('Parameter library must be JSON')
  }
}

/** @returns `undefined` if the adapter has no library */
async function askLibrary (source: Source, request: FastifyRequest, question: LibraryQuestion): Promise<unknown> {
  const call = callOf(request)!
  const context = request.sourceContext!
  const resolve = Promise.resolve.bind(Promise, context) as () => Promise<typeof context>
  const session = new SourceSession({ source, call, context, resolve })
  const library = await session.library()
  if (library === undefined) return undefined
  switch (question.ask) {
    // The unprocessed ids of the source, because the check tests whether they are stable.
    case 'ids': return session.callAdapter(async () =>
      wholeOf(await context.adapter.library!.ids(question.query, { signal: call.signal })))
    case 'facets': return library.facets(question.kind)
    case 'items': {
      const { kind, ids } = question
      const list = typeof ids === 'number' ? (await library.ids({ kind })).slice(0, ids) : ids
      // JSON would omit the extras.
      return (await library.items(kind, list)).map(item => item && { item, extras: item[extras] })
    }
    case 'randomIds': return library.random(question.query, question.count)
    case 'currentIds': return Object.fromEntries(await library.currentIds(question.kind, question.ids))
    default: return { revision: library.revision, changedAt: library.changedAt }
  }
}

async function wholeOf (ids: readonly string[] | AsyncIterable<readonly string[]>): Promise<readonly string[]> {
  if (!(Symbol.asyncIterator in Object(ids))) return ids as readonly string[]
  const whole: string[] = []
  for await (const part of ids as AsyncIterable<readonly string[]>) {
    // A string would be spread into its characters.
    if (!Array.isArray(part)) throw new TypeError(`library.ids must yield lists of ids, not ${typeof part}`)
    whole.push(...part)
  }
  return whole
}
