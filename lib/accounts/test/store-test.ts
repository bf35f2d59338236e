import { randomBytes } from 'node:crypto'
import type { AccountStore } from '../account-store.ts'

/** A store under test. */
export interface TestedStore {
  store: AccountStore
  /** Another store on the same storage, like in another process. Default: `store`. */
  replica?: AccountStore | undefined
}

/** A test of a store. It throws an `AssertionError` of node:assert if the store fails. */
export type StoreTest = (stores: { store: AccountStore, replica: AccountStore }) => Promise<void>

/** Returns the name of an account that no other test uses. */
export const newAccount = () => `check ${randomBytes(9).toString('base64url')}`
