import type { TObject, TSchema } from '@sinclair/typebox'
import fastify, { type FastifyInstance, type FastifyServerOptions, type InjectOptions } from 'fastify'
import sourceOrigin, {
  operations, schemas, type AdapterMethod, type Operation, type SourceAdapter, type SourceOriginOptions
} from 'fastify-source-origin'
import { Writable } from 'node:stream'
import type { Test } from 'tap'
import { schemasOf } from '../lib/contract/schemas-of.ts'

export const token = 'a-token-of-some-length'
export const authorized = { authorization: token }

/**
 * A host with the plugin in it, closed when the test ends.
 *
 * @param options `context`: members of the context besides the adapter
 */
export async function build (t: Test, options: Partial<SourceOriginOptions> & {
  adapter?: SourceAdapter | object, context?: object, calls?: unknown
} = {}, host: FastifyServerOptions = {}): Promise<FastifyInstance> {
  const { adapter = {}, context, calls: _calls, ...rest } = options
  const app = fastify(host)
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { resolveContext: contextOf(adapter, context), ...rest })
  return app
}

/**
 * One host for tests that differ only in what `resolveContext` gives: to register the plugin takes most of the time of
 * a small test.
 *
 * @returns gives the host, with another adapter or another `resolveContext` in it until the next call
 */
export async function buildOnce (
  t: Test, options: Partial<SourceOriginOptions> = {}, host: FastifyServerOptions = {}
) {
  let resolveContext: SourceOriginOptions['resolveContext']
  const app = await build(t, { ...options, resolveContext: request => resolveContext(request) }, host)
  return (given: object | SourceOriginOptions['resolveContext'] = {}, context: object = {}): FastifyInstance => {
    resolveContext = typeof given === 'function'
      ? given as SourceOriginOptions['resolveContext']
      : contextOf(given, context)
    return app
  }
}

/** Gives the adapter, stateful, to whoever has the token. */
export const contextOf = (adapter: object, more: object = {}): SourceOriginOptions['resolveContext'] =>
  ({ authorization }) =>
    authorization === token ? { adapter: adapter as SourceAdapter, stateless: false, ...more } : null

/** A logger whose lines can be read. */
export function logged () {
  const lines: Record<string, any>[] = []
  const stream = new Writable({
    write (chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    }
  })
  return { lines, logger: { level: 'info', stream } }
}

const byId = new Map<string, TSchema>(schemas.map(schema => [schema.$id!, schema]))

const urls = new Set(['url', 'coverUrl', 'avatarUrl', 'avatar'])

/** A value of a schema: with all its members, or only with those that are required. */
export function valueOf (schema: TSchema, which: 'all' | 'required' = 'all'): any {
  if (schema.$ref) return valueOf(byId.get(schema.$ref)!, which)
  if (schema.const !== undefined) return schema.const
  if (schema.anyOf) return valueOf(schema.anyOf[0], which)
  switch (schema.type) {
    case 'object': {
      const names = Object.keys(schema.properties).filter(name => which === 'all' || schema.required?.includes(name))
      // In development the log has a line of other URLs.
      return Object.fromEntries(names.map(name =>
        [name, urls.has(name) ? 'https://a.test/ünï' : valueOf(schema.properties[name], which)]))
    }
    case 'array': return [valueOf(schema.items, which)]
    case 'string': return `${schema.title ?? 'text'} ünï`
    case 'boolean': return true
    default: return Math.max(schema.minimum ?? 0, 7)
  }
}

/** The data that an operation may answer. */
export const dataOf = (method: AdapterMethod, which?: 'all' | 'required') => valueOf(schemasOf(method).data, which)

/** An adapter with every method; each answers data of its schema and records how it was called. */
export function completeAdapter (which?: 'all' | 'required') {
  const calls: { method: string, self: unknown, args: unknown[] }[] = []
  const adapter: Record<string, (...args: unknown[]) => unknown> = {}
  for (const { adapterMethod } of operations) {
    adapter[adapterMethod] = function (...args) {
      calls.push({ method: adapterMethod, self: this, args })
      return dataOf(adapterMethod, which)
    }
  }
  return { adapter, calls }
}

/** Parameters that an operation accepts: the required ones, or all. */
export function parametersOf (
  { adapterMethod }: Operation, which: 'all' | 'required' = 'required'
): Record<string, any> {
  return valueOf(schemasOf(adapterMethod).parameters as TObject, which)
}

/** A call of an operation, authorised unless the headers say otherwise. */
export function callOf (
  operation: Operation, parameters = parametersOf(operation), headers: Record<string, string> = authorized
): InjectOptions {
  const { method, path } = operation
  return method === 'GET'
    ? { method, url: `${path}?${new URLSearchParams(parameters)}`, headers }
    : { method, url: path, headers, payload: parameters }
}

/** A promise that the test settles itself. */
export function deferred<T> () {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((_resolve, _reject) => {
    resolve = _resolve
    reject = _reject
  })
  return { promise, resolve, reject }
}

/** A method of an adapter that answers when the test lets it, and tells when it was called. */
export function held<T> () {
  const answer = deferred<T>()
  const started = deferred<void>()
  return { answer, started, method: () => { started.resolve(); return answer.promise } }
}

/** What would end the process until the test ends: rejections that nobody handles, errors that nobody catches. */
export function escaping (t: Test): unknown[] {
  const escaped: unknown[] = []
  const note = (error: unknown) => { escaped.push(error) }
  process.on('unhandledRejection', note).on('uncaughtException', note)
  t.teardown(() => process.off('unhandledRejection', note).off('uncaughtException', note))
  return escaped
}

/** Resolves when Node has looked for rejections that nobody handles. */
export const settled = () => new Promise<void>(resolve => setImmediate(resolve))
