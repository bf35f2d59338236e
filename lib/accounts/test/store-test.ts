import { randomBytes } from 'node:crypto'
import type { AccountStore } from '../account-store.ts'

/** A store under test. */
export interface TestedStore {
  store: AccountStore
  /** Another one on the same storage, as another process has it. Default: `store`. */
  replica?: AccountStore | undefined
}

/** One check: throws an `AssertionError` of node:assert when the store does not hold it. */
export type StoreTest = (stores: { store: AccountStore, replica: AccountStore }) => Promise<void>

/** An account that no other check uses. */
export const newAccount = () => `check ${randomBytes(9).toString('base64url')}`
