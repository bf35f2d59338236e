import { Type } from '@sinclair/typebox'
import { Count, named, Text } from '../../schemas/common.ts'
import type { LibrarySort } from './source-library.ts'

const sorts: Record<LibrarySort, true> =
  { name: true, artist: true, album: true, year: true, added: true, plays: true, played: true }

/** The schema of `LibraryFacets`. */
export const LibraryFacetsSchema = named('LibraryFacets', 'The filters and sort keys of a library', {
  total: Count('Number of items of the kind'),
  sorts: Type.Array(Type.Union(Object.keys(sorts).map(sort => Type.Literal(sort)))),
  letters: Type.Array(Text('Letter')),
  years: Type.Array(Type.Integer()),
  genres: Type.Array(Type.Object({ name: Text('Name'), tracks: Count('Tracks'), albums: Count('Albums') })),
  composers: Type.Optional(Type.Array(Type.Object({ name: Text('Name'), tracks: Count('Tracks') })))
})
