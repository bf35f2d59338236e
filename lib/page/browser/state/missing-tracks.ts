import { signal } from '@preact/signals'
import { NotFoundError, SourceError } from '../../../contract/errors.ts'
import { reloads } from './history-entries.ts'
import { source } from './saved-sources.ts'

/** The ids of tracks that the source has reported as missing. */
export const gone = signal<ReadonlySet<string>>(new Set())

/** Returns a message for a track whose source is unavailable, else `false`. */
export const unavailable = signal((_id: string): string | false => false)

// Missing tracks may be available again.
const forget = () => { gone.value = new Set() }
source.subscribe(forget)
reloads.subscribe(forget)

export function markMissing (id: string, isGone: boolean): void {
  const ids = new Set(gone.peek())
  if (isGone) ids.add(id)
  else ids.delete(id)
  gone.value = ids
}

/** Statuses of audio that explain a failure: the file is missing, or a retry may help. */
const telling = [404, 410, 503]

/** Returns the source's error for audio that does not load; `undefined` if the response explains nothing. */
export async function refusalOf (url: string, signal: AbortSignal): Promise<unknown> {
  const sent = { signal, headers: { range: 'bytes=0-0' }, referrerPolicy: 'no-referrer' } as const
  // Another origin may block the request.
  const response = await fetch(url, sent).catch(() => undefined)
  if (response === undefined || !telling.includes(response.status)) return response?.body?.cancel()
  if (response.status < 429) return new NotFoundError()
  const { message } = Object(await response.json().catch(() => ({})))
  return new SourceError(response.status, String(message ?? response.status))
}
