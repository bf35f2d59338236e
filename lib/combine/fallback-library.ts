import type { AdapterMethod } from '../contract/operations.ts'
import type { LibraryItems, LibraryKind, SourceLibrary } from '../contract/source-library.ts'
import { ArrayLibrary, mergeParts } from '../library/internal.ts'
import type { AskedSource } from './asked-source.ts'

/** Milliseconds for which lists of ids of such a library stay. */
const quarter = 15 * 60_000

const none: ReadonlySet<LibraryKind> = new Set()

/**
 * The library of a source that has none, made by three calls for each request: the favourites of the account, else
 * what it shows to everybody.
 */
export function fallbackLibrary (source: AskedSource): SourceLibrary {
  const changedAt = Math.floor(Date.now() / quarter) * quarter
  const revision = source.context.revision ?? String(changedAt)
  const list = async (method: AdapterMethod): Promise<any[]> => source.has(method) ? source.askOwn(method) : []
  const readOnce = async () => {
    const [tracks, albums, artists] =
      await Promise.all([list('userFavoriteTracks'), list('userAlbums'), list('userArtists')])
    const isEmpty = [tracks, albums, artists].every(({ length }) => length === 0)
    const part = isEmpty
      ? { tracks: await list('getNewTracks'), artists: await list('getTopArtists') }
      : { tracks, albums, artists }
    return new ArrayLibrary(mergeParts([part], none), { revision, changedAt }, false)
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
    items: async <K extends LibraryKind>(kind: K, ids: readonly string[]): Promise<(LibraryItems[K] | undefined)[]> =>
      (await read()).items(kind, ids),
    facets: async kind => (await read()).facets(kind),
    revision,
    changedAt
  }
}
