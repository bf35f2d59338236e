import type { IAudioMetadata, IOptions } from 'music-metadata'
import { openRegularFile } from '../files/open-regular-file.ts'
import { FileReader } from './file-reader.ts'
import { parseFile } from './parse-file.ts'
import { readFormat } from './read-format.ts'

/**
 * Reads an audio file of the folder with music-metadata, opened as `openRegularFile` does. Runs in a worker.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @param signal aborts the reading
 * @returns `undefined` if it cannot be opened
 * @throws if the file is not audio, is damaged, or has more tags than `FileReader` reads
 */
export async function parseAudio (
  root: string, path: string, options: IOptions = {}, signal?: AbortSignal
): Promise<IAudioMetadata | undefined> {
  const file = await openRegularFile(root, path, signal)
  if (file === undefined) return undefined
  const reader = new FileReader(file, signal)
  try {
    await readFormat(reader)
    return await parseFile(reader, options)
  } finally {
    await reader.close()
  }
}
