import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { errors } from 'fastify-source-origin'
import { createSourceCache, redisStore } from 'fastify-source-origin/cache'
import subsonic from 'fastify-source-origin/subsonic'
import { InvalidationList } from '../../lib/cache/redis/invalidation-list.ts'
import { RedisConnection } from '../../lib/cache/redis/redis-connection.ts'
import { deferred, held, logged } from '../helper.ts'
import { replace } from '../replace.ts'
import { startRedis } from '../redis.ts'
import { skipWithout } from '../services.ts'
import { redisClient, redisOptions, replica, serve, stopClock, track } from './helper.ts'

const url = '/v1/track?id=1'
const titleOf = (response: { json: () => any }) => response.json().data.title
const keysOf = async ({ client }: Awaited<ReturnType<typeof replica>>) => (await client.keys('*')).sort()
const answerKey = async (one: Awaited<ReturnType<typeof replica>>) =>
  (await keysOf(one)).find(key => !/invalidations|lock/.test(key))!
const warningsOf = (lines: Record<string, any>[]) =>
  lines.filter(({ level, msg }) => level === 40 && /cache store|redis/.test(msg))
    .map(({ msg, reason = '', hint = '' }) => `${msg} ${reason}${hint}`)

/** Makes what Redis keeps older by so many seconds. */
async function age (one: Awaited<ReturnType<typeof replica>>, seconds: number) {
  const key = await answerKey(one)
  const stored = (await one.client.getBuffer(key))!
  const end = stored.indexOf(10)
  const head = JSON.parse(stored.subarray(0, end).toString())
  head.times = head.times.map((time: number) => time - seconds * 1000)
  await one.client.set(key, Buffer.concat([Buffer.from(JSON.stringify(head)), stored.subarray(end)]), 'PX', 60_000)
}

/** Resolves when a replica tries to take the lock of a call. */
const lookOf = ({ client }: Awaited<ReturnType<typeof replica>>) => new Promise<void>(resolve => {
  const pipeline = client.pipeline.bind(client)
  client.pipeline = (commands => {
    if (String(commands?.[0]?.[0]) === 'set') { setImmediate(resolve) } return pipeline(commands)
  }) as typeof pipeline
})

skipWithout('Redis', t)

async function redis (t: Test) {
  const service = await startRedis(t)
  return { ...service, replica: (more?: Parameters<typeof serve>[1]) => replica(t, service.url, more) }
}

t.test('2,000 equal requests over four replicas are one call', async t => {
  const { replica } = await redis(t)
  const { answer, started, method } = held<object>()
  const adapter = { getTrackDetail: method }
  const replicas = [
    await replica({ adapter }), await replica({ adapter }), await replica({ adapter }), await replica({ adapter })
  ]
  const asked = Promise.all(Array.from({ length: 2000 }, (_, i) => replicas[i % 4]!.ask(url)))
  await started.promise
  answer.resolve(track)
  const answers = await asked
  t.equal(replicas.reduce((sum, { calls }) => sum + calls(), 0), 1)
  t.strictSame(
    [...new Set(answers.map(({ statusCode, body, headers }) => `${statusCode} ${headers.etag} ${body}`))].length, 1
  )
  t.notMatch((await keysOf(replicas[0]!)).join(' '), /lock/, 'the lock is released')
})

t.test('what one replica keeps the others answer, with headers and time as it was, for its account only', async t => {
  const { replica } = await redis(t)
  const adapter = { getTrackDetail: () => track }
  const options = { operations: { getTrackDetail: { scope: 'public' as const } } }
  const [a, b] = [await replica({ adapter, options }), await replica({ adapter, options })]
  const first = await a.ask(url)
  const second = await b.ask(url)
  t.equal(b.calls(), 0)
  t.equal(first.body, second.body)
  t.equal(first.headers.etag, second.headers.etag)
  t.match(second.headers['cache-control'], /^private, max-age=3[56]\d\d, stale-while-revalidate=8\d{4}$/)
  await a.ask('/v1/user/me')
  await b.ask('/v1/user/me', { account: 'bob' })
  t.equal(b.calls(), 1)
  await b.ask('/v1/user/me')
  t.equal(b.calls(), 1)
  const [key] = (await keysOf(a)).filter(key => /:[\w-]{43}$/.test(key))
  t.match(key, /^test:\d+\.\d+\.\d+:\w+:[\w-]{43}$/)
  t.ok(await a.client.pttl(key!) > 0)
})

t.test('an error of the call is shared by those who wait on other replicas, and not kept', async t => {
  const { replica } = await redis(t)
  for (const [thrown, status, message] of [
    [new errors.UnplayableError('not here', { code: 9 }), 422, 'not here'],
    [new errors.RateLimitedError('wait', { retryAfterSeconds: 7 }), 429, 'wait'],
    [new TypeError('secret'), 500, 'Internal server error'],
    [Object.assign(
      new Error('https://u/?key=secret'), { statusCode: 503, retryAfterSeconds: 3 }
    ), 503, 'Service Unavailable']
  ] as const) {
    const { answer, started, method } = held<object>()
    const adapter = { getTrackDetail: method }
    const [a, b] = [await replica({ adapter }), await replica({ adapter })]
    const first = a.ask(url)
    await started.promise
    const looked = lookOf(b)
    const second = b.ask(url)
    await looked
    answer.reject(thrown)
    t.equal((await first).statusCode, status)
    const { statusCode, headers, ...rest } = await second
    t.equal(statusCode, status)
    t.equal(rest.json().message, message)
    t.notMatch(rest.body, 'secret')
    t.equal(a.calls() + b.calls(), 1)
    if (status === 429) t.equal(headers['retry-after'], '7')
    await a.app.close()
    await b.app.close()
  }
})

