import type { FastifyInstance } from 'fastify'
import { logStreamOf } from './log-stream.ts'

/** An error of the log, for people. `at` is a Unix time in milliseconds. */
export interface LoggedError { readonly at: number, readonly text: string }

/** The maximum number of messages that are stored. */
const mostMessages = 20
/** The maximum length of a message, in characters. */
const longestMessage = 300

/** Lines of pino at the levels `error` and `fatal`. */
const isError = /^\{"level":[56]0,/

/** Quoted paths, URLs, tokens of accounts, and other absolute paths. */
const hidden = /(['"`])\/.*?\1|\b[a-z][\w+.-]*:\/\/\S+|\bso_\w+|(?<![\w.])\/[^\s'",;]+/gi

/** The errors that the process has logged since midnight. */
export class ErrorsOfToday {
  #day = ''
  #count = 0
  #last: LoggedError[] = []

  /** Counts the errors of the log of a server, until it closes. */
  static watch (app: FastifyInstance, errors: ErrorsOfToday): void {
    const stream = logStreamOf(app.log)
    if (stream === undefined) return
    const { write } = stream
    stream.write = line => {
      if (isError.test(line)) errors.add(line)
      return write.call(stream, line)
    }
    app.addHook('onClose', async () => { stream.write = write })
  }

  /** Returns the count, and the last messages without paths, URLs and tokens. */
  read (): { readonly count: number, readonly last: readonly LoggedError[] } {
    this.#beginDay()
    return { count: this.#count, last: this.#last }
  }

  /** @param line of the log, as JSON */
  add (line: string): void {
    this.#beginDay()
    const { msg = '', err } = JSON.parse(line) as { msg?: string, err?: { message?: string } }
    const parts = new Set([msg, err?.message ?? ''].filter(part => part !== ''))
    const text = [...parts].join(': ').replace(hidden, '…').slice(0, longestMessage)
    this.#count++
    this.#last = [{ at: Date.now(), text }, ...this.#last].slice(0, mostMessages)
  }

  #beginDay (): void {
    const day = new Date(Date.now()).toDateString()
    if (day === this.#day) return
    this.#day = day
    this.#count = 0
    this.#last = []
  }
}
