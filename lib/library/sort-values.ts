import { extras } from '../../schemas/extras.ts'
import type { Album, Track } from '../../schemas/index.ts'
import type { LibraryItems, LibraryKind, LibraryQuery } from '../contract/source-library.ts'
import { compareKeys, sortKey, withoutArticle } from '../text/names.ts'
import { timeOf, timeOfTrack, yearOf, yearOfTrack } from './item-fields.ts'

type Item = LibraryItems[LibraryKind]

/** The primary sort value of an item, and its name for equal values. */
interface SortValue { readonly first: string | number | undefined, readonly name: string }

const isTrack = (item: Item): item is Track => 'title' in item

function nameOf (kind: LibraryKind, item: Item): string {
  if (isTrack(item)) return sortKey(item.title)
  return sortKey(kind === 'artists' ? withoutArticle(item.name) : item.name)
}

const artistOf = (album: Album) => album.artistName ?? album[extras]?.artists?.[0]?.name ?? ''

/** Returns the sort value of an item for a query (docs/reference/library.md, Queries). */
export function sortValueOf ({ kind, sort = 'name' }: LibraryQuery, item: Item): SortValue {
  const name = nameOf(kind, item)
  const album = isTrack(item) ? item.album : item as Album
  switch (sort) {
    case 'name': return { first: name, name: '' }
    case 'artist': return { first: sortKey(withoutArticle(artistOf(album))), name }
    case 'album': return { first: sortKey(album.name), name: '' }
    case 'year': return { first: isTrack(item) ? yearOfTrack(item) : yearOf(album), name }
    case 'added': return { first: isTrack(item) ? timeOfTrack(item) : timeOf(album), name }
    case 'plays': return { first: (item as Album)[extras]?.playCount, name }
    case 'played': return { first: (item as Album)[extras]?.played, name }
  }
}

/** Compares two values in the order of a query. Items without a value are last in either direction. */
export function compareValues (
  { sort, order }: LibraryQuery, a: SortValue, b: SortValue
): number {
  const sign = order === 'desc' ? -1 : 1
  if (a.first === b.first) return (sort === 'artist' ? sign : 1) * compareKeys(a.name, b.name)
  if (a.first === undefined || b.first === undefined) return a.first === undefined ? 1 : -1
  return sign * compareKeys(a.first, b.first)
}
