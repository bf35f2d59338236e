import t from 'tap'
import sourceOrigin from 'fastify-source-origin'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { sourcePage } from 'fastify-source-origin/page'
import serveSource from 'fastify-source-origin/serve'
import { authorized, contextOf, dataOf, deferred, logged } from './helper.ts'
import { clientOf, hostKinds, hostOf } from './host-kinds.ts'

/** Those in which a host may answer instead of the source. */
const answeringHooks = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const
const adapter = { getTrackDetail: () => dataOf('getTrackDetail') }
const track = '/v1/track?id=1'
const answers = {
  'its own error': { status: 401, body: { error: 'The host asks for a login' } },
  'its own error of the server': { status: 503, body: { maintenance: 'until noon' } },
  'a status that the source does not have': { status: 402, body: { error: 'Quota' } },
  'its own success': { status: 200, body: { maintenance: true } },
  'a list': { status: 200, body: ['a'] },
  'an answer of the contract': { status: 200, body: { code: 200, data: dataOf('getTrackDetail') } }
}

for (const kind of hostKinds) {
  for (const hook of answeringHooks) {
    t.test(`${kind}: what a host's ${hook} hook answers goes out as it is sent`, async t => {
      for (const validateResponses of [true, false]) {
        for (const [title, { status, body }] of Object.entries(answers)) {
          const host = hostOf(t, kind)
          host.addHook(hook, async (_request: unknown, reply: any) => reply.code(status).send(body))
          await host.register(sourceOrigin, { resolveContext: contextOf(adapter), validateResponses })
          const client = await clientOf(t, host, kind)
          for (const path of [track, '/v1/status', '/status', '/v1/track/fm', '/v1/nowhere']) {
            const answer = await client.ask(path, { headers: authorized })
            t.equal(answer.status, status, `${title} ${path}`)
            t.strictSame(JSON.parse(answer.body), body, `${title} ${path}`)
          }
        }
      }
    })
  }

  t.test(`${kind}: nothing of what a failing onSend hook throws reaches clients`, async t => {
    const host = hostOf(t, kind)
    host.addHook('onSend', async () => { throw new Error('redis://:password@cache.example:6379 is away') })
    await host.register(sourceOrigin, { resolveContext: contextOf(adapter) })
    await host.register(sourcePage)
    const client = await clientOf(t, host, kind)
    const paths = [track, '/v1/status', '/v1/nowhere', '/status', '/v1/track/fm', '/openapi.json', '/', '/page/browse']
    for (const path of paths) {
      const { status, headers, body } = await client.ask(path, { headers: authorized })
      t.strictSame(JSON.parse(body), { code: 500, message: 'Internal server error', data: null }, path)
      t.strictSame([status, headers['content-type'], headers['cache-control']],
        [500, 'application/json; charset=utf-8', 'no-store'], path)
    }
  })

  t.test(`${kind}: nothing of what a failing onSend hook throws reaches clients of the other rooms`, async t => {
    const folder = t.testdir({ 'a.mp3': 'audio' })
    const host = hostOf(t, kind)
    let fails = false
    host.addHook('onSend', async () => { if (fails) throw new Error('redis://:password@cache.example:6379 is away') })
    let url = ''
    await host.register(serveSource, {
      accounts: createAccounts({ store: memoryAccountStore(), tokens: { ann: authorized.authorization } }),
      adapter: ({ mediaUrl }) => {
        url = mediaUrl('song', { path: 'a.mp3' }, { extension: 'mp3' })
        return { getTrackUrl: () => ({ url, quality: 'standard' }) }
      },
      media: { keys: [Buffer.alloc(32)], kinds: { song: { root: folder, file: ({ path }) => path } } },
      readiness: { checks: {} },
      page: { path: '/player/' }
    })
    const client = await clientOf(t, host, kind)
    const ask = (path: string, range = 'bytes=0-1') => client.ask(path, { headers: { ...authorized, range } })
    await ask('/v1/track/url?id=1')
    const { pathname, search } = new URL(url)
    t.equal((await ask(pathname + search)).status, 206)
    fails = true
    const account = { u: 'ann', p: authorized.authorization }
    const login = new URLSearchParams({ ...account, v: '1.16.1', c: 'test', f: 'json', id: 'tr-1' })
    for (const path of [pathname + search, '/media/nothing', '/', '/player/', '/player/page/nothing', '/ready']) {
      const { status, headers, body } = await ask(path)
      t.strictSame(JSON.parse(body), { code: 500, message: 'Internal server error', data: null }, path)
      t.strictSame([status, headers['cache-control'], headers['content-range']], [500, 'no-store', undefined], path)
    }
    for (const [method, status] of [['ping', 200], ['nothing', 200], ['stream', 502]] as const) {
      const answer = await ask(`/rest/${method}?${login}`)
      t.match(JSON.parse(answer.body), {
        'subsonic-response': { status: 'failed', error: { code: 0, message: 'Internal server error' } }
      }, method)
      t.strictSame([answer.status, answer.headers['content-range']], [status, undefined], method)
    }
  })

  for (const hook of [...answeringHooks, 'onSend'] as const) {
    t.test(`${kind}: an unknown error of a host's ${hook} hook is an internal error`, async t => {
      const host = hostOf(t, kind)
      let runs = 0
      host.addHook(hook, async () => { if (runs++ === 0) throw new Error('postgres://user:password@db is away') })
      await host.register(sourceOrigin, { resolveContext: contextOf(adapter) })
      const client = await clientOf(t, host, kind)
      const failed = await client.ask(track, { headers: authorized })
      t.strictSame(JSON.parse(failed.body), { code: 500, message: 'Internal server error', data: null })
      t.equal(JSON.parse((await client.ask(track, { headers: authorized })).body).code, 200)
    })

    t.test(`${kind}: a source waits for a slow ${hook} hook of the host`, async t => {
      const host = hostOf(t, kind)
      const [arrived, goOn] = [deferred<void>(), deferred<void>()]
      host.addHook(hook, async () => { arrived.resolve(); await goOn.promise })
      await host.register(sourceOrigin, { resolveContext: contextOf(adapter) })
      const client = await clientOf(t, host, kind)
      const { answer } = client.send(track, { headers: authorized })
      await arrived.promise
      goOn.resolve()
      t.equal(JSON.parse((await answer).body).code, 200)
    })
  }
}

