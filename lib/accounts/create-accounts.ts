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
import { sealBy } from './create-seal.ts'
import { createSessions, type Session, type SessionOptions } from './create-sessions.ts'
import { guardStore } from './guard-store.ts'
import { childrenOf, Revocations } from './revocations.ts'
import { createSignIn } from './sign-in.ts'
import { createToken, hashOf, hashOfOnce } from './token.ts'

/**
 * Accounts of a source, their tokens, and their sessions at the upstream. A store that cannot be reached is a
 * `SourceError` 503 from every method.
 */
export interface Accounts {
  /** Whether there is the option `secret`: without it there are neither app passwords nor sessions. */
  readonly hasSecret: boolean
  /**
   * Finds the account of a token, `null` if there is none. The `Authorization` header is the token, with or without
   * `Bearer` (in any case) before it. The result is kept for 10 seconds and then returned without a promise, so a token
   * that another replica revokes works here until then.
   */
  find (authorization: string | undefined): Account | null | Promise<Account | null>
  /**
   * The authorization of a login, for `find`: a token that was sent as the password or API key, a fixed token, or an
   * app password of the account, sent or proved by md5. For `resolveLogin` of the Subsonic plugin.
   *
   * @returns `null` for what is wrong
   * @throws UnauthorizedError with the code 41 where the app sends a digest of something else, whatever the account has
   */
  logIn (login: Login): Promise<string | null>
  /**
   * Makes a token of its own for a device that has shown one of the account, or one that signs in once, which is of no
   * use then. So each device is listed and revoked separately. A device is revoked and expires with the token that it
   * has sent. An account has at most 100 devices: the next sign-in revokes the least recently used one. Fixed tokens
   * and tokens of devices are returned unchanged.
   *
   * @returns `null` for what is neither
   */
  signIn (authorization: string | undefined, options?: Pick<IssueOptions, 'label'>): Promise<string | null>
  /** Makes a token. It is not stored, only its hash: show it to its owner now. */
  issue (account: string, options?: IssueOptions): Promise<string>
  /**
   * Makes a password for apps that send no password but md5 of it, which needs the option `secret`. It opens only what
   * asks `logIn`. It is sealed in the store: show it to its owner now. `list` has it, with `sealed`, and `revoke` makes
   * it useless.
   */
  issueAppPassword (account: string, options?: IssueOptions): Promise<string>
  /**
   * Makes a token that replaces another, with the same account, label and time to live.
   *
   * @param options.grace milliseconds that the old one still works; default 0
   * @throws NotFoundError when there is no such token
   */
  rotate (tokenId: string, options?: { grace?: number | undefined }): Promise<string>
  /**
   * Revokes a token and the devices that signed in with it. This process rejects them immediately, even if the store is
   * unavailable.
   *
   * @returns whether there was such a token
   * @throws SourceError 503 while the store cannot be reached; the token is removed as soon as it can
   */
  revoke (tokenId: string): Promise<boolean>
  /**
   * Removes the tokens and the session of an account. It waits for a running refresh of the session. Fixed tokens stay.
   */
  remove (account: string): Promise<void>
  /** The tokens of an account, oldest first, expired ones too. */
  list (account: string): Promise<TokenRecord[]>
  /** The session of an account at the upstream. All sessions of one account are the same one. */
  session<S> (account: string, options: SessionOptions<S>): Session<S>
}

/**
 * Accounts by their tokens, over a store.
 *
 * Nothing of a token, secret or session reaches a log or an error.
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
  const finder = createFinder(store, fixed, id => revocations.has(id))
  const hasSecret = options.secret !== undefined
  const seal = sealBy(options.secret ?? [])
  const sessions = createSessions(store, seal)
  const passwords = new StoredPasswords(store, seal, id => revocations.has(id))

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
    const isToken = record !== undefined && record.sealed === undefined
    if (!isToken || (record.expiresAt ?? Infinity) <= Date.now()) throw noToken()
    return record
  }

  const signIn = createSignIn({ store, find: finder.find, isRevoked: id => revocations.has(id), issue, revoke })

  return {
    hasSecret,

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
      // The same for all names: another answer would tell strangers which accounts have app passwords.
      throw new UnauthorizedError(
        'This app needs an app password of this account, made on the page of this server or by whoever runs it',
        { code: 41 }
      )
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
      await store.saveToken({ id, account, hash: hashOf(secret), sealed, createdAt: Date.now(), label, expiresAt })
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
      // It was revoked meanwhile.
      await store.removeToken(fresh.id)
      throw noToken()
    },

    revoke,

    async remove (account) {
      validateAccount(account)
      // The tokens first: they do not wait for a refresh of the session.
      await store.removeAccount(account)
      finder.forget()
      passwords.forget(account)
      await sessions.remove(account)
    },

    async list (account) {
      validateAccount(account)
      return store.listTokens(account)
    },

    session (account, options) {
      if (!hasSecret) throw invalidOption('secret', 'given to createAccounts for sessions')
      validateAccount(account)
      validateMembers(options, sessionRules)
      return sessions.session(account, options)
    }
  }
}

const noToken = () => new NotFoundError('Token not found')

/** Milliseconds; 0 = it never expires. An end gives at least 1, also when the clock was set back. */
const lifetimeOf = ({ createdAt, expiresAt, lifetime }: TokenRecord): number =>
  lifetime ?? (expiresAt === undefined ? 0 : Math.max(1, expiresAt - createdAt))

/** The variable of the environment is not set, or its name is misspelt: nobody could log in, and nothing says why. */
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
