import { NotFoundError, RateLimitedError, type Album, type SourceAdapter } from 'fastify-source-origin'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { share } from '../fifth.ts'
import { ask, get, serve, type Query } from './helper.ts'
import { albumOf, artistOf, publicSource, trackOf, wholeLibrary } from './library.ts'
import { replace } from '../replace.ts'
import { pace } from '../../lib/library/parts-reader.ts'

// At most 500 albums and 5,000 songs are given at once; an album has two.
const sizes = share === 1 ? [0, 1, 499, 500, 501, 2600] : [0, 1, 500, 501]

type Page = (offset: number, size: number) => Promise<{ id: string }[]>

/** Checks that the pages of a list end, repeat nothing, lose nothing, and are full while there is more. */
async function checkPages (t: Test, name: string, total: number, page: Page, size = 500): Promise<void> {
  const ids: string[] = []
  const lengths: number[] = []
  do {
    const items = await page(ids.length, size)
    lengths.push(items.length)
    ids.push(...items.map(({ id }) => id))
  } while (lengths.at(-1)! > 0 && lengths.length <= total + 1)
  t.equal(lengths.at(-1), 0, `${name} ends`)
  t.equal(ids.length, total, `${name} loses nothing`)
  t.equal(new Set(ids).size, total, `${name} repeats nothing`)
  t.ok(lengths.slice(0, -2).every(length => length === size), `${name}: pages are full while there is more`)
}

/** A list that is the member `path` of what a method answers, by its names for size and offset. */
const listOf =
  (app: FastifyInstance, method: string, path: string, query: Query = {}, [size, offset] = ['size', 'offset']): Page =>
    async (from, count) => path.split('.')
      .reduce((inner, name) => inner[name], await ask(app, method, { ...query, [size!]: count, [offset!]: from }))

const none = { artistCount: 0, albumCount: 0, songCount: 0 }

/** The lists of albums and songs that show the whole library. */
async function checkLibrary (t: Test, app: FastifyInstance, count: number): Promise<void> {
  for (const type of ['alphabeticalByName', 'alphabeticalByArtist', 'newest', 'random']) {
    await checkPages(t, type, count, listOf(app, 'getAlbumList2', 'albumList2.album', { type }))
    // The folders differ in their members only: once is enough for the long list.
    if (count > 501 && type !== 'newest') continue
    await checkPages(t, `${type} of folders`, count, listOf(app, 'getAlbumList', 'albumList.album', { type }))
  }
  for (const [fromYear, toYear] of [[1900, 2100], [2100, 1900]]) {
    await checkPages(t, 'byYear', count, listOf(app, 'getAlbumList2', 'albumList2.album', {
      type: 'byYear', fromYear, toYear
    }))
  }
  for (const member of ['searchResult2', 'searchResult3']) {
    const method = member.replace('Result', '')
    await checkPages(t, method, count, listOf(app, method, `${member}.album`, { ...none, query: '""' }, [
      'albumCount', 'albumOffset'
    ]))
    await checkPages(
      t, `${method} for songs`, count * 2,
      listOf(app, method, `${member}.song`, { ...none, query: '' }, ['songCount', 'songOffset']), 5000
    )
  }
}

