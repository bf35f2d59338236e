import fastify from 'fastify'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { limitLogins } from '../../lib/protection/limit-logins.ts'
import { connectRedis } from '../../example/server/connect-redis.ts'
import { serveFolder } from '../../example/serve-folder.ts'
import { readSettings } from '../../example/start/settings.ts'
import { fakeTime } from '../fake-time.ts'
import { logged } from '../helper.ts'
import { Redis } from 'ioredis'
import { startRedis } from '../redis.ts'
import { replace } from '../replace.ts'
import { skipWithout } from '../services.ts'
import { demo, folder, start, token, until } from '../example/helper.ts'
import { ask, from } from './attempts.ts'

const tooMany = { message: 'Too many wrong tokens' }

type App = Pick<Awaited<ReturnType<typeof start>>['app'], 'inject'>

async function tryTen (app: App, remoteAddress: string, headers = {}) {
  for (let i = 0; i < 10; i++) await ask(app, `wrong ${i}`, remoteAddress, headers)
}

for (const STATELESS of ['false', 'true']) {
  t.test(`STATELESS=${STATELESS}: after 10 wrong tokens of an address only what is right is let in`, async t => {
    const { app } = await start(t, { STATELESS, METRICS_TOKEN: 'the-token-of-metrics' })
    const metrics = (token: string, remoteAddress: string) =>
      app.inject({ url: '/metrics', remoteAddress, headers: { authorization: `Bearer ${token}` } })
    t.equal((await ask(app, token, '10.0.0.9')).statusCode, 200)
    for (const address of ['10.0.0.1', '10.0.0.9']) await tryTen(app, address)
    t.equal((await ask(app, token, '10.0.0.1')).statusCode, 200)
    for (const wrong of ['short', 'one that nobody can guess']) {
      t.equal((await ask(app, wrong, '10.0.0.1')).statusCode, 429)
      t.equal(await login(app, 'ann', wrong, '10.0.0.1'), 40)
    }
    const refused = await ask(app, 'another one', '10.0.0.1')
    t.equal(refused.statusCode, 429)
    t.match(refused.headers['retry-after'], /^[1-6]?\d$/)
    t.strictSame(refused.json(), { code: 429, message: 'Too many wrong tokens', data: null })
    t.equal(await login(app, 'ann', token, '10.0.0.1'), undefined)
    t.equal((await metrics('the-token-of-metrics', '10.0.0.1')).statusCode, 200)
    t.equal((await metrics('wrong', '10.0.0.1')).statusCode, 429)
    t.equal((await ask(app, token, '10.0.0.9')).statusCode, 200)
    t.equal(await login(app, 'ann', token, '10.0.0.9'), undefined)
    t.equal((await ask(app, 'wrong', '10.0.0.2')).statusCode, 401)
    t.equal((await metrics('the-token-of-metrics', '10.0.0.2')).statusCode, 200)
    t.equal(await login(app, 'ann', 'wrong', '10.0.0.3'), 40)
    const byToken = await app.inject('/rest/ping?u=ann&t=00&s=salt&f=json')
    t.equal(byToken.json()['subsonic-response'].error.code, 40)
  })
}

t.test('of a thousand guesses at once ten are looked at, by whatever way', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const { check } = await limitLogins(app)
  let looks = 0
  const find = async () => { looks++; await setImmediate(); return null }
  const outcomes = await Promise.allSettled(Array.from({ length: 1000 }, (_empty, i) =>
    check(from('10.0.0.1'), `wrong ${i}`, find)))
  t.equal(looks, 10)
  t.equal(outcomes.filter(({ status }) => status === 'rejected').length, 990)
  const names = await Promise.allSettled(Array.from({ length: 1000 }, () =>
    check(from('10.0.0.2'), 'name ann', find, false)))
  t.equal(looks, 20)
  t.equal(names.filter(({ status }) => status === 'rejected').length, 990)
})

t.test('who has proven a name loses that by a wrong login, and the tenth is the last', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const { check, prove } = await limitLogins(app)
  const wrong = () => check(from('10.0.0.1'), 'name ann', () => null, false)
  for (let i = 0; i < 10; i++) t.equal(await wrong(), null)
  prove(from('10.0.0.1'), 'name ann')
  t.equal(await check(from('10.0.0.1'), 'name ann', () => 'right', false), 'right')
  await t.rejects(wrong(), tooMany)
  await t.rejects(check(from('10.0.0.1'), 'name ann', () => 'right', false), tooMany)
})

