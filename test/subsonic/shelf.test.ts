import { NotFoundError, type SourceAdapter } from 'fastify-source-origin'
import t from 'tap'
import { deferred, logged } from '../helper.ts'
import { createReferenceAdapter } from '../reference-source.ts'
import { ask, get, roomy, serve } from './helper.ts'
import { albumOf, artistOf, publicSource, trackOf, wholeLibrary } from './library.ts'
import { replace } from '../replace.ts'

const stateless = { stateless: true }
const names = (items: { name: string }[]) => items.map(({ name }) => name).sort()

t.test('artists and albums are sorted for people, and numbers come from the order of an album', async t => {
  const app = await serve(t, {
    library: () => ({
      artists: ['The Zebras', 'Älpler', 'abc', '9 Lives', 'Los Ángeles'].map((name, index) => ({ id: String(index), name })),
      albums: ['b 10', 'B 2'].map((name, index) => ({ id: String(index), name, coverUrl: '' })),
      tracks: [trackOf(1, 0), trackOf(1, 1)]
    })
  })
  const { index } = (await ask(app, 'getArtists')).artists
  t.strictSame(index.map(({ name, artist }: any) => [name, artist.map(({ name }: any) => name)]),
    [['#', ['9 Lives']], ['A', ['abc', 'Älpler', 'Los Ángeles']], ['Z', ['The Zebras']]])
  t.strictSame((await ask(app, 'search3')).searchResult3.album.map(({ name }: any) => name), ['B 2', 'b 10'])
  t.strictSame((await ask(app, 'search3')).searchResult3.song.map(({ track, discNumber }: any) => [track, discNumber]), [[1, 1], [2, 1]])
})

t.test('indexes that have not changed are empty', async t => {
  const app = await serve(t, { library: wholeLibrary(3) })
  const { lastModified, index } = (await ask(app, 'getIndexes')).indexes
  t.equal(index.length, 1)
  t.strictSame((await ask(app, 'getIndexes', { ifModifiedSince: lastModified })).indexes.index, [])
  t.equal((await ask(app, 'getIndexes', { ifModifiedSince: lastModified - 1 })).indexes.index.length, 1)
})

t.test('a source without accounts has the albums of its top artists, its playlists and what is new', async t => {
  const { adapter, calls } = publicSource(3, 45)
  const app = await serve(t, {
    context: stateless,
    adapter: {
      ...adapter,
      getPlaylists: (offset: number, limit: number) => ({ items: [{ id: 'p', name: 'P' }, { id: 'gone', name: 'Gone' }], offset, limit, hasMore: false }),
      getPlaylistDetail: (id: string) => {
        if (id === 'gone') throw new NotFoundError()
        return { id, name: 'P', tracks: [{ ...trackOf(90_001, 0), artists: [artistOf(90)] }] }
      },
      getNewTracks: () => [trackOf(90_002, 0)]
    } satisfies SourceAdapter
  })
  t.equal((await get(app, 'getAlbumList2', { type: 'alphabeticalByName' })).headers['x-total-count'], String(3 * 45 + 2))
  const artists = (await ask(app, 'getArtists')).artists.index.flatMap(({ artist }: any) => artist)
  t.strictSame(names(artists), ['Artist 0', 'Artist 1', 'Artist 2', 'Artist 3', 'Artist 90'])
  t.equal(artists.find(({ id }: any) => id === 'ar-a0').albumCount, 45)
  t.notOk(calls.some(call => call.startsWith('getAlbumDetail')), 'songs are read when songs are asked for')
  t.equal((await ask(app, 'search3', { songCount: 1000, albumCount: 0 })).searchResult3.song.length, 3 * 45 * 2 + 4)
  t.equal((await ask(app, 'getScanStatus')).scanStatus.count, 3 * 45 * 2 + 4)
})