t.test('a 401 of the call on another replica, and an answer that is not kept, are asked for again', async t => {
  const { replica } = await redis(t)
  for (const outcome of [new errors.UnauthorizedError(), { ...track, favorite: true }]) {
    const { answer, started, method } = held<object>()
    const options = { operations: { getTrackDetail: { scope: 'public' as const } } }
    const a =
      await replica({ options, adapter: { getTrackDetail: method } })
    const b = await replica({ options, adapter: { getTrackDetail: () => track } })
    const first = a.ask(url)
    await started.promise
    const second = b.ask(url)
    if (outcome instanceof Error) answer.reject(outcome)
    else answer.resolve(outcome)
    await first
    t.equal((await second).statusCode, 200)
    t.equal(b.calls(), 1)
    await b.cache.invalidate({})
    await a.app.close()
    await b.app.close()
  }
})

for (const [name, make] of [[
  'UnplayableError', (text: string) => new errors.UnplayableError(text)
], ['NotFoundError', (text: string) => new errors.NotFoundError(text)]] as const) {
  t.test(`what Redis gets of a ${name} has no token of the caller`, async t => {
    const { replica } = await redis(t)
    const one = await replica({ adapter: { getTrackDetail: () => { throw make('refused Bearer token-of-ann') } } })
    const sent: unknown[] = []
    const pipeline = one.client.pipeline.bind(one.client)
    one.client.pipeline = (commands => { sent.push(commands); return pipeline(commands) }) as typeof pipeline
    await one.ask(url, { headers: { authorization: 'Bearer token-of-ann' } })
    const text = sent.flat(3).map(String).join('\n')
    t.match(text, 'refused [authorization]')
    t.notMatch(text, /token-of/)
  })
}

t.test('a 404 is kept for all replicas', async t => {
  const { replica } = await redis(t)
  for (const thrown of [new errors.NotFoundError('No such track', { code: 7 }), { status: 404, message: 'gone' }]) {
    const [a, b] = [await replica({ adapter: { getTrackDetail: () => { throw thrown } } }), await replica()]
    const [first, second] = [await a.ask('/v1/track?id=2'), await b.ask('/v1/track?id=2')]
    t.strictSame([second.statusCode, second.json()], [404, first.json()])
    t.equal(b.calls(), 0)
    await a.cache.invalidate({})
  }
})

t.test('a change on one replica is seen on another, in its memory and in Redis', async t => {
  const { replica } = await redis(t)
  let name = 'old'
  const adapter = {
    getUserPlaylist: () => [{ id: 'p', name }], createPlaylist: () => { name = 'new'; return { id: 'n', name } }
  }
  const [a, b, c] = [await replica({ adapter }), await replica({ adapter }), await replica({ adapter })]
  const nameOf = async ({ ask }: typeof a) => (await ask('/v1/user/playlist/list')).json().data[0].name
  t.strictSame([await nameOf(a), await nameOf(b)], ['old', 'old'])
  const told = new Promise<void>(resolve =>
    b.events.on('message', ({ invalidation }) => { if (invalidation !== undefined) resolve() }))
  t.equal((await a.ask('/v1/playlist/create', { method: 'POST', payload: { name: 'n' } })).statusCode, 200)
  await told
  t.strictSame([await nameOf(c), await nameOf(b), await nameOf(a)], ['new', 'new', 'new'])
})

t.test('a Redis that is full makes no replica answer what a change made old, and is used again later', async t => {
  const { replica } = await redis(t)
  let title = 'old'
  const adapter = {
    getTrackDetail: () => ({ ...track, title }), favoriteTrack: () => ({ success: true, status: true })
  }
  const logs = [logged(), logged()] as const
  const [a, b] = [
    await replica({ adapter, host: { logger: logs[0].logger } }),
    await replica({ adapter, host: { logger: logs[1].logger } })
  ]
  for (const one of [a, b]) t.equal(titleOf(await one.ask(url)), 'old')
  const told = new Promise<void>(resolve =>
    b.events.on('message', ({ owners }) => { if (owners !== undefined) resolve() }))
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const advance = stopClock(t)
  const limit = (bytes: number) => a.client.config('SET', 'maxmemory', bytes, 'maxmemory-policy', 'noeviction')
  await limit(1)
  title = 'new'
  await a.ask('/v1/track/favorite', { method: 'POST', payload: { id: '1', status: true } })
  await told
  for (const one of [a, b, a, b]) t.equal(titleOf(await one.ask(url)), 'new')
  await a.cache.invalidate({ id: 'other' })
  t.match(warningsOf(logs[0].lines), [/OOM command not allowed/])
  t.match(warningsOf(logs[1].lines), [/^cache store behind/])
  await limit(0)
  advance(6)
  const isTaken = once(b.events, 'message')
  mock.timers.tick(1000)
  await isTaken
  const c = await replica({ adapter })
  t.equal(titleOf(await c.ask(url)), 'new')
})

t.test('a call that began before a change elsewhere is not taken from Redis', async t => {
  const { replica } = await redis(t)
  const { answer, started, method } = held<object[]>()
  const list = (name: string) => [{ id: 'p', name }]
  const a = await replica({ adapter: { getUserPlaylist: method } })
  const b =
    await replica({ adapter: { getUserPlaylist: () => list('new'), createPlaylist: () => ({ id: 'n', name: 'n' }) } })
  const first = a.ask('/v1/user/playlist/list')
  await started.promise
  await b.ask('/v1/playlist/create', { method: 'POST', payload: { name: 'n' } })
  answer.resolve(list('old'))
  await first
  t.equal((await b.ask('/v1/user/playlist/list')).json().data[0].name, 'new')
})

t.test('an error of a call that began before a change is not told to those who ask after it', async t => {
  const { replica } = await redis(t)
  const { answer, started, method } = held<object>()
  const a = await replica({ adapter: { getPlaylistDetail: method } })
  const b = await replica({ adapter: { createPlaylist: () => ({ id: 'p', name: 'n' }) } })
  const first = a.ask('/v1/playlist/detail?id=p')
  await started.promise
  const told = new Promise<void>(resolve =>
    a.events.on('message', ({ invalidation }) => { if (invalidation !== undefined) resolve() }))
  await b.ask('/v1/playlist/create', { method: 'POST', payload: { name: 'n' } })
  await told
  const looked = lookOf(b)
  const second = b.ask('/v1/playlist/detail?id=p')
  await looked
  answer.reject(new errors.NotFoundError())
  t.equal((await first).statusCode, 404)
  t.equal((await second).statusCode, 200)
})

