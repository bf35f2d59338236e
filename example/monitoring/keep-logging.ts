import type { FastifyInstance } from 'fastify'
import fs from 'node:fs'
import { logStreamOf, type LogStream } from './log-stream.ts'

/** The maximum size of lines that wait for free disk space, in bytes. Further lines are dropped. */
const mostWaiting = 2 ** 20

/** A named function, so that it is registered only once. */
const ignore = () => {}

/** The interval of the reports, in milliseconds. */
const reportsEvery = 60_000

/**
 * Ignores errors of the log stream, such as on a full disk, which would end the process. The number of dropped lines is
 * logged.
 */
export function keepLogging (app: FastifyInstance): void {
  const { log } = app
  // The welcome message is written to `process.stdout`, not to the log stream.
  if (!process.stdout.listeners('error').includes(ignore)) process.stdout.on('error', ignore)
  const stream = logStreamOf(log)
  if (stream?.on === undefined) return
  let dropped = 0
  stream.maxLength ||= mostWaiting
  const { flushSync } = stream
  if (flushSync !== undefined) stream.flushSync = () => flushOnce(stream, flushSync)
  stream.on('error', ignore)
  stream.on('drop', () => { dropped++ })
  const report = setInterval(() => {
    const lines = dropped
    dropped = 0
    if (lines > 0) log.warn({ lines }, 'log lines dropped')
  }, reportsEvery).unref()
  app.addHook('onClose', async () => clearInterval(report))
}

/**
 * Writes pending lines at the end of the process and with a fatal error. The stream retries only if the disk is busy:
 * on a full disk it would retry forever and block the process.
 */
function flushOnce (stream: LogStream, flushSync: () => void): void {
  const { writeSync } = fs
  const { retryEAGAIN } = stream
  let isFull = false
  fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
    try {
      return writeSync(...args)
    } catch (error) {
      isFull = (error as NodeJS.ErrnoException).code !== 'EAGAIN'
      throw isFull ? Object.assign(error as Error, { code: 'EBUSY' }) : error
    }
  }) as typeof writeSync
  stream.retryEAGAIN = () => !isFull
  try {
    flushSync.call(stream)
  } catch {
    // The lines stay pending until the disk has room or the file is open.
  } finally {
    fs.writeSync = writeSync
    Object.assign(stream, { retryEAGAIN })
  }
}