t.test('an account has its favourites and playlists, and without any what everybody is shown', async t => {
  const { adapter } = publicSource(2, 3)
  let favourites = true
  const all: SourceAdapter = {
    ...adapter,
    userArtists: () => favourites ? [artistOf(5)] : [],
    userAlbums: () => favourites ? [albumOf(60_000)] : [],
    userFavoriteTracks: () => favourites ? [trackOf(70_000, 0)] : [],
    getUserPlaylist: () => favourites ? [{ id: 'p', name: 'Mine' }] : [],
    getPlaylistDetail: id => ({ id, name: 'Mine', tracks: [trackOf(80_000, 0)] })
  }
  const albums = async () => (await ask(await serve(t, { adapter: all }), 'search3', { albumCount: 100 })).searchResult3.album
  t.strictSame(names(await albums()), ['Album 5000', 'Album 5001', 'Album 5002', 'Album 60000', 'Album 70000', 'Album 80000'])
  favourites = false
  t.equal((await albums()).length, 6)
})

t.test('who waits too long is told to come again, and the building goes on', async t => {
  const { promise, resolve } = deferred<ReturnType<typeof artistOf>[]>()
  let calls = 0
  const app = await serve(t, { context: stateless, adapter: { getTopArtists: () => { calls++; return promise } }, limits: { patience: 0.01 } })
  t.match(await ask(app, 'getArtists'), { error: { code: 0, message: 'The library is still being read, try again' } })
  t.match(await ask(app, 'getScanStatus'), { scanStatus: { scanning: true, count: 0 } })
  resolve([artistOf(1)])
  await t.resolves(promise)
  let artists = await ask(app, 'getArtists')
  while (artists.status !== 'ok') artists = await ask(app, 'getArtists')
  t.equal(artists.artists.index.length, 1)
  t.equal(calls, 1)
})

t.test('it is kept for its time, an older one is served when a new one cannot be had, for a day', async t => {
  let calls = 0
  let fails = false
  const now = Date.now()
  let later = 0
  replace(t, Date, 'now', () => now + later)
  const app = await serve(t, {
    context: stateless,
    limits: { ttl: 600 },
    adapter: { getTopArtists: () => { calls++; if (fails) throw new Error('no'); return [artistOf(calls)] } }
  })
  const artist = async () => (await ask(app, 'getArtists')).artists?.index[0].artist[0].name
  t.strictSame([await artist(), await artist()], ['Artist 1', 'Artist 1'])
  later = 601_000
  t.equal(await artist(), 'Artist 2')
  fails = true
  later += 3_600_000
  t.equal(await artist(), 'Artist 2')
  later += 86_400_000
  t.equal(await artist(), undefined)
})

t.test('what is above the limits is left out, favourites last, and logged', async t => {
  const { lines, logger } = logged()
  const { adapter, calls } = publicSource(5, 30)
  const app = await serve(t, { context: stateless, adapter, limits: { calls: 5, albums: 40, artists: 3 } }, { ...roomy, logger })
  const { artist, album } = (await ask(app, 'search3', { artistCount: 100, albumCount: 100, songCount: 0 })).searchResult3
  t.equal(artist.length, 3)
  t.equal(album.length, 40)
  t.equal(calls.length, 4, 'one call was for the artists')
  t.equal((await ask(app, 'search3', { artistCount: 0, albumCount: 0, songCount: 100 })).searchResult3.song.length, 10, 'songs have calls of their own')
  t.strictSame(lines.filter(({ level }) => level === 40).map(({ msg }) => msg.replace(/\d+/, 'N')), [
    'Left artists and albums out of a library: N calls more than limits.calls allows',
    'Left artists and albums out of a library: there are more than limits.artists allows',
    'Left songs out of a library: N calls more than limits.calls allows'
  ])
})

