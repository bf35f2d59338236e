import type { IAudioMetadata, IOptions } from 'music-metadata'
import { openRegularFile } from '../files/open-regular-file.ts'
import { FileReader } from './file-reader.ts'
import { parseFile } from './parse-file.ts'
import { readFormat } from './read-format.ts'

/**
 * What music-metadata reads from an audio file of the folder, opened as `openRegularFile` does. For a worker.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @param signal ends the reading when it is aborted
 * @returns `undefined` for what cannot be opened that way
 * @throws for a file that is no audio or broken, or has more tags than `FileReader` reads
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
