import { setImmediate } from 'node:timers/promises'
import type { Track } from '../../../schemas/index.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import { isObject } from '../../options/is-object.ts'
import type { ValidOptions } from '../subsonic-options.ts'
import type { AnswerOf, RestSession } from '../session.ts'
import type { Items, ListedAlbum, SubsonicLibrary } from '../subsonic-library.ts'
import type { ItemIndex } from './item-index.ts'
import { ListingBuilder } from './listing-builder.ts'
import type { Listing, PlacedTrack } from './listing.ts'

type List<T> = Items<T> | (() => Items<T>)
type ListMethod = 'userArtists' | 'userAlbums' | 'userFavoriteTracks'

/** Items that are taken at a time: other requests wait for no more. */
const atATime = 100

const allKinds = new Set(['artists', 'albums', 'tracks'] as const)

/** Kinds whose items say nothing of favourites: the source lists those, or other accounts are shown the items too. */
export const listedKinds = (session: RestSession, isShared: boolean) => isShared ? allKinds : session.listed

/**
 * The library of a source that lists itself. Each step of it may take as long as a call of the adapter.
 *
 * @param placed its tracks, where it lists their ids
 * @throws TimeoutError; TypeError for what is no list
 */
export async function readWholeLibrary (
  session: RestSession, { library, tracksByIds, sharedLibrary }: ValidOptions, items: ItemIndex,
  placed: readonly PlacedTrack[] | undefined
): Promise<Listing> {
  const { timeout } = session
  const given: SubsonicLibrary =
    await withTimeout(() => library!(session.context, { signal: session.signal }), { timeout })
  const listed = listedKinds(session, sharedLibrary)
  const builder = new ListingBuilder(items, { listed, isWhole: true, areRead: tracksByIds !== undefined })
  const byAlbum = new Map<string, Pick<Track, 'id' | 'durationMs'>[]>()
  const read = async <M extends ListMethod>(
    method: M, list: List<unknown>, add: (items: AnswerOf<M>) => void, conform = (item: unknown) => item
  ) => {
    for await (const some of batchesOf(list, timeout)) add(session.usable(method, some.map(conform)))
  }
  /** What an album says of its tracks is noted: the contract has no such members. */
  const noteTracks = (given: unknown) => {
    if (placed === undefined || !isObject(given)) return given
    const { durationMs, artistIds = [], ...album } = given as unknown as ListedAlbum
    if (Number.isFinite(durationMs)) items.noteLength(album.id, durationMs!)
    builder.addCredits(album.id, artistIds)
    return album
  }
  await Promise.all([
    read('userArtists', given.artists, artists => builder.add({ artists })),
    read('userAlbums', given.albums, albums => builder.add({ albums }), noteTracks),
    placed === undefined && read('userFavoriteTracks', given.tracks!, tracks => {
      builder.add({ tracks })
      for (const { id, durationMs, album } of tracks) {
        const ofAlbum = byAlbum.get(album.id)
        if (ofAlbum === undefined) byAlbum.set(album.id, [{ id, durationMs }])
        else ofAlbum.push({ id, durationMs })
      }
    })
  ])
  for (const [id, ofAlbum] of byAlbum) items.noteWhole(id, ofAlbum)
  if (placed !== undefined) {
    for await (const some of batchesOf(given.facets ?? [], timeout)) builder.addFacets(some)
  }
  return builder.build(placed)
}

/**
 * The tracks of a source that lists their ids, each once.
 *
 * @throws TimeoutError; TypeError for what is no such list
 */
export async function readTrackIds (
  { context, signal, timeout }: RestSession, { trackIds }: ValidOptions
): Promise<ReadonlyMap<string, PlacedTrack>> {
  const given = await withTimeout(() => trackIds!(context, { signal }), { timeout })
  const placed = new Map<string, PlacedTrack>()
  for await (const some of batchesOf(given, timeout)) {
    for (const { albumId, trackIds } of some) {
      if (![albumId, ...trackIds].every(id => typeof id === 'string')) {
        throw new TypeError('trackIds must give albums as { albumId, trackIds }')
      }
      const album = { id: albumId }
      for (const [at, id] of trackIds.entries()) placed.set(id, { id, album, track: at + 1, disc: 1 })
    }
  }
  return placed
}

async function * batchesOf<T> (list: List<T>, timeout: number): AsyncGenerator<T[], void, undefined> {
  const given = typeof list === 'function' ? list() : list
  // The source may take out of its own list between two batches.
  const items = Array.isArray(given) ? [...given as T[]] : given
  // A time limit for each of many items takes longer than the items.
  const iterator = Symbol.iterator in Object(items) ? (items as Iterable<T>)[Symbol.iterator]() : undefined
  const slow = iterator ?? (items as AsyncIterable<T>)[Symbol.asyncIterator]()
  const next = () => iterator === undefined ? withTimeout(() => slow.next(), { timeout }) : iterator.next()
  let batch: T[] = []
  for (let item = await next(); !item.done; item = await next()) {
    if (batch.push(item.value) < atATime) continue
    yield batch
    batch = []
    await setImmediate()
  }
  yield batch
}