t.test('data in the envelope that a host\'s hook answers is proven as the adapter\'s', async t => {
  const host = hostOf(t, 'http')
  host.addHook('preHandler', async (_request, reply) => reply.send({ code: 200, data: { id: 7 } }))
  await host.register(sourceOrigin, { resolveContext: contextOf(adapter) })
  const response = await host.inject({ url: track, headers: authorized })
  t.match(response.json(), { code: 500, message: /does not match Track/ })
})

t.test('a host\'s onRoute hook that removes or replaces serializers does not change answers of the source', async t => {
  for (const change of [{ schema: undefined }, { serializerCompiler: () => () => '"the host\'s"' }]) {
    const host = hostOf(t, 'http')
    host.addHook('onRoute', route => {
      Object.assign(route, change)
      if (route.schema !== undefined) delete route.schema.response
    })
    await host.register(sourceOrigin, { resolveContext: contextOf({ getNewTracks: () => [dataOf('getTrackDetail')] }) })
    const expected = { '/v1/track/new': [dataOf('getTrackDetail')], '/v1/status': { type: 'wow' } }
    for (const [url, data] of Object.entries(expected)) {
      t.match((await host.inject({ url, headers: authorized })).json(), { code: 200, data }, url)
    }
    t.match((await host.inject('/status')).json(), { status: 'online' })
  }
})

t.test('a host\'s onRoute hook that takes away the schema of parameters does not change their rules', async t => {
  const host = hostOf(t, 'http')
  host.addHook('onRoute', route => { Object.assign(route, { schema: undefined, attachValidation: false }) })
  const limits: unknown[] = []
  const searchTracks = (_keyword: string, offset: number, limit: number) => {
    limits.push(limit)
    return { items: [], offset, limit, hasMore: false }
  }
  await host.register(sourceOrigin, { resolveContext: contextOf({ searchTracks, createPlaylist: () => {} }) })
  const ask = async (url: string, headers: object = authorized) => {
    const { code, message } = (await host.inject({ url, headers: headers as Record<string, string> })).json()
    return [code, message]
  }
  t.strictSame(await ask('/v1/search/tracks'), [400, 'Parameter keyword is required'])
  t.strictSame(await ask('/v1/search/tracks', {}), [401, 'Unauthorized'])
  t.strictSame(await ask('/v1/search/tracks?keyword=a&limit=7'), [200, undefined])
  t.strictSame(limits, [7])
  const change = await host.inject({ method: 'POST', url: '/v1/playlist/create', headers: authorized, payload: {} })
  t.match(change.json(), { code: 400, message: 'Parameter name is required' })
})

