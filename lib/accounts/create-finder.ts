import { LRUCache } from 'lru-cache'
import { timingSafeEqual } from 'node:crypto'
import { elapsed } from '../async/elapsed.ts'
import { lruOptions } from '../options/lru-options.ts'
import { digestOf } from '../text/token-digest.ts'
import { tokenMatches } from '../text/token-matches.ts'
import { withoutScheme } from '../text/without-scheme.ts'
import type { AccountStore } from './account-store.ts'
import { hashOf, parseToken, type TokenParts } from './token.ts'

/** The account of a token. */
export interface Account {
  /** The id of the account, for `account` of the context. */
  readonly id: string
  /** The id of the token. `null` for a fixed token of the option `tokens`. */
  readonly tokenId: string | null
}

type Answer = Account | null | Promise<Account | null>

/** Results of earlier look-ups. */
interface Found {
  answer: Answer
  tokenId: string | null
  /** The id of the parent token. */
  parent?: string | undefined
  until: number
  proven?: Proven | undefined
}

/**
 * An account that the store returned for a token, and the time until which it is valid while the store is unavailable.
 */
interface Proven { readonly account: Account, readonly until: number, readonly expiresAt: number }

export interface Finder {
  find (authorization: string | undefined): Answer
  /** Clears the results of a token and of its devices, or all results. */
  forget (tokenId?: string): void
}

const rememberedFor = 10_000
/** The time in milliseconds for which accounts are valid while the store is unavailable. */
const provenFor = 3_600_000
const mostRemembered = 10_000
/** Compared if the id does not exist, so that the response time does not reveal whether it exists. */
const noHash = new Uint8Array(32)

/**
 * Creates a function that finds accounts by their tokens. Results are cached for 10 seconds, because a query for each
 * request would take longer than the response. Accounts of valid tokens are cached for an hour while the store is
 * unavailable.
 */
export function createFinder (
  store: AccountStore, fixed: readonly (readonly [account: string, token: string])[],
  isRevoked: (tokenId: string) => boolean, validUntil: (account: string) => Promise<number>
): Finder {
  // The keys are hashes, so that memory holds no token.
  const remembered = new LRUCache<string, Found>(lruOptions(mostRemembered))
  const bare = fixed.map(([account, token]) => [account, withoutScheme(token)] as const)

  function remember (key: string, found: Found): Answer {
    remembered.set(key, found)
    return found.answer
  }

  async function ask ({ id, secret }: TokenParts, key: string, found: Found): Promise<Account | null> {
    try {
      const record = await store.findToken(id)
      const matches = timingSafeEqual(hashOf(secret), record?.hash ?? noHash)
      // A person whom the provider rejects has no valid tokens.
      const valid = record && matches ? await validUntil(record.account) : Infinity
      const expiresAt = Math.min(record?.expiresAt ?? Infinity, valid)
      const left = expiresAt - Date.now()
      const isOpen = record && matches && left > 0 && !isRevoked(record.parent ?? '')
      const account = isOpen ? Object.freeze({ id: record.account, tokenId: id }) : null
      // If the entry was cleared in the meantime, this result may be from before the change.
      if (remembered.get(key) === found) {
        found.parent = record?.parent
        found.answer = account
        found.until = elapsed() + (account ? Math.min(rememberedFor, left) : rememberedFor)
        found.proven = account ? { account, until: elapsed() + provenFor, expiresAt } : undefined
      }
      return account
    } catch (error) {
      if (remembered.get(key) !== found) throw error
      const { proven } = found
      const left = proven === undefined ? 0 : Math.min(proven.until - elapsed(), proven.expiresAt - Date.now())
      if (proven !== undefined && left > 0) {
        found.answer = proven.account
        found.until = elapsed() + Math.min(rememberedFor, left)
        return proven.account
      }
      remembered.delete(key)
      throw error
    }
  }

  return {
    find (authorization) {
      if (!authorization) return null
      const token = withoutScheme(authorization)
      const key = digestOf(token)
      const known = remembered.get(key)
      if (known && elapsed() < known.until) return known.answer
      remembered.delete(key)

      const [account] = bare.find(([, text]) => tokenMatches(token, text)) ?? []
      if (account !== undefined) {
        const answer = Object.freeze({ id: account, tokenId: null })
        return remember(key, { answer, tokenId: null, until: elapsed() + rememberedFor })
      }
      const parts = parseToken(token)
      if (parts === undefined || isRevoked(parts.id)) return null
      const found: Found = { answer: null, tokenId: parts.id, until: elapsed() + rememberedFor, proven: known?.proven }
      found.answer = ask(parts, key, found)
      return remember(key, found)
    },

    forget (tokenId) {
      for (const [key, found] of remembered) {
        if (tokenId === undefined || [found.tokenId, found.parent].includes(tokenId)) remembered.delete(key)
      }
    }
  }
}
