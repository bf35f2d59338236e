import type { AccountOf, Claims, Identity } from '../accounts/index.ts'

/** The secrets of one sign-in, which only its browser stores. */
export interface Checks {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** A person whom the provider has identified. */
export interface Person extends Identity {
  readonly claims: Claims
  /** The id of the person's session at the provider. */
  readonly sid?: string | undefined
  readonly refreshToken?: string | undefined
}

/** A valid logout token. */
export interface Logout {
  readonly issuer: string
  readonly id: string
  readonly sid?: string | undefined
  readonly sub?: string | undefined
}

/** A provider of OpenID Connect, for `page.signIn.oidc`. Created by `createOidc`. */
export interface Oidc {
  readonly accountOf: AccountOf
  readonly lifetime: number
  /**
   * Returns the URL at which a person signs in, and the secrets with which `finish` checks the response.
   *
   * @param isSilent If `true`, the provider must not ask the person anything
   */
  begin (redirectUri: string, isSilent: boolean): Promise<{ readonly url: string, readonly checks: Checks }>
  /**
   * Checks the response of the provider and exchanges its code.
   *
   * @param url the complete URL of the response, with the redirect URI before the query
   * @throws SourceError with a sentence for the person; its `cause` has no tokens
   */
  finish (url: string, checks: Checks): Promise<Person>
  /** Checks a person again. @throws SourceError 403 if the provider rejects the refresh token, 503 if it is down */
  refresh (refreshToken: string, identity: Identity): Promise<Person>
  /** Returns the URL that ends the session at the provider; `undefined` if it has none. */
  endUrl (returnTo: string): Promise<string | undefined>
  /** Checks a token of the back-channel logout. @throws SourceError 400 */
  readLogout (token: string): Promise<Logout>
}
