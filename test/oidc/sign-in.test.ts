import { decodeJwt, UnsecuredJWT, type JWTPayload } from 'jose'
import {
  memoryAccountStore, type AccountOf, type AccountStore, type BindingRecord
} from 'fastify-source-origin/accounts'
import { createOidc } from 'fastify-source-origin/oidc'
import { Writable } from 'node:stream'
import t from 'tap'
import { endOf } from '../../lib/page/sign-in/end-of.ts'
import { mockImport } from '../mock-import.ts'
import { browserOf, byName, host, start, statusOf } from './helper.ts'
import { startProvider, type Answers } from './provider.ts'

const day = 24 * 3_600_000

t.test('a person signs in: the link works once, and the token of the browser opens the source', async t => {
  const { app, begin, callback, exchange, jar, accounts } = await start(t)
  const url = await begin()
  t.match(url, `http://${host}/page/sign-in/callback?`)
  t.equal(jar.size, 1)
  const response = await callback(url)
  t.equal(response.statusCode, 303)
  t.match(response.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  t.equal(jar.size, 0)
  const [page, link] = response.headers.location!.split('#token=')
  t.equal(page, `http://${host}/`)
  const token = await exchange(link!)
  t.equal(await statusOf(app, token), 200)
  t.equal(await statusOf(app, link!), 401)
  t.match(await accounts.find(token), { id: 'ann' })
  const again = await app.inject({ method: 'POST', url: '/page/sign-in', headers: { authorization: link } })
  t.equal(again.statusCode, 401)
})

t.test('the page gets the names of what it offers', async t => {
  const { app } = await start(t)
  t.match((await app.inject('/')).body, 'provider&quot;:&quot;OpenID Connect&quot;')
  const header = { name: 'Remote-User', from: ['127.0.0.1'], signOutUrl: 'https://proxy.example/out' }
  const { app: behind } = await start(t, { signIn: { header } })
  const { body } = await behind.inject('/')
  t.match(body, 'header&quot;:true,&quot;signOutUrl&quot;:&quot;https://proxy.example/out&quot;')
  t.notMatch(body, 'provider&quot;')
})

t.test('a callback that is repeated, or has a cookie of its first use, gets nothing', async t => {
  const { begin, callback, jar } = await start(t)
  const url = await begin()
  const before = new Map(jar)
  t.equal((await callback(url)).statusCode, 303)
  const wrong = await callback(url)
  t.equal(wrong.statusCode, 400)
  t.match(wrong.body, `begin again at http://${host}/`)
  for (const [name, value] of before) jar.set(name, value)
  const second = await callback(url)
  t.equal(second.statusCode, 400)
  t.match(second.body, 'used already')
  t.equal(second.headers.location, undefined)
})

t.test('a callback needs the cookie of its own state, of this browser, from the last 10 minutes', async t => {
  const { app, begin, callback, jar } = await start(t)
  const url = await begin()
  const [name, value] = [...jar][0]!
  const other = await begin()
  const [otherValue] = [...jar.values()].filter(known => known !== value)
  const refused = async (what: string, cookie: string | undefined, path = url) => {
    const browser = browserOf(app, new Map(cookie === undefined ? [] : [[name, cookie]]))
    const response = await browser.callback(path)
    t.equal(response.statusCode, 400, what)
    t.equal(response.headers.location, undefined)
    t.match(response.headers['content-type'], 'text/html')
    if (path === url && cookie !== undefined) t.equal(browser.jar.size, 0, `${what}: the cookie is cleared`)
  }
  await refused('another browser', undefined)
  await refused('a cookie of another state', otherValue)
  await refused('a cookie that was changed', value.slice(0, -4) + 'AAAA')
  await refused('a cookie that is none', 'x')
  await refused('a huge cookie', 'x'.repeat(6000))
  for (const wrong of ['', '?', '?code=a', '?state=', '?state=a&code=b', '?state[]=a']) {
    await refused(`the query "${wrong}"`, value, url.split('?')[0]! + wrong)
  }
  const now = Date.now()
  t.intercept(Date, 'now', { value: () => now + 600_001 })
  await refused('a cookie of more than 10 minutes', value)
  t.intercept(Date, 'now', { value: () => now })
  t.equal((await callback(url)).statusCode, 303)
  t.equal((await callback(other)).statusCode, 303, 'two tabs do not disturb each other')
})

t.test('a browser has at most four sign-ins, and the oldest ones are forgotten', async t => {
  const { begin, callback, jar } = await start(t)
  jar.set('other', 'cookie').set('__Host-source-origin-sign-in-broken', 'x')
  const urls: string[] = []
  for (let at = 0; at < 6; at++) {
    const now = Date.now()
    t.intercept(Date, 'now', { value: () => now + 1 })
    urls.push(await begin())
  }
  t.equal(jar.size, 5, 'four and the other cookie')
  const statuses = []
  for (const url of urls) statuses.push((await callback(url)).statusCode)
  t.strictSame(statuses, [400, 400, 303, 303, 303, 303])
})

const past = () => Math.floor(Date.now() / 1000) - 3600
const without = (name: string) => ({ [name]: _, ...claims }: JWTPayload) => claims
const unsigned = (token: string) => new UnsecuredJWT(decodeJwt(token)).encode()
/** Responses of a provider that must be rejected. */
const wrong: Record<string, Partial<Answers>> = {
  'another issuer': { claims: claims => ({ ...claims, iss: 'https://evil.example' }) },
  'no issuer': { claims: without('iss') },
  'another audience': { claims: claims => ({ ...claims, aud: 'another' }) },
  'several audiences and another azp': { claims: claims => ({ ...claims, aud: ['music', 'b'], azp: 'b' }) },
  'no audience': { claims: without('aud') },
  'an old token': { claims: claims => ({ ...claims, exp: past(), iat: past() - 1 }) },
  'no end': { claims: without('exp') },
  'no beginning': { claims: without('iat') },
  'a token of the future': { claims: claims => ({ ...claims, nbf: Math.floor(Date.now() / 1000) + 3600 }) },
  'another nonce': { claims: claims => ({ ...claims, nonce: 'x' }) },
  'no nonce': { claims: without('nonce') },
  'no subject': { claims: without('sub') },
  'a subject that is a number': { claims: claims => ({ ...claims, sub: 7 as never }) },
  'no signature': { idToken: unsigned },
  'a signature that was changed': { idToken: token => token.slice(0, -6) + 'AAAAAA' },
  'claims that were changed': {
    idToken: token => {
      const [head, , signature] = token.split('.')
      const claims = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: 'bob-1' })).toString('base64url')
      return [head, claims, signature].join('.')
    }
  },
  'a token that is none': { idToken: () => 'a.b.c' },
  'user info of another person': { info: { sub: 'bob-1' } },
  'the iss of another provider': { redirect: parameters => { parameters.set('iss', 'https://evil.example') } },
  'no iss where the provider has one': { metadata: { authorization_response_iss_parameter_supported: true } },
  'another state': { redirect: parameters => { parameters.append('state', 'x') } },
  'two codes': { redirect: parameters => { parameters.append('code', 'x') } },
  'no code': { redirect: parameters => { parameters.delete('code') } },
  'an error': { redirect: parameters => { parameters.set('error', 'access_denied') } },
  'another code': { redirect: parameters => { parameters.set('code', 'x') } },
  'a client that is rejected': { tokenError: 'unauthorized_client' }
}

