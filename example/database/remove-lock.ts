import { rmSync } from 'node:fs'

/**
 * Removes the lock of a database that a killed process leaves: the driver locks with a folder. Call it only for a file
 * of a data folder that this process has claimed.
 */
export const removeLock = (file: string): void => rmSync(`${file}.lock`, { recursive: true, force: true })
