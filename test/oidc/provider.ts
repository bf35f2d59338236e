import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload, type CryptoKey } from 'jose'
import type { Test } from 'tap'

interface Person { readonly sub: string, readonly [claim: string]: unknown }
interface Begun { readonly nonce: string, readonly challenge: string, readonly redirectUri: string }

/** The responses of a fake provider, which tests change. */
export interface Answers {
  /** The person of the session at the provider. */
  person: Person
  sid: string | undefined
  /** Replaces the claims of ID tokens. */
  claims: (claims: JWTPayload) => JWTPayload
  /** Replaces ID tokens. */
  idToken: ((token: string) => string) | undefined
  /** Replaces the parameters of the redirect to the server. */
  redirect: (parameters: URLSearchParams) => void
  /** Replaces the metadata. */
  metadata: Record<string, unknown>
  /** Claims that only the user info contains. */
  info: Record<string, unknown>
  refreshToken: string | undefined
  /** Replaces the response to a refresh. */
  refresh: (answer: Record<string, unknown>) => Record<string, unknown>
  /** An error of the token endpoint. */
  tokenError: string | undefined
  isDown: boolean
}

/** A small provider that can be wrong in each way. oidc-provider is never wrong. */
export async function startProvider (t: Test) {
  const answers: Answers = {
    person: { sub: 'ann-1', preferred_username: 'ann' },
    sid: 'session-1',
    claims: claims => claims,
    idToken: undefined,
    redirect: () => {},
    metadata: {},
    info: {},
    refreshToken: undefined,
    refresh: answer => answer,
    tokenError: undefined,
    isDown: false
  }
  const begun = new Map<string, Begun>()
  const counts = { keys: 0, tokens: 0 }
  let keys: Awaited<ReturnType<typeof generateKeyPair>>
  let kid = 0
  async function rotate () {
    keys = await generateKeyPair('RS256', { extractable: true })
    kid++
  }
  await rotate()
  const server = createServer((request, response) => { answer(request, response).catch(error => { throw error }) })
  t.teardown(() => close(server))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const sign = (claims: JWTPayload, header: Record<string, unknown> = {}, key: CryptoKey = keys.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: `${kid}`, ...header }).sign(key)

  async function idTokenOf (nonce?: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const { sid } = answers
    const claims = { iss: issuer, aud: 'music', iat: now, exp: now + 300, ...nonce && { nonce }, ...sid && { sid } }
    const token = await sign(answers.claims({ ...claims, ...answers.person }))
    return answers.idToken?.(token) ?? token
  }

  async function answer (request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, issuer)
    const json = (value: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (answers.isDown) return json({}, 503)
    if (url.pathname === '/.well-known/openid-configuration') {
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/me`,
        end_session_endpoint: `${issuer}/end`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...answers.metadata
      })
    }
    if (url.pathname === '/keys') {
      counts.keys++
      return json({ keys: [{ ...await exportJWK(keys.publicKey), kid: `${kid}`, alg: 'RS256', use: 'sig' }] })
    }
    if (url.pathname === '/authorize') {
      const asked = url.searchParams
      const code = `code-${begun.size}`
      const [nonce, challenge, redirectUri] =
        ['nonce', 'code_challenge', 'redirect_uri'].map(name => asked.get(name)!) as [string, string, string]
      begun.set(code, { nonce, challenge, redirectUri })
      const parameters = new URLSearchParams({ code, state: asked.get('state')! })
      answers.redirect(parameters)
      response.writeHead(302, { location: `${redirectUri}?${parameters}` }).end()
      return
    }
    if (url.pathname === '/me') return json({ sub: answers.person.sub, ...answers.info })
    let text = ''
    for await (const part of request) text += part
    const form = new URLSearchParams(text)
    counts.tokens++
    if (answers.tokenError !== undefined) return json({ error: answers.tokenError }, 400)
    if (form.get('grant_type') === 'refresh_token') {
      const isIt = form.get('refresh_token') === answers.refreshToken
      if (!isIt) return json({ error: 'invalid_grant' }, 400)
      const idToken = await idTokenOf()
      return json(answers.refresh({
        access_token: 'a', token_type: 'bearer', id_token: idToken, refresh_token: answers.refreshToken
      }))
    }
    const known = begun.get(form.get('code') ?? '')
    begun.delete(form.get('code') ?? '')
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url')
    if (known?.challenge !== challenge || known.redirectUri !== form.get('redirect_uri')) {
      return json({ error: 'invalid_grant' }, 400)
    }
    const refresh = answers.refreshToken === undefined ? {} : { refresh_token: answers.refreshToken }
    json({ access_token: 'a', token_type: 'bearer', id_token: await idTokenOf(known.nonce), ...refresh })
  }

  const logoutToken = (claims: JWTPayload = {}, header: Record<string, unknown> = {}) => sign({
    iss: issuer,
    aud: 'music',
    iat: Math.floor(Date.now() / 1000),
    jti: String(Math.random()),
    sub: answers.person.sub,
    sid: answers.sid,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    ...claims
  }, { typ: 'logout+jwt', ...header })

  return { issuer, answers, counts, rotate, sign, logoutToken }
}

const close = (server: Server) => new Promise<void>(resolve => {
  server.closeAllConnections()
  server.close(() => resolve())
})
