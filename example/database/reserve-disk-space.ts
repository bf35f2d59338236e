import { statfsSync } from 'node:fs'

/** The free disk space that the index leaves to other files, in MiB. Its log may use several MiB of that. */
const leftFree = 16

/**
 * Checks the free disk space.
 *
 * @param folder A folder on the disk
 * @param megabytes The required free space in MiB. Default: 16.
 * @throws Error if the disk has less free space
 */
export function reserveDiskSpace (folder: string, megabytes = leftFree): void {
  const { blocks, bavail, bsize } = statfsSync(folder)
  // File systems that do not report their size have 0 blocks.
  if (blocks > 0 && bavail * bsize < megabytes * 2 ** 20) {
    throw new Error(`the disk is full: its last ${megabytes} MB are left to accounts (ENOSPC)`)
  }
}

/** Checks whether a write has failed because the disk or a quota is full. */
export const isNoRoom = ({ message }: Error): boolean => /ENOSPC|EDQUOT|disk is full/.test(message)
