import t from 'tap'
import fc from 'fast-check'
import { createSourceCache } from 'fastify-source-origin/cache'
import { combineSources, SourceStates, type MissingSource } from 'fastify-source-origin/combine'
import { UnsupportedFeatureError, UpstreamError } from 'fastify-source-origin'
import { authorized, build, escaping, held, logged, settled } from '../helper.ts'
import { mergedId } from '../../lib/combine/combined-ids.ts'
import { writeId } from '../../lib/subsonic-server/ids.ts'
import { ask, serve } from '../subsonic-server/helper.ts'
import { combined, pageOf, sourceOf, trackOf } from './helper.ts'

const fails = () => { throw new UpstreamError('The server is away') }
const hangs = () => new Promise(() => {})
const one = {
  getNewTracks: () => [trackOf('1')], searchTracks: () => pageOf([trackOf('1')], 0, 20), getTopArtists: fails
}

t.test('a list has what the others have, one line is logged, and it is told which source is missing', async t => {
  const { lines, logger } = logged()
  const told: MissingSource[] = []
  const app = await build(t, {
    resolveContext: ({ request: { log } }) => combineSources([
      sourceOf('home', one), sourceOf('nav', { getNewTracks: fails }),
      sourceOf('far', { getNewTracks: hangs }, { timeout: 5 })
    ], { log, onPartial: missing => { told.push(missing) } })
  }, { logger })
  const { headers, json } = await app.inject({ url: '/v1/track/new', headers: authorized }).then(answer =>
    ({ headers: answer.headers, json: answer.json() }))
  t.equal(headers['source-partial'], 'nav, far')
  t.strictSame(json.data.map(({ id }: { id: string }) => id), ['home:1'])
  t.match(lines.filter(({ msg }) => msg === 'source skipped'), [
    {
      msg: 'source skipped',
      err: { message: 'The server is away' },
      source: 'nav',
      operation: 'getNewTracks'
    },
    { source: 'far', err: { message: 'FAR did not respond within 5 ms' } }
  ])
  t.match(told, [{ source: 'nav', name: 'NAV', operation: 'getNewTracks' }, { source: 'far' }])
})

t.test('an `onPartial` that fails is logged, and changes no answer', async t => {
  const lines: unknown[][] = []
  const log = { warn: (...line: unknown[]) => { lines.push(line) } }
  const sources = [sourceOf('a', one), sourceOf('b', { getNewTracks: fails })]
  const odd = [() => { throw new Error('odd') }, async () => { throw new Error('odd') }]
  for (const onPartial of odd) {
    t.equal((await combined(sources, { onPartial, log }).getNewTracks()).length, 1)
    t.equal((await combined(sources, { onPartial }).getNewTracks()).length, 1)
  }
  t.match(lines.filter(([, message]) => message === 'partial callback failed'), [[{ err: { message: 'odd' } }], [{}]])
})

t.test('a call by id that fails without a message names its source', async () => {
  const { getTrackUrl, getTrackLyrics } = combined([sourceOf('nav', {
    getTrackUrl: () => { throw new UpstreamError() }, getTrackLyrics: fails
  })])
  await t.rejects(getTrackUrl('nav:1'), { message: /NAV/, status: 502 })
  await t.rejects(getTrackLyrics('nav:1'), { message: 'The server is away' })
})

t.test('a list of an item of several sources fails for apps while one of them does not respond', async t => {
  const getArtistDetail = () => ({ id: '1', name: 'Ada', tracks: [] })
  const of = (getArtistAlbums: object) => ({ getArtistDetail, getArtistAlbums })
  const app = await serve(t, {
    resolveContext: () => combineSources([
      sourceOf('home', of(() => pageOf([], 0, 100))), sourceOf('nav', of(fails))
    ], { duplicates: 'merge' })
  })
  t.match(await ask(app, 'getArtist', { id: writeId('artist', mergedId(['home:1', 'nav:1'])) }), {
    error: { code: 0, message: /getArtistAlbums is not whole: nav is not responding/ }
  })
})

