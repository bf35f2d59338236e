import { UnauthorizedError } from 'fastify-source-origin'
import type { SubsonicLogin } from 'fastify-source-origin/subsonic'
import t from 'tap'
import { logged } from '../helper.ts'
import { queryOf, roomy, serve, token, tokenLogin, type Query } from './helper.ts'

const hex = (text: string) => `enc:${Buffer.from(text).toString('hex')}`
const withApiKey = {
  resolveLogin: ({ verify, kind }: SubsonicLogin) =>
    kind === 'apiKey' ? (verify('a key of some length') ? token : null) : verify(token) ? token : null
}

async function codeFor (
  app: Awaited<ReturnType<typeof serve>>, query: Query, method = 'ping'
): Promise<number | string> {
  const response = await app.inject(`/rest/${method}?${queryOf({ f: 'json', ...query })}`)
  const envelope = response.json()['subsonic-response']
  return envelope.error?.code ?? envelope.status
}

for (const [title, query, code] of [
  ['the password', { u: 'ada', p: token }, 'ok'],
  ['the password in hexadecimal', { u: 'ada', p: hex(token) }, 'ok'],
  ['the password in hexadecimal, upper case', { u: 'ada', p: hex(token).toUpperCase().replace('ENC', 'enc') }, 'ok'],
  ['a token', tokenLogin(), 'ok'],
  ['a token in upper case', { ...tokenLogin(), t: tokenLogin().t.toUpperCase() }, 'ok'],
  ['a token and a blank password', { ...tokenLogin(), p: '' }, 'ok'],
  ['an API key', { apiKey: 'a key of some length' }, 'ok'],
  ['a wrong password', { u: 'ada', p: 'wrong' }, 40],
  ['a wrong token', { ...tokenLogin(), t: 'c19b2d' }, 40],
  ['a token of another salt', { ...tokenLogin(), s: 'other' }, 40],
  ['a wrong API key', { apiKey: 'wrong' }, 44],
  ['an API key and a user', { apiKey: 'a key of some length', u: 'ada' }, 43],
  ['a password and a token', { ...tokenLogin(), p: token }, 43],
  ['nothing', {}, 10],
  ['a user only', { u: 'ada' }, 10],
  ['a password only', { p: token }, 10],
  ['a token without its salt', { u: 'ada', t: tokenLogin().t }, 10]
] as [string, Query, string | number][]) {
  t.test(`${title}: ${code}`, async t => {
    t.equal(await codeFor(await serve(t, withApiKey), query), code)
  })
}

t.test('without resolveLogin the password is the authorization, and what hides it is refused', async t => {
  const app = await serve(t, { resolveLogin: undefined })
  t.equal(await codeFor(app, { u: 'anybody', p: token }), 'ok')
  t.equal(await codeFor(app, { u: 'anybody', p: 'wrong' }), 40)
  t.equal(await codeFor(app, tokenLogin()), 41)
  t.equal(await codeFor(app, { apiKey: token }), 42)
})

t.test('a password that is no UTF-8 in hexadecimal is taken as it stands', async t => {
  const seen: (string | undefined)[] = []
  const app = await serve(t, { resolveLogin: ({ secret }) => { seen.push(secret); return null } })
  for (const p of ['enc:ff', 'enc:abc', 'enc:', hex('grün ☃')]) await codeFor(app, { u: 'ada', p })
  t.strictSame(seen, ['enc:ff', 'enc:abc', 'enc:', 'grün ☃'])
})

t.test('what resolveLogin gets', async t => {
  let seen: Partial<SubsonicLogin> = {}
  const app = await serve(t, { resolveLogin: login => { seen = login; return token } })
  await codeFor(app, { ...tokenLogin(), c: 'App', v: '1.15.0' })
  t.match(seen, { kind: 'token', username: 'ada', secret: undefined, client: 'App', version: '1.15.0' })
  t.ok(seen.signal instanceof AbortSignal)
  t.equal(seen.request?.method, 'GET')
})

