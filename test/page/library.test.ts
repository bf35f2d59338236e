import fastify from 'fastify'
import { extras, type Album, type Artist, type Track } from 'fastify-source-origin'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import serveSource from 'fastify-source-origin/serve'
import t, { type Test } from 'tap'
import { stored } from '../../lib/contract/ordered-library.ts'
import { sourceOf } from '../combine/helper.ts'

// The page's own route of the complete library, which another source reads.

const personal = { starred: '2020-01-01T00:00:00Z', playCount: 3, played: '2020-01-01T00:00:00Z' }
const artist: Artist = {
  id: 'ar', name: 'Ada', favorite: true, [extras]: { starred: personal.starred, sortName: 'ada' }
}
const album: Album = {
  id: 'al',
  name: 'Dawn',
  coverUrl: '',
  favorite: true,
  [extras]: { ...personal, artists: [{ id: 'ar', name: 'Ada' }], genres: ['Folk'] }
}
const trackOf = (number: number, more: object = {}): Track => ({
  id: `t${number}`, title: `Song ${9 - number}`, artists: [artist], album, durationMs: 9, favorite: true, ...more
})
const tracks = [1, 2, 3].map(number => trackOf(number, { [extras]: { track: number, ...personal } }))
const library = createLibrary({ artists: [artist], albums: [album], tracks })

async function open (t: Test, adapter: object) {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(serveSource, {
    resolveContext: ({ authorization }) =>
      authorization === 'no' ? null : { adapter, account: 'ann', stateless: false },
    page: {}
  })
  return async (query: string, authorization = 'yes') =>
    (await app.inject({ url: `/page/library?${query}`, headers: { authorization } })).json()
}

t.test('a part of the library has items in a stable order, and whether there are more', async t => {
  const ask = await open(t, { library })
  const { data } = await ask('kind=tracks&offset=0&limit=2')
  t.match(data, { items: [{ id: 't1' }, { id: 't2' }], total: 3, hasMore: true, changedAt: Number })
  t.match((await ask('kind=tracks&offset=2&limit=2')).data, { items: [{ id: 't3' }], hasMore: false })
  t.match((await ask('kind=artists')).data, { items: [{ name: 'Ada' }], hasMore: false })
  t.match((await ask('')).data, { items: [{ name: 'Dawn' }], revision: data.revision })
})

t.test('items have their extras, and those of their albums and artists', async t => {
  const { data: { items: [track] } } = await (await open(t, { library }))('kind=tracks')
  t.match(track, {
    extras: { track: 1 }, album: { extras: { genres: ['Folk'] } }, artists: [{ extras: { sortName: 'ada' } }]
  })
})

t.test('no data of the account is in it', async t => {
  const ask = await open(t, { library })
  for (const kind of ['artists', 'albums', 'tracks']) {
    t.notMatch(JSON.stringify(await ask(`kind=${kind}`)), /favorite|starred|userRating|playCount|played/)
  }
})

t.test('a limit of 0 has only the revision', async t => {
  const { data } = await (await open(t, { library }))('limit=0')
  t.strictSame(data, { revision: library.revision, changedAt: library.changedAt })
})

t.test('items are found by their ids', async t => {
  const ask = await open(t, { library })
  t.match((await ask('kind=tracks&id=t3&id=nothing&id=t1')).data.items, [{ id: 't3' }, { id: 't1' }])
})

t.test('a source without a library has nothing', async t => {
  t.strictSame((await (await open(t, {}))('')).data, {})
})

t.test('a stored library that was not read yet has no revision', async t => {
  const unread = Object.assign(createLibrary({ artists: [], albums: [], tracks: [] }), { [stored]: false })
  t.strictSame((await (await open(t, { library: unread }))('')).data, { missing: [] })
  const combined = combineSources([sourceOf('home', {}), sourceOf('nav', { library: unread })]).adapter
  t.strictSame((await (await open(t, combined))('')).data, { missing: ['nav'] })
})

t.test('a library that lacks a source names it', async t => {
  const unread = Object.assign(createLibrary({ artists: [], albums: [], tracks: [] }), { [stored]: false })
  const combined = combineSources([sourceOf('home', { library }), sourceOf('nav', { library: unread })]).adapter
  const ask = await open(t, combined)
  const { data } = await ask('kind=tracks')
  t.match(data, { items: { length: 3 }, missing: ['nav'], hasMore: false })
  t.strictSame((await ask('limit=0')).data.missing, ['nav'])
})

t.test('wrong parameters and wrong tokens get an error', async t => {
  const ask = await open(t, { library })
  t.match(await ask('kind=songs'), { code: 400 })
  t.match(await ask('limit=501'), { code: 400 })
  t.match(await ask('id=a&'.repeat(51)), { code: 400, message: 'Parameter id must be 1 to 50 ids' })
  t.match(await ask('', 'no'), { code: 401 })
})
