import { constants, type Stats } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'

/** A file that is open for reading. The caller closes the handle, unless `sendFile` does. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: Stats
  /** The path that was opened; `openFile` returns it without links. */
  readonly path: string
}

/**
 * Without O_NONBLOCK, opening a FIFO would wait for a writer. The path contains no links, unless somebody replaced it
 * since.
 */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** Error codes of a path that does not exist, is invalid, is circular, became a link, or is a socket. */
const notThere = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

const orUndefined = (error: NodeJS.ErrnoException): undefined => {
  if (!notThere.has(error.code!)) throw error
}

/**
 * Opens a regular file in a folder; links are followed inside it only. The opened file is checked, not the path, so a
 * file that is replaced by a link cannot lead out of the folder. It uses one thread of Node.js at a time.
 *
 * @param path absolute, or relative to the folder
 * @returns `undefined` if the file does not exist, is outside the folder, or is not a regular file
 * @throws the system's error if the file cannot be opened
 */
export async function openFile (folder: string, path: string): Promise<OpenFile | undefined> {
  const root = await realpath(folder).catch(orUndefined)
  const real = root && await realpath(resolve(root, path)).catch(orUndefined)
  if (root === undefined || real === undefined || !isInside(root, real)) return undefined
  const handle = await open(real, flags).catch(orUndefined)
  if (!handle) return undefined
  let file: OpenFile | undefined
  try {
    const opened = { handle, stats: await handle.stat(), path: real }
    if (opened.stats.isFile() && await isOpenInside(root, opened)) file = opened
  } finally {
    if (file === undefined) await handle.close()
  }
  return file
}

/** The properties of an open file that identify its location. */
export interface Opened {
  readonly handle: Pick<FileHandle, 'fd'>
  readonly stats: Pick<Stats, 'dev' | 'ino'>
  readonly path: string
}

/**
 * Returns whether a file that you have opened is in a folder, wherever links in its path led. Linux reports the path of
 * an open file; elsewhere the path must still lead to the same file.
 *
 * @param root real path of the folder
 */
export async function isOpenInside (root: string, { handle, stats, path }: Opened): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
  if (opened !== undefined) return isInside(root, opened)
  const now = await stat(path).catch(() => undefined)
  return now?.dev === stats.dev && now.ino === stats.ino && isInside(root, await realpath(path))
}

/** Returns whether a real path is inside the folder. */
function isInside (root: string, real: string): boolean {
  const inside = relative(root, real)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
