import { extras, type LibraryKind, type LibraryQuery, type SourceAdapter } from 'fastify-source-origin'
import t, { type Test } from 'tap'
import { lastFavourites, type OrderedLibrary } from '../../lib/contract/ordered-library.ts'
import { MemoryStore } from '../../lib/library/library-store.ts'
import { waits } from '../../lib/library/mirrored-library.ts'
import { pace } from '../../lib/library/paced.ts'
import { pauses } from '../../lib/library/suspicion.ts'
import { replace } from '../replace.ts'
import { wholeList } from '../whole-list.ts'
import { failed, fakeServer, type Asked } from './fake-server.ts'

// The library of a Subsonic server: read page by page in the background, complete or not at all.

pace.between = 0

const call = { signal: new AbortController().signal }

interface Server { albums: any[], songs: any[], artists?: any[], count?: number, scanning?: boolean, most?: number }

const artistOf = (id: number) => ({ id: `ar${id}`, name: `Artist ${id}`, albumCount: 1 })
const albumOf = (id: number, songCount = 2) => ({
  id: `al${id}`, name: `Album ${id}`, artist: 'Artist 1', artistId: 'ar1', songCount, created: '2020-01-01T00:00:00Z'
})
const songOf = (id: number, album = Math.floor(id / 2), more: object = {}) => ({
  id: `s${id}`,
  title: `Song ${id}`,
  album: `Album ${album}`,
  albumId: `al${album}`,
  artist: 'Artist 1',
  artistId: 'ar1',
  track: id % 2 + 1,
  duration: 60,
  suffix: 'mp3',
  genre: 'Rock',
  year: 2001,
  ...more
})

/** Answers of a server with these albums and songs. */
function answersOf (server: Server) {
  const page = (all: readonly any[], size: unknown, offset: unknown) =>
    all.slice(Number(offset ?? 0), Number(offset ?? 0) + Math.min(Number(size), server.most ?? 500))
  return {
    getScanStatus: () => ({ scanStatus: { scanning: server.scanning ?? false, count: server.count ?? 1 } }),
    getIndexes: { indexes: { lastModified: 1 } },
    getArtists: () => ({ artists: { index: [{ name: 'A', artist: server.artists ?? [artistOf(1)] }] } }),
    getAlbumList2: ({ size, offset }: Asked) => ({ albumList2: { album: page(server.albums, size, offset) } }),
    search3: ({ songCount, songOffset }: Asked): object =>
      ({ searchResult3: { song: page(server.songs, songCount, songOffset) } }),
    getAlbum: ({ id }: Asked): object =>
      ({
        album: {
          ...server.albums.find(album => album.id === id), song: server.songs.filter(one => one.albumId === id)
        }
      }),
    getStarred2: { starred2: { song: [{ ...songOf(0), starred: '2021-01-01T00:00:00Z' }] } }
  }
}

const few = (): Server => ({ albums: [albumOf(0), albumOf(1)], songs: [0, 1, 2, 3].map(id => songOf(id)) })

