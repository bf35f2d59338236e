/** What a store keeps of a token. It cannot be used in place of the token. Times are Unix milliseconds. */
export interface TokenRecord {
  readonly id: string
  readonly account: string
  /** SHA-256 of the token's secret. */
  readonly hash: Uint8Array
  readonly label?: string | undefined
  readonly createdAt: number
  readonly expiresAt?: number | undefined
  /**
   * How long the token was to live before a rotation shortened it, in milliseconds; 0 = it never expired. A store may
   * leave it out: then rotating the token again within its grace gives a token with an end.
   */
  readonly lifetime?: number | undefined
  /**
   * The id of the token with which a device signed in. Revoking that token revokes this one. An empty string after a
   * one-time link; `undefined` for tokens that no sign-in created.
   */
  readonly parent?: string | undefined
  /** An app password, sealed. Tokens have none. */
  readonly sealed?: Uint8Array | undefined
  /** When it was used last, where a source notes that; a store may leave it out. */
  readonly usedAt?: number | undefined
  /** What used it last, for people, for example the name of an app. */
  readonly usedBy?: string | undefined
}

/** A session as a store keeps it: encrypted, so that it can only be read with the secret. */
export interface SessionRecord {
  readonly data: Uint8Array
  /** 1 for the first session of an account, then one more with each that is saved. */
  readonly version: number
}

/**
 * Where tokens and sessions are kept. When the promise of a method resolves, the change is stored; when it rejects,
 * nothing has changed. `testAccountStore` of `fastify-source-origin/accounts/test` tests a store for what is said here.
 */
export interface AccountStore {
  findToken (id: string): Promise<TokenRecord | undefined>
  /** The tokens of an account, oldest first. */
  listTokens (account: string): Promise<TokenRecord[]>
  /** Adds a token. */
  saveToken (record: TokenRecord): Promise<void>
  /**
   * Replaces the token with the same id, if it is there: one that was removed meanwhile does not come back.
   *
   * @returns whether it was there
   */
  replaceToken (record: TokenRecord): Promise<boolean>
  /** @returns whether there was such a token */
  removeToken (id: string): Promise<boolean>
  /** Removes the tokens and the session of an account. */
  removeAccount (account: string): Promise<void>
  loadSession (account: string): Promise<SessionRecord | undefined>
  /**
   * Stores `data` as `version + 1` if `version` is the one that is stored now; 0 = there is no session.
   *
   * @returns whether it was stored
   */
  saveSession (account: string, data: Uint8Array, version: number): Promise<boolean>
  /**
   * Runs one at a time for each name, over all replicas, whether `run` succeeds or fails.
   *
   * @param run is given the store to use meanwhile: this one, or the same over the connection that holds the lock
   */
  withLock<T> (name: string, run: (store: AccountStore) => Promise<T>): Promise<T>
}