/** Bodies that Fastify refuses, or that are no parameters, and the status of each. */
const broken = [
  ['application/json', '{', 400],
  ['application/json', '', 400],
  ['application/json', '{"__proto__":{}}', 400],
  ['text/plain', 'id=1', 415],
  ['application/json', `{"name":"${'n'.repeat(200)}"}`, 413]
] as const

for (const kind of hostKinds) {
  t.test(`${kind}: with a broken body resolveContext runs after the hooks of the host`, async t => {
    const host = hostOf(t, kind)
    const order: string[] = []
    for (const hook of ['preValidation', 'preHandler'] as const) host.addHook(hook, async () => { order.push(hook) })
    const context = contextOf({})
    await host.register(sourceOrigin, {
      resolveContext: call => {
        order.push('resolveContext')
        return context(call)
      }
    })
    await host.register(sourcePage)
    const client = await clientOf(t, host, kind)
    // A body that is too large is not read, so hooks that would see it do not run.
    for (const [type, body, expected] of broken.slice(0, 4)) {
      for (const [headers, status] of [[{}, 401], [authorized, expected]] as const) {
        for (const path of ['/v1/playlist/create', '/page/playlist']) {
          order.length = 0
          const sent = { method: 'POST', headers: { 'content-type': type, ...headers }, body }
          t.equal((await client.ask(path, sent)).status, status, path + body)
          t.strictSame(order, ['preValidation', 'preHandler', 'resolveContext'], path + body)
        }
      }
    }
  })

  t.test(`${kind}: a hook of the host answers before an error of the body`, async t => {
    const host = hostOf(t, kind)
    host.addHook('preHandler', async (_request, reply) => reply.code(402).send({ error: 'Quota' }))
    await host.register(sourceOrigin, { resolveContext: () => { throw new Error('not called') } })
    const client = await clientOf(t, host, kind)
    for (const [type, body] of broken.slice(0, 4)) {
      const sent = { method: 'POST', headers: { 'content-type': type }, body }
      const answer = await client.ask('/v1/playlist/create', sent)
      t.strictSame([answer.status, answer.body], [402, '{"error":"Quota"}'], body)
    }
  })

  t.test(`${kind}: a resolveContext that needs what a hook finds is a 401 for a body that is too large`, async t => {
    const { lines, logger } = logged()
    const host = hostOf(t, kind, { bodyLimit: 100, logger })
    host.decorateRequest('user', null)
    host.addHook('preHandler', async request => { Object.assign(request, { user: 'ada' }) })
    await host.register(sourceOrigin, {
      resolveContext: ({ request }) => ({ adapter: {}, accountName: (request as any).user.toString() })
    })
    await host.register(sourcePage)
    const client = await clientOf(t, host, kind)
    const [type, body] = broken[4]
    for (const path of ['/v1/playlist/create', '/page/playlist']) {
      const { status } = await client.ask(path, { method: 'POST', headers: { 'content-type': type }, body })
      t.equal(status, 401, path)
    }
    t.strictSame(lines.filter(({ level }) => level >= 50), [])
  })
}

t.test('a resolveContext that is away says so for a body that is too large too', async t => {
  const host = hostOf(t, 'http', { bodyLimit: 100 })
  await host.register(sourceOrigin, {
    resolveContext: () => {
      throw Object.assign(new Error('Come back later'), { statusCode: 503, retryAfterSeconds: 7 })
    }
  })
  const [type, payload] = broken[4]
  const { statusCode, headers } = await host.inject({
    method: 'POST', url: '/v1/playlist/create', headers: { 'content-type': type }, payload
  })
  t.strictSame([statusCode, headers['retry-after']], [503, '7'])
})
