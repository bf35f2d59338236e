import {
  extras, NotFoundError, UnsupportedFeatureError, type Album, type SourceAdapter, type Track
} from 'fastify-source-origin'
import t, { type Test } from 'tap'
import { ask, serve, type Query } from './helper.ts'
import { albumOf, artistOf, publicSource, trackOf, wholeLibrary } from './library.ts'
import { replace } from '../replace.ts'

// What apps that keep a copy see: whole lists, whatever happens while they are read.

const stateless = { stateless: true }
const names = (items: { name: string }[]) => items.map(({ name }) => name).sort()
const unsupported = () => { throw new UnsupportedFeatureError() }
const pageOf = <T>(items: T[]) => ({ items, offset: 0, limit: 100, hasMore: false })

/** Lets time pass for what is kept. */
function clock (t: Test) {
  const start = Date.now()
  const now = performance.now.bind(performance)
  let later = 0
  replace(t, Date, 'now', () => start + later)
  replace(t, performance, 'now', () => now() + later)
  return (milliseconds: number) => { later += milliseconds }
}

const none = { artistCount: 0, albumCount: 0, songCount: 0 }

for (const [title, page] of [
  ['artists',
    async (app: any, offset: number, c?: string) => (
      await ask(app, 'search3', { ...none, artistCount: 2, artistOffset: offset, c: c ?? 'test' })
    ).searchResult3.artist],
  ['albums', async (app: any, offset: number, c?: string) =>
    (await ask(app, 'search3', { ...none, albumCount: 2, albumOffset: offset, c: c ?? 'test' })).searchResult3.album],
  ['songs', async (app: any, offset: number, c?: string) =>
    (await ask(app, 'search3', { ...none, songCount: 2, songOffset: offset, c: c ?? 'test' })).searchResult3.song],
  ['songs of a genre', async (app: any, offset: number, c?: string) =>
    (await ask(app, 'getSongsByGenre', { genre: 'rock', count: 2, offset, c: c ?? 'test' })).songsByGenre.song],
  ['matches', async (app: any, offset: number, c?: string) =>
    (await ask(app, 'search', { any: 'song', count: 2, offset, c: c ?? 'test' })).searchResult.match],
  ['albums by name', async (app: any, offset: number, c?: string) =>
    (await ask(app, 'getAlbumList2', { type: 'alphabeticalByName', size: 2, offset, c: c ?? 'test' })).albumList2.album]
] as const) {
  t.test(`the pages of all ${title} are of one library, however long an app takes`, async t => {
    const pass = clock(t)
    let more = 0
    const app = await serve(t, {
      revision: () => String(more),
      library: () => {
        const numbers = [...Array.from({ length: more }, (_empty, index) => -index - 1), 0, 1, 2, 3, 4, 5, 6]
        return {
          artists: numbers.map(artistOf),
          albums: numbers.map(index => ({ ...albumOf(index), genre: 'Rock' })),
          tracks: numbers.map(index => ({ ...trackOf(index, 0), album: { ...albumOf(index), genre: 'Rock' } }))
        }
      }
    })
    const ids: string[] = []
    for (let offset = 0; ; offset += 2) {
      const items = await page(app, offset)
      if (items.length === 0) break
      ids.push(...items.map(({ id }: { id: string }) => id))
      // More comes before and between with each page, and another app begins in between.
      more += 3
      pass(400_000)
      await page(app, 0, 'another app')
    }
    t.equal(ids.length, 7)
    t.equal(new Set(ids).size, 7)
    t.ok(ids.every(id => /^\w\w-[abt][0-6](-0)?$/.test(id)), String(ids))
    t.notSame(
      (await page(app, 0)).map(({ id }: { id: string }) => id), ids.slice(0, 2),
      'who begins anew gets what is there now'
    )
  })
}

for (const [title, gone] of [
  ['is not found', () => { throw new NotFoundError() }], ['is not implemented', unsupported]
] as const) {
  t.test(`an artist whose second page of albums ${title} never looks like one with fewer albums`, async t => {
    const { adapter } = publicSource(2, 45)
    const app = await serve(t, {
      context: stateless,
      adapter: {
        ...adapter,
        getArtistDetail: () => ({ ...artistOf(1), tracks: [] }),
        getArtistAlbums: (id, offset, limit) => offset > 0 ? gone() : adapter.getArtistAlbums!(id, offset, limit)
      } satisfies SourceAdapter
    })
    for (const [method, query] of [['getArtists', {}], ['search3', {
      songCount: 0
    }], ['getArtist', { id: 'ar-a1' }], ['getMusicDirectory', { id: 'ar-a1' }]] as [string, Query][]) {
      t.equal((await ask(app, method, query)).status, 'failed', method)
    }
  })
}

