export { createOidc } from './create-oidc.ts'
export type { OidcOptions } from './oidc-options.ts'
export type { Checks, Oidc } from './oidc.ts'
export type { AccountOf, Claims, SigningIn } from '../accounts/index.ts'
