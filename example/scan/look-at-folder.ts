import { readdir, stat } from 'node:fs/promises'
import { limitShare } from '../files/limit-shares.ts'
import { inTime } from './in-time.ts'

/** What mount points have in them, and empty disks. */
export const isNothing = (name: string) => name.startsWith('.') || name === 'lost+found'

/**
 * Which folder is there: its device and inode.
 *
 * @param home the folder that had files in it: when it is that one, it was emptied
 * @throws when it is missing, cannot be read in time, or is empty and may be the mount point of a disk that is away
 */
export async function lookAtFolder (path: string, home: string | undefined): Promise<string> {
  const [{ dev, ino }, entries] = await inTime('list', async () =>
    [await limitShare(path, () => stat(path)), await limitShare(path, () => readdir(path))] as const)
  const folder = `${dev} ${ino}`
  if (entries.every(isNothing) && folder !== home) throw new Error(`there is nothing in ${path}`)
  return folder
}
