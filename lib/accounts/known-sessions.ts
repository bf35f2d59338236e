import { LRUCache } from 'lru-cache'
import { elapsed } from '../async/elapsed.ts'
import { SingleFlight } from '../async/single-flight.ts'
import { SourceError } from '../contract/errors.ts'
import { atMost } from '../options/at-most.ts'

/** A session as text. Version 0: there is none. */
export interface Loaded { text: string, version: number }

/** A session that another replica stores is read after that, or when the known one is refused. */
const knownFor = 60_000
const mostKnown = 10_000

/** The sessions that this process has read or made: they cost no query, and work while the store does not. */
export class KnownSessions {
  readonly #known = new LRUCache<string, { session: Loaded, until: number }>(atMost(mostKnown))
  readonly #reads = new SingleFlight<Loaded>()
  /** Of what is stored, by this process. What was read before one of them may be old. */
  #changes = 0

  /** @throws what `load` throws, unless the session is known and the store cannot be reached */
  async read (account: string, load: () => Promise<Loaded>): Promise<Loaded> {
    const known = this.#known.get(account)
    if (known !== undefined && elapsed() < known.until) return known.session
    const changes = this.#changes
    const session = await this.#reads.do(`${changes} ${account}`, load).catch(error => {
      if (known !== undefined && error instanceof SourceError && error.status === 503) return known.session
      throw error
    })
    return changes === this.#changes ? this.know(account, session) : session
  }

  know (account: string, session: Loaded): Loaded {
    this.#known.delete(account)
    if (session.version > 0) this.#known.set(account, { session, until: elapsed() + knownFor })
    return session
  }

  /** Something else is stored, or may be. */
  forget (account: string): void {
    this.#changes++
    this.#known.delete(account)
  }
}