for (const count of sizes) {
  t.test(`lists of a source that lists its ${count} albums repeat nothing, lose nothing and end`, async t => {
    const app = await serve(t, { library: wholeLibrary(count) })
    await checkLibrary(t, app, count)
    const ofGenre = Math.floor(count / 2)
    await checkPages(t, 'byGenre', ofGenre, listOf(app, 'getAlbumList2', 'albumList2.album', {
      type: 'byGenre', genre: 'rock'
    }))
    await checkPages(t, 'getSongsByGenre', ofGenre * 2, listOf(
      app, 'getSongsByGenre', 'songsByGenre.song', { genre: 'Rock' }, ['count', 'offset']
    ))
    await checkPages(
      t, 'artists', Math.min(7, count),
      listOf(app, 'search3', 'searchResult3.artist', none, ['artistCount', 'artistOffset']), 3
    )
    t.equal((await get(app, 'getAlbumList2', { type: 'newest' })).headers['x-total-count'], String(count))
  })

  t.test(`lists of a source whose ${count} albums are found by pages of 20 repeat nothing, lose nothing and end`, async t => {
    const [artists, ofEach] = count > 501 ? [100, count / 100] : [1, count]
    const { adapter } = publicSource(artists, ofEach)
    replace(t, pace, 'between', 0)
    const app = await serve(t, {
      context: { stateless: true },
      adapter,
      limits: { albums: 20_000, tracks: 40_000 }
    })
    await checkLibrary(t, app, count)
    await checkPages(
      t, 'artists', artists, listOf(app, 'search3', 'searchResult3.artist', none, ['artistCount', 'artistOffset']), 3
    )
  })

  t.test(`lists that are asked live of a source of ${count} albums repeat nothing, lose nothing and end`, async t => {
    const albums: Album[] = Array.from({ length: count }, (_empty, index) => albumOf(index))
    const cut = <T>(items: T[], offset: number, limit: number) =>
      ({
        items: items.slice(offset, offset + Math.min(limit, 20)),
        offset,
        limit,
        hasMore: offset + Math.min(limit, 20) < items.length
      })
    const artists = albums.map(({ id, name }) => ({ id, name }))
    const tracks = albums.map((_album, index) => trackOf(index, 0))
    const app = await serve(t, {
      adapter: {
        userAlbums: () => albums,
        searchAlbums: (_keyword: string, offset: number, limit: number) => cut(albums, offset, limit),
        searchArtists: (_keyword: string, offset: number, limit: number) => cut(artists, offset, limit),
        searchTracks: (_keyword: string, offset: number, limit: number) => cut(tracks, offset, limit)
      } satisfies SourceAdapter
    })
    const query = { ...none, query: 'x' }
    await checkPages(t, 'starred', count, listOf(app, 'getAlbumList2', 'albumList2.album', { type: 'starred' }))
    await checkPages(t, 'albums', count, listOf(app, 'search3', 'searchResult3.album', query, [
      'albumCount', 'albumOffset'
    ]))
    await checkPages(t, 'artists', count, listOf(app, 'search3', 'searchResult3.artist', query, [
      'artistCount', 'artistOffset'
    ]))
    await checkPages(t, 'songs', count, listOf(app, 'search3', 'searchResult3.song', query, [
      'songCount', 'songOffset'
    ]))
    await checkPages(t, 'matches', count, listOf(app, 'search', 'searchResult.match', { any: 'x' }, [
      'count', 'offset'
    ]))
  })

  t.test(`charts of ${count} tracks are whole, plays are cut where they are too long`, async t => {
    const all = Array.from({ length: count }, (_empty, index) => trackOf(index, 0))
    const app = await serve(t, {
      adapter: {
        getToplist: () => [{ name: 'Charts', list: [{ id: 'c', name: 'C', coverUrl: '', tracks: [] }] }],
        getToplistTracks: (_id: string, offset: number, limit: number) =>
          ({ id: 'c', name: 'C', trackCount: count, tracks: all.slice(offset, offset + Math.min(limit, 20)) }),
        getTrackDetail: (id: string) => all[Number(id.slice(1, -2))]
      }
    })
    await checkPages(t, 'highest', count, listOf(app, 'getAlbumList2', 'albumList2.album', {
      type: 'highest'
    }))
    await ask(app, 'getPlaylist', { id: 'tl-c' })
    const ids = all.slice(0, 600).map(({ id }) => `tr-${id}`)
    for (let from = 0; from < ids.length; from += 300) await ask(app, 'scrobble', { id: ids.slice(from, from + 300) })
    for (const type of ['recent', 'frequent']) {
      await checkPages(t, type, Math.min(count, 500), listOf(app, 'getAlbumList2', 'albumList2.album', { type }))
    }
  })
}

t.test('the pages of a list are of one list, whatever the source shows meanwhile', async t => {
  let call = 0
  const app = await serve(t, {
    adapter: {
      getNewTracks: () => [trackOf(call++, 0)],
      userAlbums: () => Array.from({ length: 9 }, (_empty, index) => albumOf(20 + (index + call) % 9))
    }
  })
  for (const type of ['newest', 'starred', 'random']) {
    const { total } = { total: Number((await get(app, 'getAlbumList2', { type })).headers['x-total-count']) }
    await checkPages(t, type, total, listOf(app, 'getAlbumList2', 'albumList2.album', { type }), 3)
  }
})

const failures = { 'an error': () => new Error('no'), 'a limit': () => new RateLimitedError() }

/** A source without accounts, and one with, in which every list of the shelf has something. */
const page = <T>(items: T[]) => ({ items, offset: 0, limit: 100, hasMore: false })
const whole: SourceAdapter = {
  ...publicSource(2, 30).adapter,
  getPlaylists: () => page([{ id: 'p', name: 'P' }]),
  getPlaylistDetail: id => ({ id, name: 'P', tracks: [trackOf(1, 0)] }),
  getNewTracks: () => [trackOf(2, 0)],
  userArtists: () => [artistOf(1)],
  userAlbums: () => [albumOf(3)],
  userFavoriteTracks: () => [trackOf(4, 0)],
  getUserPlaylist: () => [{ id: 'q', name: 'Q' }]
}
const parts = {
  stateless: [
    'getTopArtists', 'getArtistAlbums', 'getPlaylists', 'getPlaylistDetail', 'getNewTracks', 'getAlbumDetail'
  ],
  stateful: [
    'userArtists', 'userAlbums', 'userFavoriteTracks', 'getUserPlaylist', 'getArtistAlbums', 'getPlaylistDetail',
    'getAlbumDetail'
  ]
} as const

