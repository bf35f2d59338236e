import t from 'tap'
import fastify from 'fastify'
import sourceOrigin, { operations } from 'fastify-source-origin'
import { authorized, build, buildOnce, callOf, completeAdapter } from './helper.ts'
import { operationOf } from '../lib/contract/operations.ts'

const unauthorized = { code: 401, message: 'Unauthorized', data: null }

const withAdapter = await buildOnce(t)

for (const operation of operations) {
  t.test(`${operation.adapterMethod}: 401 before anything of the parameters, and the adapter does not run`, async t => {
    const { adapter, calls } = completeAdapter()
    const app = withAdapter(adapter)
    for (const parameters of [{}, { id: '', limit: 'x', status: 'maybe', foreign: '1' }]) {
      const response = await app.inject(callOf(operation, parameters, {}))
      t.equal(response.statusCode, 401)
      t.strictSame(response.json(), unauthorized)
    }
    t.equal(calls.length, 0)
  })
}

t.test('null, undefined, false and an empty text of resolveContext are a 401', async t => {
  for (const none of [null, undefined, false, '']) {
    const app = await build(t, { resolveContext: () => none as null })
    t.equal((await app.inject({ url: '/v1/status', headers: authorized })).statusCode, 401)
  }
})

const broken = { '{': 'not JSON', '': 'empty', '"text"': 'no object', '{"__proto__":{}}': 'a poisoned prototype' }
for (const [payload, title] of Object.entries(broken)) {
  t.test(`a body that is ${title}: 401 without authorisation, 404 on an unknown path, 400 on a known one`, async t => {
    const app = withAdapter(completeAdapter().adapter)
    const ask = (url: string, headers: object) =>
      app.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/json', ...headers } })
    for (const url of ['/v1/track/favorite', '/v1/nowhere']) t.strictSame((await ask(url, {})).json(), unauthorized)
    t.equal((await ask('/v1/nowhere', authorized)).statusCode, 404)
    t.match((await ask('/v1/track/favorite', authorized)).json(), { code: 400, data: null })
  })
}

t.test('a body of another type: 401 without authorisation, then 415', async t => {
  const app = withAdapter(completeAdapter().adapter)
  const ask = (headers: object) =>
    app.inject({
      method: 'POST', url: '/v1/track/favorite', payload: 'id=1', headers: { 'content-type': 'text/plain', ...headers }
    })
  t.strictSame((await ask({})).json(), unauthorized)
  t.match((await ask(authorized)).json(), { code: 415, data: null })
})

t.test('a body that is too large: 401 without authorisation, then 413', async t => {
  const app = await build(t, completeAdapter(), { bodyLimit: 100 })
  const ask = (headers: object) =>
    app.inject(callOf(operationOf('createPlaylist'), { name: 'n'.repeat(200) }, headers as Record<string, string>))
  t.strictSame((await ask({})).json(), unauthorized)
  t.match((await ask(authorized)).json(), { code: 413, data: null })
  const payload = { name: 'n'.repeat(200) }
  const nowhere = await app.inject({ method: 'POST', url: '/v1/none', payload, headers: authorized })
  t.match(nowhere.json(), { code: 404, message: 'Path not found' })
})

t.test('resolveContext runs once for each request, for one with a broken body too', async t => {
  let runs = 0
  const app = withAdapter(() => { runs++; return null })
  await app.inject({
    method: 'POST', url: '/v1/track/favorite', payload: '{', headers: { 'content-type': 'application/json' }
  })
  t.equal(runs, 1)
  await app.inject('/v1/nowhere')
  t.equal(runs, 2)
})

t.test('an error before the body is read does not reach resolveContext', async t => {
  let runs = 0
  const app = fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async () => {
    throw Object.assign(new Error('Slow down'), { statusCode: 429, retryAfterSeconds: 7 })
  })
  await app.register(sourceOrigin, { resolveContext: () => { runs++; return null } })
  const response = await app.inject('/v1/status')
  t.strictSame(response.json(), { code: 429, message: 'Slow down', data: null })
  t.equal(response.headers['retry-after'], '7')
  t.equal(runs, 0)
})

t.test('parameters are wrong: 400 before 501 of a stateless source', async t => {
  const app = withAdapter({}, { stateless: true })
  t.equal((await app.inject(callOf(operationOf('createPlaylist'), { name: '' }))).statusCode, 400)
  t.equal((await app.inject(callOf(operationOf('createPlaylist')))).statusCode, 501)
})

t.test('a quality that is not offered: 400 before 501 of a missing method', async t => {
  const app = withAdapter({}, { qualityMap: [] })
  t.equal((await app.inject(callOf(operationOf('getTrackUrl'), { id: '1', quality: 'a' }))).statusCode, 400)
  t.equal((await app.inject(callOf(operationOf('getTrackUrl'), { id: '1' }))).statusCode, 501)
})
