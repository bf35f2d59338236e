import { open } from 'node:fs/promises'
import { UpstreamError } from '../../contract/errors.ts'
import type { KeptFiles } from '../kept-files.ts'
import { isFile, type TranscodeInput } from './run-ffmpeg.ts'

/** MP4 may have at its end what the rest is read with. */
const isMp4 = (start: Uint8Array) => String(Buffer.from(start.subarray(4, 8))) === 'ftyp'

/**
 * An input that ffmpeg can read as it is: an MP4 that comes as bytes is written to a file first, which is gone when it
 * is closed.
 *
 * @param most bytes
 * @throws what the input throws; UpstreamError for a file that is larger
 */
export async function seekableInput (
  input: TranscodeInput, files: Pick<KeptFiles, 'begin' | 'drop'>, most: number, signal: AbortSignal
): Promise<TranscodeInput> {
  if (isFile(input)) return input
  const parts = input[Symbol.asyncIterator]()
  const first = await parts.next()
  const all = joined(first, parts)
  if (first.done || !isMp4(first.value)) return all
  const path = await files.begin()
  try {
    const handle = await open(path, 'wx+', 0o600)
    try {
      let bytes = 0
      for await (const part of all) {
        signal.throwIfAborted()
        bytes += part.length
        if (bytes > most) throw new UpstreamError('This file is too large to be converted')
        await handle.writeFile(part)
      }
      return { handle, path }
    } catch (error) {
      await handle.close()
      throw error
    }
  } finally {
    await files.drop(path)
  }
}

async function * joined (
  first: IteratorResult<Uint8Array>, parts: AsyncIterator<Uint8Array>
): AsyncGenerator<Uint8Array> {
  try {
    for (let part = first; !part.done; part = await parts.next()) yield part.value
  } finally {
    await parts.return?.()
  }
}