t.test('a wrong response of the provider is rejected in a sentence, and the log has no token', async t => {
  const provider = await startProvider(t)
  const lines: string[] = []
  const stream = new Writable({ write (line, _encoding, done) { lines.push(String(line)); done() } })
  const { begin, callback, accounts, jar } = await start(t, { provider, server: { logger: { stream } } })
  const right = { ...provider.answers }
  for (const [what, answers] of Object.entries(wrong)) {
    Object.assign(provider.answers, right, answers)
    const url = await begin()
    const response = await callback(url)
    t.equal(response.statusCode, 400, what)
    t.equal(response.headers.location, undefined)
    t.match(response.body, /<p>(?:The (?:response of the )?provider|This sign-in)[^<]+<\/p>/, what)
    t.equal(jar.size, 0, `${what}: the cookie is cleared`)
  }
  t.strictSame(await accounts.list('ann'), [])
  const log = lines.join('')
  t.equal(lines.filter(line => line.includes('person rejected')).length, Object.keys(wrong).length)
  t.notMatch(log, /code=|eyJ|code-\d|verifier/)
})

t.test('a redirect URI or client that the provider rejects is named', async t => {
  const provider = await startProvider(t)
  provider.answers.tokenError = 'invalid_client'
  const { begin, callback } = await start(t, { provider, oidc: { clientSecret: 'wrong' } })
  t.match((await callback(await begin())).body, `Its redirect URI is http://${host}/page/sign-in/callback`)
})

