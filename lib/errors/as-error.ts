import { types } from 'node:util'
import { ThrownValue } from './thrown-value.ts'

/** Returns whether a value is an error. `instanceof` throws for a revoked Proxy. */
export function isError (value: unknown): value is Error {
  try {
    return value instanceof Error
  } catch {
    return false
  }
}

/** Properties of an error that Fastify and hooks of apps read. */
const commonMembers = ['status', 'statusCode', 'code', 'message', 'headers', 'stack'] as const

/** Returns a thrown value as an error that Fastify can handle. Fastify would fail to read properties that throw. */
export function asError (thrown: unknown): Error {
  try {
    if (!types.isNativeError(thrown)) return new ThrownValue(thrown)
    for (const member of commonMembers) Reflect.get(thrown, member)
    return thrown
  } catch {
    return new ThrownValue(thrown)
  }
}
