import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { InjectOptions } from 'fastify'
import { sdkVersion } from 'fastify-source-origin'
import { redirects, serviceStatusPath } from '../../lib/contract/operations.ts'
import { authorized, build, completeAdapter } from '../helper.ts'

const methods = http.METHODS.filter(method => method !== 'CONNECT') as NonNullable<InjectOptions['method']>[]

for (const url of [
  '/v1', '/v1/', '/v1/nowhere', '/v1//track', '/v1/track/', '/v1/track/fm/', '/v1/%74rack/nowhere', '/v1/.',
  '/v1/track/%2e%2e'
]) {
  t.test(`${url}: 401 without authorisation, 404 with it`, async t => {
    const app = await build(t, completeAdapter())
    const without = await app.inject(url)
    t.equal(without.statusCode, 401)
    t.strictSame(without.json(), { code: 401, message: 'Unauthorized', data: null })
    const withToken = await app.inject({ url, headers: authorized })
    t.equal(withToken.statusCode, 404)
    t.strictSame(withToken.json(), { code: 404, message: 'Path not found', data: null })
  })
}

for (const method of methods) {
  t.test(`${method} on a path that does not have it: 401 without authorisation`, async t => {
    const app = await build(t, completeAdapter())
    for (const url of ['/v1', '/v1/track', '/v1/nowhere', '/v1/track/favorite']) {
      const response = await app.inject({ method, url })
      t.equal(response.statusCode, 401, url)
    }
  })
}

t.test('a method that a path does not have: 404 with authorisation', async t => {
  const app = await build(t, completeAdapter())
  for (const method of ['DELETE', 'PUT', 'PROPFIND', 'OPTIONS'] as NonNullable<InjectOptions['method']>[]) {
    t.equal((await app.inject({ method, url: '/v1/track', headers: authorized })).statusCode, 404)
  }
  t.equal((await app.inject({ url: '/v1/track/favorite', headers: authorized })).statusCode, 404)
  t.equal((await app.inject({ method: 'POST', url: '/v1/track/fm', headers: authorized })).statusCode, 404)
})

t.test('a path that is spelled with escapes is the same path', async t => {
  const app = await build(t, completeAdapter())
  t.equal((await app.inject('/v1/%74rack?id=1')).statusCode, 401)
  t.equal((await app.inject({ url: '/%761/%74rack?id=1', headers: authorized })).statusCode, 200)
})

for (const { path, to } of redirects) {
  for (const headers of [{}, authorized]) {
    for (const method of ['GET', 'HEAD'] as const) {
      t.test(`${method} ${path} ${'authorization' in headers ? 'with' : 'without'} a token: 308, and neither resolveContext nor the adapter runs`, async t => {
        const { adapter, calls } = completeAdapter()
        const app = await build(t, {
          adapter: { ...adapter, [path]: () => { throw new Error('Never called') } },
          resolveContext: () => { throw new Error('Never called') }
        })
        const response = await app.inject({ method, url: `${path}?id=1&x=a%20b`, headers })
        t.equal(response.statusCode, 308)
        t.match(response.headers.location, /^(roam|lyrics)\?id=1&x=a%20b$/)
        t.equal((
          await app.inject({ method, url: path, headers })
        ).headers.location, response.headers.location?.toString().split('?')[0])
        t.ok(to)
        t.equal(calls.length, 0)
      })
    }
  }
}

t.test('the redirects lead to today\'s paths', async t => {
  const app = await build(t)
  t.equal((await app.inject('/v1/track/fm')).headers.location, 'roam')
  t.equal((await app.inject('/v1/track/lyric')).headers.location, 'lyrics')
})

t.test('a redirect is relative, so that it stays behind any prefix, whatever form the target has', async t => {
  const app = await build(t, { prefix: '/music/:account/of' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  for (const target of ['/music/ann/of/v1/track/fm?id=1', `http://127.0.0.1:${port}/music/ann/of/v1/track/fm?id=1`]) {
    const asked = http.request({ host: '127.0.0.1', port, path: target }).end()
    const [response] = await once(asked, 'response')
    response.resume()
    t.strictSame([response.statusCode, response.headers.location], [308, 'roam?id=1'])
  }
})

t.test('the service status needs no token and no envelope', async t => {
  const app = await build(t)
  const response = await app.inject(serviceStatusPath)
  t.equal(response.statusCode, 200)
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.equal(response.body, `{"status":"online","version":"${sdkVersion}"}`)
  t.equal((await app.inject({ method: 'HEAD', url: serviceStatusPath })).statusCode, 200)
})
