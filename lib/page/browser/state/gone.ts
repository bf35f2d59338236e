import { signal } from '@preact/signals'
import { NotFoundError, SourceError } from '../../../contract/errors.ts'
import { reloads } from './history-entries.ts'
import { source } from './sources.ts'

/** Ids of tracks that the source does not have any more, as far as it was asked. */
export const gone = signal<ReadonlySet<string>>(new Set())

/** Returns a text for a track whose source is not available, else `false`. */
export const unavailable = signal((_id: string): string | false => false)

// They may be there again.
const forget = () => { gone.value = new Set() }
source.subscribe(forget)
reloads.subscribe(forget)

export function noteGone (id: string, isGone: boolean): void {
  const ids = new Set(gone.peek())
  if (isGone) ids.add(id)
  else ids.delete(id)
  gone.value = ids
}

/** Statuses of audio that say more than that it does not load: it is gone, or waiting helps. */
const telling = [404, 410, 503]

/** What a source says of audio that does not load; `undefined` where that says nothing. */
export async function refusalOf (url: string, signal: AbortSignal): Promise<unknown> {
  const sent = { signal, headers: { range: 'bytes=0-0' }, referrerPolicy: 'no-referrer' } as const
  // Another origin may not let the page ask.
  const response = await fetch(url, sent).catch(() => undefined)
  if (response === undefined || !telling.includes(response.status)) return response?.body?.cancel()
  if (response.status < 429) return new NotFoundError()
  const { message } = Object(await response.json().catch(() => ({})))
  return new SourceError(response.status, String(message ?? response.status))
}
