import { LRUCache } from 'lru-cache'
import { elapsed } from '../async/elapsed.ts'
import { SingleFlight } from '../async/single-flight.ts'
import { SourceError } from '../contract/errors.ts'
import { lruOptions } from '../options/lru-options.ts'

/** A session as a string. Version 0: no session is stored. */
export interface Loaded { text: string, version: number }

/**
 * The cache time in milliseconds. A session that another replica stores is read after that, or when the cached session
 * is rejected.
 */
const knownFor = 60_000
const mostKnown = 10_000

/** The cached sessions of this process. They save a query, and work while the store is unavailable. */
export class SessionCache {
  readonly #known = new LRUCache<string, { session: Loaded, until: number }>(lruOptions(mostKnown))
  readonly #reads = new SingleFlight<Loaded>()
  /** The number of changes of stored sessions by this process. Data that was read before a change may be outdated. */
  #changes = 0

  /** @throws the error of `load`, unless the session is cached and the store is unavailable */
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

  /** Invalidates the cached session, because the stored one has or may have changed. */
  forget (account: string): void {
    this.#changes++
    this.#known.delete(account)
  }
}
