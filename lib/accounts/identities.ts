import { createHash, randomBytes } from 'node:crypto'
import { SourceError } from '../contract/errors.ts'
import type { AccountStore, Binding, BindingRecord, Identity, TokenRecord } from './account-store.ts'
import { isAccount, type IssueOptions } from './accounts-options.ts'
import type { Encryption } from './create-encryption.ts'
import { watchClaims, type Claims } from './watch-claims.ts'

/** A person who signs in with a provider. */
export interface SigningIn {
  /** The claims of the provider about the person. */
  readonly claims: Claims
  /** The account that the person is bound to; `undefined` for a new person. */
  readonly account: string | undefined
  /**
   * Binds the person to an account. The account must not exist yet, because a person may choose the value of a claim.
   *
   * @param options.existing If `true`, the account may exist. Set it only for a name that the person cannot choose.
   * @returns the name
   * @throws SourceError 403 for an invalid name, and for an account that exists
   */
  readonly bind: (name: string, options?: { existing?: boolean | undefined }) => Promise<string>
}

/** Returns the account of a person: `account`, a result of `bind`, or `null` to reject the person. */
export type AccountOf = (person: SigningIn) => string | null | Promise<string | null>

/** A person whom a provider has identified. */
export interface Admission {
  readonly identity: Identity
  readonly claims: Claims
  readonly accountOf: AccountOf
  /** The account of the browser, which the person connects with the identity. */
  readonly connectTo?: string | undefined
  /** The lifetime of the account without another sign-in, in milliseconds. */
  readonly lifetime: number
  readonly refreshToken?: string | undefined
}

/** The identities of accounts at providers. */
export interface Identities {
  /** Encrypts the state of a sign-in. */
  readonly encryption: Encryption
  /** Called with each binding of an account whose tokens are checked, at most every 10 seconds for each token. */
  onUse: ((binding: BindingRecord) => void) | undefined
  /** Returns the bindings of an account. */
  list (account: string): Promise<BindingRecord[]>
  find (identity: Identity): Promise<BindingRecord | undefined>
  /** Removes a binding. @returns whether it existed */
  unbind (identity: Identity): Promise<boolean>
  /** Returns the decrypted refresh token of a binding. */
  refreshTokenOf (binding: BindingRecord): string | undefined
  /** Decides on the account of a person, and binds the person to it. @throws SourceError 403 for a rejected person */
  admit (admission: Admission): Promise<string>
  /** Ends the tokens and app passwords of the account, unless another binding is valid. */
  reject (identity: Identity): Promise<void>
  /**
   * Issues a token for one sign-in within a minute.
   *
   * @param sid the provider's session, whose end revokes the token
   */
  issueLink (account: string, issuer: string, sid: string | undefined): Promise<string>
  /** Revokes the browser tokens of a provider session, or without `sid` all browser tokens of the person's account. */
  endSession (issuer: string, session: { sid?: string | undefined, sub?: string | undefined }): Promise<void>
  /** Uses an id once, across all replicas. @returns whether this is the first use */
  useOnce (issuer: string, id: string, until: number): Promise<boolean>
  /**
   * Claims the check of a binding across all replicas, by moving the time of its last check.
   *
   * @returns `false` if the binding was changed in the meantime
   */
  claimCheck (binding: BindingRecord, checkedAt: number): Promise<boolean>
}

interface Parts {
  readonly store: AccountStore
  readonly encryption: Encryption
  readonly isFixed: (account: string) => boolean
  readonly issue: (account: string, options: IssueOptions, parent?: string) => Promise<{ token: string }>
  readonly revoke: (tokenId: string) => Promise<boolean>
  /** Clears the cached results of an account. */
  readonly forget: (account: string) => void
}

/** The lifetime of a link in milliseconds. */
const linkLifetime = 60_000
const mostTries = 5
/** The `parent` of the record of a provider session. Tokens of browsers are its children. */
const sessionMark = 'provider session'
/** The account of used ids, which no account can have. */
const nobody = ''

export const isSession = ({ parent }: TokenRecord) => parent === sessionMark

const forbidden = (message: string) => new SourceError(403, message)

/** Returns the end of the validity of an account, which bindings limit. */
export async function validUntil (
  store: AccountStore, account: string, onUse?: (binding: BindingRecord) => void
): Promise<number> {
  const bindings = await store.findBindings?.({ account }) ?? []
  if (onUse !== undefined) bindings.forEach(binding => onUse(binding))
  return bindings.length === 0 ? Infinity : Math.max(...bindings.map(({ validUntil }) => validUntil))
}

