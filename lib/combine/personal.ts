import { extras } from '../../schemas/extras.ts'
import type { AdapterMethod } from '../contract/operations.ts'
import type { LibrarySort } from '../contract/source-library.ts'

/** Operations whose responses depend on the account at the source. */
export const personalMethods: ReadonlySet<AdapterMethod> =
  new Set<AdapterMethod>(['getToplist', 'getToplistTracks'])

/** Orders of a library that depend on the plays of the account. */
export const personalSorts: ReadonlySet<LibrarySort> = new Set<LibrarySort>(['plays', 'played'])

/** Operations that set or list favourites, by the schemas of the items. */
const favourites: Readonly<Record<string, readonly AdapterMethod[]>> = {
  Track: ['favoriteTrack', 'userFavoriteTracks'],
  Album: ['favoriteAlbum', 'userAlbums'],
  Artist: ['favoriteArtist', 'userArtists']
}

/**
 * Returns a function that removes personal properties from an item.
 *
 * @param has whether the account may call an operation of the source
 * @param isShared whether the login at the source belongs to another person
 */
export function removePersonal (
  has: (method: AdapterMethod) => boolean, isShared: boolean
): ((object: any, schema: string) => void) | undefined {
  const kept = new Set(Object.keys(favourites).filter(schema => favourites[schema]!.some(has)))
  if (kept.size === Object.keys(favourites).length && !isShared) return undefined
  return (object, schema) => {
    if (schema in favourites && !kept.has(schema)) delete object.favorite
    if (!isShared) return
    if (schema === 'Playlist') delete object.playCount
    const { starred, played, playCount, ...more } = object[extras] ?? {}
    if (object[extras] !== undefined) object[extras] = more
  }
}
