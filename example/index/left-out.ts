import type { FastifyBaseLogger } from 'fastify'

/** The maximum number of messages that are listed. */
const mostListed = 100

const prefixOf = (path: string) => `Left out ${path}: `

/** The files that scans skipped, with their reasons. */
export class LeftOut {
  readonly #log: FastifyBaseLogger
  readonly #messages = new Set<string>()
  #unread: readonly string[] = []

  constructor (log: FastifyBaseLogger) { this.#log = log }

  /** Logs an event and adds its message to the list. Later scans find the same files: each message is logged once. */
  readonly warn = (details: object, event: string, message: string): void => {
    if (!this.#messages.has(message)) this.#log.warn(details, event)
    this.#messages.add(message)
  }

  /** Reports a file that a scan cannot read. */
  add (path: string, error: unknown): void {
    const { message: reason } = error as Error
    this.warn({ path, reason }, 'file skipped', prefixOf(path) + reason)
  }

  /** Sets the paths of the files that earlier scans could not read. The index does not store their reasons. */
  setUnread (paths: readonly string[]): void { this.#unread = paths.slice(-mostListed) }

  /** Returns the latest messages. */
  list (): readonly string[] {
    const messages = [...this.#messages]
    const unread = this.#unread.map(prefixOf).filter(prefix => !messages.some(message => message.startsWith(prefix)))
    return [...unread.map(prefix => `${prefix}an earlier scan could not read it`), ...messages].slice(-mostListed)
  }
}
