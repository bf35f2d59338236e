import { forEachLimited } from '../async/limit-concurrency.ts'
import { NotFoundError, SourceError } from '../contract/errors.ts'
import type { FavoriteItem } from '../contract/source-extras.ts'
import { readError } from '../errors/read-error.ts'
import type { SourceCalls } from './source-calls.ts'
import { notFound } from '../text/not-found.ts'

/** The number of concurrent calls of the adapter. */
const concurrency = 4

const details = {
  track: 'getTrackDetail', album: 'getAlbumDetail', artist: 'getArtistDetail', playlist: 'getPlaylistDetail'
} as const

/**
 * Checks that items exist before a change, if the source has their detail operations.
 *
 * @returns the favourite state of each item that was found
 * @throws NotFoundError that names the first missing item
 */
export async function findAll (
  source: SourceCalls, items: readonly FavoriteItem[]
): Promise<ReadonlyMap<FavoriteItem, boolean | undefined>> {
  const found = new Map<FavoriteItem, boolean | undefined>()
  await forEachLimited(items, concurrency, async item => {
    const { kind, id } = item
    try {
      const shown = kind === 'track'
        ? await source.readAgain(details[kind], id)
        : await source.readAgain(details[kind], id, 0)
      found.set(item, (shown as { favorite?: boolean } | undefined)?.favorite)
    } catch (error) {
      if (readError(error, []).status !== 404) throw error
      throw new NotFoundError(notFound(kind, id))
    }
  })
  return found
}

/** Adds the id to the message of a rejected change. */
export async function named<T> (id: string, change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    if (!(error instanceof SourceError) || error.message.includes(id)) throw error
    const { status, message, code, retryAfterSeconds } = error
    throw new SourceError(status, `${message}: ${id}`, { code, retryAfterSeconds, cause: error })
  }
}
