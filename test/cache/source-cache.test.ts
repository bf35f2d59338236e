import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { errors } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import { authorized, build, contextOf, dataOf, deferred, logged } from '../helper.ts'
import { serve, stopClock, track } from './helper.ts'

const url = '/v1/track?id=1'
/** An adapter whose track has another title at each call, or fails as the test says. */
function titles () {
  const state = { fail: undefined as unknown, calls: 0 }
  return {
    state,
    adapter: {
      getTrackDetail: () => {
        state.calls++; if (state.fail !== undefined) { throw state.fail } return {
          ...track, title: `title ${state.calls}`
        }
      }
    }
  }
}
const titleOf = (response: { json: () => any }) => response.json().data.title

t.test('2,000 equal requests at the same time are one call, and later ones none', async t => {
  const { ask, calls, cache } = await serve(t)
  const answers = await Promise.all(Array.from({ length: 2000 }, () => ask(url)))
  answers.push(await ask(url))
  t.equal(calls(), 1)
  t.equal(new Set(answers.map(({ body }) => body)).size, 1)
  t.match(cache.stats(), { entries: 1, misses: 1, shared: 1999, hits: 1, stale: 0, errors: 0 })
})

t.test('what differs in account, variant, operation or an argument is another answer', async t => {
  const { ask, calls } = await serve(t, { options: { operations: { getTrackUrl: { ttl: 60_000 } } } })
  const questions: [string, object][] = [
    [url, {}], [url, { account: 'bob' }], [url, { variant: 'v' }], ['/v1/track/similar?id=1', {}],
    ['/v1/track/lyrics?id=1', {}], ['/v1/track?id=2', {}],
    ['/v1/track?id=%22', {}], ['/v1/track?id=%5C%22', {}], ['/v1/track?id=1%0A2', {}],
    ['/v1/track?id=%F0%9F%8E%B5', {}], ['/v1/track?id=1%00', {}],
    ['/v1/search/tracks?keyword=a&limit=1', {}], ['/v1/search/tracks?keyword=a&offset=1&limit=2', {}],
    ['/v1/search/tracks?keyword=a', {}],
    ['/v1/playlist/detail?id=1&sort=asc', {}], ['/v1/playlist/detail?id=1&order=asc', {}],
    // Equal without the lengths, or without the place of what is not given.
    ['/v1/track/url?id=a+b&quality=c', {}], ['/v1/track/url?id=a&quality=b+c', {}], ['/v1/track/url?id=a+1:c', {}],
    ['/v1/track/url?id=a&quality=c', {}],
    ['/v1/track/url?id=v&quality=3', {}], ['/v1/track/url?id=3', { variant: 'v' }],
    ['/v1/track/url?id=1x&quality=seventeen-letters', {}], ['/v1/track/url?id=x+17seventeen-letters', {}],
    ['/v1/track?id=3', { account: 'ada v' }], ['/v1/track?id=3', { variant: 'v' }], ['/v1/track?id=v+3', {}]
  ]
  for (const [url, options] of questions) await ask(url, options)
  t.equal(calls(), questions.length)
  for (const [url, options] of questions) await ask(url, options)
  t.equal(calls(), questions.length)
})

t.test('defaults are filled in before answers are compared', async t => {
  const { ask, calls } = await serve(t)
  await ask('/v1/search/tracks?keyword=a')
  await ask('/v1/search/tracks?limit=20&offset=0&keyword=a')
  t.equal(calls(), 1)
})

t.test('an answer is sent while it is fresh, then while it is fetched anew, then no more', async t => {
  const advance = stopClock(t)
  const { state, adapter } = titles()
  const { ask, cache } = await serve(t, {
    adapter, options: { operations: { getTrackDetail: { ttl: 10_000, staleWhileRevalidate: 20_000, staleIfError: 0 } } }
  })
  t.equal(titleOf(await ask(url)), 'title 1')
  advance(9.9)
  t.equal(titleOf(await ask(url)), 'title 1')
  t.equal(state.calls, 1)
  advance(0.2)
  t.equal(titleOf(await ask(url)), 'title 1')
  t.equal(state.calls, 2)
  t.equal(titleOf(await ask(url)), 'title 2')
  advance(31)
  t.equal(titleOf(await ask(url)), 'title 3')
  t.match(cache.stats(), { hits: 2, stale: 1, misses: 2 })
})

