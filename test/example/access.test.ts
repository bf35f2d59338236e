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
  const { app } = await start(t, { CORS_ORIGIN: 'https://a.example.com, https://b.example.com' })
  const preflight = (origin: string) => app.inject({
    method: 'OPTIONS',
    url: '/v1/status',
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
  })
  const allowed = await preflight('https://b.example.com')
  t.equal(allowed.statusCode, 204)
  t.equal(allowed.headers['access-control-allow-origin'], 'https://b.example.com')
  t.match(allowed.headers['access-control-allow-headers'], 'Authorization')
  t.notOk((await preflight('https://c.example.com')).headers['access-control-allow-origin'])
})

t.test('an answer tells a page of a configured origin what it may read', async t => {
  const { call } = await start(t, { CORS_ORIGIN: '*' })
  const { headers } = await call('/v1/status', { headers: { authorization: token, origin: 'https://any.example.com' } })
  t.equal(headers['access-control-allow-origin'], '*')
  t.match(headers['access-control-expose-headers'], 'Content-Range')
})

t.test('by default no origin may call', async t => {
  const { call } = await start(t)
  const { headers } = await call('/v1/status', { headers: { authorization: token, origin: 'https://any.example.com' } })
  t.notOk(headers['access-control-allow-origin'])
})
