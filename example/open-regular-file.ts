import { constants, type Stats } from 'node:fs'
import { open, readlink, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { limitShare } from './limit-shares.ts'
import { isInside, resolveInside } from './resolve-inside.ts'

/** A file that is open for reading. Whoever asked for it closes the handle. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: Stats
  /** Real path of what was asked for. */
  readonly path: string
}

/** Without a writer, a FIFO would be waited for; the path has no links any more unless somebody swapped it. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** What `open` says of a path that is gone, is a link by now, or is a socket. */
const notThere = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'])

/**
 * Opens a file of the folder. What was opened is checked, not the path: a file that is swapped for a link meanwhile
 * does not lead out of the folder.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @param signal ends the wait for a share
 * @returns `undefined` for what does not exist, is elsewhere or is no regular file
 * @throws for a file that the system does not let us open; the reason of the signal
 */
export async function openRegularFile (
  root: string, path: string, signal?: AbortSignal
): Promise<OpenFile | undefined> {
  return limitShare(join(root, path), () => openInside(root, path), { signal })
}

async function openInside (root: string, path: string): Promise<OpenFile | undefined> {
  const real = await resolveInside(root, path)
  if (real === undefined) return undefined
  const handle = await open(real, flags).catch((error: NodeJS.ErrnoException) => {
    if (!notThere.has(error.code!)) throw error
  })
  if (!handle) return undefined
  let file: OpenFile | undefined
  try {
    const stats = await handle.stat()
    if (stats.isFile() && await wasInside(root, path, handle, stats)) file = { handle, stats, path: real }
  } finally {
    if (file === undefined) await handle.close()
  }
  return file
}

/**
 * Whether what was opened is in the folder. Linux tells where that is; elsewhere it has to be what the path leads to
 * now.
 */
export async function wasInside (
  root: string, path: string, { fd }: FileHandle, { dev, ino }: Stats
): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${fd}`).catch(() => undefined)
  if (opened !== undefined) return isInside(root, opened)
  const real = await resolveInside(root, path)
  const now = real && await stat(real).catch(() => undefined)
  return !!now && now.dev === dev && now.ino === ino
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
  const { handle, stats: { size }, path: real } = file
  try {
    if (size > most) return undefined
    // No more than this is read, even if the file grows.
    const { buffer, bytesRead } = await limitShare(real, () => handle.read(Buffer.alloc(size), 0, size, 0))
    return buffer.subarray(0, bytesRead)
  } finally {
    await limitShare(real, () => handle.close())
  }
}
