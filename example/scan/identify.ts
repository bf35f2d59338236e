import { createHash } from 'node:crypto'
import type { FileReader } from './file-reader.ts'

/**
 * Returns a normalised name for comparison: case, width, spacing, and variants of apostrophes and hyphens do not
 * matter. A zero-width joiner counts as a space, since many users type a space instead.
 */
export const plainName = (name: string): string => name.normalize('NFKC').toLowerCase()
  .replace(/[\u2018\u2019\u02bc\u00b4`]/g, "'").replace(/[\u2010-\u2013\u2212]/g, '-')
  .replace(/[\s\u200c\u200d]+/g, ' ').trim()

/** Returns an id derived from identifying values. It is stable while they are, wherever the files are. */
export const idOf = (...parts: readonly (string | number | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(typeof part === 'number' ? String(part) : part).update('\0')
  return hash.digest('hex').slice(0, 20)
}

/** Returns the id of an artist. */
export const artistId = (name: string): string => idOf('artist', plainName(name))

/**
 * Returns an id derived from the audio of files that tags do not identify: from its size, beginning, middle and end.
 */
export async function idOfContent (reader: FileReader): Promise<string> {
  const length = 16 * 1024
  const { size } = reader.fileInfo
  const samples = []
  for (const at of [0, Math.floor(size / 2), Math.max(0, size - length)]) samples.push(await reader.read(at, length))
  return idOf('content', size, ...samples)
}