/** @returns `undefined` if the store does not store bindings */
export function createIdentities (
  { store: given, encryption, isFixed, issue, revoke, forget }: Parts
): Identities | undefined {
  if (given.findBindings === undefined || given.saveBinding === undefined) return undefined
  const store = given as Required<AccountStore>

  const find = async (identity: Identity, at = store) => (await at.findBindings(identity))[0]

  /** Changes a binding. @param change returns `undefined` to remove it; called again after a concurrent change */
  async function update (
    identity: Identity, change: (known: BindingRecord | undefined) => Binding | undefined, at = store
  ): Promise<void> {
    for (let tries = 0; tries < mostTries; tries++) {
      const known = await find(identity, at)
      const changed = change(known)
      if (known === undefined && changed === undefined) return
      if (await at.saveBinding(identity, changed, known?.version ?? 0)) return
    }
    throw new SourceError(503, 'The account is being changed: try again', { retryAfterSeconds: 1 })
  }

  async function exists (account: string, at: Required<AccountStore>): Promise<boolean> {
    if (isFixed(account)) return true
    const [tokens, bindings, session] = await Promise.all(
      [at.listTokens(account), at.findBindings({ account }), at.loadSession(account)])
    return tokens.length + bindings.length > 0 || session !== undefined
  }

  async function requireNew (account: string, at = store): Promise<void> {
    if (!await exists(account, at)) return
    throw forbidden(`The account "${account}" exists already: sign in to it and connect it`)
  }

  async function reject (identity: Identity): Promise<void> {
    const known = await find(identity)
    if (known === undefined) return
    await update(identity, known => known && { ...known, validUntil: 0, checkedAt: Date.now(), encrypted: undefined })
    forget(known.account)
  }

  return {
    encryption,
    onUse: undefined,
    list: account => store.findBindings({ account }),
    find,
    reject,

    async unbind (identity) {
      const known = await find(identity)
      if (known === undefined) return false
      await update(identity, () => undefined)
      forget(known.account)
      return true
    },

    refreshTokenOf: ({ encrypted, ...identity }) => encrypted && encryption.decrypt(encrypted, refreshOf(identity)),

    async admit ({ identity, claims, accountOf, connectTo, lifetime, refreshToken }) {
      const known = await find(identity)
      if (connectTo !== undefined && known !== undefined && known.account !== connectTo) {
        throw forbidden('This person at the provider belongs to another account here')
      }
      const allowed = new Set([known?.account ?? connectTo])
      const added = new Set<string>()
      const watched = watchClaims(claims)
      const account = await accountOf({
        claims: watched.claims,
        account: known?.account ?? connectTo,
        async bind (name, { existing = false } = {}) {
          if (!isAccount(name)) throw forbidden('The name from the provider cannot be the name of an account')
          if (name === known?.account) return name
          if (!existing) {
            await requireNew(name)
            added.add(name)
          }
          allowed.add(name)
          return name
        }
      })
      if (account === null) {
        await reject(identity)
        throw forbidden(watched.reason())
      }
      if (!allowed.has(account)) throw new TypeError('accountOf must return account, a result of bind, or null')

      const encrypted = refreshToken === undefined ? undefined : encryption.encrypt(refreshToken, refreshOf(identity))
      const now = Date.now()
      await store.withLock(`account ${account}`, async locked => {
        const at = locked as Required<AccountStore>
        if (added.has(account)) await requireNew(account, at)
        await update(identity, current => {
          // A binding that was removed in the meantime is not restored.
          if (current === undefined && account === known?.account) throw forbidden('This account was removed')
          return { account, validUntil: now + lifetime, checkedAt: now, encrypted }
        }, at)
      })
      if (known !== undefined && known.validUntil <= now) forget(account)
      return account
    },

    async issueLink (account, issuer, sid) {
      const options = { label: 'sign-in with a provider', once: true, expiresAt: Date.now() + linkLifetime }
      if (sid === undefined) return (await issue(account, options)).token
      const id = sessionId(issuer, sid)
      const known = await store.findToken(id)
      if (known !== undefined && known.account !== account) await revoke(id)
      await store.withLock(`session ${id}`, async locked => {
        if (await locked.findToken(id) !== undefined) return
        const times = { createdAt: Date.now(), expiresAt: 0 }
        await locked.saveToken({ id, account, hash: randomBytes(32), ...times, parent: sessionMark })
      })
      return (await issue(account, options, id)).token
    },

    async endSession (issuer, { sid, sub }) {
      if (sid !== undefined) await revoke(sessionId(issuer, sid))
      else {
        const binding = await find({ issuer, subject: sub! })
        const tokens = binding === undefined ? [] : await store.listTokens(binding.account)
        const ofBrowsers = tokens.filter(({ parent, encrypted }) => parent !== undefined && encrypted === undefined)
        for (const { id } of ofBrowsers) await revoke(id)
      }
    },

    async useOnce (issuer, id, until) {
      const now = Date.now()
      for (const used of await store.findBindings({ account: nobody })) {
        if (used.validUntil < now) await store.saveBinding(used, undefined, used.version)
      }
      // No issuer has a fragment, so that no person has this identity.
      const identity = { issuer: `${issuer}#`, subject: id }
      return store.saveBinding(identity, { account: nobody, validUntil: until, checkedAt: now }, 0)
    },

    claimCheck: (binding, checkedAt) => store.saveBinding(binding, { ...binding, checkedAt }, binding.version)
  }
}

/** Returns the id of the record of a provider session. It has the form of the ids of tokens. */
const sessionId = (issuer: string, sid: string): string =>
  createHash('sha256').update(JSON.stringify([issuer, sid])).digest('base64url').slice(0, 12)

const refreshOf = ({ issuer, subject }: Identity) => JSON.stringify(['refresh token', issuer, subject])
