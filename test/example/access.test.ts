import t from 'tap'
import { start, token } from './helper.ts'

t.test('the token is the header as it is, or stands after Bearer', async t => {
  const { app } = await start(t)
  const statusOf = async (authorization?: string) =>
    (await app.inject({ url: '/v1/status', headers: authorization === undefined ? {} : { authorization } })).statusCode
  t.equal(await statusOf(token), 200)
  t.equal(await statusOf(), 401)
  t.equal(await statusOf(`Bearer ${token}`), 200)
  t.equal(await statusOf(token.toUpperCase()), 401)
})

t.test('in production without a token every call is 401, and the log says how to set one', async t => {
  const { call, lines } = await start(t, { SOURCE_API_TOKEN: '', NODE_ENV: 'production' })
  t.equal((await call('/v1/status')).statusCode, 401)
  t.equal((await call('/v1/status', { headers: { authorization: '' } })).statusCode, 401)
  t.equal((await call('/status')).statusCode, 200)
  t.match(lines, [{ level: 40, msg: /SOURCE_API_TOKEN is not set.*\.env/ }])
})

t.test('only configured origins may call, with the Authorization header', async t => {
  const CORS_ORIGIN = 'https://a.example.com, HTTPS://Player.Example:443/,http://[0::1]:80, capacitor://localhost,null'
  const { app } = await start(t, { CORS_ORIGIN })
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

t.test('a page of a configured origin may call every method that /rest takes, and reads what it needs', async t => {
  const { app, call } = await start(t, { CORS_ORIGIN: '*' })
  const ping = `/rest/ping?u=owner&p=${encodeURIComponent(token)}&f=json`
  const origin = 'https://any.example.com'
  for (const method of ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const) {
    const headers = { origin, 'access-control-request-method': method }
    const preflight = await app.inject({ method: 'OPTIONS', url: ping, headers })
    t.ok(String(preflight.headers['access-control-allow-methods']).split(', ').includes(method), method)
    const answer = await app.inject({ method, url: ping, headers: { origin } })
    if (method !== 'HEAD') t.match(answer.json(), { 'subsonic-response': { status: 'ok' } }, method)
    t.equal(answer.headers['access-control-allow-origin'], '*', method)
  }
  const { headers } = await call('/v1/status', { headers: { authorization: token, origin } })
  t.match(headers['access-control-expose-headers'], 'Content-Range')
})

t.test('by default no origin may call, and no browser is told that the domain has https only', async t => {
  const { call } = await start(t)
  const { headers } = await call('/v1/status', { headers: { authorization: token, origin: 'https://any.example.com' } })
  t.notOk(headers['access-control-allow-origin'])
  t.notOk(headers['strict-transport-security'])
})

t.test('HSTS_MAX_AGE tells browsers to keep to https, for this host alone, on the page too', async t => {
  const { call } = await start(t, { HSTS_MAX_AGE: '3600', PAGE: 'true' })
  for (const path of ['/v1/status', '/', '/nowhere']) {
    t.equal((await call(path)).headers['strict-transport-security'], 'max-age=3600', path)
  }
})
