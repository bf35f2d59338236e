import { statfsSync } from 'node:fs'

/** MB of the disk that the index leaves to others; its own log may take several of them before it is emptied. */
const leftFree = 16

/**
 * @param megabytes that are left free
 * @throws Error when there is no more room on the disk of a folder
 */
export function leaveRoom (folder: string, megabytes = leftFree): void {
  const { blocks, bavail, bsize } = statfsSync(folder)
  // A file system that does not tell has no blocks.
  if (blocks > 0 && bavail * bsize < megabytes * 2 ** 20) {
    throw new Error(`the disk is full: its last ${megabytes} MB are left to accounts (ENOSPC)`)
  }
}

/** Whether something could not be written since there is no room. */
export const isNoRoom = ({ message }: Error): boolean => /ENOSPC|EDQUOT|disk is full/.test(message)
