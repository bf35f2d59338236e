import { extras, type SourceLibrary } from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import t from 'tap'
import { logged } from '../helper.ts'
import { ask, roomy, serve } from './helper.ts'
import { albumOf, artistOf, trackOf } from './library.ts'

// Operations whose answers tell no extras: the library of the source completes what they answer.

const albums = [0, 1, 2].map(albumOf)
const tracks = [0, 1, 2].flatMap(album => [trackOf(album, 0), trackOf(album, 1)])
const whole = createLibrary({ artists: [0, 1, 2].map(artistOf), albums, tracks })

function sourceOf () {
  const asked: string[] = []
  const library: SourceLibrary = {
    ids: (...query) => whole.ids(...query),
    items: (kind, ids, call) => {
      asked.push(`${kind} ${ids}`)
      return whole.items(kind, ids, call)
    },
    facets: (...query) => whole.facets(...query),
    revision: '1',
    changedAt: 1
  }
  const adapter = {
    library,
    userArtists: () => [artistOf(0), artistOf(5)],
    userAlbums: () => [{ ...albumOf(1), trackCount: undefined }, albumOf(9)],
    userFavoriteTracks: () => [trackOf(2, 1)],
    getPlaylistDetail: (id: string) => ({ id, name: 'List', coverUrl: '', tracks: [trackOf(1, 1), trackOf(8, 0)] }),
    searchArtists: (_keyword: string, offset: number, limit: number) =>
      ({ items: [artistOf(1)], offset, limit, hasMore: false })
  }
  return { asked, adapter }
}

t.test('favourites and folders tell counts, lengths and artists; what the library lacks stays as it is', async t => {
  const { asked, adapter } = sourceOf()
  const app = await serve(t, { adapter })
  const { starred2 } = await ask(app, 'getStarred2')
  t.match(starred2.artist, [{ albumCount: 1, roles: ['albumartist', 'artist'] }, { id: 'ar-a5', albumCount: 0 }])
  t.match(starred2.album, [{ songCount: 2, duration: 120, artistId: 'ar-a1' }, { id: 'al-b9' }])
  t.match(starred2.song, [{ track: 2, discNumber: 1, albumArtists: [{ id: 'ar-a2' }] }])
  t.strictSame(asked, ['artists a0,a5', 'albums b1,b9', 'tracks t2-1'], 'each kind once')
  const { starred } = await ask(app, 'getStarred')
  t.match(starred.album[0], { artistId: 'ar-a1', parent: 'ar-a1' })
})

t.test('what is wrong in a library is blamed on the library', async t => {
  const { lines, logger } = logged()
  const { adapter } = sourceOf()
  const created = new Date(0) as never
  const broken = {
    ...adapter.library,
    items: (kind: string, ids: readonly string[]) => ids.map(() => kind === 'albums'
      ? { ...albumOf(1), trackCount: '2' as never, [extras]: { created } }
      : undefined)
  }
  const app = await serve(t, { adapter: { ...adapter, library: broken as SourceLibrary } }, { ...roomy, logger })
  await ask(app, 'getAlbum', { id: 'al-b1' })
  const operation = "library.items('albums')"
  t.match(lines.filter(({ msg }) => msg === 'response repaired'), [
    { operation, reason: /^Album\[\] .*trackCount/ }, { operation, reason: /^Album\[\] .*created/ }
  ])
})

t.test('songs of a playlist have their numbers, artists that were searched for their counts', async t => {
  const app = await serve(t, { adapter: sourceOf().adapter })
  const { playlist } = await ask(app, 'getPlaylist', { id: 'pl-p' })
  t.strictSame(playlist.entry.map(({ track }: any) => track), [2, undefined])
  const { artist } = (await ask(app, 'search3', { query: 'a', albumCount: 0, songCount: 0 })).searchResult3
  t.match(artist, [{ albumCount: 1 }])
})

t.test('songs name the artist of their album as the library tells it', async t => {
  const other = { id: 'x', name: 'Other' }
  const album = { ...albumOf(1), artistName: 'Other', [extras]: { artists: [other] } }
  const library = createLibrary({ artists: [other], albums: [album], tracks: [{ ...trackOf(1, 1), album }] })
  const app = await serve(t, { adapter: { ...sourceOf().adapter, library } })
  const { playlist } = await ask(app, 'getPlaylist', { id: 'pl-p' })
  t.strictSame(playlist.entry[0].albumArtists, [{ id: 'ar-x', name: 'Other' }])
})

t.test('an artist has the albums that are its own, and is shown on those of others', async t => {
  const albums = [albumOf(0), { ...albumOf(1), artistName: 'Other' }, { ...albumOf(2), artistName: undefined }]
  const adapter = {
    getArtistDetail: () => ({ ...artistOf(0), tracks: [] }),
    getArtistAlbums: (_id: string, offset: number, limit: number) => ({ items: albums, offset, limit, hasMore: false })
  }
  const { artist } = await ask(await serve(t, { adapter }), 'getArtist', { id: 'ar-a0' })
  t.strictSame([artist.albumCount, artist.album.length], [2, 3])
})

t.test('what the library tells of favourites counts where an operation does not tell', async t => {
  const { adapter } = sourceOf()
  const library = createLibrary({
    artists: [], albums: [], tracks: tracks.map(track => ({ ...track, favorite: track.id === 't1-1' }))
  })
  const app = await serve(t, { adapter: { ...adapter, library, userFavoriteTracks: undefined } })
  const { playlist } = await ask(app, 'getPlaylist', { id: 'pl-p' })
  t.strictSame(playlist.entry.map(({ starred }: any) => starred), ['1970-01-01T00:00:00.000Z', undefined])
})

t.test('a library is not asked again for items that it gave without extras', async t => {
  const { asked, adapter } = sourceOf()
  const items: any = (kind: string, ids: readonly string[]) => {
    asked.push(`${kind} ${ids}`)
    return ids.map(id => albums.find(album => album.id === id))
  }
  const app = await serve(t, { adapter: { ...adapter, library: { ...adapter.library, items } } })
  const { albumList2 } = await ask(app, 'getAlbumList2', { type: 'alphabeticalByName', size: 1 })
  t.match(albumList2.album, [{ id: 'al-b0', duration: 0 }])
  t.strictSame(asked, ['albums b0'])
})
