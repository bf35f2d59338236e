import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/** A name for comparing: the same name in other case, width or spacing is the same. */
export const plainName = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

/** An id made of what tells things apart. It stays the same as long as that does, wherever the files are. */
export const idOf = (...parts: readonly (string | number | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(typeof part === 'number' ? String(part) : part).update('\0')
  return hash.digest('hex').slice(0, 20)
}

/** An id made of the audio itself, for files whose tags do not tell them apart: its size, its beginning, middle and end. */
export async function idOfContent (file: string, size: number): Promise<string> {
  const length = 16 * 1024
  const handle = await open(file)
  try {
    const samples = await Promise.all([0, Math.floor(size / 2), Math.max(0, size - length)].map(async position => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
      return buffer.subarray(0, bytesRead)
    }))
    return idOf('content', size, ...samples)
  } finally {
    await handle.close()
  }
}
