import { LRUCache } from 'lru-cache'
import type { KeptLibrary, LibraryKeeper } from '../contract/ordered-library.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { listenerKey } from '../plays/index.ts'
import type { Invalidation } from './answer-cache.ts'

/** The maximum of estimated bytes in memory. The least recently used libraries are removed first. */
const mostBytes = 2 ** 27

interface Kept {
  readonly library: KeptLibrary
  readonly account: string | undefined
  readonly size: number
}

/** The generated libraries of all accounts of a registration. */
export class KeptLibraries {
  readonly #libraries = new LRUCache<string, Kept>({
    maxSize: mostBytes, sizeCalculation: ({ size }) => Math.min(size, mostBytes)
  })

  /** Returns the `LibraryKeeper` of an account. Without an account, each authorization has its own. */
  keeperOf ({ account, varyBy = '' }: RequestContext, authorization = ''): LibraryKeeper {
    const key = listenerKey(account, authorization)
    return {
      get: <T extends KeptLibrary>(name: string, make: () => T): T => {
        const nameHere = JSON.stringify([key, varyBy, name])
        const library = this.#libraries.get(nameHere)?.library as T | undefined ?? make()
        // Each use updates the size.
        this.#libraries.set(nameHere, { library, account, size: library.bytes + 1000 })
        return library
      }
    }
  }

  /** Applies an invalidation to the libraries, for changes by any protocol. */
  invalidate (invalidation: Invalidation): void {
    for (const { library, account } of this.#libraries.values()) {
      if ('changes' in invalidation) {
        for (const change of invalidation.changes) if (change.account === account) library.changed(change)
      } else if (invalidation.forget.account === undefined || invalidation.forget.account === account) {
        library.outdate()
      }
    }
  }

  close (): void {
    for (const { library } of this.#libraries.values()) library.close()
  }
}
