import { signal } from '@preact/signals'
import type { Track } from '../../../client/index.ts'
import type { OwnAnswers } from '../../own-answers.ts'
import { isOwn } from './own.ts'
import { askOwn, isKept, source } from './sources.ts'
import { keep, recall } from './storage.ts'
import { pageOfTracks, tidyTrack } from './tidy.ts'

/** Tracks that are kept. */
const most = 200

/** What was heard here last, the latest first, each track once. */
export const heard = signal<readonly Track[]>([])
/** Under which name it is kept. */
let name = ''

/**
 * What this browser keeps of an account.
 *
 * @param fallback used when nothing is stored
 */
export function recallHeard (ofAccount: string, fallback: readonly Track[] = []): void {
  name = ofAccount
  const kept = recall(name, fallback)
  heard.value = (Array.isArray(kept) ? kept : []).map(tidyTrack)
}

/** Gives what brings it back, with what was heard since. */
export function forgetHeard (): () => void {
  const [before, ofAccount] = [heard.value, name]
  heard.value = []
  keep(name, [])
  return () => {
    if (name !== ofAccount) return
    const since = new Set(heard.value.map(({ id }) => id))
    heard.value = [...heard.value, ...before.filter(({ id }) => !since.has(id))].slice(0, most)
    if (isKept()) keep(name, heard.value)
  }
}

/** Some of a track was heard. */
export function addHeard (track: Track): void {
  if (heard.value[0]?.id === track.id) return
  // Another tab may have added some.
  recallHeard(name, heard.value)
  heard.value = [track, ...heard.value.filter(({ id }) => id !== track.id)].slice(0, most)
  if (isKept()) keep(name, heard.value)
}

/** What the account has heard, page by page; `about` says whether the source keeps that. */
export async function loadHistory (offset: number, signal?: AbortSignal) {
  const ask = async (from: number): Promise<OwnAnswers['GET plays']> =>
    isOwn(source.value) ? askOwn('GET plays', { offset: from }, signal) : {}
  for (let from = offset; ;) {
    const { items, limit = 0, hasMore = false } = await ask(from)
    from += limit
    // Where what was heard is gone it looks for as long as it takes.
    const isGone = items?.length === 0 && hasMore && limit > 0
    if (isGone) continue
    return { ...pageOfTracks({ items: items ?? [], limit: from - offset, hasMore }), about: items !== undefined }
  }
}
