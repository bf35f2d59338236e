import type { TObject } from '@sinclair/typebox'
import * as resources from './resources.ts'

export * from './resources.ts'
export {
  extras, type TrackExtras, type AlbumExtras, type ArtistExtras, type PlaylistExtras
} from './extras.ts'

/** Every named schema of the contract, in the form for adapters. */
export const schemas: TObject[] = Object.values(resources)
