import type { Track } from '../../../schemas/index.ts'

/** What lists of songs are chosen by: their own, and what their album says where they do not. */
export interface Facets {
  readonly genres: readonly string[]
  readonly year: number | undefined
}

/** A track of a library: all of it, or what is kept of one that the source reads by its id. */
export type ListedTrack = Track | KeptTrack

interface KeptTrack {
  readonly id: string
  readonly album: { readonly id: string }
  readonly facets: Facets
}
