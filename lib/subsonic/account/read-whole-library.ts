import type { Track } from '../../../schemas/index.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import type { CheckedOptions, SubsonicLibrary } from '../check-options.ts'
import type { Session } from '../session.ts'
import type { ItemIndex } from './item-index.ts'
import { Listing } from './listing.ts'

type Items<T> = Iterable<T> | AsyncIterable<T>
type ListMethod = 'userArtists' | 'userAlbums' | 'userFavoriteTracks'

const allKinds = new Set(['artists', 'albums', 'tracks'] as const)

/**
 * The library of a source that lists itself. Each step of it may take as long as a call of the adapter.
 *
 * @param isShared whether other accounts are shown it too: what is a favourite of one is none of theirs
 * @throws TimeoutError; TypeError for what is no list
 */
export async function readWholeLibrary (
  session: Session, library: NonNullable<CheckedOptions['library']>, items: ItemIndex, isShared: boolean
): Promise<Listing> {
  const { timeout } = session
  const given: SubsonicLibrary =
    await withTimeout(() => library(session.context, { signal: session.signal }), { timeout })
  const read = async <M extends ListMethod>(method: M, list: Items<unknown> | (() => Items<unknown>)) =>
    session.usable(method, await collect(list, timeout))
  const [artists, albums, tracks] = await Promise.all([
    read('userArtists', given.artists), read('userAlbums', given.albums), read('userFavoriteTracks', given.tracks)
  ])
  const byAlbum = new Map<string, Track[]>()
  for (const track of tracks) {
    const { id } = track.album
    byAlbum.get(id)?.push(track) ?? byAlbum.set(id, [track])
  }
  for (const [id, ofAlbum] of byAlbum) items.noteWhole(id, ofAlbum)
  return new Listing([{ artists, albums, tracks }], items, isShared ? allKinds : session.listed, true)
}

async function collect<T> (list: Items<T> | (() => Items<T>), timeout: number): Promise<T[]> {
  const items = typeof list === 'function' ? list() : list
  if (Symbol.iterator in Object(items)) return [...items as Iterable<T>]
  const iterator = (items as AsyncIterable<T>)[Symbol.asyncIterator]()
  const collected: T[] = []
  for (;;) {
    const { done, value } = await withTimeout(() => iterator.next(), { timeout })
    if (done) return collected
    collected.push(value)
  }
}
