import { operations } from 'fastify-source-origin'
import { createHash } from 'node:crypto'
import { METHODS } from 'node:http'
import t from 'tap'
import { command, folder, mp3, pathOf, startWith, token, tokenIn } from './helper.ts'

const oneTrack = { 'a.mp3': mp3({ title: 'A', artist: 'Ada', album: 'One' }) }

t.test('in production without a token every call is 401, and the log says how to set one', async t => {
  const { call, lines } = await startWith(t, {}, { SOURCE_API_TOKEN: '', NODE_ENV: 'production' })
  t.equal((await call('/v1/status')).statusCode, 401)
  t.equal((await call('/v1/status', { headers: { authorization: '' } })).statusCode, 401)
  t.equal((await call('/status')).statusCode, 200)
  t.match(lines, [{ level: 40, msg: 'owner without token', hint: /SOURCE_API_TOKEN.*\.env/ }])
})

t.test('only configured origins may call, with the Authorization header', async t => {
  const CORS_ORIGIN = 'https://a.example.com, HTTPS://Player.Example:443/,http://[0::1]:80, capacitor://localhost,null'
  const { app } = await startWith(t, {}, { CORS_ORIGIN })
  const preflight = (origin: string) => app.inject({
    method: 'OPTIONS',
    url: '/v1/status',
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
  })
  const configured =
    ['https://a.example.com', 'https://player.example', 'http://[::1]', 'capacitor://localhost', 'null']
  for (const origin of configured) {
    const allowed = await preflight(origin)
    t.equal(allowed.statusCode, 204)
    t.equal(allowed.headers['access-control-allow-origin'], origin)
    t.match(allowed.headers['access-control-allow-headers'], 'Authorization')
  }
  for (const origin of ['https://c.example.com', 'http://a.example.com', 'tauri://localhost']) {
    t.notOk((await preflight(origin)).headers['access-control-allow-origin'], origin)
  }
})

t.test('with configured origins every cover, page and answer is another one for each of them', async t => {
  const { app, data } = await startWith(t, oneTrack, { CORS_ORIGIN: 'https://a.example.com', PAGE: 'true' })
  const { items: [track] } = await data('/v1/search/tracks?keyword=a')
  const cover = pathOf(track.album.coverUrl)
  const [, asset] = /<script type="module" src="([^"]+)"/.exec((await app.inject('/')).body) ?? []
  for (const url of [cover, `/page/cover?of=${encodeURIComponent(cover)}&size=64`, `/${asset}`, '/v1/status']) {
    const { statusCode, headers } = await app.inject({ url, headers: { authorization: token } })
    t.equal(statusCode, 200, url)
    t.match(String(headers.vary), /\borigin\b/i, url)
  }
})

t.test('a page of a configured origin may call every method of /rest and /v1, and reads what it needs', async t => {
  const { app, call } = await startWith(t, {}, { CORS_ORIGIN: '*' })
  const origin = 'https://any.example.com'
  const allowed = async (url: string, method: string) => {
    const asked = { 'access-control-request-method': method, 'access-control-request-headers': 'authorization' }
    const { statusCode, headers } = await app.inject({ method: 'OPTIONS', url, headers: { origin, ...asked } })
    t.match(headers, { 'access-control-allow-origin': '*', 'access-control-allow-headers': /Authorization/ }, url)
    t.equal(statusCode, 204)
    return String(headers['access-control-allow-methods']).split(', ').includes(method)
  }
  for (const { method, path } of operations) t.ok(await allowed(path, method), `${method} ${path}`)
  const ping = `/rest/ping?u=owner&p=${encodeURIComponent(token)}&f=json`
  // What a page may send: the first of these is the preflight itself, and no browser sends the others.
  const ofPages = METHODS.filter(method => !['OPTIONS', 'CONNECT', 'TRACE'].includes(method))
  const taken = ofPages.filter(method => app.hasRoute({ method: method as 'GET', url: '/rest/*' })) as 'GET'[]
  t.ok(taken.length > 3)
  for (const method of taken) {
    t.ok(await allowed(ping, method), method)
    // Without a type a QUERY is none.
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await app.inject({ method, url: ping, headers: { origin, ...type } })
    if (method as string !== 'HEAD') t.match(answer.json(), { 'subsonic-response': { status: 'ok' } }, method)
    t.equal(answer.headers['access-control-allow-origin'], '*', method)
  }
  const { headers } = await call('/v1/status', { headers: { authorization: token, origin } })
  t.match(headers['access-control-expose-headers'], 'Content-Range')
})

const hex = (text: string) => `enc:${Buffer.from(text).toString('hex')}`
const digest = (secret: string, s = 'salt') => ({ t: createHash('md5').update(secret + s).digest('hex'), s })

