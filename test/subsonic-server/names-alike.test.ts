import type { Album, Artist, SourceAdapter, Track } from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import t from 'tap'
import { alike } from '../names-alike.ts'
import { ask, serve } from './helper.ts'
import { albumOf, trackOf } from './library.ts'

const names = alike.flat()
const artists: Artist[] = names.map((name, at) => ({ id: `a${at}`, name }))
const albums: Album[] = names.map((artistName, at) => ({ ...albumOf(at), id: `b${at}`, name: `Of ${at}`, artistName }))
const tracks: Track[] = artists.map((artist, at) =>
  ({ ...trackOf(at, 0), id: `t${at}`, title: 'Home', artists: [artist], album: albums[at]! }))
const pageOf = <T>(items: T[]) => ({ items, offset: 0, limit: 200, hasMore: false })
/** Each list has them all, so that only names tell them apart. */
const adapter: SourceAdapter = {
  searchTracks: () => pageOf(tracks),
  searchArtists: () => pageOf(artists),
  searchAlbums: () => pageOf(albums),
  getArtistDetail: id => ({ ...artists[Number(id.slice(1))]!, tracks: [tracks[Number(id.slice(1))]!] }),
  getTrackLyrics: id => ({ lyrics: id })
}
const library = createLibrary({ artists, albums, tracks })

for (const [kind, source, isShown] of [
  ['a source with a library', { ...adapter, library }, false],
  ['a source without one', adapter, false],
  ['a source without one that has shown them', adapter, true]
] as const) {
  t.test(`names that are nearly alike are those of different artists: ${kind}`, async t => {
    const app = await serve(t, { adapter: source })
    if (isShown) await ask(app, 'search3', { query: 'home' })
    for (const [at, name] of names.entries()) {
      const { song } = (await ask(app, 'getTopSongs', { artist: name })).topSongs
      t.strictSame(song.map(({ id }: { id: string }) => id), [`tr-t${at}`], name)
      t.equal((await ask(app, 'getLyrics', { artist: name, title: 'Home' })).lyrics.value, `t${at}`, name)
    }
    const { album, song } = (await ask(app, 'search3', { query: 'o', songCount: 100, albumCount: 100 })).searchResult3
    for (const { id, artistId } of album) if (artistId) t.equal(artistId, id.replace('al-b', 'ar-a'))
    t.strictSame(song.map(({ artistId }: any) => artistId), song.map(({ id }: any) => id.replace('tr-t', 'ar-a')))
  })

  t.test(`a name that nobody has exactly is found without its case and accents: ${kind}`, async t => {
    const app = await serve(t, { adapter: source })
    if (isShown) await ask(app, 'search3', { query: 'home' })
    t.equal((await ask(app, 'getTopSongs', { artist: ' BEYONCÉ ' })).topSongs.song.length, 1)
    t.match((await ask(app, 'getLyrics', { artist: 'SIGUR RÖS', title: 'HÔME' })).lyrics.value, /^t/)
    t.strictSame((await ask(app, 'getTopSongs', { artist: 'Nobody' })).topSongs.song ?? [], [])
  })
}

t.test('of a source without a search, artists that were shown have names', async t => {
  const app = await serve(t, { adapter: { getArtistDetail: adapter.getArtistDetail!, userArtists: () => artists } })
  const topOf = async (artist: string) => (await ask(app, 'getTopSongs', { artist })).topSongs.song ?? []
  t.strictSame(await topOf('beyoncé'), [])
  await ask(app, 'getStarred2')
  t.match(await topOf('beyoncé'), [{ id: 'tr-t3' }])
})
