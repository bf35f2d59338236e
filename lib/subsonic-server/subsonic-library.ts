import type { Album, Artist, Track, TrackExtras } from '../../schemas/index.ts'

export type Items<T> = Iterable<T> | AsyncIterable<T>

/** An album with what its tracks would tell, where `trackIds` lists those. */
export type ListedAlbum = Album & {
  /** Milliseconds that its tracks take together. */
  durationMs?: number
  /** Ids of the artists of its tracks. */
  artistIds?: Iterable<string> | undefined
}

/** The whole of a source: lists, or functions that give them when they are needed. */
export interface SubsonicLibrary {
  artists: Items<Artist> | (() => Items<Artist>)
  albums: Items<ListedAlbum> | (() => Items<ListedAlbum>)
  /** Those of one album in the order of the album: their numbers come from it. Not read where there are `trackIds`. */
  tracks?: Items<Track> | (() => Items<Track>)
  /**
   * Genres and years of tracks by their ids, for the lists of songs, where they differ from their album's and there are
   * `trackIds`.
   */
  facets?: Items<TrackFacets> | (() => Items<TrackFacets>)
}

/** The id of a track, and its genres and year; those of its album where they are left out. */
export type TrackFacets = readonly [id: string, facets: Pick<TrackExtras, 'genres' | 'year'>]

/** Ids of the tracks of an album, in its order. */
export interface AlbumTracks {
  readonly albumId: string
  readonly trackIds: readonly string[]
}
