import { parseFromTokenizer, type IAudioMetadata, type IOptions } from 'music-metadata'
import { FileTokenizer } from 'strtok3'
import { openRegularFile, type OpenFile } from './open-regular-file.ts'

/** The library's own way opens a path, which may lead elsewhere by then. */
class OpenFileTokenizer extends FileTokenizer {
  constructor ({ handle, stats }: OpenFile, path: string) {
    super(handle, { fileInfo: { path, size: stats.size } })
  }
}

/**
 * What music-metadata reads from an audio file of the folder, opened as `openRegularFile` does.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @returns `undefined` for what cannot be opened that way
 * @throws for a file that is no audio or broken
 */
export async function parseAudio (
  root: string, path: string, options: IOptions = {}
): Promise<IAudioMetadata | undefined> {
  const file = await openRegularFile(root, path)
  if (file === undefined) return undefined
  const tokenizer = new OpenFileTokenizer(file, path)
  try {
    return await parseFromTokenizer(tokenizer, options)
  } finally {
    await tokenizer.close()
  }
}