t.test('an answer of all sources has no such header', async t => {
  const app = await build(t, { resolveContext: () => combineSources([sourceOf('a', one), sourceOf('b', one)]) })
  const { headers } = await app.inject({ url: '/v1/search/tracks?keyword=x', headers: authorized })
  t.notOk('source-partial' in headers)
})

t.test('a list fails where all sources do, with the error of the first', async t => {
  const { getNewTracks, getTopArtists } = combined([
    sourceOf('a', { ...one, getNewTracks: () => { throw new UnsupportedFeatureError() } }),
    sourceOf('b', { getNewTracks: fails })
  ])
  await t.rejects(getNewTracks(), { message: 'The server is away' })
  await t.rejects(getTopArtists(), { message: 'The server is away' }, 'one source alone, too')
})

t.test('a source that does not offer a list is not missing from it', async t => {
  const no = () => { throw new UnsupportedFeatureError('Not here') }
  const app = await build(t, {
    resolveContext: () => combineSources([
      sourceOf('a', one), sourceOf('b', { getNewTracks: no, getUserMe: no }), sourceOf('c', { getUserMe: no })
    ])
  })
  const { headers } = await app.inject({ url: '/v1/track/new', headers: authorized })
  t.notOk('source-partial' in headers)
  t.equal((await app.inject({ url: '/v1/user/me', headers: authorized })).statusCode, 501)
})

t.test('what is no list is no part of one', async t => {
  const odd = {
    getNewTracks: () => ({ tracks: Promise.reject(new Error('late')) }),
    searchTracks: () => null,
    searchSuggest: () => ({})
  }
  const suggest = { searchSuggest: () => ({ songs: [], artists: [], albums: [] }) }
  const missing: string[] = []
  const all = combined([sourceOf('a', { ...one, ...suggest }), sourceOf('b', odd)], {
    onPartial: ({ source }) => { missing.push(source) }
  })
  t.equal((await all.getNewTracks()).length, 1)
  t.equal((await all.searchTracks('x', 0, 20)).items.length, 1)
  t.match(await all.searchSuggest('x'), { songs: [], artists: [], albums: [] })
  t.strictSame(missing, ['b', 'b', 'b'])
})

t.test('nothing that a source throws, or answers too late, ends the process', async t => {
  const escaped = escaping(t)
  const refused = () => Promise.reject(new Error('refused'))
  const nothing: unknown = undefined
  const late = held<unknown>()
  const all = combined([
    sourceOf('a', one), sourceOf('b', { getNewTracks: () => { throw refused() } }),
    sourceOf('c', { getNewTracks: async () => { throw Object.assign(new Error('away'), { cause: refused() }) } }),
    sourceOf('d', { getNewTracks: late.method }, { timeout: 1 }),
    sourceOf('e', { getNewTracks: () => { throw nothing } })
  ])
  t.equal((await all.getNewTracks()).length, 1)
  late.answer.resolve([{ id: '1', album: refused() }])
  await settled()
  t.strictSame(escaped, [])
})

t.test('a source that fails on the way through a page has no part in it', async t => {
  const tracks = Array.from({ length: 200 }, (_empty, at) => trackOf(`${at}`))
  const search = (_keyword: string, offset: number, limit: number) => pageOf(tracks, offset, limit)
  const good = { searchTracks: search }
  const bad = { searchTracks: (...args: [string, number, number]) => args[1] > 0 ? fails() : search(...args) }
  const { searchTracks } = combined([sourceOf('a', bad), sourceOf('b', good), sourceOf('c', bad)])
  const { items } = await searchTracks('x', 90, 20)
  t.strictSame(items.map(({ id }: { id: string }) => id), tracks.slice(90, 110).map(({ id }) => `b:${id}`))
  const { searchTracks: none } = combined([sourceOf('a', bad), sourceOf('c', bad)])
  await t.rejects(none('x', 90, 20), { message: 'The server is away' })
})

