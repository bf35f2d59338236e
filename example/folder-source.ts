import { NotFoundError, type SourceAdapter } from 'fastify-source-origin'
import type { Describer } from './describe.ts'
import type { Library } from './library.ts'
import { readLyrics } from './lyrics/read-lyrics.ts'

/** Items of each kind that a suggestion has. */
const suggestions = 5

/** A music folder as a source: the adapter of one request. */
export class FolderSource implements SourceAdapter {
  readonly #library: Library
  readonly #describe: Describer

  constructor (library: Library, describe: Describer) {
    this.#library = library
    this.#describe = describe
  }

  get #catalogue () { return this.#library.catalogue }

  getTrackDetail (id: string) {
    return this.#describe.track(this.#track(id))
  }

  getTrackUrl (id: string, quality?: string) {
    return this.#describe.trackUrl(this.#track(id), quality)
  }

  getTrackLyrics (id: string) {
    return readLyrics(this.#library.root, this.#track(id).files.map(({ path }) => path))
  }

  getArtistDetail (id: string, trackLimit: number) {
    const artist = found(this.#catalogue.artists.get(id), 'artist')
    return { ...this.#describe.artist(artist), tracks: first(artist.tracks, trackLimit).map(this.#describe.track) }
  }

  getAlbumDetail (id: string, trackLimit: number) {
    const album = found(this.#catalogue.albums.get(id), 'album')
    return {
      ...this.#describe.album(album),
      artist: this.#describe.artist(album.artist),
      tracks: first(album.tracks, trackLimit).map(this.#describe.track)
    }
  }

  searchTracks (keyword: string, offset: number, limit: number) {
    return page(this.#catalogue.search.tracks.search(keyword), offset, limit, this.#describe.track)
  }

  searchArtists (keyword: string, offset: number, limit: number) {
    return page(this.#catalogue.search.artists.search(keyword), offset, limit, this.#describe.artist)
  }

  searchAlbums (keyword: string, offset: number, limit: number) {
    return page(this.#catalogue.search.albums.search(keyword), offset, limit, this.#describe.album)
  }

  searchSuggest (keyword: string) {
    return {
      songs: this.searchTracks(keyword, 0, suggestions).items,
      artists: this.searchArtists(keyword, 0, suggestions).items,
      albums: this.searchAlbums(keyword, 0, suggestions).items
    }
  }

  #track (id: string) {
    return found(this.#catalogue.tracks.get(id), 'track')
  }
}

function found<T> (item: T | undefined, kind: string): T {
  if (item === undefined) throw new NotFoundError(`There is no such ${kind}`)
  return item
}

/** @param limit -1 = all */
const first = <T>(items: readonly T[], limit: number): readonly T[] => limit === -1 ? items : items.slice(0, limit)

const page = <T, D>(items: readonly T[], offset: number, limit: number, describe: (item: T) => D) => ({
  items: items.slice(offset, offset + limit).map(describe),
  offset,
  limit,
  hasMore: items.length > offset + limit
})
