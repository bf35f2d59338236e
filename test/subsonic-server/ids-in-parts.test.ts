import type { FastifyInstance } from 'fastify'
import type { SourceLibrary, Track } from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import t, { type Test } from 'tap'
import { ask, serve, type Query } from './helper.ts'
import { albumOf, artistOf, trackOf } from './library.ts'

// A library may give the ids of a list in parts: what is shown waits for its own part.

const call = { signal: new AbortController().signal }
const tracks = [0, 1, 2, 3].flatMap(album => [trackOf(album, 0), trackOf(album, 1)])
const whole = createLibrary({ artists: [0, 1, 2, 3].map(artistOf), albums: [0, 1, 2, 3].map(albumOf), tracks })

/** A library whose tracks come two at a time, and what opens the way to those after the first. */
function inParts (more: (parts: string[][]) => AsyncIterable<unknown>, gone: ReadonlySet<string> = new Set()) {
  const asked = { times: 0 }
  const library: SourceLibrary = {
    ids (query) {
      if (query.kind !== 'tracks') return whole.ids(query, call)
      asked.times++
      return more([0, 1, 2, 3].map(album => [`t${album}-0`, `t${album}-1`])) as AsyncIterable<string[]>
    },
    items: ((kind: 'tracks', ids: readonly string[]) =>
      (whole.items(kind, ids, call) as Track[]).map(track => gone.has(track.id) ? undefined : track)) as any,
    facets: kind => whole.facets(kind, call),
    revision: '1',
    changedAt: 1
  }
  return { library, asked }
}

const start = (t: Test, library: SourceLibrary) =>
  serve(t, { adapter: { library }, context: { account: 'ann' } })

async function songs (app: FastifyInstance, songOffset: number, more: Query = {}): Promise<string[]> {
  const query = { query: '', albumCount: 0, artistCount: 0, songCount: 2, songOffset, ...more }
  const answer = await ask(app, 'search3', query)
  return answer.searchResult3?.song.map(({ id }: { id: string }) => id.slice(3)) ?? answer.status
}

t.test('a page is shown as soon as its part is there, the next one waits for its own', async t => {
  let open = () => {}
  const opened = new Promise<void>(resolve => { open = resolve })
  const { library, asked } = inParts(async function * (parts) {
    yield parts[0]
    await opened
    yield * parts.slice(1)
  })
  const app = await start(t, library)
  t.strictSame(await songs(app, 0), ['t0-0', 't0-1'])
  const next = songs(app, 2)
  t.strictSame(await songs(app, 0, { c: 'another' }), ['t0-0', 't0-1'])
  open()
  t.strictSame(await next, ['t1-0', 't1-1'])
  t.strictSame(await songs(app, 6, { songCount: 500 }), ['t3-0', 't3-1'])
  t.strictSame(await songs(app, 8), [])
  t.equal(asked.times, 1)
})

t.test('what is gone of a page has what comes in later parts in its place', async t => {
  const { library } = inParts(async function * (parts) { yield * parts }, new Set(['t0-1']))
  const app = await start(t, library)
  t.strictSame(await songs(app, 0), ['t0-0', 't1-0'])
  t.strictSame(await songs(app, 2), ['t1-1', 't2-0'])
})

t.test('a list of which a part fails is asked for again', async t => {
  let isBroken = true
  const { library, asked } = inParts(async function * (parts) {
    yield parts[0]
    if (isBroken) throw new Error('the disk is gone')
    yield * parts.slice(1)
  })
  const app = await start(t, library)
  t.strictSame(await songs(app, 0), ['t0-0', 't0-1'])
  t.equal(await songs(app, 2), 'failed')
  const { times } = asked
  isBroken = false
  t.strictSame(await songs(app, 2), ['t1-0', 't1-1'])
  t.equal(asked.times, times + 1)
})

t.test('a part that is no list of ids fails the list, which comes to its end', async t => {
  let isEnded = false
  const { library } = inParts(async function * (parts) {
    try {
      yield parts[0]
      yield 'abc'
    } finally {
      isEnded = true
    }
  })
  const app = await start(t, library)
  t.equal(await songs(app, 0, { songCount: 4 }), 'failed')
  t.ok(isEnded)
})

t.test('parts of an iterator that cannot be ended are read too', async t => {
  const { library } = inParts(parts => ({
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: parts.length === 0, value: parts.shift() }) })
  }))
  t.strictSame(await songs(await start(t, library), 0, { songCount: 500 }), tracks.map(({ id }) => id))
})

t.test('random songs and songs of a genre are of all parts', async t => {
  const { library } = inParts(async function * (parts) { yield * parts })
  const app = await start(t, library)
  const { song } = (await ask(app, 'getRandomSongs', { size: 500 })).randomSongs
  t.strictSame(song.map(({ id }: any) => id.slice(3)).sort(), tracks.map(({ id }) => id))
  t.equal((await ask(app, 'getSongsByGenre', { genre: 'Rock', count: 5 })).songsByGenre.song.length, 5)
})
