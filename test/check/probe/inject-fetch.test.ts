import t from 'tap'
import fastify from 'fastify'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createInjectFetch, injectOrigin } from '../../../lib/check/probe/inject-fetch.ts'
import { thrownBy } from '../../client/helper.ts'

const app = fastify()
app.get('/old', (_request, reply) => reply.redirect('/new?x=1', 308))
app.all('/new', ({ method, query, headers, body }, reply) =>
  reply.send({ method, query, authorization: headers.authorization, body }))
app.get('/round', (_request, reply) => reply.redirect('/round'))
app.get('/elsewhere', (_request, reply) => reply.redirect('https://elsewhere.example/'))
app.get('/made', (_request, reply) => reply.code(201).header('location', '/old').send('made'))
app.get('/nothing', (_request, reply) => reply.code(204).send())
app.get('/large', (_request, reply) => reply.send(Buffer.alloc(10_000, 'x')))
app.get('/endless', (_request, reply) => {
  const source = Readable.from((function * () { while (true) yield Buffer.alloc(1000) })())
  source.once('close', () => app.server.emit('stream closed'))
  return reply.type('audio/mpeg').send(source)
})
t.teardown(() => app.close())
const injectFetch = createInjectFetch(app)

t.test('method, headers and body reach the app', async t => {
  const response = await injectFetch(`${injectOrigin}/new?y=a%20b`, {
    method: 'POST', headers: { authorization: 'token', 'content-type': 'application/json' }, body: '{"z":1}'
  })
  t.strictSame(await response.json(), { method: 'POST', query: { y: 'a b' }, authorization: 'token', body: { z: 1 } })
  t.match(response.headers.get('content-type'), 'application/json')
})

t.test('redirects are followed', async t => {
  t.match(await (await injectFetch(`${injectOrigin}/old`)).json(), { method: 'GET', query: { x: '1' } })
})

t.test('redirects without an end are given up', async t => {
  t.match(await thrownBy(injectFetch(`${injectOrigin}/round`)), { message: 'too many redirects' })
})

t.test('a redirect to another origin, and a location that is no redirect, are not followed', async t => {
  t.equal((await injectFetch(`${injectOrigin}/elsewhere`)).status, 302)
  t.equal(await (await injectFetch(`${injectOrigin}/made`)).text(), 'made')
})

t.test('redirect: manual gives the redirect itself', async t => {
  const { status, headers } = await injectFetch(new URL(`${injectOrigin}/old`), { redirect: 'manual' })
  t.equal(status, 308)
  t.equal(headers.get('location'), '/new?x=1')
})

t.test('an answer without a body', async t => {
  t.equal((await injectFetch(`${injectOrigin}/nothing`)).body, null)
})

t.test('bytes come as they are', async t => {
  t.equal((await (await injectFetch(`${injectOrigin}/large`)).arrayBuffer()).byteLength, 10_000)
})

t.test('a body without an end is read as far as it is wanted, and its request ends', async t => {
  const closed = once(app.server, 'stream closed')
  let sent = 0
  for await (const chunk of (await injectFetch(`${injectOrigin}/endless`)).body!) {
    sent += chunk.length
    if (sent > 100_000) break
  }
  await closed
  t.ok(sent < 200_000)
})

t.test('a signal ends a request, also one from before its answer', async t => {
  const controller = new AbortController()
  const { signal } = controller
  const closed = once(app.server, 'stream closed')
  const { body } = await injectFetch(`${injectOrigin}/endless`, { signal })
  controller.abort()
  t.match(await thrownBy(new Response(body).text()), { message: 'Premature close' })
  await closed
  const closedToo = once(app.server, 'stream closed')
  await injectFetch(`${injectOrigin}/endless`, { signal })
  await closedToo
})

t.test('another origin is not asked', async t => {
  t.match(await thrownBy(injectFetch('http://localhost:81/')), { message: 'http://localhost:81 is not this app' })
})
