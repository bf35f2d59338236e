import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { SourceError } from '../contract/errors.ts'
import { lacksPackage } from '../errors/lacks-package.ts'
import { failureOf, providerDown, rejectionOf } from './failure.ts'
import { logoutReader } from './read-logout.ts'
import { validateOidcOptions, type OidcOptions } from './oidc-options.ts'
import type { Oidc, Person } from './oidc.ts'

type Client = typeof import('openid-client')
interface Provider { readonly client: Client, readonly config: Configuration }
type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers

/** The timeout of the provider in seconds. */
const timeout = 10
/** The accepted difference of the clocks in seconds. */
const mostDrift = 60
const usualLifetime = 30 * 24 * 3_600_000

/**
 * Creates the sign-in with a provider of OpenID Connect: the authorization code flow with PKCE. The provider is called
 * at the first sign-in, so that a server starts while the provider is down.
 *
 * It requires the packages `openid-client` and `jose`.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function createOidc (options: OidcOptions): Oidc {
  validateOidcOptions(options)
  const {
    issuer, clientId, clientSecret, scope = 'openid profile', accountOf = ({ account }) => account ?? null,
    lifetime = usualLifetime
  } = options
  let found: Promise<Provider> | undefined

  async function discover (): Promise<Provider> {
    const client = await import('openid-client').catch(lacksPackage('openid-client', 'oidc'))
    const url = new URL(issuer)
    const execute = url.protocol === 'http:' ? [client.allowInsecureRequests] : []
    const discovered = await client.discovery(url, clientId, undefined, client.None(), { timeout, execute })
    // Providers that name no methods accept the one of the specification.
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'], ...server } =
      discovered.serverMetadata()
    const method = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost
    const auth = clientSecret === undefined ? client.None() : method(clientSecret)
    const config = new client.Configuration(server, clientId, { [client.clockTolerance]: mostDrift }, auth)
    config.timeout = timeout
    for (const run of [...execute, client.enableNonRepudiationChecks]) run(config)
    return { client, config }
  }

  /** @throws SourceError 503 */
  async function provider (): Promise<Provider> {
    found ??= discover()
    try {
      return await found
    } catch (error) {
      // The next sign-in tries again.
      found = undefined
      throw (error as { code?: string }).code === 'SOURCE_ORIGIN_ERR_MISSING_PACKAGE' ? error : providerDown(error)
    }
  }

  /** Returns the claims of the ID token, and those that the provider returns only as user info. */
  async function personOf ({ client, config }: Provider, tokens: Tokens, known?: string): Promise<Person> {
    const ofToken = tokens.claims()
    const subject = ofToken?.sub ?? known!
    const server = config.serverMetadata()
    const info = server.userinfo_endpoint === undefined
      ? {}
      : await client.fetchUserInfo(config, tokens.access_token, subject)
    const claims = { ...info, ...ofToken }
    const sid = typeof ofToken?.sid === 'string' ? ofToken.sid : undefined
    return { issuer: server.issuer, subject, claims, sid, refreshToken: tokens.refresh_token }
  }

  return {
    accountOf,
    lifetime,

    async begin (redirectUri, isSilent) {
      const { client, config } = await provider()
      const checks =
        { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        ...isSilent && { prompt: 'none' }
      })
      return { url: url.href, checks }
    },

    async finish (url, { state, nonce, verifier }) {
      const known = await provider()
      try {
        const tokens = await known.client.authorizationCodeGrant(known.config, new URL(url), {
          expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true
        })
        return await personOf(known, tokens)
      } catch (error) {
        // The keys of the provider may have changed.
        found = undefined
        const { origin, pathname } = new URL(url)
        throw failureOf(error, origin + pathname)
      }
    },

    async refresh (refreshToken, { issuer, subject }) {
      const known = await provider()
      if (known.config.serverMetadata().issuer !== issuer) throw new SourceError(503, 'This is another provider')
      let person
      try {
        person = await personOf(known, await known.client.refreshTokenGrant(known.config, refreshToken), subject)
      } catch (error) {
        throw rejectionOf(error)
      }
      if (person.subject !== subject) throw new SourceError(403, 'The provider names another person')
      return { ...person, refreshToken: person.refreshToken ?? refreshToken }
    },

    async endUrl (returnTo) {
      const { client, config } = await provider()
      return config.serverMetadata().end_session_endpoint === undefined
        ? undefined
        : client.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }).href
    },

    readLogout: logoutReader(clientId, async () => (await provider()).config.serverMetadata())
  }
}