t.test('the person is found by the subject, whatever the name is', async t => {
  const provider = await startProvider(t)
  const { callback, begin, signIn, accounts } = await start(t, { provider })
  const first = await signIn()
  provider.answers.person = { sub: 'ann-1', preferred_username: 'carol' }
  t.match(await accounts.find(await signIn()), { id: 'ann' })
  for (const name of ['owner', 'ann', '', 'x'.repeat(300), 'a\u0000b']) {
    provider.answers.person = { sub: 'bob-1', preferred_username: name }
    t.equal((await callback(await begin())).statusCode, 403, name.slice(0, 10))
  }
  t.match(await accounts.find(first), { id: 'ann' })
})

t.test('the same name at two providers is rejected in words', async t => {
  const store = memoryAccountStore()
  const one = await start(t, { store })
  const other = await start(t, { store })
  await one.signIn()
  const response = await other.callback(await other.begin())
  t.equal(response.statusCode, 403)
  t.match(response.body, /The account &quot;ann&quot; exists already|The account "ann" exists already/)
})

t.test('without accountOf only persons who are bound may sign in', async t => {
  const { begin, callback, accounts, signIn, provider } = await start(t, { oidc: { accountOf: undefined } })
  t.equal((await callback(await begin())).statusCode, 403)
  const token = await accounts.issue('bob')
  const response = await callback(await begin({ authorization: token }))
  t.equal(response.headers.location, `http://${host}/`)
  t.match(await accounts.find(await signIn()), { id: 'bob' })
  const other = await accounts.issue('ann')
  const rejected = await callback(await begin({ authorization: other }))
  t.match([rejected.statusCode, rejected.body], [403, 'belongs to another account'])
  t.match(await accounts.identities!.list('bob'), [{ issuer: provider.issuer, subject: 'ann-1' }])
})

t.test('a token that is revoked, or whose account is removed, during a sign-in connects nothing', async t => {
  const { begin, callback, accounts } = await start(t)
  const endings = [() => accounts.remove('bob'), async () => accounts.revoke((await accounts.list('bob'))[0]!.id)]
  for (const end of endings) {
    const url = await begin({ authorization: await accounts.issue('bob') })
    await end()
    t.equal((await callback(url)).statusCode, 403)
    t.strictSame(await accounts.identities!.list('bob'), [])
  }
  t.equal((await callback(await begin({ authorization: 'a token of the owner' }))).statusCode, 303)
  t.match(await accounts.identities!.list('owner'), [{ subject: 'ann-1' }])
})

t.test('a missing claim is named, also if only the user info has it', async t => {
  const provider = await startProvider(t)
  const accountOf: AccountOf = person => (person.claims.groups as string[] | undefined)?.includes('music')
    ? byName(person)
    : null
  const { begin, callback, signIn } = await start(t, { provider, oidc: { accountOf } })
  t.match((await callback(await begin())).body, /needs the claim .*groups/)
  provider.answers.info = { groups: ['music'] }
  t.ok(await signIn())
})

t.test('an error in accountOf is a failure of the server, and issues nothing', async t => {
  const { begin, callback } = await start(t, { oidc: { accountOf: () => { throw new Error('of the author') } } })
  const response = await callback(await begin())
  t.equal(response.statusCode, 500)
  t.notMatch(response.body, 'of the author')
})

t.test('while the provider is down tokens work, a sentence is shown, and later it works again', async t => {
  const provider = await startProvider(t)
  const { app, begin, callback, signIn, send } = await start(t, { provider })
  provider.answers.isDown = true
  const refused = await send({ method: 'POST', url: '/page/sign-in/begin' })
  t.match([refused.statusCode, refused.json()], [503, { message: /provider cannot be reached/ }])
  t.equal((await send({ url: '/page/sign-in/end' })).headers.location, `http://${host}/`)
  provider.answers.isDown = false
  const token = await signIn()
  const url = await begin()
  provider.answers.isDown = true
  t.equal((await callback(url)).statusCode, 503)
  t.equal(await statusOf(app, token), 200)
  t.equal(await statusOf(app, 'a token of the owner'), 200)
})

