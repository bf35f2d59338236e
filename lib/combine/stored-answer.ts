import type { AdapterMethod } from '../contract/operations.ts'
import { lastFavourites, stored, type OrderedLibrary } from '../contract/ordered-library.ts'
import type { LibraryCall, LibraryItems, LibraryKind } from '../contract/source-library.ts'

/** Nobody waits longer for what is stored. */
const call: LibraryCall = { signal: new AbortController().signal }

/** The items of a library in memory: all that a query names. */
async function all<K extends 'albums' | 'tracks'> (
  library: OrderedLibrary, kind: K, query: { album?: string, artist?: string }
): Promise<LibraryItems[K][]> {
  const ids = await library.ids({ kind, ...query }, call) as readonly string[]
  return (await library.items(kind, ids, call)).filter(item => item !== undefined)
}

type Read = (library: OrderedLibrary, args: readonly any[]) => Promise<unknown>

const one = async <K extends LibraryKind>(library: OrderedLibrary, kind: K, id: string) =>
  (await library.items(kind, [id], call))[0]

/** The favourites that were read last. */
const favourites = (kind: LibraryKind): Read => async library => {
  const ids = library[lastFavourites]?.(kind)
  return ids && (await library.items(kind, ids, call)).filter(item => item !== undefined)
}

/** What operations answer from a stored library; `undefined` where it does not have that. */
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

/** What a source that does not answer has in its stored library; `undefined` for what is not there. */
export async function storedAnswer (
  library: OrderedLibrary | undefined, method: AdapterMethod, args: readonly unknown[]
): Promise<unknown> {
  return library?.[stored] === true ? reads[method]?.(library, args) : undefined
}
