import type { Plays } from '../plays/index.ts'
import { Asker, type AskerParts } from '../source/index.ts'
import type { CurrentCall } from '../request/index.ts'

/** What a session is made of. */
interface SessionParts<A> extends AskerParts {
  /** What is kept between the calls of its account. */
  readonly account: A
  readonly call: CurrentCall
  /** Milliseconds of each call of the adapter; 0 = no limit. */
  readonly timeout: number
}

/** The source as one call of `/rest` asks it, after the login. */
export class RestSession<A = unknown> extends Asker {
  readonly account: A
  readonly timeout: number
  readonly #call: CurrentCall
  readonly #plays: Plays

  constructor (parts: SessionParts<A>) {
    super(parts)
    this.account = parts.account
    this.timeout = parts.timeout
    this.#call = parts.call
    this.#plays = parts.source.plays
  }

  /** What is played, by whatever protocol. */
  get plays (): Plays { return this.#plays }

  get secrets (): readonly string[] { return this.#call.secrets }

  get signal (): AbortSignal { return this.#call.signal }
}
