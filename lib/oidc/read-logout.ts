import type { JWTVerifyGetKey, JWTPayload } from 'jose'
import type { ServerMetadata } from 'openid-client'
import { BadRequestError } from '../contract/errors.ts'
import { lacksPackage } from '../errors/lacks-package.ts'
import { providerDown } from './failure.ts'
import type { Logout, Oidc } from './oidc.ts'

const event = 'http://schemas.openid.net/event/backchannel-logout'
/** The types of logout tokens. Some providers write the type of every token. */
const types = ['logout+jwt', 'application/logout+jwt', 'jwt', undefined]
/** The maximum age of a logout token, and the difference of clocks, in seconds. */
const mostAge = 300
const mostDrift = 60
/** Signatures of a key pair: a shared secret would also be known to this server. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Creates `readLogout` of a provider. */
export function logoutReader (clientId: string, provider: () => Promise<ServerMetadata>): Oidc['readLogout'] {
  let keys: { readonly uri: string, readonly get: JWTVerifyGetKey } | undefined

  return async token => {
    const { jwtVerify, createRemoteJWKSet } = await import('jose').catch(lacksPackage('jose', 'oidc'))
    const { issuer, jwks_uri: uri } = await provider()
    if (uri === undefined) throw new BadRequestError('The provider has no keys')
    if (keys?.uri !== uri) keys = { uri, get: createRemoteJWKSet(new URL(uri)) }
    const verified = await jwtVerify(token, keys.get, {
      issuer, audience: clientId, algorithms, maxTokenAge: mostAge, clockTolerance: mostDrift, requiredClaims: ['jti']
    }).catch(error => {
      const { code } = error as { code?: string }
      throw code === 'ERR_JWKS_TIMEOUT' || code === 'ERR_JOSE_GENERIC' || code === undefined
        ? providerDown(error)
        : new BadRequestError('The logout token is not valid', { cause: new Error(code) })
    })
    const logout = logoutIn(verified.payload)
    if (!types.includes(verified.protectedHeader.typ?.toLowerCase()) || logout === undefined) {
      throw new BadRequestError('This is not a logout token')
    }
    return { issuer, ...logout }
  }
}

function logoutIn ({ jti, sid, sub, nonce, events }: JWTPayload): Omit<Logout, 'issuer'> | undefined {
  const hasEvent = typeof events === 'object' && events !== null && event in events
  const session = typeof sid === 'string' ? sid : undefined
  return !hasEvent || nonce !== undefined || (session ?? sub) === undefined
    ? undefined
    : { id: jti!, sid: session, sub }
}
