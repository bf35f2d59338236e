import type { FastifyInstance } from 'fastify'
import type { Identities } from '../../accounts/index.ts'
import { invalidOption } from '../../errors/author-errors.ts'
import type { ValidPageOptions } from '../page-options.ts'
import { registerHeader } from './register-header.ts'
import { registerProvider } from './register-provider.ts'

/**
 * Registers the sign-in with a provider and with a trusted header.
 *
 * @returns the identities of accounts; `undefined` without both
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION unless the accounts store identities
 */
export function registerProviders (
  app: FastifyInstance, path: string, { signIn: { oidc, header }, appPasswords, publicUrl }: ValidPageOptions
): Identities | undefined {
  if (oidc === undefined && header === undefined) return undefined
  const accounts = appPasswords || undefined
  if (accounts?.signIn === undefined || accounts.identities === undefined) {
    throw invalidOption('signIn', 'used with appPasswords: accounts made by createAccounts with a secret')
  }
  const parts = { path, publicUrl, accounts, identities: accounts.identities }
  if (oidc !== undefined) registerProvider(app, oidc, parts)
  if (header !== undefined) registerHeader(app, header, parts)
  return parts.identities
}
