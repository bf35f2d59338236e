import { invalidOption } from '../errors/author-errors.ts'
import { NotFoundError, UnauthorizedError } from '../contract/errors.ts'
import type { TokenRecord } from './account-store.ts'
import { validateMembers } from '../options/validate-members.ts'
import { isLong, shortestSecret } from '../text/shortest-secret.ts'
import { withoutScheme } from '../text/without-scheme.ts'
import {
  accountsRules, validateAccount, issueRules, rotateRules, sessionRules, type AccountsOptions, type IssueOptions
} from './accounts-options.ts'
import { StoredPasswords, type Login } from './app-passwords.ts'
import { createFinder, type Account } from './create-finder.ts'
import { encryptionBy } from './create-encryption.ts'
import { createSessions, type Session, type SessionOptions } from './create-sessions.ts'
import { guardStore } from './guard-store.ts'
import { createIdentities, isSession, validUntil, type Identities } from './identities.ts'
import { childrenOf, Revocations } from './revocations.ts'
import { createSignIn } from './sign-in.ts'
import { createToken, hashOf, hashOfOnce } from './token.ts'

/**
 * Accounts of a source, their tokens, and their sessions at the upstream. If the store is unavailable, every method
 * throws a `SourceError` 503.
 */
export interface Accounts {
  /** If `true`, the option `secret` is set: app passwords and sessions are available. */
  readonly hasSecret: boolean
  /** The identities of the accounts at providers; `undefined` without `secret` or with a store without bindings. */
  readonly identities: Identities | undefined
  /**
   * Finds the account of a token; `null` if the token is invalid. The `Authorization` header is the token, with or
   * without `Bearer` (case-insensitive) before it. The result is cached for 10 seconds and then returned without a
   * promise, so this process accepts a token that another replica revokes until then.
   */
  find (authorization: string | undefined): Account | null | Promise<Account | null>
  /**
   * Returns the authorization of a login, for `find`. Valid logins are a token that was sent as the password or API
   * key, a fixed token, or an app password of the account, sent or proved by md5. For `resolveLogin` of the Subsonic
   * plugin.
   *
   * @returns `null` for an invalid login
   * @throws UnauthorizedError if the app sends an invalid digest, the same for every name: with the code 40 and a
   * message about app passwords, or with the code 41 if there are neither fixed tokens nor app passwords
   */
  logIn (login: Login): Promise<string | null>
  /**
   * Creates a token for a device that has sent a token of the account or a one-time token. Each device is thus listed
   * and revoked separately. A one-time token is invalid afterwards. A device expires and is revoked together with the
   * token that it has sent. An account has at most 100 devices: the next sign-in revokes the least recently used one.
   * Fixed tokens and tokens of devices are returned unchanged.
   *
   * @returns `null` for an invalid token
   */
  signIn (authorization: string | undefined, options?: Pick<IssueOptions, 'label'>): Promise<string | null>
  /** Creates a token. Only its hash is stored, so show it to its owner now. */
  issue (account: string, options?: IssueOptions): Promise<string>
  /**
   * Creates an app password, for apps that send only md5 of a password. It requires the option `secret`. It is valid
   * only for `logIn`. It is stored encrypted, so show it to its owner now. `list` returns its record with `encrypted`,
   * and `revoke` invalidates it.
   */
  issueAppPassword (account: string, options?: IssueOptions): Promise<string>
  /**
   * Creates a token that replaces another one, with the same account, label and lifetime.
   *
   * @param options.grace time in milliseconds for which the old token stays valid; default 0
   * @throws NotFoundError if the token does not exist
   */
  rotate (tokenId: string, options?: { grace?: number | undefined }): Promise<string>
  /**
   * Revokes a token and the devices that signed in with it. This process rejects them immediately, even if the store is
   * unavailable.
   *
   * @returns whether the token existed
   * @throws SourceError 503 while the store is unavailable; the token is removed as soon as the store is available
   */
  revoke (tokenId: string): Promise<boolean>
  /**
   * Removes the tokens and the session of an account. Waits for a running refresh of the session. Fixed tokens stay.
   */
  remove (account: string): Promise<void>
  /** Returns the tokens of an account, including expired ones, oldest first. */
  list (account: string): Promise<TokenRecord[]>
  /** Returns the session of an account at the upstream. All session objects of an account share one session. */
  session<S> (account: string, options: SessionOptions<S>): Session<S>
}

