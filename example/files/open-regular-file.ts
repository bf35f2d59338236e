import type { Stats } from 'node:fs'
import { openFile, type OpenFile, type ReadableFile } from 'fastify-source-origin/media'
import { join } from 'node:path'
import { limitShare } from './limit-shares.ts'

/** A file that is open for reading, within the limits of its share. Whoever asked for it closes the handle. */
export interface OpenedFile extends ReadableFile {
  readonly stats: Stats
  /** Real path of what was asked for. */
  readonly path: string
}

/**
 * Opens a file of the folder, as `openFile` does.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @param signal ends the wait for a share, also of what is read
 * @returns `undefined` for what does not exist, is elsewhere or is no regular file
 * @throws for a file that the system does not let us open; the reason of the signal
 */
export async function openRegularFile (
  root: string, path: string, signal?: AbortSignal
): Promise<OpenedFile | undefined> {
  const file = await limitShare(join(root, path), () => openFile(root, path), { signal })
  return file && limited(file, signal)
}

/** An open file whose calls wait for its share. It is closed also when the signal is aborted. */
export function limited ({ handle, stats, path }: OpenFile, signal?: AbortSignal): OpenedFile {
  return {
    handle: {
      read: (...args) => limitShare(path, () => handle.read(...args), { signal }),
      close: () => limitShare(path, () => handle.close())
    },
    stats,
    path
  }
}

/**
 * The content of a small file of the folder.
 *
 * @param most bytes
 * @returns `undefined` for what cannot be opened that way (see `openRegularFile`) or is larger
 */
export async function readRegularFile (root: string, path: string, most: number): Promise<Buffer | undefined> {
  const file = await openRegularFile(root, path)
  if (file === undefined) return undefined
  const { handle, stats: { size } } = file
  try {
    if (size > most) return undefined
    // No more than this is read, even if the file grows.
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await handle.read(buffer, 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
