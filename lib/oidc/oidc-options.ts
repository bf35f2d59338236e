import type { AccountOf } from '../accounts/index.ts'
import { aFunction, aText } from '../options/member-rules.ts'
import { optional, validateMembers, type MemberRule } from '../options/validate-members.ts'

export interface OidcOptions {
  /** The issuer of the provider, an https URL. http is accepted for this machine. Required. */
  issuer: string
  /** The id of this server at the provider. Required. */
  clientId: string
  /** The secret of this server at the provider. Default: none, for a public client. */
  clientSecret?: string | undefined
  /**
   * The requested scopes, separated by spaces. With `offline_access` the server checks each account once a day.
   * Default: `openid profile`.
   */
  scope?: string | undefined
  /** Returns the account of a person. Default: only persons who are bound to an account may sign in. */
  accountOf?: AccountOf | undefined
  /** The lifetime of an account after its last sign-in or check, in milliseconds. Default: 2,592,000,000 (30 days). */
  lifetime?: number | undefined
}

const isOfThisMachine = ({ hostname }: URL) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

const isIssuer = (value: unknown): boolean => {
  if (typeof value !== 'string' || !URL.canParse(value) || /[?#@]/.test(value)) return false
  const url = new URL(value)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOfThisMachine(url))
}

const issuerRule: MemberRule = {
  must: 'an https URL without a login, a query and a fragment, or an http URL of this machine', holds: isIssuer
}
const scopeRule: MemberRule = {
  must: 'a text of scopes with openid',
  holds: value => typeof value === 'string' && value.split(' ').includes('openid')
}
const lifetimeRule: MemberRule = {
  must: 'a number of milliseconds, 60000 or more',
  holds: value => Number.isFinite(value) && Number(value) >= 60_000
}

const rules = {
  issuer: issuerRule,
  clientId: aText,
  ...optional({ clientSecret: aText, scope: scopeRule, accountOf: aFunction, lifetime: lifetimeRule })
}

/** @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option */
export function validateOidcOptions (options: OidcOptions): void {
  validateMembers(options, rules)
}
