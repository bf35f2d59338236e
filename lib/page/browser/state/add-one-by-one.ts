import type { SourceError } from '../../../contract/errors.ts'
import type { Playlist, SourceClient, Track } from '../../../client/index.ts'
import { text } from '../texts/index.ts'
import { explain } from './explain.ts'
import { say } from './notices.ts'

/**
 * Removes copies of tracks from a playlist of another source, which removes every copy.
 *
 * @param left the ids of the tracks that stay
 */
export async function removeCopies (
  client: SourceClient, id: string, gone: readonly string[], left: readonly string[]
): Promise<boolean> {
  let isDone = true
  for (const track of new Set(gone)) {
    isDone = (await client.removeTrack(id, track)).success && isDone
    for (const copy of left) {
      if (copy === track) isDone = (await client.addTrackToPlaylist(id, copy)).success && isDone
    }
  }
  return isDone
}

/**
 * Adds all tracks to a playlist of another source, or none.
 *
 * @param stored the ids of the tracks before
 */
export async function addOneByOne (
  client: SourceClient, { id, name }: Pick<Playlist, 'id' | 'name'>, tracks: readonly Track[],
  stored: readonly string[]
): Promise<boolean> {
  const tried: string[] = []
  const takeBack = (ids: readonly string[]) => removeCopies(client, id, ids, stored).catch(() => false)
  for (const track of tracks) {
    let reason = text('refused')
    let isRefused = true
    try {
      if ((await client.addTrackToPlaylist(id, track.id)).success) {
        tried.push(track.id)
        continue
      }
    } catch (error) {
      reason = explain(error)
      // Without a response, or after a timeout, the change may have been made.
      isRefused = (error as Partial<SourceError>).status! < 500
    }
    if (!isRefused && !tried.includes(track.id)) await takeBack([track.id])
    const isWhole = await takeBack(tried.reverse())
    say(text(isWhole ? 'notAdded' : 'partAdded', { name, reason: `${track.title}: ${reason}` }), true)
    return false
  }
  return true
}