/**
 * Creates accounts by token, over a store. Logs and errors contain no tokens, secrets or sessions.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option; so do
 * its methods
 */
export function createAccounts (options: AccountsOptions): Accounts {
  validateMembers(options, accountsRules)
  const store = guardStore(options.store)
  const fixed = Object.entries(options.tokens ?? {}).filter((entry): entry is [string, string] => Boolean(entry[1]))
  warnOfShortTokens(fixed)
  warnOfMissingTokens(options.tokens)
  const revocations = new Revocations(store)
  const validOf = (account: string) => validUntil(store, account, binding => identities?.onUse?.(binding))
  const finder = createFinder(store, fixed, id => revocations.has(id), validOf)
  const hasSecret = options.secret !== undefined
  const seal = encryptionBy(options.secret ?? [])
  const sessions = createSessions(store, seal)
  const passwords = new StoredPasswords(store, seal, id => revocations.has(id), validOf)
  const wrongDigest = digestRefusal(hasSecret, fixed.length > 0)

  async function issue (account: string, { label, expiresAt, once = false }: IssueOptions, parent?: string) {
    const { id, secret, token } = createToken()
    const hash = once ? hashOfOnce(secret) : hashOf(secret)
    await store.saveToken({ id, account, hash, label, createdAt: Date.now(), expiresAt, parent })
    return { id, token }
  }

  function revoke (tokenId: string): Promise<boolean> {
    const revoked = revocations.revoke(tokenId)
    finder.forget(tokenId)
    passwords.forget()
    return revoked
  }

  function find (authorization: string | undefined) {
    const account = authorization === undefined ? undefined : passwords.accountOf(authorization)
    return account ?? finder.find(authorization)
  }

  async function findToken (id: string): Promise<TokenRecord> {
    const record = revocations.has(id) ? undefined : await store.findToken(id)
    const isToken = record !== undefined && record.encrypted === undefined
    if (!isToken || (record.expiresAt ?? Infinity) <= Date.now()) throw noToken()
    return record
  }

  const identities = !hasSecret
    ? undefined
    : createIdentities({
      store,
      encryption: seal,
      isFixed: account => fixed.some(([name]) => name === account),
      issue,
      revoke,
      forget (account) {
        finder.forget()
        passwords.forget(account)
      }
    })
  const signIn = createSignIn({ store, find: finder.find, isRevoked: id => revocations.has(id), issue, revoke })

  return {
    hasSecret,
    identities,

    find,

    async logIn (login) {
      const { secret } = login
      if (secret !== undefined) {
        if (await finder.find(secret) !== null) return secret
      } else {
        const [, token] = fixed.find(([, token]) => login.verify(withoutScheme(token))) ?? []
        if (token !== undefined) return token
      }
      const authorization = await passwords.authorizationOf(login)
      if (authorization !== undefined) return authorization
      if (secret !== undefined) return null
      // The error is the same for all names, so that it does not reveal which accounts have app passwords.
      throw new UnauthorizedError(...wrongDigest)
    },

    async signIn (authorization = '', options = {}) {
      validateMembers(options, issueRules)
      return signIn(authorization, options.label)
    },

    async issue (account, options = {}) {
      validateAccount(account)
      validateMembers(options, issueRules)
      return (await issue(account, options)).token
    },

    async issueAppPassword (account, options = {}) {
      if (!hasSecret) throw invalidOption('secret', 'given to createAccounts for app passwords')
      validateAccount(account)
      validateMembers(options, issueRules)
      const { id, secret } = createToken()
      const { password, sealed } = passwords.make(account, id)
      const { label, expiresAt } = options
      await store.saveToken(
        { id, account, hash: hashOf(secret), encrypted: sealed, createdAt: Date.now(), label, expiresAt }
      )
      passwords.forget(account)
      return password
    },

    async rotate (tokenId, options = {}) {
      validateMembers(options, rotateRules)
      const { grace = 0 } = options
      const old = await findToken(tokenId)
      const { account, label, expiresAt, parent } = old
      const now = Date.now()
      const lifetime = lifetimeOf(old)
      const freshEnd = lifetime === 0 ? undefined : now + lifetime
      const fresh = await issue(account, { label, expiresAt: freshEnd }, parent)
      for (const child of await childrenOf(store, old)) {
        await store.replaceToken({ ...child, parent: fresh.id, expiresAt: freshEnd })
        finder.forget(child.id)
      }
      const graceEnd = Math.min(now + Math.ceil(grace), expiresAt ?? Number.MAX_SAFE_INTEGER)
      const isReplaced = await (grace > 0
        ? store.replaceToken({ ...old, expiresAt: graceEnd, lifetime })
        : store.removeToken(tokenId))
      finder.forget(tokenId)
      if (isReplaced) return fresh.token
      // The token was revoked in the meantime.
      await store.removeToken(fresh.id)
      throw noToken()
    },

    revoke,

    async remove (account) {
      validateAccount(account)
      // Tokens are removed first, because they do not wait for a refresh of the session.
      await store.removeAccount(account)
      finder.forget()
      passwords.forget(account)
      await sessions.remove(account)
    },

    async list (account) {
      validateAccount(account)
      return (await store.listTokens(account)).filter(record => !isSession(record))
    },

    session (account, options) {
      if (!hasSecret) throw invalidOption('secret', 'given to createAccounts for sessions')
      validateAccount(account)
      validateMembers(options, sessionRules)
      return sessions.session(account, options)
    }
  }
}