t.test('forget reaches all replicas', async t => {
  const { replica } = await redis(t)
  const [a, b] = [await replica(), await replica()]
  for (const what of [{ account: 'ada' }, { operation: 'getTrackDetail' }, {}] as const) {
    await a.ask(url)
    await b.ask(url)
    const told = new Promise<void>(resolve =>
      b.events.on('message', ({ invalidation }) => { if (invalidation !== undefined) resolve() }))
    await a.cache.invalidate(what)
    await told
    const before = b.calls()
    await b.ask(url)
    t.equal(b.calls(), before + 1)
  }
})

t.test('a stale answer of Redis is sent at once and fetched anew behind it', async t => {
  const { replica } = await redis(t)
  const options = { operations: { getTrackDetail: { ttl: 60_000, staleWhileRevalidate: 1_000_000 } } }
  let calls = 0
  const refreshed = deferred<void>()
  const adapter = {
    getTrackDetail: () => { if (++calls === 2) refreshed.resolve(); return { ...track, title: `title ${calls}` } }
  }
  const [a, b] = [await replica({ adapter, options }), await replica({ adapter, options })]
  await a.ask(url)
  await age(a, 61)
  t.equal(titleOf(await b.ask(url)), 'title 1')
  await refreshed.promise
})

t.test('in an outage a stale answer of Redis is sent', async t => {
  const { replica } = await redis(t)
  const options = { operations: { getTrackDetail: { ttl: 60_000, staleWhileRevalidate: 0, staleIfError: 1_000_000 } } }
  const a = await replica({ options, adapter: { getTrackDetail: () => ({ ...track, title: 'kept' }) } })
  await a.ask(url)
  await age(a, 61)
  let calls = 0
  const b = await replica({ options, adapter: { getTrackDetail: () => { calls++; throw new errors.UpstreamError() } } })
  t.equal(titleOf(await b.ask(url)), 'kept')
  t.equal(calls, 1)
})

t.test('in an outage an older answer of Redis does not take the place of a newer one in memory', async t => {
  const { replica } = await redis(t)
  const advance = stopClock(t)
  let title: string | undefined = 'old'
  const a = await replica({
    adapter: {
      getTrackDetail: () => { if (title === undefined) throw new errors.UpstreamError(); return { ...track, title } }
    },
    options: { operations: { getTrackDetail: { ttl: 10_000, staleWhileRevalidate: 0, staleIfError: 1_000_000 } } }
  })
  await a.ask(url)
  await age(a, 60)
  const key = await answerKey(a)
  const older = (await a.client.getBuffer(key))!
  title = 'new'
  advance(20)
  t.equal(titleOf(await a.ask(url)), 'new')
  // As a Redis that takes the place of one that failed may have it.
  await a.client.set(key, older, 'PX', 60_000)
  title = undefined
  advance(20)
  t.equal(titleOf(await a.ask(url)), 'new')
})

t.test('who does not want a kept answer gets none of another replica, if it is older than 5 s', async t => {
  const { replica } = await redis(t)
  const [a, b] = [await replica(), await replica()]
  await a.ask(url)
  await age(a, 6)
  await b.ask(url, { headers: { 'cache-control': 'no-cache' } })
  t.equal(b.calls(), 1)
})

t.test('who does not want a kept answer gets none by joining a question to Redis either', async t => {
  const { replica } = await redis(t)
  const joined = deferred<void>()
  const a = await replica()
  const note = (message: unknown) => { if ((message as { type: string }).type === 'shared') joined.resolve() }
  subscribe('fastify-source-origin.cache', note)
  t.teardown(() => unsubscribe('fastify-source-origin.cache', note))
  const b = await replica()
  await a.ask(url)
  await age(a, 6)
  let second: ReturnType<typeof b.ask>
  intercept(b, 'ping', async ask => {
    second = b.ask(url, { headers: { 'cache-control': 'no-cache' } })
    await joined.promise
    return ask()
  })
  await b.ask(url)
  t.equal((await second!).statusCode, 200)
  t.equal(b.calls(), 1)
})

t.test('what the source no longer answers is not left in Redis', async t => {
  const { replica } = await redis(t)
  const options = { operations: { getTrackDetail: { ttl: 60_000, staleWhileRevalidate: 0 } } }
  const a = await replica({ options })
  await a.ask(url)
  await age(a, 61)
  const b = await replica({ options, adapter: { getTrackDetail: () => { throw new errors.UnplayableError() } } })
  t.equal((await b.ask(url)).statusCode, 422)
  t.equal(await answerKey(a), undefined)
})

t.test('an older answer in place of one that is not kept is not left in Redis', async t => {
  const { replica } = await redis(t)
  const policyOf = (ttl: number) => ({ operations: { getTrackDetail: { ttl: () => ttl, staleWhileRevalidate: 0 } } })
  const a = await replica({ options: policyOf(60_000) })
  await a.ask(url)
  await age(a, 61)
  const b = await replica({ options: policyOf(0) })
  t.equal((await b.ask(url)).statusCode, 200)
  t.equal(b.calls(), 1)
  t.equal(await answerKey(a), undefined)
})

t.test('a command that Redis refuses is a warning, and the request is answered', async t => {
  const { replica } = await redis(t)
  const a = await replica()
  await a.ask(url)
  const key = await answerKey(a)
  await a.client.del(key)
  await a.client.lpush(key, 'a list')
  const { lines, logger } = logged()
  const b = await replica({ host: { logger } })
  t.equal((await b.ask(url)).statusCode, 200)
  t.equal(b.calls(), 1)
  t.match(warningsOf(lines), [/^cache store paused.*WRONGTYPE/])
})

