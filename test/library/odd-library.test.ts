import fastify from 'fastify'
import sourceOrigin, { type SourceLibrary } from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import subsonic from 'fastify-source-origin/subsonic'
import t, { type Test } from 'tap'
import { logged, token } from '../helper.ts'
import { ask, ids } from '../subsonic-server/helper.ts'
import { albumOf, artistOf, trackOf } from '../subsonic-server/library.ts'

// Data that enters through a library is checked like the response of an adapter.

const lists = () => ({
  artists: [0, 1].map(artistOf), albums: [0, 1].map(albumOf), tracks: [0, 1].map(index => trackOf(index, 0))
})
const { album: _album, ...withoutAlbum } = trackOf(1, 0)

const odd = [
  ['an artist whose name is null', 'artists', { id: 'odd', name: null },
    '/2/name Expected string, got null (id "odd")'],
  ['an album whose name is a number', 'albums', { ...albumOf(1), id: 'odd', name: 1984 },
    '/2/name Expected string, got 1984 (id "odd")'],
  ['a track without a title', 'tracks', { ...trackOf(1, 0), id: 'odd', title: undefined },
    '/2/title Expected required property (id "odd")'],
  ['a track without an album', 'tracks', { ...withoutAlbum, id: 'odd' },
    '/2/album Expected required property (id "odd")'],
  ['a hole', 'tracks', undefined, '/2 Expected object, got undefined']
] as const

function inProduction (t: Test): void {
  process.env.NODE_ENV = 'production'
  t.teardown(() => { delete process.env.NODE_ENV })
}

/** A Subsonic server over a library, with its log. */
async function serve (t: Test, library: object, options: { validateResponses?: boolean } = {}) {
  const { lines, logger } = logged()
  const app = fastify({ logger })
  t.teardown(() => app.close())
  const context = { adapter: { library: library as SourceLibrary }, account: 'ada', stateless: false }
  await app.register(sourceOrigin, { resolveContext: () => context, ...options })
  await app.register(subsonic, { resolveLogin: ({ verify }) => verify(token) ? token : null })
  return { app, lines }
}

for (const [what, kind, item, message] of odd) {
  const withOdd = () => ({ ...lists(), [kind]: [...lists()[kind], item] })

  t.test(`createLibrary rejects ${what} in development, with kind, id and property`, async t => {
    t.throws(() => createLibrary(withOdd() as never), {
      message: `Adapter response of createLibrary({ ${kind} }) does not match ${
        kind[0]!.toUpperCase()}${kind.slice(1, -1)}[]: ${message}`
    })
  })

  t.test(`createLibrary repairs or leaves out ${what} in production, with a warning`, async t => {
    inProduction(t)
    const warnings: any[] = []
    const note = (warning: Error) => { warnings.push(warning) }
    process.on('warning', note)
    const { app } = await serve(t, createLibrary(withOdd() as never))
    for (const method of ['getArtists', 'getGenres', 'getAlbumList2']) {
      t.equal((await ask(app, method, { type: 'alphabeticalByName' })).status, 'ok', method)
    }
    const { song } = (await ask(app, 'search3', { query: '' })).searchResult3
    t.match(ids(song), ['t0-0', 't1-0'].map(id => `tr-${id}`))
    process.off('warning', note)
    t.match(warnings, [{ code: 'SOURCE_ORIGIN_WARN_LIBRARY', message: /^1 values? of a library/ }])
  })
}

for (const [what, list, got] of [
  ['a promise', Promise.resolve([]), 'a Promise: await it'],
  ['the values of a map', new Map().values(), 'an iterator: make an array of it, as [...it]'],
  ['nothing', undefined, 'undefined']
] as const) {
  t.test(`createLibrary rejects ${what} in place of a list`, async t => {
    inProduction(t)
    t.throws(() => createLibrary({ ...lists(), tracks: list as never }), {
      message: `createLibrary({ tracks }) must be an array, got ${got}`
    })
  })
}

/** A library with one method that returns something else. */
function deviating (method: keyof SourceLibrary, answer: (kind: string) => unknown): object {
  const library = createLibrary(lists())
  return {
    revision: '1',
    changedAt: 0,
    ids: library.ids.bind(library),
    items: library.items.bind(library),
    facets: library.facets.bind(library),
    [method]: answer
  }
}

for (const [what, method, answer, call, message] of [
  ['ids that are no list', 'ids', () => ({ rows: [] }), 'search3',
    /^library\.ids\(\{"kind":"artists".*\}\) must return an array of ids, got an object with "rows": give what is in it$/],
  ['ids of which one is a number', 'ids', () => ['a0', 7], 'search3', /an array of ids, got 7 at index 1$/],
  ['ids one by one', 'ids', async function * () { yield 'a0' }, 'search3',
    /^each part of library\.ids\(.*\) must return an array of ids, got string$/],
  ['fewer items than ids', 'items', () => [], 'search3',
    /^library\.items\('artists'\) must return an item or undefined for each of 2 ids, got 0 items$/],
  ['items that are no list', 'items', () => undefined, 'search3', /for each of 2 ids, got undefined$/],
  ['facets without genres', 'facets', () => ({ total: 1, sorts: [], letters: [], years: [] }), 'getGenres',
    /library\.facets\('albums'\) does not match LibraryFacets: \/genres Expected required property$/],
  ['a random choice without a total', 'randomIds', () => ({ ids: [] }), 'getRandomSongs',
    /^library\.randomIds must return \{ ids, total \}, got object$/],
  ['changed ids that are no Map', 'currentIds', () => ({}), 'setRating', /^library\.currentIds must return a Map/],
  ['an artist whose name is null', 'items', (kind: string) => [artistOf(0), { id: 'odd', name: null }]
    .map(item => kind === 'artists' ? item : undefined), 'search3',
  /library\.items\('artists'\) does not match Artist\[\]: \/1\/name Expected string, got null \(id "odd"\)$/]
] as const) {
  t.test(`${what}: an error whose log says what came and where`, async t => {
    const { app, lines } = await serve(t, deviating(method, answer as never))
    const { status, error } = await ask(app, call, { query: '', id: 'tr-t0-0', rating: 3 })
    t.equal(status, 'failed')
    t.notMatch(error.message, /must return/)
    t.match(lines.findLast(({ level }) => level === 50)?.err.message, message)
  })
}

t.test('production repairs facets and items of any library, with a line of the log', async t => {
  const facets = () => ({ total: 2, sorts: ['name', 'odd'], letters: [], years: ['1999'], genres: [{ name: 'Folk' }] })
  const { app, lines } = await serve(t, deviating('facets', facets), { validateResponses: false })
  t.match((await ask(app, 'getGenres')).genres.genre, [{ value: 'Folk', songCount: 0, albumCount: 0 }])
  t.ok(lines.some(({ msg, operation }) => msg === 'response repaired' && operation === "library.facets('albums')"))
})

t.test('a library that is none is an error of its lists, with its reason for the operator', async t => {
  const { app, lines } = await serve(t, Promise.resolve())
  t.equal((await ask(app, 'getArtists')).status, 'failed')
  t.match(lines.findLast(({ level }) => level === 50)?.err.message, /^library of the adapter must be an object, got a/)
})