t.test('of Basic logins the password is what may be guessed, however long the name is', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const { check } = await limitLogins(app)
  for (let i = 0; i < 10; i++) await check(from('10.0.0.1'), `wrong ${i}`, () => null)
  const basic = (password: string) =>
    check(from('10.0.0.1'), `Basic ${Buffer.from(`a very long name:${password}`).toString('base64')}`, () => 'right')
  await t.rejects(basic('short'), tooMany)
  t.equal(await basic('a password that nobody can guess'), 'right')
})

t.test('a clock that is set back while wrong tokens are counted makes nobody wait for longer', async t => {
  const time = fakeTime(t)
  const app = fastify()
  t.teardown(() => app.close())
  const { check } = await limitLogins(app)
  const wrong = (i: number) => check(from('10.0.0.1'), `wrong ${i}`, () => null)
  for (let i = 0; i < 9; i++) await wrong(i)
  replace(t, Date, 'now', () => time.now() - 3_600_000)
  await wrong(9)
  await t.rejects(check(from('10.0.0.1'), 'right', () => 'found'), { ...tooMany, retryAfterSeconds: 60 })
  time.advance(61_000)
  t.equal(await check(from('10.0.0.1'), 'right', () => 'found'), 'found')
})

t.test('a look that fails is no wrong token, and the next one is looked at', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const { check } = await limitLogins(app)
  const looks = Array.from({ length: 20 }, (_empty, i) =>
    check(from('10.0.0.1'), `token ${i}`, () => { throw new Error('away') }))
  for (const { status } of await Promise.allSettled(looks)) t.equal(status, 'rejected')
  t.equal(await check(from('10.0.0.1'), 'right', () => 'found'), 'found')
})

t.test('nobody waits for long behind tokens that a database does not answer', async t => {
  const time = fakeTime(t)
  const app = fastify()
  t.teardown(() => app.close())
  const { check } = await limitLogins(app)
  let end: (error: Error) => void
  const first = check(from('10.0.0.1'), 'token', () => new Promise<null>((_resolve, reject) => { end = reject }))
  const behind = Promise.allSettled(Array.from({ length: 300 }, (_empty, i) =>
    check(from('10.0.0.1'), `token ${i}`, () => t.fail('It was looked at'))))
  await setImmediate()
  time.advance(10_001)
  end!(new Error('away'))
  await t.rejects(first, { message: 'away' })
  t.strictSame(new Set((await behind).map(({ reason }: any) => reason.status)), new Set([503]))
  t.equal(await check(from('10.0.0.1'), 'right', () => 'found'), 'found')
})

t.test('who sends no token has not tried', async t => {
  const { app } = await start(t)
  for (let i = 0; i < 12; i++) t.equal((await app.inject('/v1/status')).statusCode, 401)
})

t.test('a wrong token that an address repeats is one try, and stays a 401', async t => {
  const { app } = await start(t)
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(app, 'revoked', '10.0.0.1')))
  t.strictSame(answers.map(({ statusCode }) => statusCode), Array(12).fill(401))
  for (let i = 0; i < 9; i++) t.equal((await ask(app, `wrong ${i}`, '10.0.0.1')).statusCode, 401)
  for (let i = 0; i < 2; i++) t.equal((await ask(app, 'another', '10.0.0.1')).statusCode, 429)
  t.equal((await ask(app, 'revoked', '10.0.0.1')).statusCode, 401)
})

t.test('addresses of one IPv6 network are one', async t => {
  const { app } = await start(t)
  await tryTen(app, '2001:db8::1')
  t.equal((await ask(app, 'wrong', '2001:db8::ffff')).statusCode, 429)
  t.equal((await ask(app, 'wrong', '2001:db8:0:1::1')).statusCode, 401)
})

// Two are of FASTIFY_TRUST_PROXY_IPS, as fastify-cli passes it on.
for (const [trustProxy, isTrusted] of [
  [true, true], [false, false], ['192.0.2.1, 10.0.0.0/8', true], ['loopback,192.0.2.1', false]
] as const) {
  t.test(`with the proxies ${trustProxy}, X-Forwarded-For is ${isTrusted ? 'the address' : 'ignored'}`, async t => {
    const app = fastify({ trustProxy })
    t.teardown(() => app.close())
    const settings = { MUSIC_DIR: demo, DATA_DIR: folder(t), SOURCE_API_TOKEN: token, NODE_ENV: 'production' }
    await app.register(async instance => serveFolder(instance, readSettings(settings)))
    await tryTen(app, '10.0.0.1', { 'x-forwarded-for': '203.0.113.1' })
    const other = await ask(app, 'wrong', '10.0.0.1', { 'x-forwarded-for': '203.0.113.2' })
    t.equal(other.statusCode, isTrusted ? 401 : 429)
  })
}

