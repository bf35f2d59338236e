import t from 'tap'
import fastify from 'fastify'
import type { LibraryKind, SourceLibrary } from 'fastify-source-origin'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { serveSource } from 'fastify-source-origin/serve'
import { ask, get, serve } from '../subsonic-server/helper.ts'
import { sourceOf } from './helper.ts'

const perSource = 1000

/** A source of many albums, which counts the items that it is asked for. */
function longSource (id: string, asked: { items: number }) {
  const albums = Array.from({ length: perSource }, (_empty, at) =>
    ({ id: String(at), name: `Album ${String(at).padStart(5, '0')} of ${id}`, coverUrl: '', artistName: 'Ada' }))
  const library = createLibrary({ artists: [], albums, tracks: [] })
  const counted: SourceLibrary = {
    ids: (query, call) => library.ids(query, call),
    items: <K extends LibraryKind>(kind: K, ids: readonly string[], call: { signal: AbortSignal }) => {
      asked.items += ids.length
      return library.items(kind, ids, call)
    },
    facets: (kind, call) => library.facets(kind, call),
    revision: '1',
    changedAt: 1
  }
  return sourceOf(id, { library: counted }, { account: 'a' })
}

/** Three sources of which two are a combination themselves. */
function nested (asked: { items: number }) {
  const [a, b, c] = ['a', 'b', 'c'].map(id => longSource(id, asked))
  return combineSources([a!, { id: 'two', name: 'Two', ...combineSources([b!, c!]) }])
}

t.test('a page of a list asks the sources for what comes next, and an app reads it to its end', async t => {
  const asked = { items: 0 }
  const app = await serve(t, { resolveContext: () => nested(asked) })
  const page = async (offset: number, size: number): Promise<{ name: string }[]> =>
    (await ask(app, 'getAlbumList2', { type: 'alphabeticalByName', offset, size })).albumList2.album
  const first = await page(0, 10)
  t.strictSame(first.slice(0, 3).map(({ name }) => name), ['a', 'b', 'c'].map(id => `Album 00000 of ${id}`))
  t.ok(asked.items < 300, `${asked.items} items for 10`)
  const names = [...first]
  for (let some = first; some.length > 0;) names.push(...some = await page(names.length, 500))
  t.equal(names.length, 3 * perSource)
  t.strictSame(names.map(({ name }) => name), names.map(({ name }) => name).toSorted())
})

t.test('how many a list has is told when its end has been read', async t => {
  const app = await serve(t, { resolveContext: () => nested({ items: 0 }) })
  const totals = []
  for (const offset of [0, 3 * perSource - 1, 3 * perSource]) {
    const { headers } = await get(app, 'getAlbumList2', { type: 'newest', offset, size: 5 })
    totals.push(headers['x-total-count'])
  }
  t.strictSame(totals, [undefined, String(3 * perSource), String(3 * perSource)])
})

t.test('random albums of several sources are each there once, and how many is told with the first page', async t => {
  const app = await serve(t, { resolveContext: () => nested({ items: 0 }) })
  const ids = new Set<string>()
  for (let offset = 0; offset < 3 * perSource; offset += 500) {
    const { headers, ...reply } = await get(app, 'getAlbumList2', { f: 'json', type: 'random', offset, size: 500 })
    for (const { id } of JSON.parse(reply.body)['subsonic-response'].albumList2.album) ids.add(id)
    t.equal(headers['x-total-count'], String(3 * perSource))
  }
  t.equal(ids.size, 3 * perSource)
})

t.test('the page lists a part of all albums, or some by chance, without the others', async t => {
  const asked = { items: 0 }
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(serveSource, { resolveContext: () => nested(asked), page: {} })
  const browse = async (query: string) =>
    (await app.inject(`/page/browse?kind=albums&${query}`)).json().data
  const { items, total, hasMore } = await browse('offset=30&limit=30')
  t.match({ items, total, hasMore }, { items: { length: 30 }, total: 3 * perSource, hasMore: true })
  t.ok(asked.items < 500, `${asked.items} items for 60`)
  const before = asked.items
  t.equal((await browse('sort=random&limit=20')).items.length, 20)
  t.equal(asked.items - before, 20)
  t.match(await browse('letter=A&limit=20'), { total: 3 * perSource })
})

t.test('a choice by chance has what several sources have once, where it is merged', async t => {
  const albums = [{ id: '1', name: 'One', coverUrl: '', artistName: 'Ada' }]
  const library = createLibrary({ artists: [], albums, tracks: [] })
  const app = await serve(t, {
    resolveContext: () => combineSources(['a', 'b'].map(id => sourceOf(id, { library })), { duplicates: 'merge' })
  })
  t.match(await ask(app, 'getAlbumList2', { type: 'random' }), { albumList2: { album: { length: 1 } } })
})
