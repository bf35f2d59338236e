import { SourceError } from '../contract/errors.ts'
import type { AccountStore, TokenRecord } from './account-store.ts'

const retryAfter = 1000

/** Lists the tokens of devices that signed in with a token. */
export async function childrenOf (store: AccountStore, { id, account }: TokenRecord): Promise<TokenRecord[]> {
  return (await store.listTokens(account)).filter(({ parent }) => parent === id)
}

/** Revoked tokens that the store may still have. This process rejects them. */
export class Revocations {
  readonly #store: AccountStore
  readonly #waiting = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor (store: AccountStore) {
    this.#store = store
  }

  has (tokenId: string): boolean {
    return this.#waiting.has(tokenId)
  }

  /**
   * @returns whether the token existed
   * @throws SourceError 503 while the store is unavailable; the token is removed as soon as the store is available
   */
  async revoke (tokenId: string): Promise<boolean> {
    this.#waiting.add(tokenId)
    try {
      return await this.#remove(tokenId)
    } catch (error) {
      this.#retry()
      const { cause } = error as SourceError
      throw new SourceError(503, 'The token is refused here from now on, and is removed as soon as the accounts of ' +
        'this source can be reached: until then other processes may accept it, and this one after a restart',
      { cause, retryAfterSeconds: 5 })
    }
  }

  /** Removes a token after the tokens of its devices, which must not outlive it. */
  async #remove (tokenId: string): Promise<boolean> {
    const record = await this.#store.findToken(tokenId)
    for (const { id } of record === undefined ? [] : await childrenOf(this.#store, record)) {
      await this.#store.removeToken(id)
    }
    const wasThere = await this.#store.removeToken(tokenId)
    this.#waiting.delete(tokenId)
    return wasThere
  }

  #retry (): void {
    this.#timer ??= setTimeout(async () => {
      await Promise.allSettled([...this.#waiting].map(id => this.#remove(id)))
      this.#timer = undefined
      if (this.#waiting.size > 0) this.#retry()
    }, retryAfter).unref()
  }
}