/** What Redis answers to the first commands that begin with a name goes through `change`. */
function intercept (
  { client }: Awaited<ReturnType<typeof replica>>, name: string, change: (ask: () => Promise<any>) => Promise<any>
) {
  const pipeline = client.pipeline.bind(client)
  client.pipeline = (commands => {
    if (String(commands?.[0]?.[0]) !== name) return pipeline(commands)
    client.pipeline = pipeline
    return { exec: () => change(() => pipeline(commands).exec()) }
  }) as typeof pipeline
}

t.test('a replica whose Redis fails while another calls does not wait for that one', async t => {
  const { replica } = await redis(t)
  const { answer, started, method } = held<object>()
  const a = await replica({ adapter: { getTrackDetail: method } })
  const b = await replica()
  const first = a.ask(url)
  await started.promise
  intercept(b, 'set', async () => { throw new Error('gone') })
  t.equal((await b.ask(url)).statusCode, 200)
  t.equal(b.calls(), 1)
  answer.resolve(track)
  await first
})

t.test('an answer of Redis that a change made outdated while it was fetched is not taken', async t => {
  const { replica } = await redis(t)
  const [a, b] = [await replica(), await replica()]
  await a.ask(url)
  intercept(b, 'ping', async ask => {
    const found = await ask()
    await b.cache.invalidate({ id: '1' })
    return found
  })
  t.equal((await b.ask(url)).statusCode, 200)
  t.equal(b.calls(), 1)
})