for (const [title, options, code] of [
  ['an empty authorization', { resolveLogin: () => '' }, 40],
  ['resolveContext that refuses', { resolveContext: () => null }, 40],
  ['resolveContext that throws Unauthorized', { resolveContext: () => { throw new UnauthorizedError() } }, 40],
  ['resolveContext that fails', { resolveContext: () => { throw new Error('secret') } }, 0],
  ['resolveContext without an adapter', { resolveContext: () => ({}) as never }, 0],
  ['resolveLogin that gives no text', { resolveLogin: () => true as never }, 0]
] as [string, Parameters<typeof serve>[1], number][]) {
  t.test(`${title}: ${code}`, async t => {
    t.equal(await codeFor(await serve(t, options), { u: 'ada', p: token }), code)
  })
}

t.test('the Authorization header is no login, and is not what resolveContext gets', async t => {
  const seen: (string | undefined)[] = []
  const app = await serve(t, {
    resolveContext: ({ authorization, request }) => {
      seen.push(authorization, request.headers.authorization)
      return { adapter: {} }
    }
  })
  const headers = { authorization: 'Basic abc' }
  t.equal((await app.inject({ url: '/rest/ping?f=json', headers })).json()['subsonic-response'].error.code, 10)
  await app.inject({ url: `/rest/ping?${queryOf({ u: 'ada', p: token })}`, headers })
  t.strictSame(seen, [token, token], 'plugins of the host read the header')
})

t.test('the extensions are public, whatever is sent, and name API keys only where they can work', async t => {
  const names = async (options: Parameters<typeof serve>[1]) => {
    const response = await (await serve(t, options))
      .inject(`/rest/getOpenSubsonicExtensions?${queryOf({ ...tokenLogin('wrong'), p: 'x', f: 'json' })}`)
    return response.json()['subsonic-response'].openSubsonicExtensions.map(({ name }: { name: string }) => name)
  }
  t.strictSame(await names({}), [
    'formPost', 'songLyrics', 'indexBasedQueue', 'topSongsByArtistId', 'playbackReport',
    'apiKeyAuthentication'
  ])
  t.strictSame(await names({ resolveLogin: undefined }), [
    'formPost', 'songLyrics', 'indexBasedQueue', 'topSongsByArtistId', 'playbackReport'
  ])
})

t.test('a refused login is logged with its user, app and address; a short secret is warned of once', async t => {
  const { lines, logger } = logged()
  const app = await serve(t, {
    resolveLogin: ({ verify }) => verify('short') ? token : null
  }, { ...roomy, logger })
  await codeFor(app, { u: 'eve', p: 'wrong', c: 'App' })
  await codeFor(app, { u: 'ada', p: 'short' })
  await codeFor(app, tokenLogin('short'))
  t.match(lines.filter(({ msg }) => msg === 'login rejected'), [
    { username: 'eve', client: 'App', address: '127.0.0.1' }
  ])
  t.equal(lines.filter(({ msg }) => msg === 'short secret used').length, 1)
})

t.test('of a refused login no user name is logged that may be a secret, and 64 characters of the app', async t => {
  const { lines, logger } = logged()
  const app = await serve(t, { resolveLogin: () => null }, { ...roomy, logger })
  await codeFor(app, { u: token, p: 'ada', c: 'c'.repeat(1000) })
  const [{ username, client }] = lines.filter(({ msg }) => msg === 'login rejected') as any
  t.strictSame([username, client], [undefined, 'c'.repeat(64)])
  t.notMatch(JSON.stringify(lines), token)
})

t.test('the user is the one of the login; others cannot be looked at', async t => {
  const app = await serve(t, { ...withApiKey, context: { accountName: 'Ada L' } })
  const user = async (query: Query) =>
    (await app.inject(`/rest/getUser?${queryOf({ f: 'json', ...query })}`)).json()['subsonic-response']
  t.match(await user({ ...tokenLogin(), username: 'ADA' }), {
    user: { username: 'ada', playlistRole: false, folder: [1] }
  })
  t.match(await user({ apiKey: 'a key of some length' }), { user: { username: 'Ada L' } })
  t.match(await user({ ...tokenLogin(), username: 'eve' }), { error: { code: 50 } })
})
