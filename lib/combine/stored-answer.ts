import type { AdapterMethod } from '../contract/operations.ts'
import { lastFavourites, stored, type OrderedLibrary } from '../contract/ordered-library.ts'
import type { LibraryCall, LibraryItems, LibraryKind } from '../contract/source-library.ts'

/** A stored library responds without its source, so these calls are not aborted. */
const call: LibraryCall = { signal: new AbortController().signal }

/** Returns all items of a query. */
async function all<K extends 'albums' | 'tracks'> (
  library: OrderedLibrary, kind: K, query: { album?: string, artist?: string }
): Promise<LibraryItems[K][]> {
  const ids = await library.ids({ kind, ...query }, call) as readonly string[]
  return (await library.items(kind, ids, call)).filter(item => item !== undefined)
}

type Read = (library: OrderedLibrary, args: readonly any[]) => Promise<unknown>

const one = async <K extends LibraryKind>(library: OrderedLibrary, kind: K, id: string) =>
  (await library.items(kind, [id], call))[0]

/** Returns the last known favourites. */
const favourites = (kind: LibraryKind): Read => async library => {
  const ids = library[lastFavourites]?.(kind)
  return ids && (await library.items(kind, ids, call)).filter(item => item !== undefined)
}

/** Operations that a stored library can answer. The result is `undefined` if the library lacks the item. */
const reads: Partial<Record<AdapterMethod, Read>> = {
  userFavoriteTracks: favourites('tracks'),
  userAlbums: favourites('albums'),
  userArtists: favourites('artists'),
  getTrackDetail: (library, [id]) => one(library, 'tracks', id),
  async getAlbumDetail (library, [id, trackLimit]) {
    const album = await one(library, 'albums', id)
    const tracks = album && await all(library, 'tracks', { album: id })
    return album && { ...album, tracks: trackLimit === -1 ? tracks : tracks!.slice(0, trackLimit) }
  },
  async getArtistDetail (library, [id]) {
    const artist = await one(library, 'artists', id)
    return artist && { ...artist, tracks: [] }
  },
  async getArtistAlbums (library, [artist, offset, limit]) {
    const albums = await all(library, 'albums', { artist })
    return { items: albums.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < albums.length }
  }
}

/** Answers an operation from the stored library of an unavailable source. Returns `undefined` if it cannot. */
export async function storedAnswer (
  library: OrderedLibrary | undefined, method: AdapterMethod, args: readonly unknown[]
): Promise<unknown> {
  return library?.[stored] === true ? reads[method]?.(library, args) : undefined
}
