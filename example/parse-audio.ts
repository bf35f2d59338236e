import type { IAudioMetadata, IOptions } from 'music-metadata'
import { openRegularFile } from './open-regular-file.ts'
import { FileReader } from './scan/file-reader.ts'
import { tellFormat } from './scan/tell-format.ts'

/**
 * What music-metadata reads from an audio file of the folder, opened as `openRegularFile` does.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @returns `undefined` for what cannot be opened that way
 * @throws for a file that is no audio or broken, or has more tags than `FileReader` reads
 */
export async function parseAudio (
  root: string, path: string, options: IOptions = {}
): Promise<IAudioMetadata | undefined> {
  const file = await openRegularFile(root, path)
  if (file === undefined) return undefined
  const reader = new FileReader(file)
  try {
    await tellFormat(reader)
    const { parseFromTokenizer } = await import('music-metadata')
    return await parseFromTokenizer(reader, options)
  } finally {
    await reader.close()
  }
}
