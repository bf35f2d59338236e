import { signal } from '@preact/signals'
import type { Track } from '../../../client/index.ts'
import type { OwnAnswers } from '../../page-responses.ts'
import { isOwn } from './own.ts'
import { isKept } from './parked-accounts.ts'
import { source } from './saved-sources.ts'
import { askOwn } from './session.ts'
import { keep, recall } from './storage.ts'
import { pageOfTracks, tidyTrack } from './tidy.ts'

/** The maximum number of stored tracks. */
const maxPlays = 200

/** The tracks last played in this browser, newest first, each once. */
export const heard = signal<readonly Track[]>([])
/** The storage key. */
let name = ''

/**
 * Loads the stored tracks of an account.
 *
 * @param fallback used if nothing is stored
 */
export function recallHeard (ofAccount: string, fallback: readonly Track[] = []): void {
  name = ofAccount
  const kept = recall(name, fallback)
  heard.value = (Array.isArray(kept) ? kept : []).map(tidyTrack)
}

/** Clears the tracks. Returns a function that restores them, together with newer ones. */
export function forgetHeard (): () => void {
  const [before, ofAccount] = [heard.value, name]
  heard.value = []
  keep(name, [])
  return () => {
    if (name !== ofAccount) return
    const since = new Set(heard.value.map(({ id }) => id))
    heard.value = [...heard.value, ...before.filter(({ id }) => !since.has(id))].slice(0, maxPlays)
    if (isKept()) keep(name, heard.value)
  }
}

/** Adds a track of which a part was played. */
export function addHeard (track: Track): void {
  if (heard.value[0]?.id === track.id) return
  // Another tab may have added tracks.
  recallHeard(name, heard.value)
  heard.value = [track, ...heard.value.filter(({ id }) => id !== track.id)].slice(0, maxPlays)
  if (isKept()) keep(name, heard.value)
}

/** Loads the play history of the account page by page. `about` reports whether the source stores it. */
export async function loadHistory (offset: number, signal?: AbortSignal) {
  const ask = async (from: number): Promise<OwnAnswers['GET plays']> =>
    isOwn(source.value) ? askOwn('GET plays', { offset: from }, signal) : {}
  for (let from = offset; ;) {
    const { items, limit = 0, hasMore = false } = await ask(from)
    from += limit
    // Pages without existing tracks are skipped.
    const isGone = items?.length === 0 && hasMore && limit > 0
    if (isGone) continue
    return { ...pageOfTracks({ items: items ?? [], limit: from - offset, hasMore }), about: items !== undefined }
  }
}
