import { forEachLimited } from '../async/limit-concurrency.ts'
import { NotFoundError } from '../contract/errors.ts'
import type { AdapterMethod } from '../contract/operations.ts'
import type { LibraryItems, LibraryKind, SourceLibrary } from '../contract/source-library.ts'
import { ArrayLibrary, mergeParts } from '../library/internal.ts'
import type { AskedSource } from './asked-source.ts'

/** Milliseconds for which lists of ids of such a library stay. */
const quarter = 15 * 60_000

/** Items that are asked for by their ids: at most in one call of the library, and at once. */
const byId = { most: 500, concurrency: 8 }

const none: ReadonlySet<LibraryKind> = new Set()

/** What answers an item by its id, and arguments after that. */
const details = { tracks: ['getTrackDetail'], albums: ['getAlbumDetail', 1], artists: ['getArtistDetail', 0] } as const

/**
 * The library of a source that has none: the favourites of the account and what the source shows to everybody, read
 * once for each request. It lists a part of the music, so what it lacks is asked for by its id.
 */
export function fallbackLibrary (source: AskedSource): SourceLibrary {
  const changedAt = Math.floor(Date.now() / quarter) * quarter
  const revision = source.context.revision ?? String(changedAt)
  const list = async (method: AdapterMethod): Promise<any[]> => source.has(method) ? source.askOwn(method) : []
  const readOnce = async () => {
    const [tracks, albums, artists, newTracks, topArtists] = await Promise.all(
      (['userFavoriteTracks', 'userAlbums', 'userArtists', 'getNewTracks', 'getTopArtists'] as const).map(list))
    const parts = [{ tracks, albums, artists }, { tracks: newTracks, artists: topArtists }]
    return new ArrayLibrary(mergeParts(parts as object[], none), { revision, changedAt }, false)
  }
  let made: ReturnType<typeof readOnce> | undefined
  const read = () => {
    made ??= readOnce().catch(error => {
      made = undefined
      throw error
    })
    return made
  }
  return {
    ids: async query => (await read()).ids(query),
    async items<K extends LibraryKind> (
      kind: K, ids: readonly string[], { signal }: { readonly signal: AbortSignal }
    ): Promise<(LibraryItems[K] | undefined)[]> {
      const found = [...(await read()).items(kind, ids)]
      const [method, ...more] = details[kind]
      if (!source.has(method)) return found
      const lacking = [...ids.keys()].filter(at => found[at] === undefined).slice(0, byId.most)
      await forEachLimited(lacking, byId.concurrency, async at => {
        signal.throwIfAborted()
        try {
          const { tracks, ...item } = Object(await source.askById(method, ids[at]!, more))
          if (item.id !== undefined) found[at] = item
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error
        }
      })
      return found
    },
    facets: async kind => (await read()).facets(kind),
    revision,
    changedAt
  }
}