for (const [what, damage] of [
  ['no metadata', () => Buffer.from('nonsense')],
  ['broken metadata', (stored: Buffer) => Buffer.concat([Buffer.from('x'), stored])],
  ['a wrong length', (stored: Buffer) => stored.subarray(0, -1)],
  ['another key', (stored: Buffer) => Buffer.from(stored.toString().replace('getTrackDetail', 'getAlbumDetail'))],
  ['no marks of the invalidations before',
    (stored: Buffer) => Buffer.from(stored.toString().replace('"seen":', '"saw":'))],
  ['no ETag', (stored: Buffer) => Buffer.from(stored.toString().replace('"etag":', '"tag":'))],
  ['an ETag that no header carries',
    (stored: Buffer) => Buffer.from(stored.toString().replace(/"etag":"[^,]+"/, '"etag":"a\\r\\nb"'))],
  ['an error without a text',
    (stored: Buffer) => Buffer.from(stored.toString().replace('"seen":', '"missing":{"message":{}},"seen":'))],
  ['another byte in its body', (stored: Buffer) => Buffer.concat([stored.subarray(0, -1), Buffer.from('x')])],
  ['a time without an end',
    (stored: Buffer) => Buffer.from(stored.toString().replace(/"times":\[([^,]+),[^,]+/, '"times":[$1,1e999'))],
  ['no times', (stored: Buffer) => Buffer.from(stored.toString().replace('"times":[', '"times":["a",'))]
] as const) {
  t.test(`an entry with ${what} is none`, async t => {
    const { replica } = await redis(t)
    const [a, b] = [await replica(), await replica()]
    await a.ask(url)
    const key = await answerKey(a)
    await a.client.set(key, damage((await a.client.getBuffer(key))!), 'PX', 60_000)
    t.equal((await b.ask(url)).statusCode, 200)
    t.equal(b.calls(), 1)
  })
}

t.test('messages that are not ours do no harm', async t => {
  const { replica } = await redis(t)
  const [a, b] = [await replica(), await replica()]
  await a.ask(url)
  const list = (await answerKey(a)).replace(/[^:]+$/, 'invalidations')
  await a.client.rpush(list, 'nonsense')
  t.equal((await b.ask(url)).statusCode, 200)
  t.equal(b.calls(), 1)
  const [channel] = await a.client.pubsub('CHANNELS') as string[]
  const before = b.calls()
  let heard = 0
  const done = new Promise<void>(resolve => b.events.on('message', () => { if (++heard === 4) resolve() }))
  for (const message of ['1', '{"from":1}', '{"invalidation":{"change":{"account":"ada"}}}', '{"ended":{}}']) {
    await a.client.publish(channel!, message)
  }
  await done
  t.equal(b.cache.stats().entries, 0)
  t.equal((await b.ask(url)).statusCode, 200)
  t.equal(b.calls(), before, 'what was kept after them is taken')
})

t.test('a change makes old what was kept before it, also when the clock of Redis was set back', async t => {
  const { replica } = await redis(t)
  const [a, b] = [await replica(), await replica()]
  await a.ask(url)
  const list = (await keysOf(a)).find(key => key.includes(':invalidations:'))!
  await a.client.rpush(list, '[1,1,{"forget":{"account":"ada"}}]')
  await b.ask(url)
  t.equal(b.calls(), 1)
})

t.test('an answer is not taken from Redis when Redis, full, has dropped the change that makes it old', async t => {
  const { replica } = await redis(t)
  const a = await replica()
  await a.ask(url)
  await a.cache.invalidate({ account: 'ada' })
  const lists = (await keysOf(a)).filter(key => key.includes(':invalidations'))
  t.equal(lists.length, 2)
  const lives = await Promise.all([await answerKey(a), ...lists].map(key => a.client.pttl(key)))
  t.equal(Math.min(...lives), lives[0], 'changes are there for as long as answers')
  await a.client.del(lists)
  const b = await replica()
  await b.ask('/v1/track?id=2')
  await b.ask(url)
  t.equal(b.calls(), 2)
  const c = await replica()
  await c.ask(url)
  t.equal(c.calls(), 0, 'what was kept since then is taken')
})

t.test('what is read while a change is told is not kept', async t => {
  const { replica } = await redis(t)
  let title = 'old'
  const a = await replica({ adapter: { getTrackDetail: () => ({ ...track, title }) } })
  await a.ask(url)
  title = 'new'
  const pipeline = a.client.pipeline.bind(a.client)
  const titles: string[] = []
  a.client.pipeline = (commands => {
    const sent = pipeline(commands)
    if (!/RPUSH/.test(String(commands?.[0]?.[1])) || titles.length > 0) return sent
    return { exec: async () => { titles.push(titleOf(await a.ask(url))); return sent.exec() } }
  }) as typeof pipeline
  await a.cache.invalidate({ account: 'ada' })
  t.strictSame([...titles, titleOf(await a.ask(url))], ['old', 'new'])
})

t.test('an answer is in Redis for as long as an outage may be masked with it', async t => {
  const { replica } = await redis(t)
  const a = await replica({
    options: { operations: { getTrackDetail: { ttl: 10_000, staleWhileRevalidate: 0, staleIfError: 1_000_000 } } }
  })
  await a.ask(url)
  t.ok(await a.client.pttl(await answerKey(a)) > 1_000_000)
})

t.test('a public answer stays in Redis when one account is refused', async t => {
  const { replica } = await redis(t)
  const options = {
    operations: {
      getTrackDetail: { scope: 'public' as const, ttl: 10_000, staleWhileRevalidate: 0, staleIfError: 1_000_000 }
    }
  }
  const a = await replica({ options, adapter: { getTrackDetail: () => track } })
  await a.ask(url)
  await age(a, 60)
  const b = await replica({ options, adapter: { getTrackDetail: () => { throw new errors.UnauthorizedError() } } })
  t.equal((await b.ask(url)).statusCode, 401)
  t.ok(await answerKey(a))
})

t.test('what another replica keeps for longer than this one may is not sent for longer', async t => {
  const { replica } = await redis(t)
  const a = await replica()
  await a.ask(url)
  await age(a, 60)
  const [b, c] = [await replica({ options: { maxAge: 61_000 } }), await replica({ options: { maxAge: 59_000 } })]
  await Promise.all([b.ask(url), c.ask(url)])
  t.strictSame([b.calls(), c.calls()], [0, 1])
})

t.test('of an account with more changes than are remembered, older answers are not taken from Redis', async t => {
  const { replica } = await redis(t)
  const a = await replica()
  await a.ask(url)
  const b = await replica()
  await Promise.all(Array.from({ length: 201 }, (_, i) => b.cache.invalidate({ account: 'ada', id: `other ${i}` })))
  const list = (await keysOf(a)).find(key => /invalidations:/.test(key))!
  t.equal(await a.client.llen(list), 200)
  await b.ask(url)
  t.equal(b.calls(), 1)
})

/**
 * The lock of a call that hangs on one replica, as one that died leaves it behind. @param milliseconds that it holds
 */
async function leaveLock (t: Test, replica: Awaited<ReturnType<typeof redis>>['replica'], milliseconds: number) {
  const { answer, started, method } = held<object>()
  const a = await replica({ adapter: { getTrackDetail: method } })
  const hanging = a.ask(url)
  t.teardown(() => { answer.resolve(track); return hanging })
  await started.promise
  const lock = (await keysOf(a)).find(key => /lock/.test(key))!
  await a.client.set(lock, 'of one that died', 'PX', milliseconds)
  return { lock, client: a.client }
}

t.test('a replica that died while it called stands in the way for as long as its lock', async t => {
  const { replica } = await redis(t)
  const { lock, client } = await leaveLock(t, replica, 100)
  const holders: (string | null)[] = []
  const b =
    await replica({ adapter: { getTrackDetail: async () => { holders.push(await client.get(lock)); return track } } })
  t.equal((await b.ask(url)).statusCode, 200)
  t.equal(holders.length, 1)
  t.not(holders[0], 'of one that died')
})

t.test('who waits for a call is not told of one that has lost its lock', async t => {
  const { replica } = await redis(t)
  const { answer, started, method } = held<object>()
  const [a, b] = [
    await replica({ adapter: { getTrackDetail: method } }), await replica()
  ]
  const first = a.ask(url)
  await started.promise
  const [lock] = (await keysOf(a)).filter(key => /lock/.test(key))
  await a.client.set(lock!, 'of another replica', 'PX', 60_000)
  const looked = lookOf(b)
  const second = b.ask(url)
  await looked
  answer.reject(new errors.UpstreamError())
  t.equal((await first).statusCode, 502)
  t.equal(await a.client.getdel(lock!), 'of another replica')
  t.equal((await second).statusCode, 200)
})

t.test('a reader waits for a call of another replica until the time limit, and the wait ends then', async t => {
  const { replica } = await redis(t)
  await leaveLock(t, replica, 60_000)
  const b = await replica({ plugin: { adapterTimeout: 50 } })
  t.equal((await b.ask(url)).statusCode, 504)
  await b.app.close()
  t.equal(b.calls(), 0)
})

t.test('who asks after a change does not wait for a call from before it, here or on another replica', async t => {
  const { replica } = await redis(t)
  const answer = deferred<object>()
  const started = deferred<void>()
  let isFirst = true
  const adapter = {
    getTrackDetail: () => {
      if (!isFirst) return track
      isFirst = false
      started.resolve()
      return answer.promise
    }
  }
  const [a, b] = [await replica({ adapter }), await replica({ adapter })]
  const before = a.ask(url)
  await started.promise
  await b.cache.invalidate({ account: 'ada' })
  t.strictSame((await Promise.all([a.ask(url), b.ask(url)])).map(titleOf), ['One', 'One'])
  answer.resolve({ ...track, title: 'Before' })
  t.equal(titleOf(await before), 'Before')
  t.equal(titleOf(await a.ask(url)), 'One')
})

t.test('the lock of a call that takes long is renewed, until its time limit', async t => {
  const { replica } = await redis(t)
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const started = deferred<void>()
  const adapterTimeout = 60_000
  const a = await replica({
    plugin: { adapterTimeout },
    adapter: { getTrackDetail: () => { started.resolve(); return new Promise(() => {}) } }
  })
  const asked = a.ask(url)
  await started.promise
  const lock = (await keysOf(a)).find(key => key.includes(':lock:'))
  await a.client.pexpire(lock!, 2000)
  mock.timers.tick(1000)
  t.ok(await a.client.pttl(lock!) > 2000)
  mock.timers.tick(adapterTimeout)
  t.equal((await asked).statusCode, 504)
  await a.client.pexpire(lock!, 2000)
  mock.timers.tick(1000)
  t.ok(await a.client.pttl(lock!) <= 2000)
})

t.test('a cache that was never registered can be closed', async t => {
  const { url: redisUrl } = await redis(t)
  const { client } = await redisClient(t, redisUrl)
  await createSourceCache({ store: redisStore(client, { prefix: 'test:' }) }).close()
  t.equal(client.status, 'ready')
})

t.test('Redis restarted in the middle: every request is answered, and nothing from before is taken', async t => {
  const { replica, stop, start } = await redis(t)
  const { lines, logger } = logged()
  let name = 'old'
  const adapter = {
    getUserPlaylist: () => [{ id: 'p', name }], createPlaylist: () => { name = 'new'; return { id: 'n', name } }
  }
  const [a, b] = [await replica({ adapter, host: { logger } }), await replica({ adapter })]
  const nameOf = async ({ ask }: typeof a) => (await ask('/v1/user/playlist/list')).json().data[0].name
  t.strictSame([await nameOf(a), await nameOf(b)], ['old', 'old'])
  const closed = Promise.all([once(a.events, 'closed'), once(b.events, 'closed')])
  await stop()
  await closed
  t.equal((await a.ask('/v1/playlist/create', { method: 'POST', payload: { name: 'n' } })).statusCode, 200)
  t.equal(await nameOf(a), 'new')
  t.equal(await nameOf(b), 'old', 'nobody could tell it')
  const back = Promise.all([once(a.events, 'subscribed'), once(b.events, 'subscribed')])
  await start()
  await back
  t.strictSame([await nameOf(b), await nameOf(a)], ['new', 'new'])
  t.match(warningsOf(lines), [/^cache store unavailable/])
  t.equal(warningsOf(lines).length, 1)
})

t.test('changes while Redis hung are told when it answers again, before anything is read', async t => {
  const { replica, signal } = await redis(t)
  const { lines, logger } = logged()
  let name = 'old'
  const adapter = {
    getUserPlaylist: () => [{ id: 'p', name }], createPlaylist: () => { name = 'new'; return { id: 'n', name } }
  }
  const [a, b] = [await replica({ adapter, host: { logger } }), await replica({ adapter })]
  const nameOf = async ({ ask }: typeof a) => (await ask('/v1/user/playlist/list')).json().data[0].name
  t.equal(await nameOf(a), 'old')
  signal('SIGSTOP')
  const advance = stopClock(t)
  t.equal((await a.ask('/v1/playlist/create', { method: 'POST', payload: { name: 'n' } })).statusCode, 200)
  t.equal(await nameOf(a), 'new')
  t.match(warningsOf(lines), [/^cache store paused/])
  signal('SIGCONT')
  advance(6)
  await a.ask(url)
  t.equal(await nameOf(b), 'new')
})

t.test('a change that Redis did not take is told when Redis is back, also if nothing is asked here', async t => {
  const { replica, signal } = await redis(t)
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const [a, b] = [await replica(), await replica()]
  await b.ask(url)
  signal('SIGSTOP')
  const advance = stopClock(t)
  await a.cache.invalidate({ id: 'other' })
  signal('SIGCONT')
  await a.cache.invalidate({ account: 'ada' })
  mock.timers.tick(1000)
  await new Promise(setImmediate)
  t.equal(b.cache.stats().entries, 1, 'Redis is not used')
  advance(6)
  const told = new Promise<void>(resolve =>
    b.events.on('message', ({ invalidation }) => { if (invalidation?.forget?.account === 'ada') resolve() }))
  mock.timers.tick(1000)
  await told
  t.equal(b.cache.stats().entries, 0)
})

t.test('a replica that closes tells the others the changes that Redis did not take before', async t => {
  const { replica } = await redis(t)
  const [a, b] = [await replica(), await replica()]
  await b.ask(url)
  stopClock(t)
  const { pipeline } = a.client
  a.client.pipeline = (() => ({ exec: async () => { throw new Error('lost') } })) as never
  await a.cache.invalidate({ account: 'ada' })
  a.client.pipeline = pipeline
  const told = new Promise<void>(resolve =>
    b.events.on('message', ({ invalidation }) => { if (invalidation?.forget?.account === 'ada') resolve() }))
  await a.app.close()
  await told
  t.equal(b.cache.stats().entries, 0)
})

/** A client that leaves while the adapter works, and the server that closes then. */
async function leave (a: Awaited<ReturnType<typeof replica>>, url: string, options: object, asked: Promise<void>) {
  const left = deferred<void>()
  a.app.server.on('connection', socket => socket.once('close', left.resolve))
  const address = await a.app.listen({ port: 0, host: '127.0.0.1' })
  const leaving = request(`${address}${url}`, { method: 'POST', agent: false, ...options }).on('error', () => {})
  leaving.end(JSON.stringify({ id: '1', status: true }))
  await asked
  leaving.destroy()
  await left.promise
  const closed = a.app.close()
  // Whatever closes without waiting for the change is closed then.
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  return { closed }
}

t.test('a replica that closes tells the others of a change whose client has left', async t => {
  const { replica } = await redis(t)
  const [asked, answered] = [deferred<void>(), deferred<object>()]
  const adapter = { favoriteTrack: () => { asked.resolve(); return answered.promise } }
  const [a, b] = [await replica({ adapter }), await replica()]
  await b.ask(url)
  const told = new Promise<void>(resolve => b.events.on('message', ({ invalidation }) => {
    if (invalidation?.changes?.[0].operation === 'favoriteTrack') resolve()
  }))
  const headers = { 'x-account': 'ada', 'content-type': 'application/json' }
  const { closed } = await leave(a, '/v1/track/favorite', { headers }, asked.promise)
  answered.resolve({ success: true, status: true })
  await Promise.all([told, closed])
  t.equal(b.cache.stats().entries, 0)
})

t.test('a replica that closes begins no change that it could not tell the others', async t => {
  const { replica } = await redis(t)
  const [asked, answered] = [deferred<void>(), deferred<object>()]
  const ids: string[] = []
  const adapter = { favoriteTrack: (id: string) => { ids.push(id); asked.resolve(); return answered.promise } }
  const a = await replica({ adapter, register: async app => { await app.register(subsonic) } })
  const { closed } = await leave(a, '/rest/star?u=ada&p=secret&c=test&v=1.16.1&id=tr-1&id=tr-2', {}, asked.promise)
  answered.resolve({ success: true, status: true })
  await closed
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  t.strictSame(ids, ['1'])
})

t.test('more changes than can wait for Redis become one that forgets all', async t => {
  const { replica, signal } = await redis(t)
  const [a, b] = [await replica(), await replica()]
  await b.ask(url)
  signal('SIGSTOP')
  const advance = stopClock(t)
  await Promise.all([a.cache.invalidate({ id: 'first' }), a.cache.invalidate({ id: 'second' })])
  for (let i = 0; i < 1001; i++) await a.cache.invalidate({ id: `other ${i}` })
  const told = new Promise<void>(resolve => b.events.on('message', ({ invalidation }) => {
    if (invalidation?.forget !== undefined && invalidation.forget.id === undefined) resolve()
  }))
  signal('SIGCONT')
  advance(6)
  await a.ask('/v1/track?id=2')
  await told
  t.equal(b.cache.stats().entries, 0)
})

t.test('the list of public answers names no account', async t => {
  const sent: unknown[][][] = []
  const list = new InvalidationList(
    { send: async (commands: unknown[][]) => sent.push(commands), name: String, publish: () => [] } as never, 'me'
  )
  const change = { operation: 'updatePlaylist', args: [], account: 'ada', id: '1' } as const
  await list.publish({ changes: [change] }, ['ada', undefined])
  t.strictSame(sent[0]!.slice(0, 2).map(command => JSON.parse(String(command.at(-1)))), [
    { changes: [change] }, { changes: [{ operation: 'updatePlaylist', args: [], id: '1' }] }
  ])
})

t.test('nothing is read while a change waits that Redis did not take, also when others are being told', async t => {
  const answers: (unknown[] | undefined | Promise<unknown[]>)[] = []
  const list =
    new InvalidationList({ send: async () => answers.shift(), name: String, publish: () => [] } as never, 'me')
  const sent = deferred<unknown[]>()
  answers.push(undefined, sent.promise, undefined, [])
  await list.publish({ forget: { id: '1' } }, ['ada'])
  const first = list.publishWaiting()
  await list.publish({ forget: { id: '2' } }, ['ada'])
  const second = list.publishWaiting()
  sent.resolve([])
  t.strictSame([await first, await second, await list.publishWaiting()], [false, false, true])
})

/** Closes while the time goes on. @returns the milliseconds that it took */
async function closeInTime (t: Test, closing: { close (): PromiseLike<unknown> }): Promise<number> {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const closed = closing.close().then(() => true)
  const turns = async () => {
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    return false
  }
  for (let took = 0; ; took += 100) {
    if (await Promise.race([closed, turns()])) return took
    mock.timers.tick(100)
  }
}

t.test('a replica that closes while it has lost Redis tells the others its changes when Redis is back', async t => {
  const { replica } = await redis(t)
  const [a, b] = [await replica(), await replica()]
  await b.ask(url)
  let looks = 0
  Object.defineProperty(a.client, 'status', { get: () => ++looks > 5 ? 'ready' : 'reconnecting', set () {} })
  await a.cache.invalidate({ account: 'ada' })
  const told = new Promise<void>(resolve =>
    b.events.on('message', ({ invalidation }) => { if (invalidation?.forget?.account === 'ada') resolve() }))
  await closeInTime(t, a.app)
  t.ok(looks > 5)
  await told
  t.equal(b.cache.stats().entries, 0)
})

for (const [what, isEnded, calls, took] of [
  ['is sent once more when the store closes and its client is closed', true, 2, 0],
  ['is sent five times a second apart when the store closes', false, 6, 4000]
] as const) {
  t.test(`a change that Redis does not take ${what}`, async t => {
    let sent = 0
    const send = async () => { sent++ }
    const list =
      new InvalidationList({ send, name: String, publish: () => [], endPause () {}, isEnded } as never, 'me')
    await list.publish({ forget: {} }, ['ada'])
    t.equal(Math.round(await closeInTime(t, list) / 1000) * 1000, took)
    t.equal(sent, calls)
  })
}

t.test('a change that is sent while the store closes is sent again if Redis does not take it', async t => {
  const answers = [deferred<unknown[] | undefined>(), deferred<unknown[] | undefined>()]
  let sent = 0
  const send = () => answers[sent++]!.promise
  const list =
    new InvalidationList({ send, name: String, publish: () => [], endPause () {}, isEnded: true } as never, 'me')
  const told = list.publish({ forget: {} }, ['ada'])
  const closed = list.close()
  answers[0]!.resolve(undefined)
  answers[1]!.resolve([])
  await Promise.all([told, closed])
  t.equal(sent, 2)
})

t.test('a change that Redis does not take after the store is closed is not told again', async t => {
  const send = async () => undefined
  const list =
    new InvalidationList({ send, name: String, publish: () => [], endPause () {}, isEnded: true } as never, 'me')
  await list.close()
  let intervals = 0
  replace(t, globalThis, 'setInterval', (() => { intervals++ }) as never)
  await list.publish({ forget: {} }, ['ada'])
  t.equal(intervals, 0)
})

t.test('a connection that is lost while it subscribes does not keep the next one from subscribing', async t => {
  const { url: redisUrl } = await redis(t)
  const { client } = await redisClient(t, redisUrl)
  const duplicate = client.duplicate.bind(client)
  const readyAgain = deferred<void>()
  client.duplicate = override => {
    const subscriber = duplicate(override)
    const subscribe = subscriber.subscribe.bind(subscriber) as (channel: string) => Promise<unknown>
    subscriber.subscribe = ((channel: string) => {
      subscriber.subscribe = subscribe as typeof subscriber.subscribe
      subscriber.once('ready', () => readyAgain.resolve())
      const answer = subscribe(channel)
      subscriber.stream.destroy()
      return answer
    }) as typeof subscriber.subscribe
    return subscriber
  }
  const subscribed = deferred<void>()
  const connection = new RedisConnection(client, 'test:')
  t.teardown(() => connection.close())
  connection.open({ log: { warn () {} }, onMessage () {}, onSubscribed: subscribed.resolve })
  await readyAgain.promise
  await subscribed.promise
  t.equal(connection.isUp, true)
})

t.test('a connection that ends while it subscribes does not name the server of the next one', async t => {
  const infos: ReturnType<typeof deferred<string>>[] = []
  const client = Object.assign(new EventEmitter(), {
    status: 'ready',
    duplicate: () => client,
    pipeline: () => ({ exec: async () => [] }),
    subscribe: async () => {},
    disconnect () {},
    info () { const info = deferred<string>(); infos.push(info); return info.promise }
  })
  const connection = new RedisConnection(client, 'test:')
  connection.open({ log: { warn () {} }, onMessage () {}, onSubscribed () {} })
  client.emit('ready')
  client.emit('close')
  client.emit('ready')
  infos[0]!.resolve('run_id:old')
  await new Promise(setImmediate)
  t.equal(connection.isUp, false)
  infos[1]!.resolve('run_id:new')
  await new Promise(setImmediate)
  t.equal(connection.isUp, true)
  t.match(connection.name('x'), /:new:x$/)
})

t.test('a subscription that was refused is not tried again on a connection that has subscribed since', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let subscriptions = 0
  const client = Object.assign(new EventEmitter(), {
    status: 'ready',
    duplicate: () => client,
    pipeline: () => ({ exec: async () => [] }),
    subscribe: async () => { if (++subscriptions === 1) throw new Error('refused') },
    disconnect () {},
    info: async () => 'run_id:one'
  })
  const connection = new RedisConnection(client, 'test:')
  connection.open({ log: { warn () {} }, onMessage () {}, onSubscribed () {} })
  for (let times = 0; times < 2; times++) {
    client.emit('ready')
    await new Promise(setImmediate)
  }
  mock.timers.tick(5000)
  await new Promise(setImmediate)
  t.equal(connection.isUp, true)
  t.equal(subscriptions, 2)
})