t.test('a method that says it is not there is replaced by what is', async t => {
  const tracks = [trackOf(1, 0), trackOf(1, 1)]
  const detail: SourceAdapter = {
    getArtistAlbums: unsupported,
    getArtistTracks: unsupported,
    searchArtists: unsupported,
    searchAlbums: unsupported,
    searchTracks: unsupported,
    getSimilarTracks: unsupported,
    getArtistDetail: (_id, limit) => ({ ...artistOf(1), tracks: tracks.slice(0, limit) })
  }
  const app = await serve(t, { adapter: detail, library: wholeLibrary(8) })
  t.match((await ask(app, 'getArtist', { id: 'ar-a1' })).artist, { albumCount: 1, album: [{ id: 'al-b1' }] })
  t.match((await ask(app, 'getTopSongs', { id: 'ar-a1' })).topSongs.song, [{ id: 'tr-t1-0' }, { id: 'tr-t1-1' }])
  t.match((await ask(app, 'getSimilarSongs2', { id: 'ar-a1' })).similarSongs2.song, [
    { id: 'tr-t1-0' }, { id: 'tr-t1-1' }
  ])
  const { artist, album, song } = (await ask(app, 'search3', { query: 'artist 3' })).searchResult3
  t.strictSame([artist, album, song].map(([{ id }]) => id), ['ar-a3', 'al-b3', 'tr-t3-0'])
  let calls = 0
  const searchSuggest = () => { calls++; return { songs: tracks, artists: [artistOf(5)], albums: [] } }
  const suggesting = await serve(t, { adapter: { ...detail, searchSuggest }, library: wholeLibrary(8) })
  t.match((await ask(suggesting, 'search3', { query: 'x' })).searchResult3, {
    artist: [{ id: 'ar-a5' }], album: [], song: [{}, {}]
  })
  t.equal(calls, 1, 'suggestions are asked for once')
  const bare = await serve(t, { adapter: { ...detail, getArtistDetail: unsupported }, library: wholeLibrary(8) })
  t.strictSame((await ask(bare, 'getTopSongs', { id: 'ar-a1' })).topSongs.song, [])
})

t.test('charts of which the source has no tracks are an empty list of albums', async t => {
  const app = await serve(t, {
    adapter: {
      getToplist: () =>
        [{ name: 'Charts', list: [{ id: 'c', name: 'C', coverUrl: '', tracks: [] }] }]
    }
  })
  t.strictSame((await ask(app, 'getAlbumList2', { type: 'highest' })).albumList2.album, [])
  t.match(await ask(app, 'getPlaylist', { id: 'tl-c' }), { error: { code: 70 } })
})

/** A source with an account whose favourites can be changed, and with music for everybody. */
function accountSource () {
  const favourites = { artists: new Set<string>(), albums: new Set<string>(['b700']) }
  const reads: string[] = []
  const adapter: SourceAdapter = {
    ...publicSource(2, 3).adapter,
    getArtistAlbums: id =>
      pageOf(Array.from({ length: 3 }, (_empty, index): Album => albumOf(Number(id.slice(1)) * 1000 + index))),
    userArtists: () => {
      reads.push('artists'); return [...favourites.artists].map(id =>
        artistOf(Number(id.slice(1))))
    },
    userAlbums: () => { reads.push('albums'); return [...favourites.albums].map(id => albumOf(Number(id.slice(1)))) },
    favoriteArtist: (id, status) => {
      favourites.artists[status ? 'add' : 'delete'](id)
      return { success: true, status }
    },
    favoriteAlbum: (id, status) => {
      if (id === 'b0') return { success: false, status: false }
      favourites.albums[status ? 'add' : 'delete'](id)
      return { success: true, status }
    }
  }
  return { adapter, reads }
}

