import { readdir, stat } from 'node:fs/promises'
import { limitShare } from '../limit-shares.ts'

/** What mount points have in them, and empty disks. */
export const isNothing = (name: string) => name.startsWith('.') || name === 'lost+found'

/**
 * Which folder is there: its device and inode.
 *
 * @param home the folder that had files in it: when it is that one, it was emptied
 * @throws when it is missing, cannot be read, or is empty and may be the mount point of a disk that is away
 */
export async function lookAtFolder (path: string, home: string | undefined): Promise<string> {
  const { dev, ino } = await limitShare(path, () => stat(path))
  const folder = `${dev} ${ino}`
  const entries = await limitShare(path, () => readdir(path))
  if (entries.every(isNothing) && folder !== home) throw new Error(`there is nothing in ${path}`)
  return folder
}
