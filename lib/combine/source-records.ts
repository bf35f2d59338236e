import { extras } from '../../schemas/extras.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import type { Text } from '../library/internal.ts'
import { isObject } from '../options/is-object.ts'
import { urlExpiry } from '../text/url-expiry.ts'

const hasTexts = (record: Text, ...names: readonly string[]): boolean =>
  names.every(name => typeof record[name] === 'string')

/** The maximum length of an id. */
const longestId = 1024

const isNamed = (value: unknown): boolean =>
  isObject(value) && hasTexts(value, 'id', 'name') && String(value.id).length <= longestId

/** Returns whether lists can be made of an item of another source. */
export function isUsable (kind: LibraryKind, item: unknown): item is Text & { readonly id: string } {
  if (kind !== 'tracks') return isNamed(item)
  return isObject(item) && isNamed({ ...item, name: item.title }) && isNamed(item.album) &&
    Array.isArray(item.artists) && item.artists.every(isNamed)
}

/** Returns an item for the store. The URL of a cover that expires becomes `null`; artists of tracks have no covers. */
export function recordOf (item: Text): Text {
  const { album, artists, coverUrl } = item
  return {
    ...item,
    ...isObject(album) && { album: recordOf(album) },
    ...Array.isArray(artists) && { artists: artists.map(({ coverUrl, ...artist }) => artist) },
    ...coverUrl !== undefined && { coverUrl: urlExpiry(String(coverUrl)) === undefined ? coverUrl : null }
  }
}

/** Returns the item of a record, with its extras under their symbol. */
export function itemOf<K extends LibraryKind> (record: Text): LibraryItems[K]
export function itemOf ({ extras: more, ...record }: Text): object {
  const { album, artists } = record
  return {
    ...record,
    ...isObject(album) && { album: itemOf(album) },
    ...Array.isArray(artists) && { artists: artists.map(itemOf) },
    ...isObject(more) && { [extras]: more }
  }
}
