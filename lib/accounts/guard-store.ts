import { SourceError } from '../contract/errors.ts'
import type { AccountStore } from './account-store.ts'

/**
 * Converts failures of a store to a 503 with a one-sentence message for clients. The original error is its `cause`, for
 * the log.
 */
export function guardStore (store: AccountStore): AccountStore {
  return {
    findToken: id => guard(() => store.findToken(id)),
    listTokens: account => guard(() => store.listTokens(account)),
    saveToken: record => guard(() => store.saveToken(record)),
    replaceToken: record => guard(() => store.replaceToken(record)),
    removeToken: id => guard(() => store.removeToken(id)),
    removeAccount: account => guard(() => store.removeAccount(account)),
    loadSession: account => guard(() => store.loadSession(account)),
    saveSession: (account, data, version) => guard(() => store.saveSession(account, data, version)),

    ...store.findBindings && { findBindings: of => guard(() => store.findBindings!(of)) },
    ...store.saveBinding && {
      saveBinding: (identity, binding, version) => guard(() => store.saveBinding!(identity, binding, version))
    },

    async withLock (name, run) {
      // An error of `run` is not a failure of the store.
      const outcome = await guard(() => store.withLock(name, locked => run(guardStore(locked)).then(
        value => ({ value }), (error: unknown) => ({ error }))))
      if ('error' in outcome) throw outcome.error
      return outcome.value
    }
  }
}

async function guard<T> (call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new SourceError(503, 'The accounts of this source cannot be reached', { cause, retryAfterSeconds: 5 })
  }
}
