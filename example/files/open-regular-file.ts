import type { Stats } from 'node:fs'
import { openFile, type OpenFile, type ReadableFile } from 'fastify-source-origin/media'
import { join } from 'node:path'
import { limitShare } from './limit-shares.ts'

/** A file that is open for reading, within the limits of its share. The caller must close the handle. */
export interface OpenedFile extends ReadableFile {
  readonly stats: Stats
  /** The real path of the file. */
  readonly path: string
}

/**
 * Opens a file of the folder with `openFile`, within the limits of its share.
 *
 * @param root The real path of the folder
 * @param path The path of the file, relative to the folder
 * @param signal Ends the wait for a share, for opening and for reading
 * @returns `undefined` if the file does not exist, is outside the folder or is not a regular file
 * @throws the error of the system if the file cannot be opened, or the reason of the signal
 */
export async function openRegularFile (
  root: string, path: string, signal?: AbortSignal
): Promise<OpenedFile | undefined> {
  const file = await limitShare(join(root, path), () => openFile(root, path), { signal })
  return file && limited(file, signal)
}

/** Limits the calls of an open file to its share. `close` also works after the signal is aborted. */
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
 * Reads a small file of the folder.
 *
 * @param most The maximum size of the file, in bytes
 * @returns `undefined` if the file is larger, or if `openRegularFile` returns `undefined`
 */
export async function readRegularFile (root: string, path: string, most: number): Promise<Buffer | undefined> {
  const file = await openRegularFile(root, path)
  if (file === undefined) return undefined
  const { handle, stats: { size } } = file
  try {
    if (size > most) return undefined
    // Bytes that are added to the file meanwhile are not read.
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await handle.read(buffer, 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
