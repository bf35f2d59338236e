import type { AccountOf } from '../../accounts/index.ts'
import type { Oidc } from '../../oidc/index.ts'
import { isObject } from '../../options/is-object.ts'
import { aFunction, aText, hasMethods } from '../../options/member-rules.ts'
import { optional, validateMembers, type MemberRule } from '../../options/validate-members.ts'
import { isNetwork } from './is-from.ts'

/** A header in which a reverse proxy sends the name of the person whom it has authenticated. */
export interface TrustedHeader {
  /** The name of the header, for example `Remote-User`. Required. */
  name: string
  /**
   * The addresses of the proxy: IPv4 or IPv6 addresses, networks such as `172.18.0.0/16`, or `unix` for a Unix socket.
   * Only the peer of the socket counts, never `X-Forwarded-For`. Required.
   */
  from: readonly string[]
  /** A header with a secret that only the proxy knows. Default: none. */
  secret?: { readonly name: string, readonly value: string } | undefined
  /** Returns the account of a person. Its claim `sub` is the value of the header. Default: as in `createOidc`. */
  accountOf?: AccountOf | undefined
  /** The URL of the proxy that ends its session. Default: none. */
  signOutUrl?: string | undefined
}

/** Options of the sign-in with a provider. */
export interface PageSignIn {
  /** The provider, created by `createOidc`. Default: none. */
  oidc?: Oidc | undefined
  /** The header of a proxy. Default: none. */
  header?: TrustedHeader | undefined
  /** The name of the provider on the button. Default: `OpenID Connect`. */
  label?: string | undefined
}

const isHeader = (value: unknown) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)
const aHeader: MemberRule = { must: 'the name of a header', holds: isHeader }
const aSecret: MemberRule = {
  must: 'an object with the name of a header and a value of 16 characters or more',
  holds: value => isObject(value) && isHeader(value.name) && typeof value.value === 'string' && value.value.length >= 16
}
const aFrom: MemberRule = {
  must: 'a list of addresses, networks or unix',
  holds: value => Array.isArray(value) && value.length > 0 && value.every(isNetwork)
}
const aUrl: MemberRule = {
  must: 'an http or https URL',
  holds: value => typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
}

const headerRules = {
  name: aHeader, from: aFrom, ...optional({ secret: aSecret, accountOf: aFunction, signOutUrl: aUrl })
}
const rules = optional({
  oidc: { must: 'created by createOidc', holds: hasMethods('begin', 'finish', 'refresh', 'endUrl', 'readLogout') },
  header: { must: 'an object of options', holds: isObject },
  label: aText
})

/** @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option */
export function validateSignIn (options: PageSignIn): void {
  validateMembers(options, rules, 'signIn')
  if (options.header !== undefined) validateMembers(options.header, headerRules, 'signIn.header')
}
