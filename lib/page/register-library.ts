import { extras } from '../../schemas/extras.ts'
import type { Track } from '../../schemas/index.ts'
import { missingSources, stored, type OrderedLibrary } from '../contract/ordered-library.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import type { OwnRoute } from './page-routes.ts'

/** An item of a library without its extras, or any of its properties. */
type Described = Readonly<Record<string, unknown>>

const personal = new Set(['favorite', 'starred', 'userRating', 'playCount', 'played'])

const withoutPersonal = (properties: object): Described =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !personal.has(name)))

/** Returns an item without data of the account. The extras, which serializers drop, are a property of each item. */
function described (item: { readonly [extras]?: object | undefined }): Described {
  const { album, artists, ...others } = withoutPersonal(item) as Partial<Track>
  const more = item[extras]
  return {
    ...others,
    ...album && { album: described(album) },
    ...artists && { artists: artists.map(described) },
    ...more && { extras: withoutPersonal(more) }
  }
}

const describedItems = (items: readonly (LibraryItems[LibraryKind] | undefined)[]): Described[] =>
  items.filter(item => item !== undefined).map(described)

/** Adds the page's own route of the complete library, from which another source makes a copy. */
export function registerLibrary (route: OwnRoute): void {
  route('GET library', async ({ session, parameters: { kind, offset, limit, id } }) => {
    const library = await session.library()
    if (library === undefined) return unread(session.context.adapter.library)
    await library.prepare()
    const { revision, changedAt, missing } = library
    const state = { revision, changedAt, ...missing.length > 0 && { missing } }
    if (id !== undefined) return { ...state, items: describedItems(await library.items(kind, id)) }
    if (limit === 0) return state
    const list = library.list({ kind, ...kind === 'tracks' && { sort: 'album' } })
    await list.first(offset + limit + 1)
    return {
      ...state,
      items: describedItems(await library.items(kind, list.ids.slice(offset, offset + limit))),
      ...list.isWhole && { total: list.ids.length },
      hasMore: offset + limit < list.ids.length
    }
  })
}

/** Returns the state of a library that has no lists yet. It is empty without a library. */
function unread (library: OrderedLibrary | undefined): { readonly missing?: readonly string[] } {
  return library?.[stored] === false ? { missing: library[missingSources] ?? [] } : {}
}
