import artistOperations from './artist-detail.ts'
import albumOperations from './album-detail.ts'
import trackOperations from './track.ts'
import playlistOperations from './playlist.ts'
import toplistOperations from './toplist.ts'
import searchOperations from './search.ts'
import userOperations from './user.ts'

/** The summary, description, parameters and data of every operation, by the name of the adapter method. */
export const operationSchemas = {
  ...playlistOperations,
  ...toplistOperations,
  ...trackOperations,
  ...searchOperations,
  ...artistOperations,
  ...albumOperations,
  ...userOperations
}
