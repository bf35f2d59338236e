import type { AudioFile } from '../scan/read-audio-file.ts'

export interface CatalogueArtist {
  readonly id: string
  readonly name: string
  readonly tracks: CatalogueTrack[]
  readonly albums: CatalogueAlbum[]
}

export interface CatalogueAlbum {
  readonly id: string
  readonly name: string
  readonly artist: CatalogueArtist
  /** In disc and track order. */
  readonly tracks: CatalogueTrack[]
}

export interface CatalogueTrack {
  readonly id: string
  readonly artists: readonly CatalogueArtist[]
  readonly album: CatalogueAlbum
  /** Best first, one for each quality; the first one's tags count. */
  readonly files: readonly AudioFile[]
  /** Paths of all its files, those that are no better than another too. */
  readonly paths: readonly string[]
  /** When it arrived: Unix time in milliseconds. */
  readonly added: number
}
