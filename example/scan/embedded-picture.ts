import type { IPicture } from 'music-metadata'
import { parseAudio } from './parse-audio.ts'
import { pictureOf, type Picture } from './picture-of.ts'

/** Reads the picture in an audio file: the front cover, if marked. Runs in a worker. */
export async function embeddedPicture (
  root: string, path: string, signal: AbortSignal
): Promise<Picture | undefined> {
  const metadata = await parseAudio(root, path, {}, signal)
  // Programs that write both sides may write the back cover first.
  const isFront = ({ type }: IPicture) => Number(type === 'Cover (front)')
  const pictures = metadata?.common.picture?.toSorted((a, b) => isFront(b) - isFront(a))
  return pictures?.map(({ data }) => pictureOf(data)).find(picture => picture !== undefined)
}
