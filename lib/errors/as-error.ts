import { types } from 'node:util'
import { ThrownValue } from './thrown-value.ts'

/** `instanceof` throws for a revoked Proxy. */
export function isError (value: unknown): value is Error {
  try {
    return value instanceof Error
  } catch {
    return false
  }
}

/** Members of an error that Fastify and hooks of hosts read. */
const commonMembers = ['status', 'statusCode', 'code', 'message', 'headers', 'stack'] as const

/** The error as Fastify takes it, whatever was thrown: a member that throws when it is read would do so there. */
export function asError (thrown: unknown): Error {
  try {
    if (!types.isNativeError(thrown)) return new ThrownValue(thrown)
    for (const member of commonMembers) Reflect.get(thrown, member)
    return thrown
  } catch {
    return new ThrownValue(thrown)
  }
}