t.test('an answer grows old while the machine sleeps', async t => {
  const advance = stopClock(t)
  const { adapter } = titles()
  const { ask } = await serve(t, {
    adapter, options: { operations: { getTrackDetail: { ttl: 10_000, staleWhileRevalidate: 0, staleIfError: 0 } } }
  })
  t.equal(titleOf(await ask(url)), 'title 1')
  advance(9)
  advance(2, true)
  t.equal(titleOf(await ask(url)), 'title 2')
  advance(-3600, true)
  advance(11)
  t.equal(titleOf(await ask(url)), 'title 3', 'also after the clock was set back')
})

t.test('of an outage the kept answer is sent, and the next call waits', async t => {
  const advance = stopClock(t)
  const { lines, logger } = logged()
  const { state, adapter } = titles()
  const { ask, cache } = await serve(t, {
    adapter,
    host: { logger },
    options: { operations: { getTrackDetail: { ttl: 10_000, staleWhileRevalidate: 0, staleIfError: 1_000_000 } } }
  })
  await ask(url)
  advance(11)
  for (const [error, pause] of [[new errors.UpstreamError(), 5], [new errors.RateLimitedError('slow down', {
    retryAfterSeconds: 60
  }), 60], [new TypeError('bug'), 5]] as const) {
    state.fail = error
    const before = state.calls
    t.equal(titleOf(await ask(url)), 'title 1')
    advance(pause - 0.1)
    t.equal(titleOf(await ask(url)), 'title 1')
    t.equal(state.calls, before + 1)
    advance(0.2)
  }
  t.equal(cache.stats().errors, 3)
  t.match(
    lines.filter(({ msg }) => msg === 'stale response sent').map(({ err }) =>
      err.message),
    ['The upstream failed', 'slow down', 'bug']
  )
  advance(1000)
  t.equal((await ask(url)).statusCode, 500)
})

t.test('a failed refresh behind a stale answer is logged and waits, also when nothing may take its place', async t => {
  const advance = stopClock(t)
  const { lines, logger } = logged()
  const { state, adapter } = titles()
  const { ask } = await serve(t, {
    adapter,
    host: { logger },
    options: { operations: { getTrackDetail: { ttl: 10_000, staleWhileRevalidate: 1_000_000, staleIfError: 0 } } }
  })
  await ask(url)
  advance(11)
  state.fail = new errors.UpstreamError()
  for (let i = 0; i < 3; i++) t.equal(titleOf(await ask(url)), 'title 1')
  t.equal(state.calls, 2)
  t.strictSame(
    lines.filter(({ level }) => level >= 40).map(({ msg }) => msg),
    ['stale response sent'], 'nobody is answered twice'
  )
})

for (const status of [401, 404, 410, 422]) {
  t.test(`a ${status} is an answer: what was kept does not hide it`, async t => {
    const advance = stopClock(t)
    const { state, adapter } = titles()
    const { ask } =
      await serve(t, { adapter, options: { operations: { getTrackDetail: { ttl: 10_000, staleWhileRevalidate: 0 } } } })
    await ask(url)
    advance(11)
    state.fail = Object.assign(new Error('no'), { status })
    t.equal((await ask(url)).statusCode, status)
    state.fail = new errors.UpstreamError()
    t.equal((await ask(url)).statusCode, status === 404 ? 404 : 502)
  })
}

t.test('an error is shared by those who wait, and not kept', async t => {
  const { state, adapter } = titles()
  const { ask } = await serve(t, { adapter })
  state.fail = new errors.UnplayableError()
  t.strictSame((await Promise.all([ask(url), ask(url)])).map(({ statusCode }) => statusCode), [422, 422])
  t.equal(state.calls, 1)
  await ask(url)
  t.equal(state.calls, 2)
})