t.test('a client that hangs up ends nothing that others wait for', async t => {
  const { promise, resolve } = deferred<ReturnType<typeof artistOf>[]>()
  let signal!: AbortSignal
  const app = await serve(t, {
    limits: { patience: 0.01 },
    resolveContext: context => { signal ??= context.signal; return { adapter: { getTopArtists: () => promise } } }
  })
  await ask(app, 'getArtists')
  resolve([])
  t.equal(signal.aborted, false)
})

t.test('a scan that is asked for reads everything anew', async t => {
  let calls = 0
  const app = await serve(t, { context: stateless, adapter: { getTopArtists: () => [artistOf(++calls)] } })
  await ask(app, 'getArtists')
  t.match(await ask(app, 'startScan'), { scanStatus: { scanning: true, count: 0 } })
  t.match((await ask(app, 'getArtists')).artists.index[0].artist, [{ id: 'ar-a2' }])
})

t.test('a scan that fails is logged', async t => {
  const { lines, logger } = logged()
  const app = await serve(t, { context: stateless, adapter: { getTopArtists: () => { throw new Error('no') } } }, { ...roomy, logger })
  await ask(app, 'startScan')
  await ask(app, 'getArtists')
  t.ok(lines.some(({ msg }) => msg === 'The library cannot be read'))
})

t.test('accounts have shelves of their own, and so has each place that media come from', async t => {
  const seen: string[] = []
  const app = await serve(t, {
    resolveLogin: ({ username }) => username ?? null,
    resolveContext: ({ authorization = '' }) => ({
      adapter: { getTopArtists: () => { seen.push(authorization); return [{ id: '1', name: authorization }] } },
      account: 'one',
      variant: authorization === 'c' ? 'https://other' : ''
    })
  })
  for (const u of ['a', 'b', 'c']) await ask(app, 'getArtists', { u })
  t.strictSame(seen, ['a', 'c'])
})

t.test('changes of favourites and playlists are in the library at once', async t => {
  const adapter = createReferenceAdapter(() => 'http://localhost')
  const app = await serve(t, { adapter })
  const albums = async () => names((await ask(app, 'search3', { songCount: 0 })).searchResult3.album)
  t.strictSame(await albums(), ['Noon Music'])
  await ask(app, 'star', { id: 'al-b3' })
  t.strictSame(await albums(), ['Night Music', 'Noon Music'])
  await ask(app, 'star', { artistId: 'ar-a2' })
  t.strictSame(await albums(), ['Evening Music', 'Night Music', 'Noon Music'])
  await ask(app, 'unstar', { id: 'al-b3' })
  t.strictSame(await albums(), ['Evening Music', 'Noon Music'])
  await ask(app, 'createPlaylist', { name: 'Mine', songId: 'tr-t0' })
  t.strictSame(await albums(), ['Evening Music', 'Morning Music', 'Noon Music'])
  await ask(app, 'deletePlaylist', { id: 'pl-own0' })
  t.equal((await ask(app, 'search3', { songCount: 100 })).searchResult3.song.length, 8)
})

t.test('a change while the library is read, or one whose result cannot be read, has it read again', async t => {
  const adapter = createReferenceAdapter(() => 'http://localhost')
  const { promise, resolve } = deferred<void>()
  let reads = 0
  let fails = false
  const app = await serve(t, {
    limits: { patience: 0.01 },
    adapter: {
      ...adapter,
      userAlbums: async () => {
        if (fails) throw new Error('no')
        if (++reads === 1) await promise
        return adapter.userAlbums!()
      }
    }
  })
  await ask(app, 'getArtists')
  await ask(app, 'star', { id: 'al-b0' })
  resolve()
  let found = await ask(app, 'search3', { songCount: 0 })
  while (found.searchResult3?.album.length !== 2) found = await ask(app, 'search3', { songCount: 0 })
  const before = reads
  fails = true
  t.equal((await ask(app, 'star', { id: 'al-b2' })).status, 'ok')
  fails = false
  t.equal((await ask(app, 'search3', { songCount: 0 })).searchResult3.album.length, 3)
  t.ok(reads > before)
})
