import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { limitShare } from '../files/limit-shares.ts'
import { inTime } from './in-time.ts'

/** What mount points have in them, and empty disks. */
export const isNothing = (name: string) => name.startsWith('.') || name === 'lost+found'

/** Which folder it is. Systems use numbers of devices and inodes again, so its birth counts too, where they tell it. */
export const folderId = ({ dev, ino, birthtimeMs }: Stats): string => `${dev} ${ino} ${birthtimeMs}`

/**
 * Which folder is there.
 *
 * @param isEmptied whether the one that is there, and has nothing in it, was emptied
 * @throws when it is missing, cannot be read in time, or is empty and may be the mount point of a disk that is away
 */
export async function checkFolder (path: string, isEmptied: (folder: string) => boolean): Promise<string> {
  const [stats, entries] = await inTime('list', async () =>
    [await limitShare(path, () => stat(path)), await limitShare(path, () => readdir(path))] as const)
  const folder = folderId(stats)
  if (entries.every(isNothing) && !isEmptied(folder)) throw new Error(`there is nothing in ${path}`)
  return folder
}