for (const [what, thrown, message, code] of [
  ['a NotFoundError', new errors.NotFoundError('No such track', { code: 7 }), 'No such track', 7],
  ['an error of a library',
    Object.assign(new Error('GET https://u.example/?key=secret'), { statusCode: 404, headers: {} }),
    'GET https://u.example/', 404],
  ['something that is no Error', { status: 404, message: 'gone' }, 'gone', 404],
  ['something without a message', { status: 404 }, 'Not Found', 404]
] as const) {
  t.test(`a 404 is kept for a while: ${what}`, async t => {
    const advance = stopClock(t)
    const { state, adapter } = titles()
    const { ask } = await serve(t, { adapter })
    state.fail = thrown
    const answers = [await ask(url), await ask(url), await ask(url)]
    for (const { statusCode, body } of answers) {
      t.match([statusCode, JSON.parse(body)], [404, { code, message: new RegExp(message) }])
    }
    t.notMatch(answers[2]!.body, 'secret')
    t.equal(answers[0]!.body, answers[2]!.body)
    t.equal(state.calls, 1)
    advance(31)
    await ask(url)
    t.equal(state.calls, 2)
  })
}

t.test('a 404 is not kept with notFoundTtl 0, or without room', async t => {
  for (const options of [{ operations: { getTrackDetail: { notFoundTtl: 0 } } }, { maxSize: 0 }]) {
    const { state, adapter } = titles()
    const { ask } = await serve(t, { adapter, options })
    state.fail = new errors.NotFoundError()
    await ask(url)
    t.equal((await ask(url)).statusCode, 404)
    t.equal(state.calls, 2)
  }
})

t.test('what was thrown and cannot be read is an outage', async t => {
  const { state, adapter } = titles()
  const { ask, cache } = await serve(t, { adapter })
  for (const thrown of [null, 'text', { get status () { throw new Error('no') } }, { retryAfterSeconds: -1 }]) {
    state.fail = thrown
    t.equal((await ask(url)).statusCode, 500)
  }
  t.equal(cache.stats().errors, 4)
})

t.test('empty lists and pages are kept for 30 s at most, and never sent late', async t => {
  const advance = stopClock(t)
  const page = { items: [], offset: 0, limit: 20, hasMore: false }
  const { ask, calls } = await serve(t, { adapter: { getNewTracks: () => [], searchTracks: () => page } })
  for (const url of ['/v1/track/new', '/v1/search/tracks?keyword=a']) {
    await ask(url)
    advance(29)
    await ask(url)
    advance(2)
    await ask(url)
  }
  t.equal(calls(), 4)
})

t.test('maxAge ends every answer, stale ones and 404s too', async t => {
  const advance = stopClock(t)
  const { state, adapter } = titles()
  const { ask } = await serve(t, { adapter, options: { maxAge: 20_000 } })
  await ask(url)
  advance(21)
  state.fail = new errors.UpstreamError()
  t.equal((await ask(url)).statusCode, 502)
  state.fail = new errors.NotFoundError()
  await ask(url)
  advance(21)
  await ask(url)
  t.equal(state.calls, 4)
})

t.test('no-cache counts as expired for an answer older than 5 s', async t => {
  const advance = stopClock(t)
  const { state, adapter } = titles()
  const { ask } = await serve(t, { adapter })
  const refresh = () => ask(url, { headers: { 'cache-control': 'max-age=0, No-Cache' } })
  await ask(url)
  advance(4.9)
  t.equal(titleOf(await refresh()), 'title 1')
  advance(0.2)
  t.equal(titleOf(await refresh()), 'title 2')
  advance(6)
  state.fail = new errors.UpstreamError()
  t.equal(titleOf(await refresh()), 'title 2')
  t.equal(titleOf(await refresh()), 'title 2')
  t.equal(state.calls, 3)
})

