import { validateMembers, type MemberRule } from '../options/validate-members.ts'
import { isObject } from '../options/is-object.ts'
import { aBoolean, aFunction, hasMethods } from '../options/member-rules.ts'
import type { AccountStore } from './account-store.ts'
import { secretRule, type Secret } from './create-encryption.ts'
import type { SessionOptions } from './create-sessions.ts'

export interface AccountsOptions {
  /** The storage of tokens and sessions: `memoryAccountStore()`, `kyselyStore(db)` or a custom store. */
  store: AccountStore
  /**
   * The secret that encrypts sessions and app passwords. Default: none; sessions and app passwords are then
   * unavailable.
   */
  secret?: Secret | undefined
  /**
   * Fixed tokens by account, for example from environment variables. `undefined` and empty tokens are ignored. Default:
   * none.
   */
  tokens?: Readonly<Record<string, string | undefined>> | undefined
}

export interface IssueOptions {
  /** The name of the token for its owner, for example `phone`. */
  label?: string | undefined
  /** The time at which the token expires, in Unix milliseconds. Default: never. */
  expiresAt?: number | undefined
  /** If `true`, the token is valid only for one `signIn`, for a link that is sent to a person. Default: false. */
  once?: boolean | undefined
}

const storeMethods: readonly (keyof AccountStore)[] = [
  'findToken', 'listTokens', 'saveToken', 'replaceToken', 'removeToken', 'removeAccount', 'loadSession', 'saveSession',
  'withLock'
]

const isText = (value: unknown) => typeof value === 'string'
/** Returns whether a header can contain a token. */
const isSendable = (token: unknown) => isText(token) && !/^\s|\s$|[\r\n]/.test(token as string)
// Limits for every store: databases limit the length of indexed text, and reject NUL and lone surrogates.
export const isAccount = (value: unknown): boolean => isText(value) && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value as string)
const accountRule: MemberRule = { must: 'a string of 1 to 255 characters without control characters', holds: isAccount }

export const accountsRules: Record<keyof AccountsOptions, MemberRule> = {
  store: {
    must: `an object with the methods ${storeMethods.join(', ')}`, holds: hasMethods(...storeMethods)
  },
  secret: { ...secretRule, optional: true },
  tokens: {
    must: 'an object with a different token for each account: undefined, or a string without blanks at its ends and ' +
      'without line breaks',
    holds: value => {
      const isFixed = ([name, token]: [string, unknown]) =>
        isAccount(name) && (token === undefined || isSendable(token))
      if (!isObject(value) || !Object.entries(value).every(isFixed)) return false
      const given = Object.values(value).filter(Boolean)
      return new Set(given).size === given.length
    },
    optional: true
  }
}

export const issueRules: Record<keyof IssueOptions, MemberRule> = {
  label: { ...accountRule, optional: true },
  expiresAt: {
    must: 'a time to come, in Unix milliseconds',
    holds: value => Number.isSafeInteger(value) && Number(value) > Date.now(),
    optional: true
  },
  once: { ...aBoolean, optional: true }
}

export const rotateRules = {
  grace: {
    must: 'a number of milliseconds, 0 or more',
    holds: (value: unknown) => Number.isFinite(value) && Number(value) >= 0,
    optional: true
  }
}

export const sessionRules: Record<keyof SessionOptions<unknown>, MemberRule> = { refresh: aFunction }

/** @throws SOURCE_ORIGIN_ERR_INVALID_OPTION */
export const validateAccount = (account: string): void => validateMembers({ account }, { account: accountRule })
