import type { Album, Artist, SourceAdapter, Track } from 'fastify-source-origin'

export const artistOf = (index: number): Artist => ({ id: `a${index}`, name: `Artist ${index}` })

export const albumOf = (index: number): Album => ({
  id: `b${index}`,
  name: `Album ${index}`,
  coverUrl: '',
  artistName: artistOf(index % 7).name,
  trackCount: 2,
  genre: index % 2 ? 'Rock' : 'Folk',
  publishTime: Date.UTC(1960 + index % 60, 0, 1)
})

export const trackOf = (album: number, index: number): Track =>
  ({
    id: `t${album}-${index}`,
    title: `Song ${index} of ${album}`,
    artists: [artistOf(album % 7)],
    album: albumOf(album),
    durationMs: 60_000
  })

const numbers = (count: number) => Array.from({ length: count }, (_empty, index) => index)

/** A source of so many albums with two tracks each, that can list itself. */
export const wholeLibrary = (albums: number) => () => ({
  artists: numbers(Math.min(7, albums)).map(artistOf),
  * albums () { yield * numbers(albums).map(albumOf) },
  tracks: () => numbers(albums).flatMap(album => [trackOf(album, 0), trackOf(album, 1)])
})

/** A source without accounts that shows artists, whose albums are all there is. Every call is counted. */
export function publicSource (artists: number, albumsOfEach: number) {
  const calls: string[] = []
  const albumsOf = (artist: number) =>
    numbers(albumsOfEach).map(index => ({ ...albumOf(artist * 1000 + index), artistName: artistOf(artist).name }))
  const adapter: SourceAdapter = {
    getTopArtists: () => numbers(artists).map(artistOf),
    getArtistAlbums: (id, offset, limit) => {
      calls.push(`getArtistAlbums ${id} ${offset}`)
      const all = albumsOf(Number(id.slice(1)))
      // Sources give fewer than they are asked for.
      const items = all.slice(offset, offset + Math.min(limit, 20))
      return { items, offset, limit, hasMore: offset + items.length < all.length }
    },
    getAlbumDetail: id => {
      calls.push(`getAlbumDetail ${id}`)
      const album = Number(id.slice(1))
      return { ...albumOf(album), tracks: [trackOf(album, 0), trackOf(album, 1)] }
    }
  }
  return { adapter, calls }
}