t.test('a play URL is kept for as long as it says, less five minutes', async t => {
  const advance = stopClock(t)
  const expires = Math.floor(Date.now() / 1000) + 600
  const { ask, calls } = await serve(t, {
    adapter: {
      getTrackUrl: (id: string) =>
        ({ url: `https://m.example/${id}?${id === 'known' ? `expires=${expires}` : ''}`, quality: 'high' })
    }
  })
  await ask('/v1/track/url?id=known')
  advance(280)
  await ask('/v1/track/url?id=known')
  t.equal(calls(), 1)
  advance(30)
  await ask('/v1/track/url?id=known')
  t.equal(calls(), 2)
  await ask('/v1/track/url?id=unknown')
  await ask('/v1/track/url?id=unknown')
  t.equal(calls(), 4)
})

t.test('a ttl function gets data and arguments; 0, NaN, a throw and what is no number keep nothing', async t => {
  const { lines, logger } = logged()
  const seen: unknown[] = []
  const ttls = {
    good: () => 10_000,
    zero: () => 0,
    nan: () => NaN,
    bad: () => { throw new Error('no ttl') },
    text: () => '60' as unknown as number,
    late: async () => { throw new Error('late') }
  }
  const { ask, calls } = await serve(t, {
    host: { logger },
    options: {
      operations: {
        getTrackDetail: {
          ttl: (data, args) => { seen.push(data.title, args); return ttls[args[0] as keyof typeof ttls]() as number }
        }
      }
    },
    adapter: { getTrackDetail: () => track }
  })
  for (const id of Object.keys(ttls)) {
    for (let i = 0; i < 2; i++) t.equal((await ask(`/v1/track?id=${id}`)).statusCode, 200)
  }
  t.equal(calls(), 1 + 2 + 2 + 2 + 2 + 2)
  t.strictSame(seen.slice(0, 2), ['One', ['good']])
  t.equal(lines.filter(({ msg, reason }) => msg === 'ttl callback failed' && reason === 'no ttl').length, 1)
})

t.test('an answer that is refused for breaking the contract is not kept', async t => {
  const { ask, calls } = await serve(t, { adapter: { getTrackDetail: () => ({ id: 1 }) } })
  t.equal((await ask(url)).statusCode, 500)
  t.equal((await ask(url)).statusCode, 500)
  t.equal(calls(), 2)
})

t.test('a repaired answer is kept as it was repaired', async t => {
  const { ask, calls } =
    await serve(t, { adapter: { getTrackDetail: () => ({ ...track, id: 1 }) }, plugin: { validateResponses: false } })
  t.strictSame([await ask(url), await ask(url)].map(response => response.json().data.id), ['1', '1'])
  t.equal(calls(), 1)
})

t.test('an answer above a sixteenth of the room is not kept, and the least recently used ones go', async t => {
  const { ask, calls, cache } = await serve(t, {
    options: { maxSize: 32_000 },
    adapter: { getTrackDetail: (id: string) => ({ ...track, title: 'x'.repeat(id === 'big' ? 2000 : 300) }) }
  })
  await ask('/v1/track?id=big')
  await ask('/v1/track?id=big')
  t.equal(calls(), 2)
  for (let id = 0; id < 100; id++) await ask(`/v1/track?id=${id}`)
  t.ok(cache.stats().entries > 5 && cache.stats().bytes <= 32_000)
  await ask('/v1/track?id=99')
  t.equal(calls(), 102)
})

t.test('the room counts bytes, not characters', async t => {
  const bytesOf = async (title: string) => {
    const { ask, cache } = await serve(t, { adapter: { getTrackDetail: () => ({ ...track, title }) } })
    await ask(url)
    return cache.stats().bytes
  }
  t.equal(await bytesOf('茉莉花'), await bytesOf('123456789'))
})

t.test('the room counts the message of a kept 404', async t => {
  const bytesOf = async (message: string) => {
    const { ask, cache } =
      await serve(t, { adapter: { getTrackDetail: () => { throw new errors.NotFoundError(message) } } })
    await ask(url)
    return cache.stats().bytes
  }
  t.equal(await bytesOf('x'.repeat(1001)), await bytesOf('x') + 1000)
})

