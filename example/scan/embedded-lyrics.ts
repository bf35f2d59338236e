import type { IAudioMetadata } from 'music-metadata'
import { parseAudio } from './parse-audio.ts'
import { TagValues } from './tag-values.ts'

/** Reads the lyrics in the tags of a file, as LRC if they have times. Runs in a worker. */
export async function embeddedLyrics (root: string, path: string, signal: AbortSignal): Promise<string> {
  const metadata = await parseAudio(root, path, { skipCovers: true }, signal)
  const texts = metadata?.common.lyrics ?? []
  // The types promise times, but most tags have none.
  const timed = texts.find(({ syncText }) => syncText?.some(({ text }) => text.trim() !== ''))
  return timed === undefined
    ? texts.find(({ text }) => text?.trim())?.text ?? otherLyrics(metadata)
    : timed.syncText.map(({ timestamp = 0, text }) => `[${lrcTime(timestamp)}]${text.trim()}`).join('\n')
}

/** Reads lyrics from tags whose names music-metadata does not know. */
function otherLyrics (metadata: IAudioMetadata | undefined): string {
  return new TagValues({ ...metadata?.native }).first('SYNCEDLYRICS', 'LYRICS', 'UNSYNCEDLYRICS')
}

function lrcTime (milliseconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(milliseconds / 60_000)}:${two(milliseconds / 1000 % 60)}.${two(milliseconds % 1000 / 10)}`
}
