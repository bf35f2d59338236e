import { limitConcurrency } from '../async/limit-concurrency.ts'
import type { AccountStore, BindingRecord, Identity, SessionRecord, TokenRecord } from './account-store.ts'

/**
 * Creates a store in memory, for tests and for sources with only fixed tokens. Its data is lost when the process ends.
 */
export const memoryAccountStore = (): AccountStore => storeIn(new Map(), new Map(), new Map())

/** Creates a store in these maps: tokens by id, sessions by account, and bindings by `keyOf`. */
export function storeIn (
  tokens: Map<string, TokenRecord>, sessions: Map<string, SessionRecord>, bindings: Map<string, BindingRecord>
): Required<AccountStore> {
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
      for (const [key, { account: owner }] of bindings) if (owner === account) bindings.delete(key)
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
    async findBindings (of) {
      const found = 'account' in of
        ? [...bindings.values()].filter(({ account }) => account === of.account)
        : [bindings.get(keyOf(of))].filter(binding => binding !== undefined)
      return found.map(copyBinding)
    },
    async saveBinding ({ issuer, subject }, binding, version) {
      const key = keyOf({ issuer, subject })
      if ((bindings.get(key)?.version ?? 0) !== version) return false
      if (binding === undefined) return bindings.delete(key)
      bindings.set(key, copyBinding({ ...binding, issuer, subject, version: version + 1 }))
      return true
    },
    withLock (name, run) {
      return limit(() => run(this), { key: name })
    }
  }
}

/** Returns the key of an identity in the map of bindings. */
export const keyOf = ({ issuer, subject }: Identity): string => JSON.stringify([issuer, subject])

const copyBinding = ({ encrypted, ...binding }: BindingRecord): BindingRecord =>
  ({ ...binding, ...encrypted && { encrypted: new Uint8Array(encrypted) } })

const copyToken = ({ hash, encrypted, ...record }: TokenRecord): TokenRecord =>
  ({ ...record, hash: new Uint8Array(hash), ...encrypted && { encrypted: new Uint8Array(encrypted) } })
