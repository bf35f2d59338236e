import { UnsupportedFeatureError } from '../contract/errors.ts'
import type { FavoriteItem } from '../contract/source-extras.ts'
import { readError } from '../errors/read-error.ts'
import type { SourceCalls } from './source-calls.ts'
import { findAll, named } from './find-all.ts'
import { takeBack } from './edit-playlist.ts'
import { rejectMany } from './max-ids.ts'

const methods = {
  track: 'favoriteTrack', album: 'favoriteAlbum', artist: 'favoriteArtist', playlist: 'favoritePlaylist'
} as const
const lists = { track: 'userFavoriteTracks', album: 'userAlbums', artist: 'userArtists' } as const

/**
 * Adds items to the favourites or removes them, atomically: by the source's own method, or by the methods of the
 * contract.
 *
 * @throws SourceError if the source does not support or rejects the change; NotFoundError that names a missing item
 */
export async function setFavorites (
  source: SourceCalls, items: readonly FavoriteItem[], status: boolean
): Promise<void> {
  rejectMany(items)
  if (source.has('setFavorites')) {
    await source.changeAtOnce('setFavorites', [items, status], answer => {
      const changed = Array.isArray(answer?.changed) ? answer.changed as readonly FavoriteItem[] : items
      return changed.map(({ kind, id }) => ({ operation: methods[kind], args: [id, status], id }))
    })
    return
  }
  const missing = items.find(({ kind }) => !source.has(methods[kind]))
  if (missing !== undefined) throw new UnsupportedFeatureError('This source does not offer that')
  const [first] = items
  if (items.length === 1) {
    await source.change(methods[first!.kind], first!.id, status)
    return
  }
  // If the client disconnected in the middle, the change would be incomplete.
  source.share()
  const shown = status ? await findAll(source, items) : new Map<FavoriteItem, boolean | undefined>()
  const before = await favoritesOf(source, items)
  const done: FavoriteItem[] = []
  try {
    await source.together(async () => {
      for (const item of items) {
        done.push(item)
        await named(item.id, source.change(methods[item.kind], item.id, status))
      }
    })
  } catch (error) {
    const { status: reason = 500 } = readError(error, [])
    // A rejected change was not made. After another error it may have been made.
    if (reason < 500) done.pop()
    const wasSo = (item: FavoriteItem) => before.get(item.kind)?.has(item.id) ?? shown.get(item)
    for (const { kind, id } of done.reverse().filter(item => wasSo(item) !== status)) {
      await takeBack(source, () => source.change(methods[kind], id, !status))
    }
    throw error
  }
}

/** Returns the favourites of the kinds that the source lists. */
async function favoritesOf (source: SourceCalls, items: readonly FavoriteItem[]) {
  const kinds = new Set(items.map(({ kind }) => kind).filter(kind => kind !== 'playlist'))
  const found = new Map<FavoriteItem['kind'], ReadonlySet<string>>()
  for (const kind of kinds) {
    const list = await source.readAgain(lists[kind])
    if (list !== undefined) found.set(kind, new Set(list.map(({ id }: { id: string }) => id)))
  }
  return found
}