t.test('who gets in, by what, in each protocol', async t => {
  const DATA_DIR = folder(t)
  const { app, data } = await startWith(t, oneTrack, { DATA_DIR, PAGE: 'true' })
  const tokens = { owner: token, ann: tokenIn(await command(DATA_DIR, ['add', 'ann'])) }
  const [{ id }] = (await data('/v1/search/tracks?keyword=a')).items
  let client = 0
  // From another address each time: after some wrong ones nothing is looked at.
  const ask = (url: string, authorization?: string) => app.inject({
    url, remoteAddress: `10.0.${++client >> 8}.${client & 255}`, headers: { ...authorization && { authorization } }
  })
  /** The code of the error, 0 for none. */
  const codeOf = async (method: string, login: Record<string, string>) => {
    const answer = await ask(`/rest/${method}?${new URLSearchParams({ f: 'json', id: `tr-${id}`, ...login })}`)
    return answer.statusCode === 302 ? 0 : answer.json()['subsonic-response'].error?.code ?? 0
  }
  const { url } = await data(`/v1/track/url?id=${id}`)
  const signed = pathOf(url)
  const headerRoutes = ['/v1/status', '/v1/user/me', '/page/browse', '/page/progress']

  async function check (u: keyof typeof tokens, app?: string) {
    const own = tokens[u]
    const ofOther = tokens[u === 'owner' ? 'ann' : 'owner']
    const wrong = `wrong for ${u} ${app}`
    // Only a hash of the token of an account is kept; that of the owner is known, whatever the user name is.
    const byDigest = u === 'owner' ? 0 : 40
    const rows: [string, Record<string, string>, number][] = [
      ['its token as the password', { u, p: own }, 0],
      ['the same, encoded', { u, p: hex(own) }, 0],
      ['md5 of its token', { u, ...digest(own) }, byDigest],
      ['its token as the API key', { apiKey: own }, 0],
      ['the token of the other one', { u, p: ofOther }, 0],
      ['a wrong password', { u, p: wrong }, 40],
      ['the same, encoded', { u, p: hex(wrong) }, 40],
      ['md5 of a wrong password', { u, ...digest(wrong) }, 40],
      ['a wrong API key', { apiKey: wrong }, 44],
      ['md5 with another salt', { u, ...digest(app ?? own), s: 'other' }, 40],
      ['two ways at once', { u, p: own, ...digest(own) }, 43],
      ['a key and a name', { u, apiKey: own }, 43],
      ['nothing but a name', { u }, 10],
      ...app === undefined
        ? []
        : [
            ['the app password', { u, p: app }, 0],
            ['the same, encoded', { u, p: hex(app) }, 0],
            ['md5 of it', { u, ...digest(app) }, 0],
            ['md5 of it, in capitals', { u, ...digest(app), t: digest(app).t.toUpperCase() }, 0],
            ['the app password as the API key', { apiKey: app }, 44],
            ['the app password of another name', { u: `${u}x`, p: app }, 40],
            ['md5 of it for another name', { u: `${u}x`, ...digest(app) }, 40]
          ] as [string, Record<string, string>, number][]
    ]
    for (const [row, [what, login, code]] of rows.entries()) {
      // More than ten wrong ones for an account are answered late.
      const isCounted = [40, 44].includes(code)
      for (const method of ['ping', 'stream'].filter((_method, index) => !isCounted || index === row % 2)) {
        t.equal(await codeOf(method, login), code, `${u}, ${method}: ${what}`)
      }
    }
    const headers: [string, string | undefined, number][] = [
      ['its token', own, 200],
      ['its token after Bearer', `Bearer ${own}`, 200],
      ['its token in capitals', own.toUpperCase(), 401],
      ['nothing', undefined, 401],
      ['a wrong one', wrong, 401],
      ['md5', digest(own).t, 401],
      ['a login of HTTP', `Basic ${Buffer.from(`${u}:${own}`).toString('base64')}`, 401],
      ...app === undefined
        ? []
        : [['the app password', app, 401], ['the same', `Bearer ${app}`, 401]] as [string, string, number][]
    ]
    for (const [what, authorization, status] of headers) {
      for (const route of headerRoutes) {
        t.equal((await ask(route, authorization)).statusCode, status, `${u}, ${route}: ${what}`)
      }
      // Players send no header, so that one opens nothing and closes nothing.
      t.equal((await ask(signed, authorization)).statusCode, 200, `${u}, signed media: ${what}`)
      t.equal((await ask(signed.split('?')[0]!, authorization)).statusCode, 403, `${u}, media: ${what}`)
    }
  }
  for (const name of ['owner', 'ann'] as const) {
    await check(name)
    const password = (await command(DATA_DIR, ['app-password', name])).split('\n')[1]!
    await check(name, password)
  }
})

t.test('by default no origin may call, and no browser is told that the domain has https only', async t => {
  const { call } = await startWith(t, {})
  const { headers } = await call('/v1/status', { headers: { authorization: token, origin: 'https://any.example.com' } })
  t.notOk(headers['access-control-allow-origin'])
  t.notOk(headers['strict-transport-security'])
})

t.test('HSTS_MAX_AGE tells browsers to keep to https, for this host alone, on the page too', async t => {
  const { call } = await startWith(t, {}, { HSTS_MAX_AGE: '3600', PAGE: 'true' })
  for (const path of ['/v1/status', '/', '/nowhere']) {
    t.equal((await call(path)).headers['strict-transport-security'], 'max-age=3600', path)
  }
})
