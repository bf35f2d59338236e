import type { AlbumExtras, ArtistExtras, TrackExtras } from 'fastify-source-origin'

/** An artist of the library. */
export interface CatalogueArtist {
  /** The key of its row. */
  readonly number: number
  readonly id: string
  readonly name: string
  /** Id of the album whose cover it has. */
  readonly cover: string
  /** What tags tell besides, the number of its albums, and all its roles. */
  readonly extras: ArtistExtras
}

export interface CatalogueAlbum {
  readonly number: number
  readonly id: string
  readonly name: string
  /** At least one. */
  readonly artists: readonly CatalogueArtist[]
  readonly trackCount: number
  /** What its tracks take together. */
  readonly durationMs: number
  /** Unix time in milliseconds, of the first track as the genre is. */
  readonly publishTime: number | null
  readonly genre: string | undefined
  /** When its last track arrived: Unix time in milliseconds. */
  readonly added: number
  /** What its tags tell besides. */
  readonly extras: AlbumExtras
}

/** A file of a track. */
export interface TrackFile {
  /** Relative to the music folder. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** For example flac. */
  readonly format: string
  /** Its codec, where browsers do not play it: for example alac. */
  readonly codec?: string | undefined
  readonly lossless: boolean
  /** bit/s; null = unknown. */
  readonly bitrate: number | null
}

export interface CatalogueTrack {
  readonly number: number
  readonly id: string
  readonly title: string
  readonly artists: readonly CatalogueArtist[]
  readonly album: CatalogueAlbum
  /** Number of its disc; 1 where nothing tells it. */
  readonly disc: number
  /** Its number on the disc. */
  readonly trackNumber: number | undefined
  readonly durationMs: number
  readonly genres: readonly string[]
  readonly year: number | undefined
  /** Best first, one for each quality; the tags of the first one count. */
  readonly files: readonly TrackFile[]
  /** Paths of all its files, those that are no better than another too. */
  readonly paths: readonly string[]
  /** When it arrived: Unix time in milliseconds. */
  readonly added: number
  /** What its tags tell besides. */
  readonly extras: TrackExtras
}

export interface CataloguePlaylist {
  readonly id: string
  readonly name: string
  /** Names of genres, the most frequent first. */
  readonly genres: readonly string[]
  /** The genre that it has all tracks of; `undefined` for a file that somebody made. */
  readonly genre: string | undefined
  readonly trackCount: number
  /** Id of the album whose cover it has. */
  readonly cover: string | undefined
  /** Unix time in milliseconds. */
  readonly updatedAt: number
}
