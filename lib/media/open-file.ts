import { constants, type Stats } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'

/** A file that is open for reading. Whoever asked for it closes the handle, unless `sendFile` has it. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: Stats
  /** That it was opened by; of `openFile`, without links. */
  readonly path: string
}

/** Without a writer, a FIFO would be waited for; the path has no links any more unless somebody swapped it. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** What the system says of a path that is gone, is no path, leads in a circle, is a link by now, or is a socket. */
const notThere = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

const orUndefined = (error: NodeJS.ErrnoException): undefined => {
  if (!notThere.has(error.code!)) throw error
}

/**
 * Opens a regular file in a folder; links are followed inside it only. What was opened is checked, not the path: a file
 * that is swapped for a link meanwhile does not lead out of the folder. It uses one thread of Node.js at a time.
 *
 * @param path absolute, or relative to the folder
 * @returns `undefined` for what does not exist, is elsewhere or is no regular file
 * @throws for a file that the system does not let us open
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

/** What of a file tells where it is. */
export interface Opened {
  readonly handle: Pick<FileHandle, 'fd'>
  readonly stats: Pick<Stats, 'dev' | 'ino'>
  readonly path: string
}

/**
 * Whether a file that you have opened yourself is in a folder, wherever links in its path led by then. Linux tells
 * where an open file is; elsewhere it has to be what the path leads to now.
 *
 * @param root real path of the folder
 */
export async function isOpenInside (root: string, { handle, stats, path }: Opened): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
  if (opened !== undefined) return isInside(root, opened)
  const now = await stat(path).catch(() => undefined)
  return now?.dev === stats.dev && now.ino === stats.ino && isInside(root, await realpath(path))
}

/** Whether a real path is that of something in the folder. */
function isInside (root: string, real: string): boolean {
  const inside = relative(root, real)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
