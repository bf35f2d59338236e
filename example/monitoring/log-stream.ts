import type { FastifyBaseLogger } from 'fastify'

/** The stream of Fastify's loggers, which retries a failed write with the next line. */
export interface LogStream {
  write: (line: string) => unknown
  maxLength?: number
  flushSync?: () => void
  retryEAGAIN?: () => boolean
  on? (event: 'error' | 'drop' | 'write', listener: () => void): unknown
}

/** Returns the stream that a logger writes lines to; `undefined` for a logger that is not pino. */
export function logStreamOf (log: FastifyBaseLogger): LogStream | undefined {
  const name = Object.getOwnPropertySymbols(log).find(({ description }) => description === 'pino.stream')
  return name && (log as object as Record<symbol, LogStream>)[name]
}