t.test('after a rotation of the keys the second sign-in at the latest works', async t => {
  const provider = await startProvider(t)
  const { signIn, begin, callback } = await start(t, { provider })
  await signIn()
  await provider.rotate()
  await callback(await begin())
  t.ok(await signIn())
})

t.test('a replica finishes what another one has begun', async t => {
  const store = memoryAccountStore()
  const first = await start(t, { store })
  const second = await start(t, { store, provider: first.provider })
  const response = await first.callback(await first.begin(), second.app)
  const token = await first.exchange(response.headers.location!.split('#token=')[1]!)
  t.equal(await statusOf(second.app, token), 200)
})

t.test('below a path, and with a public URL over https, the redirect URI and the cookie fit', async t => {
  const { begin, callback, jar } = await start(t, {
    serve: { publicUrl: 'https://music.example/at', prefix: '/music' }
  })
  const url = await begin({ path: '/music/' })
  t.match(url, 'https://music.example/at/music/page/sign-in/callback?')
  t.match([...jar.keys()], [/^__Host-/])
  const response = await callback(url.replace('/at', ''))
  t.match(response.headers.location, 'https://music.example/at/music/#token=')
  t.match(String(response.headers['set-cookie']), /__Host-.*Path=\/;.*HttpOnly; SameSite=Lax; Secure/)
})

t.test('a POST of another site is rejected', async t => {
  const { send, accounts } = await start(t)
  const authorization = await accounts.issue('ann')
  const post = async (url: string, headers: Record<string, string>) =>
    (await send({ method: 'POST', url, headers: { authorization, ...headers } })).statusCode
  for (const url of ['/page/sign-in', '/page/sign-in/begin']) {
    for (const site of ['cross-site', 'same-site', 'none']) {
      t.equal(await post(url, { 'sec-fetch-site': site }), 403, site)
    }
    t.equal(await post(url, { origin: 'https://evil.example' }), 403)
    t.equal(await post(url, { origin: 'null' }), 403)
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { origin: `http://${host}` }]) {
      t.equal(await post(url, headers), 200)
    }
  }
})

t.test('a sign-in that begins with a wrong token is rejected', async t => {
  const begin = { method: 'POST', url: '/page/sign-in/begin', headers: { authorization: 'wrong' } } as const
  const { send } = await start(t)
  t.equal((await send(begin)).statusCode, 401)
  const limited = await start(t, { serve: { protection: {} } })
  t.equal((await limited.send(begin)).statusCode, 401)
})

t.test('a silent sign-in renews the account of the browser, and shows no failure', async t => {
  const provider = await startProvider(t)
  const { begin, callback, signIn, accounts } = await start(t, { provider })
  const token = await signIn()
  const untilOf = async () => (await accounts.identities!.list('ann'))[0]!.validUntil
  const silent = async () => {
    const response = await callback(await begin({ authorization: token, body: { silent: true } }))
    t.match([response.statusCode, response.headers.location], [303, `http://${host}/`])
  }
  const now = Date.now()
  t.intercept(Date, 'now', { value: () => now + 60_000 })
  const before = await untilOf()
  await silent()
  const renewed = await untilOf()
  t.ok(renewed > before)
  provider.answers.redirect = parameters => parameters.set('error', 'login_required')
  await silent()
  provider.answers.redirect = () => {}
  provider.answers.person = { sub: 'bob-1', preferred_username: 'bob' }
  await silent()
  t.equal(await untilOf(), renewed)
  t.strictSame(await accounts.identities!.list('bob'), [])
})

t.test('an account ends 30 days after its last sign-in, and begins again with the next one', async t => {
  const { signIn, accounts } = await start(t)
  const token = await signIn()
  const now = Date.now()
  const clock = { value: () => now + 30 * day - 1000 }
  t.intercept(Date, 'now', clock)
  t.ok(await accounts.find(token))
  t.intercept(Date, 'now', { value: () => now + 30 * day + 1000 })
  await accounts.revoke('clears the cache')
  await signIn()
  t.ok(await accounts.find(token))
})