t.test('a client whose commands would hang is named in the log, and works', async t => {
  const { url: redisUrl } = await redis(t)
  const { lines, logger } = logged()
  const { client, events } = await redisClient(t, redisUrl, { maxRetriesPerRequest: null })
  const subscribed = once(events, 'subscribed')
  const store = redisStore(client, { prefix: 'test:' })
  const { app, ask } = await serve(t, { host: { logger }, options: { store } })
  await app.ready()
  await subscribed
  t.equal((await ask(url)).statusCode, 200)
  t.match(warningsOf(lines), [/^redis options missing.*enableOfflineQueue: false, maxRetriesPerRequest: 0$/])
  await t.rejects(serve(t, { options: { store } }).then(({ app }) => app.ready()), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: /"store"/
  })
})

t.test('a Redis user who may not subscribe is told so, requests are answered, a later subscription works', async t => {
  const { url: redisUrl, replica } = await redis(t)
  const { client: admin } = await replica()
  await admin.call('ACL', 'SETUSER', 'weak', 'on', 'nopass', '~*', '&*', '+@all', '-subscribe')
  const warned = deferred<string>()
  const stream = {
    write (line: string) {
      const { msg, reason } = JSON.parse(line)
      if (msg === 'cache store unavailable') warned.resolve(reason)
    }
  }
  const { client, events } = await redisClient(t, redisUrl.replace('//', '//weak:x@'))
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { ask } = await serve(t, {
    host: { logger: { level: 'warn', stream } }, options: { store: redisStore(client, { prefix: 'test:' }) }
  })
  t.equal((await ask(url)).statusCode, 200)
  t.match(await warned.promise, /subscribe/)
  await admin.call('ACL', 'SETUSER', 'weak', '+subscribe')
  const subscribed = once(events, 'subscribed')
  mock.timers.tick(5000)
  await subscribed
  await ask('/v1/track?id=2')
  t.ok((await admin.keys('*')).some(key => /:[\w-]{43}$/.test(key)))
})

