import type { AlbumExtras, ArtistExtras, TrackExtras } from 'fastify-source-origin'

/** An artist of the library. */
export interface CatalogueArtist {
  /** The key of its row. */
  readonly number: number
  readonly id: string
  readonly name: string
  /** The id of the album whose cover it has. */
  readonly cover: string
  /** Extras from tags, the number of its albums, and all its roles. */
  readonly extras: ArtistExtras
}

export interface CatalogueAlbum {
  readonly number: number
  readonly id: string
  readonly name: string
  /** At least one. */
  readonly artists: readonly CatalogueArtist[]
  readonly trackCount: number
  /** The total length of its tracks. */
  readonly durationMs: number
  /** Unix milliseconds, like the genre from the first track. */
  readonly publishTime: number | null
  readonly genre: string | undefined
  /** The time when its last track arrived, in Unix milliseconds. */
  readonly added: number
  /** Additional metadata from its tags. */
  readonly extras: AlbumExtras
}

/** A file of a track. */
export interface TrackFile {
  /** The path relative to the music folder. */
  readonly path: string
  /** The size in bytes. */
  readonly size: number
  /** The format, for example flac. */
  readonly format: string
  /** The codec, if browsers do not play it: for example alac. */
  readonly codec?: string | undefined
  readonly lossless: boolean
  /** The bitrate in bit/s; null = unknown. */
  readonly bitrate: number | null
}

export interface CatalogueTrack {
  readonly number: number
  readonly id: string
  readonly title: string
  readonly artists: readonly CatalogueArtist[]
  readonly album: CatalogueAlbum
  /** The disc number; 1 if unknown. */
  readonly disc: number
  /** The number on the disc. */
  readonly trackNumber: number | undefined
  readonly durationMs: number
  readonly genres: readonly string[]
  readonly year: number | undefined
  /** The best file of each quality, best first. The tags of the first one are used. */
  readonly files: readonly TrackFile[]
  /** The paths of all its files, including duplicates of a quality. */
  readonly paths: readonly string[]
  /** The time when it arrived, in Unix milliseconds. */
  readonly added: number
  /** Additional metadata from its tags. */
  readonly extras: TrackExtras
}

export interface CataloguePlaylist {
  readonly id: string
  readonly name: string
  /** Names of genres, most frequent first. */
  readonly genres: readonly string[]
  /** The genre whose tracks it contains; `undefined` for a playlist file. */
  readonly genre: string | undefined
  readonly trackCount: number
  /** The id of the album whose cover it has. */
  readonly cover: string | undefined
  /** Unix milliseconds. */
  readonly updatedAt: number
}
