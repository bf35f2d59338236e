/** A stored token. It cannot be used as a token. Times are Unix milliseconds. */
export interface TokenRecord {
  readonly id: string
  readonly account: string
  /** SHA-256 of the token's secret. */
  readonly hash: Uint8Array
  readonly label?: string | undefined
  readonly createdAt: number
  readonly expiresAt?: number | undefined
  /**
   * The lifetime of the token in milliseconds before a rotation shortened it. 0 = it did not expire. A store may omit
   * it: rotating the token again within its grace period then creates a token that expires.
   */
  readonly lifetime?: number | undefined
  /**
   * The id of the token with which a device signed in. Revoking that token revokes this one. An empty string after a
   * one-time link; `undefined` for tokens that no sign-in created.
   */
  readonly parent?: string | undefined
  /** An encrypted app password. Tokens have none. */
  readonly encrypted?: Uint8Array | undefined
  /** The time of the last use, if the source records it. A store may omit it. */
  readonly usedAt?: number | undefined
  /** The client that used the token last, for display, for example the name of an app. */
  readonly usedBy?: string | undefined
}

/** A stored session, encrypted with the secret. */
export interface SessionRecord {
  readonly data: Uint8Array
  /** 1 for the first session of an account, incremented with each saved session. */
  readonly version: number
}

/** A person at a provider: the provider's issuer, and the subject that it never gives to another person. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
}

/** The account of an identity. Times are Unix milliseconds. */
export interface Binding {
  readonly account: string
  /** The time until which the tokens and app passwords of the account are valid. */
  readonly validUntil: number
  /** The time of the last check of the identity at the provider. */
  readonly checkedAt: number
  /** The encrypted refresh token of the provider. */
  readonly encrypted?: Uint8Array | undefined
}

/** A stored binding of an identity to an account. */
export interface BindingRecord extends Identity, Binding {
  /** 1 for a new binding, incremented with each change. */
  readonly version: number
}

/**
 * The storage of tokens and sessions. When the promise of a method resolves, the change is stored. When it rejects,
 * nothing has changed. `testAccountStore` of `fastify-source-origin/accounts/test` tests a store for these rules.
 */
export interface AccountStore {
  findToken (id: string): Promise<TokenRecord | undefined>
  /** Returns the tokens of an account, oldest first. */
  listTokens (account: string): Promise<TokenRecord[]>
  /** Adds a token. */
  saveToken (record: TokenRecord): Promise<void>
  /**
   * Replaces the token with the same id, if it exists. A token that was removed in the meantime is not restored.
   *
   * @returns whether it existed
   */
  replaceToken (record: TokenRecord): Promise<boolean>
  /** @returns whether the token existed */
  removeToken (id: string): Promise<boolean>
  /** Removes the tokens, the session and the bindings of an account. */
  removeAccount (account: string): Promise<void>
  loadSession (account: string): Promise<SessionRecord | undefined>
  /**
   * Stores `data` as `version + 1` if `version` is the stored version; 0 = no session is stored.
   *
   * @returns whether it was stored
   */
  saveSession (account: string, data: Uint8Array, version: number): Promise<boolean>
  /** Returns the binding of an identity, or all bindings of an account. Required for sign-in with a provider. */
  findBindings? (of: Identity | { readonly account: string }): Promise<BindingRecord[]>
  /**
   * Stores a binding as `version + 1` if `version` is the stored version; 0 = no binding is stored. Required for
   * sign-in with a provider.
   *
   * @param binding `undefined` removes the stored binding
   * @returns whether it was stored or removed
   */
  saveBinding? (identity: Identity, binding: Binding | undefined, version: number): Promise<boolean>
  /**
   * Runs functions with the same name one at a time, across all replicas. The lock is released whether `run` succeeds
   * or fails.
   *
   * @param run called with the store to use under the lock: this store, or a store over the connection that holds the
   * lock
   */
  withLock<T> (name: string, run: (store: AccountStore) => Promise<T>): Promise<T>
}