t.test('an artist no longer favoured takes the albums along; the last favourite brings back all', async t => {
  const { adapter, reads } = accountSource()
  const app = await serve(t, { adapter })
  const albums = async () => names((await ask(app, 'search3', { albumCount: 100, songCount: 0 })).searchResult3.album)
  const everybodys = ['Album 0', 'Album 1', 'Album 1000', 'Album 1001', 'Album 1002', 'Album 2']
  t.strictSame(await albums(), ['Album 700'])
  await ask(app, 'star', { artistId: 'ar-a5' })
  t.strictSame(await albums(), ['Album 5000', 'Album 5001', 'Album 5002', 'Album 700'])
  await ask(app, 'unstar', { artistId: 'ar-a5' })
  t.strictSame(await albums(), ['Album 700'])
  await ask(app, 'unstar', { albumId: 'al-b700' })
  t.strictSame(await albums(), everybodys)
  await ask(app, 'star', { albumId: 'al-b900' })
  t.strictSame(await albums(), ['Album 900'])
  const before = reads.length
  t.match(await ask(app, 'star', { albumId: 'al-b0' }), { error: { code: 50 } })
  t.equal(reads.length, before, 'a change that was refused reads nothing again')
})

t.test('an album counts for its own artist, the others have the role of one who plays on it', async t => {
  const guest = { id: 'guest', name: 'Guest' }
  const withGuest = (album: number, index: number): Track => {
    const track = trackOf(album, index)
    return { ...track, artists: [...track.artists, guest] }
  }
  const app = await serve(t, {
    adapter: {},
    library: () => ({
      artists: [artistOf(1), guest],
      albums: [albumOf(1), albumOf(8), { ...albumOf(2), artistName: '' }],
      tracks: [withGuest(1, 0), withGuest(1, 1), trackOf(8, 0), withGuest(9, 0)]
    })
  })
  const listed = (await ask(app, 'getArtists')).artists.index.flatMap(({ artist }: any) => artist)
  t.strictSame(listed.map(({ name, albumCount, roles }: any) => [name, albumCount, roles]), [
    ['Artist 1', 2, ['albumartist', 'artist']], ['Guest', 0, ['artist']]
  ])
})

t.test('a track that comes twice counts for the album that it is shown in only', async t => {
  const tracks = [trackOf(1, 0), { ...trackOf(2, 0), id: trackOf(1, 0).id, artists: [artistOf(1)] }]
  const app = await serve(t, {
    adapter: { userFavoriteTracks: () => tracks, userAlbums: () => [albumOf(1), albumOf(2)] }
  })
  const { album } = (await ask(app, 'getArtist', { id: 'ar-a1' })).artist
  t.strictSame(album.map(({ id }: any) => id), ['al-b1'])
})

t.test('artists have the number of their albums wherever they are shown', async t => {
  const artist = { ...artistOf(1), [extras]: { albumCount: 2 } }
  const app = await serve(t, { adapter: { userArtists: () => [artist], searchArtists: () => pageOf([artist]) } })
  t.equal((await ask(app, 'getStarred2')).starred2.artist[0].albumCount, 2)
  t.equal((await ask(app, 'search3', { query: 'x' })).searchResult3.artist[0].albumCount, 2)
  t.equal((await ask(app, 'getStarred')).starred.artist[0].albumCount, 2)
  const old = (await ask(app, 'getStarred', { v: '1.8.0' })).starred.artist[0]
  t.notOk('albumCount' in old || 'coverArt' in old, 'old apps know neither')
})

t.test('what was played is told well with whatever ids', async t => {
  const app = await serve(t, { adapter: { getTrackDetail: () => trackOf(1, 0) } })
  for (const submission of [true, false]) {
    t.equal((await ask(app, 'scrobble', { id: ['tr-!', '17', 'al-b1', 'tr-t1-0'], submission })).status, 'ok')
  }
  t.match((await ask(app, 'getAlbumList2', { type: 'recent' })).albumList2.album, [{ id: 'al-b1' }])
  t.match((await ask(app, 'getNowPlaying')).nowPlaying.entry, [{ id: 'tr-t1-0' }])
})

t.test('for the cover of a list no more than one track is read', async t => {
  const limits: number[] = []
  const app = await serve(t, {
    adapter: {
      getPlaylistDetail: (id, limit) => { limits.push(limit); return { id, name: 'P', tracks: [] } },
      getToplistTracks: (id, _offset, limit) => {
        limits.push(limit)
        return { id, name: 'C', trackCount: 500, tracks: [trackOf(1, 0)] }
      }
    } satisfies SourceAdapter
  })
  for (const id of ['pl-p', 'tl-c']) t.match(await ask(app, 'getCoverArt', { id }), { error: { code: 70 } })
  t.strictSame(limits, [1, 1])
})