/** Returns the message and the code for a wrong digest. With 41, apps send the plain password from then on. */
function digestRefusal (hasPasswords: boolean, hasFixed: boolean): [message: string, options: { code: number }] {
  if (!hasPasswords && !hasFixed) return ['This server cannot check digests: send the password', { code: 41 }]
  const hint = hasPasswords
    ? 'This app needs an app password of this account, made on the page of this server or by its operator'
    : 'This server has no app passwords: let the app send the token itself as the password'
  return [`Wrong username or password. ${hint}`, { code: 40 }]
}

const noToken = () => new NotFoundError('Token not found')

/**
 * Returns the lifetime in milliseconds; 0 = the token does not expire. With an expiry time it is at least 1, even if
 * the clock was set back.
 */
const lifetimeOf = ({ createdAt, expiresAt, lifetime }: TokenRecord): number =>
  lifetime ?? (expiresAt === undefined ? 0 : Math.max(1, expiresAt - createdAt))

/**
 * Warns in development that the environment variable of a token is not set or misspelt. Otherwise every login would
 * fail without a reason.
 */
function warnOfMissingTokens (tokens: AccountsOptions['tokens']): void {
  const missing = Object.entries(tokens ?? {}).filter(([, token]) => !token).map(([account]) => `"${account}"`)
  if (missing.length === 0 || process.env.NODE_ENV === 'production') return
  process.emitWarning(`There is no fixed token for ${missing.join(', ')}: it is empty or undefined`,
    { type: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_MISSING_TOKEN' })
}

function warnOfShortTokens (tokens: [account: string, token: string][]): void {
  for (const [account, token] of tokens) {
    if (isLong(token)) continue
    process.emitWarning(
      `The fixed token of the account "${account}" has less than ${shortestSecret} characters and could be guessed: ` +
      'choose a longer one',
      { type: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_SHORT_TOKEN' })
  }
}
