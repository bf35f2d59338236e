import { limitConcurrency } from '../async/limit-concurrency.ts'
import type { AccountStore, SessionRecord, TokenRecord } from './account-store.ts'

/**
 * Creates a store in memory, for tests and for sources with only fixed tokens. Its data is lost when the process ends.
 */
export const memoryAccountStore = (): AccountStore => storeIn(new Map(), new Map())

/** Creates a store in these maps: tokens by id, and sessions by account. */
export function storeIn (tokens: Map<string, TokenRecord>, sessions: Map<string, SessionRecord>): AccountStore {
  const limit = limitConcurrency({ ofKey: 1 })

  return {
    async findToken (id) {
      const record = tokens.get(id)
      return record && copyToken(record)
    },
    async listTokens (account) {
      return [...tokens.values()].filter(record => record.account === account).map(copyToken)
        .sort((one, other) => one.createdAt - other.createdAt)
    },
    async saveToken (record) {
      tokens.set(record.id, copyToken(record))
    },
    async replaceToken (record) {
      const isThere = tokens.has(record.id)
      if (isThere) tokens.set(record.id, copyToken(record))
      return isThere
    },
    async removeToken (id) {
      return tokens.delete(id)
    },
    async removeAccount (account) {
      for (const { id, account: owner } of tokens.values()) if (owner === account) tokens.delete(id)
      sessions.delete(account)
    },
    async loadSession (account) {
      const session = sessions.get(account)
      return session && { ...session, data: new Uint8Array(session.data) }
    },
    async saveSession (account, data, version) {
      if ((sessions.get(account)?.version ?? 0) !== version) return false
      sessions.set(account, { data: new Uint8Array(data), version: version + 1 })
      return true
    },
    withLock (name, run) {
      return limit(() => run(this), { key: name })
    }
  }
}

const copyToken = ({ hash, encrypted, ...record }: TokenRecord): TokenRecord =>
  ({ ...record, hash: new Uint8Array(hash), ...encrypted && { encrypted: new Uint8Array(encrypted) } })
