import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { limitShare } from '../files/limit-shares.ts'
import { inTime } from './in-time.ts'

/** Returns whether a name occurs in empty mount points and on empty disks. */
export const isNothing = (name: string) => name.startsWith('.') || name === 'lost+found'

/**
 * Returns the identity of a folder. Systems reuse numbers of devices and inodes, so the birth time is included, if
 * known.
 */
export const folderId = ({ dev, ino, birthtimeMs }: Stats): string => `${dev} ${ino} ${birthtimeMs}`

/**
 * Returns the identity of the folder at a path.
 *
 * @param isEmptied whether the existing empty folder was emptied deliberately
 * @throws if it is missing, does not respond in time, or is empty and may be the mount point of an unavailable disk
 */
export async function checkFolder (path: string, isEmptied: (folder: string) => boolean): Promise<string> {
  const [stats, entries] = await inTime('list', async () =>
    [await limitShare(path, () => stat(path)), await limitShare(path, () => readdir(path))] as const)
  const folder = folderId(stats)
  if (entries.every(isNothing) && !isEmptied(folder)) throw new Error(`there is nothing in ${path}`)
  return folder
}