t.test('replicas in other databases of one Redis, or with another prefix, are not told of each other', async t => {
  const { url: redisUrl, replica } = await redis(t)
  const { client } = await replica()
  for (const options of [{ ...redisOptions, db: 1 }, { ...redisOptions, keyPrefix: 'staging:' }]) {
    const { client, events } = await redisClient(t, redisUrl, options)
    const subscribed = once(events, 'subscribed')
    const { app } = await serve(t, { options: { store: redisStore(client, { prefix: 'test:' }) } })
    await app.ready()
    await subscribed
  }
  const channels = await client.pubsub('CHANNELS') as string[]
  t.equal(channels.length, 3)
})

t.test('an answer that is never kept does not ask Redis', async t => {
  const { replica } = await redis(t)
  const a = await replica({ options: { operations: { getTrackDetail: { ttl: 0 } } } })
  await a.ask(url)
  t.strictSame(await keysOf(a), [])
})

for (const [what, title] of Object.entries({ short: '茉莉花', long: '茉莉花'.repeat(5000) })) {
  t.test(`another replica answers the same bytes and ETag of a ${what} answer`, async t => {
    const { replica } = await redis(t)
    const adapter = { getTrackDetail: () => ({ ...track, title }) }
    const [a, b] = [await replica({ adapter }), await replica({ adapter })]
    const first = await a.ask(url)
    const second = await b.ask(url)
    t.equal(titleOf(second), title)
    t.strictSame([second.rawPayload, second.headers.etag], [first.rawPayload, first.headers.etag])
    t.strictSame([a.calls(), b.calls()], [1, 0])
  })
}
