import type { AlbumExtras, TrackExtras } from '../../schemas/extras.ts'

/** What the page gets of an album or of tracks besides the contract. */
export interface ShownExtras {
  /** Those of the album, where it was one that was asked for. */
  readonly album?: AlbumExtras | undefined
  /** By the id of the track. Tracks without any are left out. */
  readonly tracks: Readonly<Record<string, TrackExtras>>
}