t.test('a kept answer does not hold on to the URL that it was asked for with', async t => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { app, cache } = await serve(t)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const heap = async (count: number) => {
    for (let id = 0; id < count; id++) {
      const path = `/v1/track?id=an-id-of-some-length-${count}-${id}&unknown=${'x'.repeat(14_000)}`
      await (await fetch(origin + path, { headers: { ...authorized, 'x-account': 'ada' } })).text()
    }
    collect()
    return process.memoryUsage().heapUsed
  }
  // So many that what else is on the heap weighs little.
  const before = await heap(200)
  const after = await heap(500)
  t.equal(cache.stats().entries, 700)
  t.ok(after - before < 500 * 7000, `${(after - before) / 500} bytes of an answer`)
})

t.test('maxSize 0 keeps nothing and shares calls', async t => {
  const { ask, calls, cache } = await serve(t, { options: { maxSize: 0 } })
  await Promise.all([ask(url), ask(url)])
  t.equal(calls(), 1)
  await ask(url)
  t.equal(calls(), 2)
  await cache.invalidate({})
  t.strictSame([cache.stats().entries, cache.stats().bytes], [0, 0])
})

t.test('scope none is neither kept nor shared', async t => {
  for (const [url, options] of [
    ['/v1/track/roam', {}], ['/v1/track?id=1', { operations: { getTrackDetail: false } }]
  ] as const) {
    const { ask, calls } = await serve(t, { options })
    await Promise.all([ask(url), ask(url)])
    t.equal(calls(), 2)
  }
})

t.test('without an account nothing of scope account is kept or shared, which is logged once', async t => {
  const { lines, logger } = logged()
  const { ask, calls } = await serve(t, { host: { logger } })
  await Promise.all([ask(url, { account: null }), ask(url, { account: null })])
  t.equal(calls(), 2)
  t.equal(lines.filter(({ msg }) => msg === 'context without account').length, 1)
})

t.test('public answers are the same for all accounts, and for those without one', async t => {
  const { ask, calls } = await serve(t, { options: { scope: 'public' }, adapter: { getTrackDetail: () => track } })
  await Promise.all([ask(url), ask(url, { account: 'bob' }), ask(url, { account: null })])
  t.equal(calls(), 1)
  await ask(url, { variant: 'v' })
  t.equal(calls(), 2)
})

t.test('what belongs to accounts and play URLs do not become public with the rest', async t => {
  const { ask, calls } = await serve(t, { options: { scope: 'public', operations: { getTrackUrl: { ttl: 60_000 } } } })
  for (const url of ['/v1/user/me', '/v1/track/url?id=1']) {
    const before = calls()
    for (const account of ['ada', 'bob']) await ask(url, { account })
    t.equal(calls(), before + 2)
  }
})

t.test('public answers that say what is a favourite are not kept, and each account gets its own', async t => {
  const { lines, logger } = logged()
  const started = [deferred<void>(), deferred<void>()]
  const adapter = (account: string) =>
    ({ getTrackDetail: async () => { await started[0]!.promise; return { ...track, title: account, favorite: true } } })
  const { ask } = await serve(t, {
    host: { logger },
    options: { scope: 'public' },
    plugin: {
      resolveContext: ({ request }) =>
        ({ adapter: adapter(String(request.headers['x-account'])), account: String(request.headers['x-account']) })
    }
  })
  const asked = ['ada', 'ada', 'bob'].map(account => ask(url, { account }))
  await new Promise(setImmediate)
  started[0]!.resolve()
  t.strictSame((await Promise.all(asked)).map(titleOf), ['ada', 'ada', 'bob'])
  t.equal(titleOf(await ask(url, { account: 'bob' })), 'bob')
  t.equal(lines.filter(({ msg }) => msg === 'response not public').length, 1)
})

