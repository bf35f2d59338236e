import { UnsecuredJWT, type JWTPayload } from 'jose'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import t from 'tap'
import { secret, start, statusOf } from './helper.ts'
import { startProvider } from './provider.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const now = () => Math.floor(Date.now() / 1000)

type Started = Awaited<ReturnType<typeof start>>

const post = async ({ app }: Pick<Started, 'app'>, token: string) => app.inject({
  method: 'POST', url: '/page/sign-in/logout', headers: form, body: `logout_token=${encodeURIComponent(token)}`
})

t.test('a logout token of a session ends its browser tokens, and app passwords stay', async t => {
  const started = await start(t)
  const { app, accounts, provider, signIn } = started
  const password = await accounts.issueAppPassword((await accounts.find(await signIn()))!.id)
  const token = await signIn()
  provider.answers.sid = 'session-2'
  const other = await signIn()
  t.equal(await statusOf(app, token), 200)
  const logout = await provider.logoutToken({ sid: 'session-1' })
  const response = await post(started, logout)
  t.match([response.statusCode, response.headers['cache-control']], [200, 'no-store'])
  t.equal(await statusOf(app, token), 401)
  t.equal(await statusOf(app, other), 200)
  t.match((await post(started, logout)).json(), { code: 400, message: /used already/ })
  t.equal((await post(started, await provider.logoutToken({ sid: undefined }))).statusCode, 200)
  t.equal(await statusOf(app, other), 401)
  const isIt = (known: string) => known === password
  t.not(await accounts.logIn({ username: 'ann', secret: password, verify: isIt }), null)
})

t.test('another replica rejects the second use of a logout token, and its tokens after 10 seconds', async t => {
  const store = memoryAccountStore()
  const first = await start(t, { store })
  const second = await start(t, { store, provider: first.provider })
  const token = await first.signIn()
  t.equal(await statusOf(second.app, token), 200)
  const logout = await first.provider.logoutToken()
  t.equal((await post(first, logout)).statusCode, 200)
  t.equal((await post(second, logout)).statusCode, 400)
  t.equal(await statusOf(first.app, token), 401)
  t.equal(await statusOf(second.app, token), 200, 'the look-up is cached')
  t.equal(await createAccounts({ store, secret }).find(token), null)
  const at = performance.now()
  t.intercept(performance, 'now', { value: () => at + 10_001 })
  t.intercept(Date, 'now', { value: () => Number(new Date()) + 10_001 })
  t.equal(await statusOf(second.app, token), 401)
})

t.test('a logout token that is not valid is a 400, and ends nothing', async t => {
  const started = await start(t)
  const { app, provider, signIn } = started
  const token = await signIn()
  const claims: Record<string, Record<string, unknown>> = {
    'another issuer': { iss: 'https://evil.example' },
    'another audience': { aud: 'another' },
    'an old one': { iat: now() - 600 },
    'no time': { iat: undefined },
    'of the future': { iat: now() + 600 },
    'no jti': { jti: undefined },
    'with a nonce': { nonce: 'x' },
    'no events': { events: undefined },
    'events of another kind': { events: { other: {} } },
    'events that are null': { events: null },
    'neither subject nor session': { sub: undefined, sid: undefined }
  }
  for (const [what, changed] of Object.entries(claims)) {
    t.equal((await post(started, await provider.logoutToken(changed as JWTPayload))).statusCode, 400, what)
  }
  t.equal((await post(started, await provider.logoutToken({}, { typ: 'at+jwt' }))).statusCode, 400)
  t.equal((await post(started, await provider.logoutToken({}, { kid: 'unknown' }))).statusCode, 400)
  t.equal((await post(started, 'a.b.c')).statusCode, 400)
  t.equal((await post(started, '')).statusCode, 400)
  const unsigned = new UnsecuredJWT({ iss: provider.issuer, aud: 'music', sub: 'ann-1' }).encode()
  t.equal((await post(started, unsigned)).statusCode, 400)
  const json = await app.inject({ method: 'POST', url: '/page/sign-in/logout', body: { logout_token: 'x' } })
  t.equal(json.statusCode, 400)
  const none = await app.inject({ method: 'POST', url: '/page/sign-in/logout', headers: form, body: '' })
  t.match([none.statusCode, none.json()], [400, { message: 'The form has no logout_token' }])
  t.equal(await statusOf(app, token), 200)
})

t.test('a logout token without a type is accepted', async t => {
  const started = await start(t)
  const token = await started.signIn()
  t.equal((await post(started, await started.provider.logoutToken({}, { typ: undefined }))).statusCode, 200)
  t.equal(await statusOf(started.app, token), 401)
})

t.test('keys that the provider has rotated are fetched for a logout', async t => {
  const provider = await startProvider(t)
  const started = await start(t, { provider })
  await started.signIn()
  t.equal((await post(started, await provider.logoutToken())).statusCode, 200)
  await provider.rotate()
  const at = Date.now()
  t.intercept(Date, 'now', { value: () => at + 31_000 })
  t.equal((await post(started, await provider.logoutToken())).statusCode, 200)
})

t.test('while the keys of the provider cannot be fetched, a logout is a 503 that the provider may repeat', async t => {
  const provider = await startProvider(t)
  const started = await start(t, { provider })
  await started.signIn()
  const logout = await provider.logoutToken()
  provider.answers.isDown = true
  t.equal((await post(started, logout)).statusCode, 503)
  provider.answers.isDown = false
  t.equal((await post(started, logout)).statusCode, 200)
  provider.answers.metadata = { jwks_uri: undefined }
  const other = await start(t, { provider })
  t.match((await post(other, logout)).json(), { code: 400, message: 'The provider has no keys' })
})

t.test('an address may send 60 logout tokens a minute', async t => {
  const started = await start(t)
  for (let sent = 0; sent < 60; sent++) t.equal((await post(started, '')).statusCode, 400)
  const limited = await post(started, '')
  t.equal(limited.statusCode, 429)
  t.ok(Number(limited.headers['retry-after']) > 0)
  const other = await started.app.inject({
    method: 'POST', url: '/page/sign-in/logout', headers: form, body: '', remoteAddress: '203.0.113.7'
  })
  t.equal(other.statusCode, 400)
})