function login (app: App, u: string, p: string, remoteAddress: string) {
  const query = new URLSearchParams({ u, p, f: 'json', v: '1.16.1', c: 'test' })
  return app.inject({ url: `/rest/ping?${query}`, remoteAddress })
    .then(answer => answer.json()['subsonic-response'].error?.code)
}

t.test('after 10 wrong logins for an account the next gets its error 40 late, right ones none', async t => {
  const { app } = await start(t)
  const time = fakeTime(t)
  for (let i = 0; i < 10; i++) t.equal(await login(app, 'ann', 'wrong', `10.0.0.${i}`), 40)
  let isAnswered = false
  const late = login(app, 'ann', 'wrong', '10.0.1.1').finally(() => { isAnswered = true })
  await time.awaited(2000)
  t.equal(await login(app, 'ann', token, '10.0.1.1'), undefined)
  t.equal(await login(app, 'bob', 'wrong', '10.0.1.2'), 40)
  t.equal(isAnswered, false)
  time.advance(2000)
  t.equal(await late, 40)
})

t.test('100 wrong logins of an account wait at most, and none whose client has left', async t => {
  const time = fakeTime(t)
  const app = fastify()
  t.teardown(() => app.close())
  const tries = await limitLogins(app)
  const left = new AbortController()
  const slowDown = ({ signal } = new AbortController()) => tries.slowDown(from('10.0.0.1'), 'ann', signal)
  for (let i = 0; i < 10; i++) await slowDown()
  const waiting = Array.from({ length: 100 }, (_empty, i) => slowDown(i === 0 ? left : undefined))
  await time.awaited(2000, 100)
  await slowDown()
  left.abort()
  await waiting[0]
  await slowDown(left)
  time.advance(2000)
  await Promise.all(waiting)
})

t.test('memory stays the same for 90,000 addresses and accounts, and a right token is answered', async t => {
  const program = fileURLToPath(new URL('./many-logins.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', ...process.execArgv, program])
  const { grown, ...answers } = JSON.parse(stdout)
  t.ok(grown < 8e6, `${grown} bytes`)
  t.strictSame(answers, { right: 200, wrong: 401 })
})

t.test('Redis', async t => {
  skipWithout('Redis', t)
  const replica = async (t: Test, url: string) => {
    const { lines, logger } = logged()
    const app = fastify({ logger })
    t.teardown(() => app.close())
    return { lines, tries: await limitLogins(app, await connectRedis(app, url)) }
  }

  t.test('replicas count together', async t => {
    const { url } = await startRedis(t)
    const [one, other] = [await replica(t, url), await replica(t, url)]
    // A connection that is not there yet is not waited for: then each counts for itself.
    let round = 0
    await until(async () => {
      const ip = `10.0.0.${++round}`
      for (let i = 0; i < 10; i++) await one.tries.check(from(ip), `wrong ${i}`, () => null)
      return other.tries.check(from(ip), 'wrong', () => null).then(() => false, ({ status }) => status === 429)
    })
    t.pass('the first try at the other one was the eleventh')
  })

  t.test('a count is named after what it is of and has an end, one that lost it too', async t => {
    const { url } = await startRedis(t)
    const redis = new Redis(url)
    t.teardown(() => redis.disconnect())
    const { tries } = await replica(t, url)
    const name = 'source-origin-tries-10.0.0.1'
    const look = () => tries.check(from('10.0.0.1'), String(Math.random()), () => null)
    await until(async () => {
      await look()
      return await redis.exists(name) === 1
    })
    t.strictSame(await redis.keys('*'), [name])
    await redis.persist(name)
    await look().catch(() => {})
    t.ok(await redis.pttl(name) > 0)
  })

  t.test('while it is away each counts for itself, and one line says so', async t => {
    const redis = await startRedis(t)
    const { tries, lines } = await replica(t, redis.url)
    await redis.stop()
    for (let i = 0; i < 10; i++) await tries.check(from('10.0.0.1'), `wrong ${i}`, () => null)
    await t.rejects(tries.check(from('10.0.0.1'), 'right', () => 'found'), tooMany)
    await until(() => lines.some(({ msg }) => msg === 'redis connection failed'))
    t.equal(lines.filter(({ msg }) => msg === 'redis connection failed').length, 1)
  })
})