/** Waits until the library of an adapter is read, or not any more. */
async function libraryOf (adapter: SourceAdapter) {
  for (let tries = 0; tries < 400 && adapter.library?.revision === ''; tries++) {
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  return adapter.library
}

async function titles (adapter: SourceAdapter, kind: LibraryKind, query: Partial<LibraryQuery> = {}) {
  const library = (await libraryOf(adapter))!
  const items = await library.items(kind, await wholeList(library.ids({ kind, ...query }, call)), call)
  return items.map(item => 'title' in item! ? item.title : item!.name)
}

const open = async (t: Test, server: Server, more: Record<string, any> = {}, options = {}) =>
  fakeServer(t, { ...answersOf(server), ...more }, options)

t.test('the library has every artist, album and song, with genres, years and letters', async t => {
  const { adapter } = await open(t, few())
  t.strictSame(await titles(adapter, 'artists'), ['Artist 1'])
  t.strictSame(await titles(adapter, 'albums'), ['Album 0', 'Album 1'])
  t.strictSame(await titles(adapter, 'tracks'), ['Song 0', 'Song 1', 'Song 2', 'Song 3'])
  t.strictSame(await titles(adapter, 'tracks', { album: 'al1' }), ['Song 2', 'Song 3'])
  t.strictSame(await titles(adapter, 'albums', { artist: 'ar1', order: 'desc' }), ['Album 1', 'Album 0'])
  const facets = await adapter.library!.facets('albums', call)
  t.match(facets, { total: 2, letters: ['A'], years: [2001], genres: [{ name: 'Rock', tracks: 4, albums: 2 }] })
})

t.test('songs with one number are in the order that details of their album have, however they are listed', async t => {
  const songs = [3, 1, 2].map(id => songOf(id, 0, { track: 1 }))
  // A song without a number is last, as are the others of an album that has none.
  const unnumbered = [7, 6].map(id => songOf(id, 1, { track: undefined }))
  const { adapter } = await open(t, {
    albums: [albumOf(0, 3), albumOf(1, 3)], songs: [...unnumbered, ...songs, songOf(8, 1, { track: 4 })]
  })
  t.strictSame(await titles(adapter, 'tracks', { album: 'al0' }), ['Song 1', 'Song 2', 'Song 3'])
  t.strictSame((await adapter.getAlbumDetail!('al0', -1)).tracks.map(({ title }) => title), [
    'Song 1', 'Song 2', 'Song 3'
  ])
  t.strictSame(await titles(adapter, 'tracks', { album: 'al1' }), ['Song 8', 'Song 7', 'Song 6'])
})

t.test('nothing of it is there before the first complete read', async t => {
  const { adapter, client } = await open(t, few())
  t.strictSame(adapter.library!.revision, '')
  t.strictSame(await adapter.library!.ids({ kind: 'albums' }, call), [])
  await libraryOf(adapter)
  t.ok(client)
})

t.test('favourites are those of the login now, and no personal data is stored', async t => {
  const server = few()
  server.songs = server.songs.map(song => ({ ...song, starred: '2000-01-01T00:00:00Z', userRating: 5, playCount: 9 }))
  const stored: string[] = []
  const store = {
    read: () => [],
    async replace (_name: string, texts: AsyncIterable<readonly string[]>) {
      for await (const some of texts) stored.push(...some)
    },
    close () {}
  }
  const { adapter } = await open(t, server, {}, { library: { store } })
  const library = (await libraryOf(adapter))!
  t.match(stored.length, 8)
  t.notMatch(stored.join(), /starred|userRating|playCount/)
  t.ok(library)
})

t.test('a track says since when the login has it among its favourites', async t => {
  const { adapter } = await open(t, few())
  const [first, second] = await (await libraryOf(adapter))!.items('tracks', ['s0', 's1'], call)
  t.match(first, { favorite: true, [extras]: { starred: '2021-01-01T00:00:00Z', discNumber: undefined, track: 1 } })
  t.strictSame(second!.favorite, false)
})

const odd: Record<string, [(server: Server) => void, Record<string, any>?]> = {
  'that gives shorter pages than asked for': [server => { server.most = 1 }],
  'that refuses a search for everything': [() => {}, { search3: failed(10) }],
  'that finds nothing in a search for everything': [() => {}, { search3: { searchResult3: {} } }],
  'that leaves songs out of its search': [() => {}, {
    search3: ({ songOffset }: Asked) =>
      ({ searchResult3: songOffset === '0' ? { song: [songOf(0)] } : {} })
  }],
  'that gives its last page again and again': [() => {}, { search3: { searchResult3: { song: few().songs } } }],
  'that repeats ids': [server => { server.songs = [...server.songs, ...server.songs] }],
  'that says it has more songs than it has': [server => { server.albums = [albumOf(0, 9), albumOf(1, 9)] }],
  'that allows nobody to see its scan status': [() => {}, { getScanStatus: failed(50), getIndexes: failed(0) }],
  'whose albums and songs say little': [server => {
    server.albums = server.albums.map(({ songCount, ...album }) => album)
    server.songs = server.songs.map(({ track, ...song }) => song)
  }],
  'without a scan status': [() => {}, { getScanStatus: undefined, getIndexes: undefined }]
}

for (const [title, [change, more]] of Object.entries(odd)) {
  t.test(`the library of a server ${title} is whole`, async t => {
    const server = few()
    change(server)
    const { adapter } = await open(t, server, more)
    t.strictSame(await titles(adapter, 'tracks'), ['Song 0', 'Song 1', 'Song 2', 'Song 3'])
    t.strictSame(await titles(adapter, 'albums'), ['Album 0', 'Album 1'])
  })
}

t.test('a server without lists of albums has no library', async t => {
  const { adapter } = await open(t, few(), { getAlbumList2: undefined })
  t.equal(await libraryOf(adapter), undefined)
})

t.test('with `library: false` nothing is read', async t => {
  const { adapter, asked } = await open(t, few(), {}, { library: false })
  t.equal(adapter.library, undefined)
  t.strictSame(asked.filter(({ method }) => method === 'getArtists'), [])
})

t.test('the library of the settings is read without a request, and looked at each hour', async t => {
  let look = () => {}
  let every = 0
  replace(t, globalThis, 'setInterval', ((run: () => void, time: number) => {
    look = run
    every = time
    return { unref: () => undefined }
  }) as never)
  replace(t, pauses, 'look', 0)
  const { adapter, asked } = await open(t, few(), {}, { library: { background: true } })
  await libraryOf(adapter)
  const looks = () => asked.filter(({ method }) => method === 'getScanStatus').length
  const before = looks()
  look()
  while (looks() === before) await new Promise(resolve => setTimeout(resolve, 5))
  t.equal(every, 3_600_000)
})

t.test('favourites are those of before while the server does not answer, and unknown before that', async t => {
  const answers: Record<string, any> = answersOf(few())
  const { adapter } = await fakeServer(t, answers)
  await libraryOf(adapter)
  const favourites = async () =>
    (await adapter.library!.items('tracks', ['s0', 's1'], call)).map(item => item!.favorite)
  const { getStarred2 } = answers
  answers.getStarred2 = failed(0)
  replace(t, waits, 'failed', 0)
  t.strictSame(await favourites(), [undefined, undefined])
  answers.getStarred2 = getStarred2
  t.strictSame(await favourites(), [true, false])
  await Promise.resolve(adapter.favoriteTrack!('none', true)).catch(() => {})
  answers.getStarred2 = failed(0)
  t.strictSame(await favourites(), [true, false])
  waits.failed = 30_000
  t.strictSame(await favourites(), [true, false])
  t.strictSame((adapter.library as OrderedLibrary)[lastFavourites]!('tracks'), ['s0'])
})

t.test('an item that is newer than the library is asked for', async t => {
  const answers: Record<string, any> = {
    ...answersOf(few()),
    getSong: ({ id }: Asked) => id === 'new' ? { song: { ...songOf(9), id } } : failed(70),
    getArtist: { artist: { id: 'other', name: 'Other' } }
  }
  const { adapter } = await fakeServer(t, answers)
  await libraryOf(adapter)
  const library = adapter.library!
  t.match(await library.items('tracks', ['new', 's0', 'gone'], call), [{ id: 'new' }, { id: 's0' }, undefined])
  t.strictSame(await library.items('artists', ['gone'], call), [undefined])
  answers.getSong = failed(0)
  t.strictSame(await library.items('tracks', ['newer'], call), [undefined])
})

t.test('before the library is read an item is asked for, and an error is one', async t => {
  const server = { ...few(), scanning: true }
  const getSong = ({ id }: Asked) => id === 's0' ? { song: songOf(0) } : failed(0)
  const { adapter } = await open(t, server, { getSong })
  t.match(await adapter.library!.items('tracks', ['s0'], call), [{ id: 's0' }])
  await t.rejects(async () => adapter.library!.items('tracks', ['s1'], call))
  t.strictSame(await adapter.library!.facets('tracks', call), {
    total: 0, sorts: [], letters: [], years: [], genres: []
  })
})

t.test('items do not wait for what the server converts', async t => {
  const server = few()
  server.songs = server.songs.map(song => ({ ...song, suffix: 'flac' }))
  replace(t, waits, 'longest', 20)
  const { adapter } = await open(t, server, { stream: () => new Promise(() => {}) }, { transcoding: 'auto' })
  await libraryOf(adapter)
  t.match(await adapter.library!.items('tracks', ['s0'], call), [{ id: 's0' }])
})

t.test('after a restart the stored library is there at once, and its lists as soon as they are read', async t => {
  const store = new MemoryStore()
  const server = few()
  const first = await open(t, server, {}, { library: { store } })
  const { revision } = (await libraryOf(first.adapter))!
  // Another object: the lists are not in memory.
  const library = { store: { read: store.read.bind(store), replace: store.replace.bind(store), close () {} } }
  const { adapter } = await open(t, server, {}, { url: first.client.options.url, library })
  const restarted = adapter.library!
  t.equal(restarted.revision, revision)
  t.strictSame(await restarted.ids({ kind: 'tracks' }, call), ['s0', 's1', 's2', 's3'])
  t.match(await restarted.facets('tracks', call), { total: 4 })
  t.match(await restarted.items('tracks', ['s3'], call), [{ id: 's3' }])
})

t.test('a server that fails while it is read has no library yet', async t => {
  const lines: string[] = []
  const log = { warn: ({ server }: any, line: string) => { lines.push(`${line} ${server}`) } }
  const { adapter } = await open(t, few(), { search3: { raw: 'away', http: 503 } }, { library: { log } })
  while (lines.length === 0 && adapter.library!.revision === '') await new Promise(resolve => setTimeout(resolve, 5))
  t.match(lines, [/^library not read 127\.0\.0\.1:\d+$/])
})

t.test('a stored library that cannot be loaded fails, since an empty list would be taken for all', async t => {
  const store = new MemoryStore()
  const server = { ...few(), scanning: true }
  const head = { form: 1, counts: { artists: 1, albums: 0, tracks: 0 }, revision: 'r', order: 'o', changedAt: 1 }
  const { adapter, client } = await open(t, server, {}, { library: { store } })
  const texts = [JSON.stringify({ id: '' }), JSON.stringify(head)]
  await store.replace(client.account, (async function * () { yield texts })())
  const { library } = adapter
  t.equal(library!.revision, 'r')
  await t.rejects(async () => library!.ids({ kind: 'artists' }, call), { message: 'The stored library cannot be read' })
})

t.test('an id that the server does not have is requested once', async t => {
  const { adapter, asked } = await open(t, few(), { getSong: failed(70) })
  await libraryOf(adapter)
  for (let time = 0; time < 3; time++) {
    t.strictSame(await adapter.library!.items('tracks', ['gone'], call), [undefined])
  }
  t.equal(asked.filter(({ method }) => method === 'getSong').length, 1)
})