t.test('callers without an account get nothing of each other that is not public', async t => {
  const { ask } = await serve(t, {
    options: { scope: 'public' },
    plugin: {
      resolveContext: ({ request }) => ({
        adapter: {
          getTrackDetail: async (id: string) => {
            await new Promise(setImmediate)
            const title = String(request.headers['x-name'])
            if (id === '2' && title === 'ada') throw new errors.UnauthorizedError()
            return { ...track, title, favorite: true }
          }
        }
      })
    }
  })
  const both = (url: string) =>
    Promise.all(['ada', 'bob'].map(name => ask(url, { account: null, headers: { 'x-name': name } })))
  t.strictSame((await both(url)).map(titleOf), ['ada', 'bob'])
  t.strictSame((await both('/v1/track?id=2')).map(({ statusCode }) => statusCode), [401, 200])
})

t.test('a public call that fails for one account says nothing of the others', async t => {
  const advance = stopClock(t)
  let broken = false
  const { ask } = await serve(t, {
    options: { scope: 'public', operations: { getTrackDetail: { ttl: 10_000, staleWhileRevalidate: 0 } } },
    plugin: {
      resolveContext: ({ request }) => ({
        account: String(request.headers['x-account']),
        adapter: {
          getTrackDetail: async () => {
            if (broken && request.headers['x-account'] === 'ada') { throw new errors.UnauthorizedError() } return track
          }
        }
      })
    }
  })
  await ask(url)
  advance(11)
  broken = true
  const answers = await Promise.all([ask(url), ask(url, { account: 'bob' }), ask(url)])
  t.strictSame(answers.map(({ statusCode }) => statusCode), [401, 200, 401])
})

t.test('a public answer stays for an outage when one account is refused', async t => {
  const advance = stopClock(t)
  let error: Error | undefined
  const { ask } = await serve(t, {
    options: { scope: 'public', operations: { getTrackDetail: { ttl: 10_000, staleWhileRevalidate: 0 } } },
    adapter: { getTrackDetail: () => { if (error !== undefined) throw error; return track } }
  })
  await ask(url)
  advance(11)
  error = new errors.UnauthorizedError()
  t.equal((await ask(url)).statusCode, 401)
  error = new errors.UpstreamError()
  t.equal((await ask(url, { account: 'bob' })).statusCode, 200)
})

t.test('the channel of the cache is told of each question', async t => {
  const messages: unknown[] = []
  const note = (message: unknown) => { messages.push(message) }
  subscribe('fastify-source-origin.cache', note)
  t.teardown(() => unsubscribe('fastify-source-origin.cache', note))
  const { ask } = await serve(t)
  await Promise.all([ask(url), ask(url)])
  await ask(url)
  t.strictSame(messages, ['miss', 'shared', 'hit'].map(type => ({ type, operation: 'getTrackDetail' })))
})

for (const [what, policy, second] of [
  ['by its ttl', { ttl: ({ title }: { title: string }) => title === 'New' ? 0 : 10_000 }, { ...track, title: 'New' }],
  ['since it is not public', { scope: 'public', ttl: 10_000 }, { ...track, title: 'New', favorite: true }]
] as const) {
  t.test(`an answer that is not kept ${what} makes the cache forget an older one`, async t => {
    const advance = stopClock(t)
    let data: object = track
    const { ask, cache, calls } = await serve(t, {
      adapter: { getTrackDetail: () => data },
      options: { operations: { getTrackDetail: { ...policy, staleWhileRevalidate: 60_000 } } }
    })
    await ask(url)
    advance(11)
    data = second
    t.equal((await ask(url)).json().data.title, 'One', 'a stale answer at once')
    t.equal(calls(), 2)
    t.equal(cache.stats().entries, 0)
    t.equal((await ask(url)).json().data.title, 'New')
  })
}