t.test('a detail waits for its own source, however long', async t => {
  const { getTrackDetail } = combined([
    sourceOf('a', { getTrackDetail: () => new Promise(resolve => setImmediate(resolve, trackOf('1'))) }),
    sourceOf('b', {})
  ], { timeout: 1e-9 })
  t.equal((await getTrackDetail('a:1')).id, 'a:1')
})

t.test('without a limit a slow source is waited for', async t => {
  const late = { getNewTracks: () => new Promise(resolve => setImmediate(resolve, [trackOf('2')])) }
  const { getNewTracks } = combined([sourceOf('a', one), sourceOf('b', late)], { timeout: 0 })
  t.equal((await getNewTracks()).length, 2)
})

t.test('the cache keeps nothing partial, and sends what was whole in its place', async t => {
  let isAway = true
  let calls = 0
  // New ones, since nobody waits until a source is tried again.
  let states = new SourceStates()
  const sources = [
    sourceOf('a', { ...one, getNewTracks: () => { calls++; return [trackOf('1')] } }, { account: 'x' }),
    sourceOf('b', { getNewTracks: () => isAway ? fails() : [trackOf('2')] }, { account: 'x' })
  ]
  const policy = { ttl: 0.001, staleWhileRevalidate: 0 }
  const app = await build(t, {
    resolveContext: () => combineSources(sources, { states }),
    cache: createSourceCache({ operations: { getNewTracks: policy } })
  })
  const ask = () => app.inject({ url: '/v1/track/new', headers: authorized })
  for (let time = 0; time < 2; time++) {
    const { headers } = await ask()
    t.match(headers, { 'source-partial': 'b', 'cache-control': 'no-store' })
  }
  t.equal(calls, 2, 'a part is asked for again')
  isAway = false
  states = new SourceStates()
  t.equal((await ask()).json().data.length, 2)
  isAway = true
  const { headers, body } = await ask()
  t.notOk('source-partial' in headers)
  t.equal(JSON.parse(body).data.length, 2, 'what was whole stays')
  t.equal((await ask()).json().data.length, 2)
  t.equal(calls, 4, 'and is not asked for again at once')
})

t.test('pages without the sources that fail are a plain merge of the others, and each says whom it lacks', async t => {
  const source = fc.record({
    count: fc.nat(60), state: fc.constantFrom('answers', 'fails', 'hangs'), short: fc.integer({ min: 1, max: 30 })
  })
  const limits = fc.integer({ min: 1, max: 100 })
  await fc.assert(fc.asyncProperty(fc.array(source, { minLength: 2, maxLength: 5 }), limits, async (all, limit) => {
    fc.pre(all.some(({ state }) => state === 'answers'))
    const missing: string[] = []
    const { searchTracks } = combined(all.map(({ count, state, short }, at) => {
      const tracks = Array.from({ length: count }, (_empty, place) => trackOf(`${place}`))
      const search = (_keyword: string, offset: number, limit: number) => pageOf(tracks, offset, limit, short)
      const searchTracks = { answers: search, fails, hangs }[state as 'answers']
      return sourceOf(`s${at}`, { searchTracks }, { timeout: state === 'hangs' ? 1 : 0 })
    }), { onPartial: ({ source }) => { missing.push(source) } })
    const found: string[] = []
    for (let hasMore = true, pages = 1; hasMore; pages++) {
      const page = await searchTracks('x', found.length, limit)
      found.push(...page.items.map(({ id }: { id: string }) => id))
      hasMore = page.hasMore
      if (missing.length !== pages * all.filter(({ state }) => state !== 'answers').length) throw new Error('Not told')
    }
    const expected = all.flatMap(({ count, state }, at) => state === 'answers'
      ? Array.from({ length: count }, (_empty, place) => ({ place, at }))
      : []).sort((a, b) => a.place - b.place || a.at - b.at)
    if (found.join() !== expected.map(({ at, place }) => `s${at}:${place}`).join()) throw new Error(`Not ${found}`)
  }), { numRuns: 40 })
})