t.test('the page learns until when an account is valid, and works without it', async t => {
  const memory = memoryAccountStore()
  let isDown = false
  const store: AccountStore = {
    ...memory,
    findBindings: async of => isDown ? Promise.reject(new Error('down')) : memory.findBindings!(of)
  }
  const { app, signIn, accounts } = await start(t, { store, serve: { stateless: false } })
  const offers = async (authorization: string) => {
    const response = await app.inject({ url: '/page/offers', headers: { authorization } })
    return response.json<{ data: { validUntil?: number } }>().data
  }
  const token = await signIn()
  const [{ validUntil }] = await accounts.identities!.list('ann') as [BindingRecord]
  t.match(await offers(token), { account: 'ann', validUntil })
  t.notOk('validUntil' in await offers('a token of the owner'))
  t.strictSame(await endOf(accounts.identities, undefined), {})
  isDown = true
  t.notOk('validUntil' in await offers(token))
})

t.test('the end of the session at the provider is offered, with the way back', async t => {
  const provider = await startProvider(t)
  const { send } = await start(t, { provider })
  const end = async () => new URL((await send({ url: '/page/sign-in/end' })).headers.location!)
  const url = await end()
  t.equal(url.origin + url.pathname, `${provider.issuer}/end`)
  t.equal(url.searchParams.get('post_logout_redirect_uri'), `http://${host}/`)
  provider.answers.metadata = { end_session_endpoint: undefined }
  const other = await start(t, { provider })
  t.equal((await other.send({ url: '/page/sign-in/end' })).headers.location, `http://${host}/`)
})

t.test('a provider without user info and without sessions is enough', async t => {
  const provider = await startProvider(t)
  Object.assign(provider.answers, { sid: undefined, metadata: { userinfo_endpoint: undefined } })
  const { app, signIn } = await start(t, { provider })
  t.equal(await statusOf(app, await signIn()), 200)
})

t.test('a provider that nobody serves, or a missing package, is named, and the server starts', async t => {
  const { begin } = createOidc({ issuer: 'https://127.0.0.1:1', clientId: 'music' })
  await t.rejects(begin('https://music.example/', false), { status: 503, message: /cannot be reached/ })
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  const lacking = await mockImport<typeof import('../../lib/oidc/create-oidc.ts')>(
    import.meta.resolve('../../lib/oidc/create-oidc.ts'), { 'openid-client': missing })
  const other = lacking.createOidc({ issuer: 'https://id.example', clientId: 'music' })
  await t.rejects(other.begin('https://music.example/', false), { code: 'SOURCE_ORIGIN_ERR_MISSING_PACKAGE' })
})

t.test('a secret is sent as the provider wants it', async t => {
  for (const methods of [undefined, ['client_secret_post'], ['client_secret_basic']]) {
    const provider = await startProvider(t)
    provider.answers.metadata = { token_endpoint_auth_methods_supported: methods }
    const { signIn } = await start(t, { provider, oidc: { clientSecret: 'secret' } })
    t.ok(await signIn())
  }
})

t.test('options are checked', async t => {
  const right = { issuer: 'https://id.example', clientId: 'music' }
  const cases = [
    ['issuer', 'http://id.example'], ['issuer', 'id.example'], ['issuer', 'https://a@id.example'], ['issuer', 7],
    ['clientId', ''], ['clientSecret', ''], ['scope', 'profile'], ['scope', 7], ['accountOf', 7], ['lifetime', 1]
  ] as const
  for (const [name, value] of cases) {
    const code = 'SOURCE_ORIGIN_ERR_INVALID_OPTION'
    t.throws(() => createOidc({ ...right, [name]: value }), { code, message: new RegExp(`"${name}"`) })
  }
  t.ok(createOidc({ ...right, issuer: 'http://[::1]:8080/realm' }))
  const withOidc = { signIn: { oidc: createOidc(right) }, appPasswords: false as const }
  await t.rejects(start(t, { serve: { page: withOidc } }), { message: /"(?:page\.)?signIn" must be used with/ })
})
