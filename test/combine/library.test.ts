import t from 'tap'
import { extras, NotFoundError, UpstreamError, type SourceLibrary, type Track } from 'fastify-source-origin'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { idsIn } from '../../lib/combine/combined-ids.ts'
import { wholeList } from '../whole-list.ts'
import { sourceOf, trackOf } from './helper.ts'

const call = { signal: new AbortController().signal }

/** Lists of a library, with ids that begin with a text. */
function listsOf (songs: readonly { artist: string, album: string, year?: number | undefined }[], before: string) {
  const artists = [...new Set(songs.map(({ artist }) => artist))].map(name => ({ id: `${before}${name}`, name }))
  const albums = new Map(songs.map(({ artist, album, year }) => [`${album} ${artist}`, {
    id: `${before}${album} ${artist}`,
    name: album,
    coverUrl: '',
    artistName: artist,
    [extras]: { ...year !== undefined && { year }, artists: [{ id: `${before}${artist}`, name: artist }] }
  }]))
  const tracks: Track[] = songs.map(({ artist, album }, at) => ({
    id: `${before}${at}`,
    title: `Song ${at}`,
    artists: [{ id: `${before}${artist}`, name: artist }],
    album: albums.get(`${album} ${artist}`)!,
    durationMs: 1000,
    [extras]: { genres: ['Rock'] }
  }))
  return { artists, albums: [...albums.values()], tracks }
}

const two = () => {
  const asked: string[] = []
  const noting = (name: string, library: SourceLibrary): SourceLibrary => ({
    ...library,
    ids: (...args) => { asked.push(`${name} ids`); return library.ids(...args) },
    items: (...args) => { asked.push(`${name} ${args[1].length}`); return library.items(...args) },
    facets: (...args) => library.facets(...args)
  })
  const songs = [{ artist: 'Ada', album: 'Dawn', year: 1999 }, { artist: 'Bo', album: 'Noon' }]
  const library = createLibrary(listsOf(songs, ''), { changedAt: 5 })
  const sources = ['a', 'b'].map(id => sourceOf(id, { library: noting(id, library) }))
  return { asked, library: combineSources(sources).adapter.library!, sources }
}

t.test('items are asked of their sources, each once, and have the ids of the combination', async t => {
  const { library, asked } = two()
  const items = await library.items('albums', ['b:Dawn Ada', 'a:Noon Bo', 'b:Noon Bo', 'gone:1', 'a:gone'], call)
  t.strictSame(items.map(item => item?.id), ['b:Dawn Ada', 'a:Noon Bo', 'b:Noon Bo', undefined, undefined])
  t.match(items[0]![extras], { artists: [{ id: 'b:Ada' }] })
  t.strictSame(asked.sort(), ['a 2', 'b 2'])
})

t.test('what is of an artist or an album is asked of its source alone', async t => {
  const { library, asked } = two()
  t.strictSame(await wholeList(library.ids({ kind: 'albums', artist: 'b:Ada' }, call)), ['b:Dawn Ada'])
  t.strictSame(await wholeList(library.ids({ kind: 'tracks', album: 'a:Noon Bo' }, call)), ['a:1'])
  t.strictSame(asked, ['b ids', 'b 1', 'a ids'])
})

t.test('genres and composers are there once, with what all sources have', async t => {
  const { library, sources } = two()
  t.match(await library.facets('albums', call), {
    total: 4,
    years: [1999],
    genres: [{ name: 'Rock', tracks: 4, albums: 4 }],
    sorts: ['name', 'artist', 'year', 'added']
  })
  const composing = (...composers: string[]) => ({
    ...sources[0]!.adapter!.library!,
    facets: () => ({
      total: 0,
      sorts: [],
      letters: [],
      years: [],
      genres: [],
      ...composers.length > 0 && { composers: composers.map(name => ({ name, tracks: 1 })) }
    })
  })
  const { library: all } = combineSources([
    sourceOf('a', { library: composing('Bo', 'Ada') }), sourceOf('b', { library: composing('ada') }),
    sourceOf('c', { library: composing() })
  ]).adapter
  t.strictSame((await all!.facets('artists', call)).composers, [{ name: 'Ada', tracks: 2 }, { name: 'Bo', tracks: 1 }])
})

