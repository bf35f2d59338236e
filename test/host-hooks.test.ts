import t from 'tap'
import sourceOrigin from 'fastify-source-origin'
import { sourcePage } from 'fastify-source-origin/page'
import { authorized, contextOf, dataOf, deferred } from './helper.ts'
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
  t.match((await host.inject({ url: track, headers: authorized })).json(), { code: 500, message: /does not match Track/ })
})

t.test('a host\'s onRoute hook that removes or replaces serializers does not change answers of the source', async t => {
  for (const change of [{ schema: undefined }, { serializerCompiler: () => () => '"the host\'s"' }]) {
    const host = hostOf(t, 'http')
    host.addHook('onRoute', route => {
      Object.assign(route, change)
      if (route.schema !== undefined) delete route.schema.response
    })
    await host.register(sourceOrigin, { resolveContext: contextOf({ getNewTracks: () => [dataOf('getTrackDetail')] }) })
    for (const [url, data] of [['/v1/track/new', [dataOf('getTrackDetail')]], ['/v1/status', { type: 'wow' }]] as const) {
      t.match((await host.inject({ url, headers: authorized })).json(), { code: 200, data }, url)
    }
    t.match((await host.inject('/status')).json(), { status: 'online' })
  }
})
