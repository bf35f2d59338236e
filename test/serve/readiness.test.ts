import fastify from 'fastify'
import serveSource, { type ReadinessOptions } from 'fastify-source-origin/serve'
import { once } from 'node:events'
import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fakeTime } from '../fake-time.ts'
import { logged } from '../helper.ts'

async function build (t: Test, options: ReadinessOptions, host: { pluginTimeout?: number } = {}) {
  const { lines, logger } = logged()
  const app = fastify({ logger, return503OnClosing: false, ...host })
  t.teardown(() => app.close())
  await app.register(serveSource, { resolveContext: () => null, readiness: options, subsonic: false, page: false })
  const ask = async () => {
    const { statusCode, body } = await app.inject('/ready')
    return [statusCode, JSON.parse(body)]
  }
  return { app, ask, lines }
}

t.test('it is a 200 where all checks are true', async t => {
  const { app, ask } = await build(t, { checks: { database: async () => true, scan: () => true } })
  t.strictSame(await ask(), [200, { status: 'ready', checks: { database: 'ok', scan: 'ok' } }])
  t.equal((await app.inject('/ready')).headers['cache-control'], 'no-store')
})

t.test('it is a 503 with one word for each check that is not', async t => {
  const never = () => new Promise<boolean>(() => {})
  const time = fakeTime(t)
  const { ask, lines } = await build(t, {
    checks: {
      redis: () => true,
      slow: never,
      scan: async () => 'running',
      upstream: () => false,
      database: () => { throw new Error('password of the database') }
    }
  })
  const asked = ask()
  await time.awaited(2000)
  await setImmediate()
  time.advance(2000)
  t.strictSame(await asked, [503, {
    status: 'waiting', checks: { redis: 'ok', slow: 'down', scan: 'running', upstream: 'down', database: 'down' }
  }])
  t.match(lines.filter(({ msg }) => msg === 'not ready'), [{ level: 40, checks: { scan: 'running' } }])
})

t.test('an optional check is told and not counted', async t => {
  const { ask } = await build(t, {
    checks: { database: () => true },
    optionalChecks: { redis: () => { throw new Error('away') }, database: () => false }
  })
  t.strictSame(await ask(), [200, { status: 'ready', checks: { redis: 'down', database: 'ok' } }])
})

t.test('checks are asked once a second at most, and a change is logged once', async t => {
  const time = fakeTime(t)
  let calls = 0
  let isUp = false
  const { ask, lines } = await build(t, { checks: { database: () => { calls++; return isUp } } })
  t.equal((await ask())[0], 503)
  isUp = true
  t.equal((await ask())[0], 503)
  t.equal(calls, 1)
  time.advance(1000)
  t.equal((await ask())[0], 200)
  t.strictSame(lines.map(({ msg }) => msg).filter(msg => /ready/.test(msg)), ['not ready', 'ready'])
})

t.test('from the call of close on it is a 503, while others are answered until the delay is over', async t => {
  const time = fakeTime(t)
  const { app } = await build(t, { checks: {}, delay: 300 })
  app.get('/', async () => ({ music: true }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const origin = app.listeningOrigin
  const ask = async (path: string) => {
    const [response] = await once(get(origin + path, { agent: false }), 'response')
    return [response.statusCode, await json(response)]
  }
  t.strictSame(await ask('/ready'), [200, { status: 'ready', checks: {} }])
  const closing = app.close()
  await time.awaited(300)
  t.strictSame(await ask('/ready'), [503, { status: 'closing', checks: {} }])
  t.strictSame(await ask('/'), [200, { music: true }])
  time.advance(300)
  await closing
  await t.rejects(ask('/ready'), { code: 'ECONNREFUSED' })
})

for (const pluginTimeout of [undefined, 999, 0]) {
  t.test(`the delay may be longer than Fastify waits for a hook, with a pluginTimeout of ${pluginTimeout}`, async t => {
    const time = fakeTime(t)
    const { app } = await build(t, { checks: {}, delay: 25_000 }, pluginTimeout === undefined ? {} : { pluginTimeout })
    let closed: number | undefined
    app.addHook('preClose', async () => { closed = time.now() })
    await app.ready()
    const began = time.now()
    const closing = app.close()
    await time.passUntil(closing)
    await closing
    t.equal(closed! - began, 25_000)
  })
}

t.test('wrong options are refused by name', async t => {
  for (const [name, value] of Object.entries({ checks: { a: 1 }, delay: -1 })) {
    await t.rejects(build(t, { checks: {}, [name]: value } as never), {
      code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: RegExp(name)
    })
  }
})
