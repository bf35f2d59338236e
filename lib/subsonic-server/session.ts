import type { Plays } from '../plays/index.ts'
import { SourceSession, type SessionParts } from '../source/index.ts'
import type { CurrentCall } from '../request/index.ts'

/** The parts of a session. */
interface RestSessionParts<A> extends SessionParts {
  /** The cached data of the account. */
  readonly account: A
  readonly call: CurrentCall
  /** The timeout of each adapter call in milliseconds. 0 = no limit. */
  readonly timeout: number
}

/** The source session of one authenticated `/rest` call. */
export class RestSession<A = unknown> extends SourceSession {
  readonly account: A
  readonly timeout: number
  readonly #call: CurrentCall
  readonly #plays: Plays

  constructor (parts: RestSessionParts<A>) {
    super(parts)
    this.account = parts.account
    this.timeout = parts.timeout
    this.#call = parts.call
    this.#plays = parts.source.plays
  }

  /** The plays of the account, reported by any protocol. */
  get plays (): Plays { return this.#plays }

  get secrets (): readonly string[] { return this.#call.secrets }

  get signal (): AbortSignal { return this.#call.signal }
}
