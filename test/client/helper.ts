import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { FastifyInstance } from 'fastify'
import type { AdapterMethod } from 'fastify-source-origin'
import { schemasOf } from '../../lib/contract/schemas-of.ts'
import { operationOf } from '../../lib/contract/operations.ts'

/** Listens until the test ends. Returns the base URL. */
export async function listen (t: Test, app: FastifyInstance): Promise<string> {
  t.teardown(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

/** A plain server that answers everything with the listener. */
export async function serve (t: Test, listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise(resolve => { server.close(resolve); server.closeAllConnections() }))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const samples: Record<string, unknown> = { string: 'a b&c=ü/?#+%', integer: 7, number: 7, boolean: true }

/** Arguments of an operation that are no defaults, in order. */
export function argumentsOf (method: AdapterMethod): unknown[] {
  const { properties } = schemasOf(method).parameters
  return operationOf(method).parameters.map(name =>
    properties[name]!.anyOf?.[1].const ?? samples[properties[name]!.type])
}

/** Calls a method by name, whatever its arguments. */
export const callMethod = (client: object, method: string, args: unknown[]): Promise<unknown> =>
  (client as Record<string, (...args: unknown[]) => Promise<unknown>>)[method]!(...args)

/** What a call throws. */
export async function thrownBy (call: Promise<unknown>): Promise<Error & {
  status?: number, code?: number, retryAfterSeconds?: number
}> {
  return call.then(() => { throw new Error('Nothing was thrown') }, error => error)
}
