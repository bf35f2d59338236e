import type { FastifyInstance } from 'fastify'

/** Bytes of lines that wait for room on a disk; further ones are dropped. */
const mostWaiting = 2 ** 20

/** Named, so that it is there once. */
const ignore = () => {}

/** Milliseconds between two reports. */
const reportsEvery = 60_000

/** The stream of Fastify's loggers, which retries a failed write with the next line. */
interface LogStream {
  maxLength?: number
  flushSync?: () => void
  on? (event: 'error' | 'drop' | 'write', listener: () => void): unknown
}

/**
 * Goes on when the log cannot be written, such as on a full disk, which would end the process. Lines that are dropped
 * are counted in the log.
 */
export function keepLogging (app: FastifyInstance): void {
  const { log } = app
  // What the welcome is written to.
  if (!process.stdout.listeners('error').includes(ignore)) process.stdout.on('error', ignore)
  const name = Object.getOwnPropertySymbols(log).find(({ description }) => description === 'pino.stream')
  const stream = name && (log as object as Record<symbol, LogStream>)[name]
  if (stream?.on === undefined) return
  let dropped = 0
  stream.maxLength ||= mostWaiting
  const { flushSync } = stream
  // It would try again and again, and nothing else would run: at the end of the process, and with a fatal error.
  stream.on('error', () => { stream.flushSync = ignore })
  stream.on('write', () => { stream.flushSync = flushSync! })
  stream.on('drop', () => { dropped++ })
  const report = setInterval(() => {
    const lines = dropped
    dropped = 0
    if (lines > 0) log.warn({ lines }, 'Lines of the log were dropped')
  }, reportsEvery).unref()
  app.addHook('onClose', async () => clearInterval(report))
}