for (const [kind, methods] of Object.entries(parts)) {
  for (const failing of methods) {
    for (const [what, error] of Object.entries(failures)) {
      t.test(`a ${kind} source with ${what} of ${failing} never looks like a smaller library`, async t => {
        const app = await serve(t, {
          context: { stateless: kind === 'stateless' }, adapter: { ...whole, [failing]: () => { throw error() } }
        })
        t.match(await ask(app, 'search3', { query: '' }), { status: 'failed', error: { code: 0 } })
        const lists: [string, Query][] = failing === 'getAlbumDetail'
          ? [['getSongsByGenre', { genre: 'Rock' }], ['getRandomSongs', {}]]
          : [
              ['getArtists', {}], ['getIndexes', {}], ['getGenres', {}], ['getAlbumList2', { type: 'newest' }],
              ['getAlbumList', { type: 'random' }], ['getMusicDirectory', { id: '1' }]
            ]
        for (const [method, query] of lists) {
          t.match(await ask(app, method, query), { status: 'failed', error: { code: 0 } }, method)
        }
      })
    }
  }
}

t.test('a list that is not found has failed, and only an item can be gone', async t => {
  for (const failing of ['getTopArtists', 'getPlaylists', 'getNewTracks']) {
    const app = await serve(t, {
      context: { stateless: true }, adapter: { ...whole, [failing]: () => { throw new NotFoundError() } }
    })
    t.equal((await ask(app, 'getArtists')).status, 'failed', failing)
  }
  const app = await serve(t, {
    context: { stateless: true }, adapter: { ...whole, getPlaylistDetail: () => { throw new NotFoundError() } }
  })
  t.equal((await ask(app, 'getArtists')).status, 'ok')
})

t.test('a page after the first that fails is an error too', async t => {
  const failLater = (method: 'getArtistAlbums' | 'getToplistTracks' | 'searchAlbums', answer: object): any =>
    ({
      [method]: (...args: any[]) => {
        if (args.some(arg => arg >= 20 && arg < 100)) { throw new Error('no') } return {
          ...answer, offset: 0, limit: 20, hasMore: true
        }
      }
    })
  const albums = Array.from({ length: 20 }, (_empty, index) => albumOf(index))
  const tracks = albums.map((_album, index) => trackOf(index, 0))
  for (const [adapter, method, query] of [
    [failLater('getArtistAlbums', { items: albums }), 'getArtists', {}],
    [{ getArtistDetail: () => ({ ...artistOf(1), tracks: [] }), ...failLater('getArtistAlbums', { items: albums }) },
      'getArtist', { id: 'ar-a1' }],
    [failLater('getToplistTracks', { id: 'c', name: 'C', trackCount: 300, tracks }), 'getPlaylist', { id: 'tl-c' }],
    [failLater('searchAlbums', { items: albums }), 'search3', { query: 'x', albumCount: 500 }]
  ] as [SourceAdapter, string, Query][]) {
    const app =
      await serve(t, { context: { stateless: true }, adapter: { getTopArtists: () => [artistOf(1)], ...adapter } })
    t.match(await ask(app, method, query), { status: 'failed', error: { code: 0 } }, method)
  }
})

for (const [failing, method, query] of [
  ['userAlbums', 'getStarred2', {}], ['userArtists', 'getStarred', {}], ['userFavoriteTracks', 'getStarred2', {}],
  ['userAlbums', 'getAlbumList2', { type: 'starred' }],
  ['getNewTracks', 'getAlbumList2', { type: 'newest' }], ['getToplist', 'getAlbumList2', { type: 'highest' }],
  ['getUserPlaylist', 'getPlaylists', {}],
  ['getToplist', 'getPlaylists', {}], ['getDailyTracks', 'getPlaylists', {}],
  ['getRecommendedPlaylist', 'getPlaylists', {}], ['getRoamTracks', 'getRandomSongs', {}],
  ['searchTracks', 'search2', { query: 'x' }], ['searchArtists', 'search3', { query: 'x' }],
  ['searchSuggest', 'search3', { query: 'x' }],
  ['getSimilarTracks', 'getSimilarSongs', { id: 'tr-t1-0' }], ['getArtistTracks', 'getTopSongs', { id: 'ar-a1' }],
  ['getTrackLyrics', 'getLyricsBySongId', { id: 'tr-t1-0' }]
] as [keyof SourceAdapter, string, Query][]) {
  t.test(`${method} is an error where ${failing} fails`, async t => {
    const app = await serve(t, { adapter: { [failing]: () => { throw new Error('no') } } })
    t.match(await ask(app, method, query), { status: 'failed', error: { code: 0 } })
  })
}

t.test('songs that a search leaves out of its pages are missing, and no other one is there twice', async t => {
  const isShown = ({ id }: { id: string }) => Number(id) % 7 !== 0
  const tracks = Array.from({ length: 400 }, (_empty, at) => ({ ...trackOf(1, 0), id: `${at}`, title: `Song ${at}` }))
  const searchTracks = (_keyword: string, offset: number, limit: number) => {
    const items = tracks.slice(offset, offset + limit).filter(isShown)
    return { items, offset, limit, hasMore: offset + limit < tracks.length }
  }
  const app = await serve(t, { adapter: { searchTracks } })
  const { searchResult3: { song } } = await ask(app, 'search3', { ...none, query: 'song', songCount: 500 })
  t.strictSame(song.map(({ title }: { title: string }) => title), tracks.filter(isShown).map(({ title }) => title))
})