t.test('the library changes when one of a source does, and ids that became others are told', async t => {
  const { library, sources } = two()
  t.match(library, { changedAt: 5, revision: /^\[\["a","/ })
  const moving = { ...sources[0]!.adapter!.library!, currentIds: () => new Map([['1', '2']]) }
  const moved = combineSources([sourceOf('a', { library: moving }), sources[1]!]).adapter.library!
  t.strictSame([...await moved.currentIds!('tracks', ['a:1', 'a:3', 'b:1'], call)], [['a:1', 'a:2']])
})

t.test('plays and years sort tracks and albums too, and what is gone meanwhile is left out', async t => {
  const item = (id: string, playCount: number) => trackOf(id, id, {
    album: { id: 'x', name: 'X', coverUrl: '' }, [extras]: { playCount, played: `2020-01-0${playCount}`, year: playCount }
  })
  const of = (...items: Track[]): SourceLibrary => ({
    async * ids () { yield items.map(({ id }) => id); yield ['gone'] },
    items: (_kind, ids) => ids.map(id => items.find(item => item.id === id)) as never,
    facets: () => ({}) as never,
    revision: '1',
    changedAt: 1
  })
  const library = combineSources([
    sourceOf('a', { library: of(item('1', 5), item('2', 2)) }),
    sourceOf('b', { library: of(item('3', 4), item('4', 1)) })
  ]).adapter.library!
  for (const sort of ['plays', 'played', 'year'] as const) {
    const ids = await wholeList(library.ids({ kind: 'tracks', sort, order: 'desc' }, call))
    t.strictSame(ids, ['a:1', 'b:3', 'a:2', 'b:4'])
  }
  t.equal((await wholeList(library.ids({ kind: 'tracks', sort: 'added' }, call))).length, 4)
})

t.test('a library fails as a whole where one source does, and the others are told to end', async t => {
  let isEnded = false
  const { sources } = two()
  const endless: SourceLibrary = {
    ...sources[0]!.adapter!.library!,
    async * ids () {
      try { for (;;) yield ['Dawn Ada'] } finally { isEnded = true }
    }
  }
  const broken = { ...endless, items: () => { throw new Error('away') } }
  const all = [sourceOf('a', { library: endless }), sourceOf('b', { library: broken })]
  const library = combineSources(all).adapter.library!
  await t.rejects(wholeList(library.ids({ kind: 'albums' }, call)), {
    status: 502, message: 'B is not responding', cause: { message: 'away' }
  })
  await t.rejects(async () => library.items('albums', ['b:x'], call), { message: 'B is not responding' })
  const left = { signal: AbortSignal.abort(new Error('left')) }
  await t.rejects(async () => library.items('albums', ['b:x'], left), { message: 'left' })
  const hanging = { ...broken, facets: () => new Promise<never>(() => {}) }
  const { library: slow } = combineSources([sourceOf('b', { library: hanging }, { timeout: 5 })]).adapter
  await t.rejects(async () => slow!.facets('albums', call), {
    message: 'B is not responding', cause: { message: 'B did not respond within 5 ms' }
  })
  const silent = { ...broken, ids: () => { throw new Error('away') } }
  const { library: none } = combineSources([sourceOf('b', { library: silent })]).adapter
  await t.rejects(wholeList(none!.ids({ kind: 'tracks' }, call)), { message: 'B is not responding' })
  await new Promise(setImmediate)
  t.ok(isEnded)
})

t.test('a source without a library lists its favourites and what it shows to everybody', async t => {
  const artists = [{ id: 'z', name: 'Zoe' }]
  const { sources: [listed] } = two()
  const library = (adapter: object, more = {}) =>
    combineSources([listed!, sourceOf('c', adapter, more)]).adapter.library!
  const album = { id: 'x', name: 'X', coverUrl: '' }
  const favourites = library({ userAlbums: () => [album], userArtists: () => artists })
  t.strictSame(await wholeList(favourites.ids({ kind: 'albums' }, call)), ['a:Dawn Ada', 'a:Noon Bo', 'c:x'])
  t.match(await favourites.items('albums', ['c:x'], call), [{ id: 'c:x', name: 'X' }])
  const shown = library({ userFavoriteTracks: () => [], getTopArtists: () => artists }, { stateless: true })
  t.equal((await shown.facets('artists', call)).total, 3)
  const both = library({ userFavoriteTracks: () => [trackOf('1')], getNewTracks: () => [trackOf('1'), trackOf('2')] })
  t.strictSame(await wholeList(both.ids({ kind: 'tracks' }, call)), ['a:0', 'a:1', 'c:1', 'c:2'],
    'a favourite removes nothing')
})

for (const [kind, method, item] of [
  ['tracks', 'getTrackDetail', trackOf('9')],
  ['albums', 'getAlbumDetail', { id: '9', name: 'Nine', coverUrl: '', tracks: [] }],
  ['artists', 'getArtistDetail', { id: '9', name: 'Nine', tracks: [] }]
] as const) {
  t.test(`${kind} that the library of a source without one does not list are asked for by their ids`, async t => {
    const { sources: [listed] } = two()
    const asked: string[] = []
    const detail = (id: string) => {
      asked.push(id)
      if (id === 'gone') throw new NotFoundError()
      if (id === 'broken') throw new UpstreamError()
      return id === 'odd' ? undefined : { ...item, id }
    }
    const { library } = combineSources([listed!, sourceOf('c', { [method]: detail }), sourceOf('d', {})]).adapter
    const items = async (...ids: string[]) => (await library!.items(kind, ids, call)).map(item => item?.id)
    t.strictSame(await items('c:9', 'c:gone', 'c:odd', 'a:none', 'd:1'), ['c:9', ...Array(4).fill(undefined)])
    t.strictSame(asked, ['9', 'gone', 'odd'])
    await t.rejects(items('c:broken'), { message: 'C is not responding' })
    t.equal((await items(...Array.from({ length: 1001 }, (_empty, at) => `c:${at}`))).filter(Boolean).length, 500)
    t.notOk('tracks' in (await library!.items(kind, ['c:9'], call))[0]!)
  })
}

t.test('a source without a library is asked once for a request, and again after it has failed', async t => {
  let asked = 0
  const userAlbums = () => {
    if (++asked === 1) throw new Error('away')
    return [{ id: 'x', name: 'X', coverUrl: '' }]
  }
  const { sources: [listed] } = two()
  const library = combineSources([listed!, sourceOf('c', { userAlbums })]).adapter.library!
  await t.rejects(async () => library.facets('albums', call), { message: 'C is not responding' })
  await library.facets('albums', call)
  t.match(await library.items('albums', ['c:x'], call), [{ id: 'c:x', name: 'X' }])
  t.equal(asked, 2)
})

t.test('an album is sorted by the artist that its extras name, where it names none itself', async t => {
  const album = (id: string, artist?: string) => ({
    id, name: id, coverUrl: '', ...artist !== undefined && { [extras]: { artists: [{ id: artist, name: artist }] } }
  })
  const of = (albums: ReturnType<typeof album>) =>
    ({ library: createLibrary({ artists: [], albums: [albums], tracks: [] }) })
  const library = combineSources([
    sourceOf('a', of(album('1', 'The Zoo'))), sourceOf('b', of(album('2', 'Ada'))), sourceOf('c', of(album('3')))
  ]).adapter.library!
  const ids = await wholeList(library.ids({ kind: 'albums', sort: 'artist' }, call))
  t.strictSame(ids, ['c:3', 'b:2', 'a:1'])
})

t.test('an artist of several sources is in the index once, with the albums of all', async t => {
  const of = (...names: string[]) => ({
    library: createLibrary(listsOf(names.map(artist => ({ artist, album: `By ${artist}` })), ''))
  })
  const library = combineSources([sourceOf('a', of('Ada', 'Bo')), sourceOf('b', of('ADA', 'Cy'))], { unprefixed: 'a' })
    .adapter.library!
  const [ada, ...others] = await wholeList(library.ids({ kind: 'artists' }, call))
  t.strictSame(idsIn(ada!), ['Ada', 'b:ADA'])
  t.strictSame(others, ['Bo', 'b:Cy'])
  t.equal((await library.items('artists', [ada!], call))[0]!.name, 'Ada')
  t.strictSame(await wholeList(library.ids({ kind: 'albums', artist: ada! }, call)), ['By Ada Ada', 'b:By ADA ADA'])
  t.strictSame(await wholeList(library.ids({ kind: 'albums', artist: 'Ada' }, call)), ['By Ada Ada'], 'by its old id')
})