t.test('an error that is shared or kept has no token of the caller whose call failed', async t => {
  const { lines, logger } = logged()
  const wait = deferred<void>()
  const fail: Record<string, (text: string) => Error> = {
    getTrackDetail: text => new Error(text),
    getTrackLyrics: text => new errors.NotFoundError(text),
    getAlbumDetail: text => new errors.UpstreamError(text, { code: 7, retryAfterSeconds: 3 })
  }
  const app = await build(t, {
    cache: createSourceCache({ scope: 'public' }),
    resolveContext: ({ authorization }) => ({
      account: authorization!,
      adapter: Object.fromEntries(Object.entries(fail).map(([name, make]) => [name, async () => {
        await wait.promise
        throw make(`refused ${authorization}`)
      }]))
    })
  }, { logger })
  const ask = (url: string, token: string) => app.inject({ url, headers: { authorization: `Bearer ${token}` } })
  const answers = ['/v1/track?id=1', '/v1/track/lyrics?id=1', '/v1/album/detail?id=1'].map(url =>
    Promise.all([ask(url, 'token-of-ann'), ask(url, 'token-of-bob')]))
  wait.resolve()
  const [failed, missing, refused] = await Promise.all(answers)
  t.strictSame(failed!.map(one => one.json().message), ['Internal server error', 'Internal server error'])
  t.strictSame(missing!.map(one => one.json().message), ['refused [authorization]', 'refused [authorization]'])
  t.strictSame(refused!.map(one => one.json()), Array(2).fill({
    code: 7, message: 'refused [authorization]', data: null
  }))
  t.strictSame(refused!.map(one => one.headers['retry-after']), ['3', '3'])
  t.equal((await ask('/v1/track/lyrics?id=1', 'token-of-bob')).json().message, 'refused [authorization]')
  t.strictSame(
    lines.filter(({ err }) => err !== undefined).map(({ err }) => err.message), Array(4).fill('refused [authorization]')
  )
  t.notMatch(JSON.stringify(lines), /token-of/)
})

t.test('a cache belongs to one registration, and is empty after the close', async t => {
  const { app, ask, cache } = await serve(t)
  await ask(url)
  await t.rejects(build(t, { cache }), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: /"cache".*another registration/
  })
  await app.close()
  t.equal(cache.stats().entries, 0)
})

t.test('a context whose account is no text, or empty, is a 500', async t => {
  for (const account of ['', 7, {}]) {
    const app = await build(t, {
      resolveContext: contextOf({ getTrackDetail: () => dataOf('getTrackDetail') }, { account }),
      cache: createSourceCache()
    })
    t.equal((await app.inject({ url, headers: { authorization: 'a-token-of-some-length' } })).statusCode, 500)
  }
})

t.test('a change by a context without an account is answered like any other', async t => {
  const adapter = { favoriteTrack: async () => ({ success: true, status: true }) }
  const app = await build(t, { resolveContext: contextOf(adapter), cache: createSourceCache() })
  const response = await app.inject({
    method: 'POST', url: '/v1/track/favorite', headers: authorized, payload: { id: '1', status: true }
  })
  t.equal(response.statusCode, 200)
})

t.test('an adapter that answers or throws at once is asked and kept like one with promises', async t => {
  let calls = 0
  const getTrackDetail = (id: string) => {
    calls++
    if (id === 'gone') throw new errors.NotFoundError('Gone')
    if (id === 'bad') throw new errors.UpstreamError('Bad')
    return { ...track, title: `title ${calls}` }
  }
  const app =
    await build(t, { resolveContext: contextOf({ getTrackDetail }, { account: 'ada' }), cache: createSourceCache() })
  const ask = async (id: string) => {
    const { statusCode, body } = await app.inject({ url: `/v1/track?id=${id}`, headers: authorized })
    return [statusCode, JSON.parse(body).data?.title]
  }
  t.strictSame([await ask('1'), await ask('1')], [[200, 'title 1'], [200, 'title 1']])
  t.strictSame([await ask('gone'), await ask('gone'), calls], [[404, undefined], [404, undefined], 2])
  t.strictSame([await ask('bad'), await ask('bad'), calls], [[502, undefined], [502, undefined], 4])
})
