import { randomBytes, randomInt } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { elapsed } from '../async/elapsed.ts'
import { lruOptions } from '../options/lru-options.ts'
import type { AccountStore } from './account-store.ts'
import { isAccount } from './accounts-options.ts'
import type { Account } from './create-finder.ts'
import type { Encryption } from './create-encryption.ts'

/** A login that an app has sent, for example a `SubsonicLogin`. */
export interface Login {
  /** The name of the account; absent with an API key. */
  readonly username?: string | undefined
  /** The password or the API key; absent if the app sent only a hash of it. */
  readonly secret?: string | undefined
  /** Returns whether the app has proved that it has a secret. */
  readonly verify: (secret: string) => boolean
}

/** A stored password, encrypted with the secret of `createAccounts`. */
interface Sealed { readonly id: string, readonly sealed: Uint8Array }

/** The characters of app passwords, without letters and digits that look alike. 20 of 32 characters are 100 bits. */
const characters = '23456789abcdefghijkmnpqrstuvwxyz'
const rememberedFor = 10_000
/** The time in milliseconds for which passwords are valid while the store is unavailable. */
const provenFor = 3_600_000
const mostRemembered = 10_000
/** No client can send a header with this scheme and the 256 random bits after it. */
const scheme = 'App-password '

/**
 * App passwords, for apps that send md5 of a password. Checking md5 requires the password itself, so it is stored
 * encrypted. App passwords are valid for `/rest` only.
 */
export class StoredPasswords {
  readonly #store: AccountStore
  readonly #seal: Encryption
  readonly #isRevoked: (id: string) => boolean
  readonly #validUntil: (account: string) => Promise<number>
  readonly #remembered = new LRUCache<string, { at: number, list: Promise<Sealed[]> }>(lruOptions(mostRemembered))
  /** The authorizations of this process by password id, and the accounts by authorization. */
  readonly #authorizations = new LRUCache<string, string>(lruOptions(mostRemembered))
  readonly #accounts = new LRUCache<string, Account>(lruOptions(mostRemembered))

  constructor (
    store: AccountStore, seal: Encryption, isRevoked: (id: string) => boolean,
    validUntil: (account: string) => Promise<number>
  ) {
    this.#validUntil = validUntil
    this.#store = store
    this.#seal = seal
    this.#isRevoked = isRevoked
  }

  /** @returns the password, and its encrypted form for the store */
  make (account: string, id: string): { password: string, sealed: Uint8Array } {
    const draw = () => Array.from({ length: 5 }, () => characters[randomInt(characters.length)]).join('')
    const password = Array.from({ length: 4 }, draw).join('-')
    return { password, sealed: this.#seal.encrypt(password, associatedData(account, id)) }
  }

  /**
   * Returns the authorization of a login, for `accountOf`; `undefined` if no app password of the account matches the
   * login.
   */
  async authorizationOf ({ username, verify }: Login): Promise<string | undefined> {
    if (username === undefined) return undefined
    for (const { id, sealed } of await this.#listOf(username)) {
      const password = this.#seal.decrypt(sealed, associatedData(username, id))
      if (password === undefined || this.#isRevoked(id) || !verify(password)) continue
      const authorization = this.#authorizations.get(id) ?? scheme + randomBytes(32).toString('base64url')
      this.#authorizations.set(id, authorization)
      this.#accounts.set(authorization, Object.freeze({ id: username, tokenId: id }))
      return authorization
    }
  }

  accountOf (authorization: string): Account | undefined {
    return authorization.startsWith(scheme) ? this.#accounts.get(authorization) : undefined
  }

  /** Clears the cached passwords of an account. Default: of all accounts. */
  forget (account?: string): void {
    if (account === undefined) this.#remembered.clear()
    else this.#remembered.delete(account)
  }

  /** Returns the passwords of an account, cached for 10 seconds, or for an hour while the store is unavailable. */
  async #listOf (account: string): Promise<Sealed[]> {
    if (!isAccount(account)) return []
    const known = this.#remembered.get(account)
    const age = known === undefined ? Infinity : elapsed() - known.at
    if (age < rememberedFor) return known!.list
    const read = this.#read(account)
    const list = age < provenFor ? read.catch(() => known!.list) : read
    this.#remembered.set(account, { at: elapsed(), list })
    read.catch(() => {
      if (known === undefined) this.#remembered.delete(account)
      else this.#remembered.set(account, known)
    })
    return list
  }

  async #read (account: string): Promise<Sealed[]> {
    const records = await this.#store.listTokens(account)
    const now = Date.now()
    if (records.length > 0 && await this.#validUntil(account) <= now) return []
    return records.flatMap(({ id, encrypted, expiresAt = Infinity }) =>
      encrypted === undefined || expiresAt <= now ? [] : [{ id, sealed: encrypted }])
  }
}

const associatedData = (account: string, id: string) => JSON.stringify(['app password', account, id])
