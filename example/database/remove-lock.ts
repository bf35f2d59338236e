import { rmSync } from 'node:fs'

/**
 * Removes the lock that a killed process has left beside a database. The driver creates a folder as a lock. Call it
 * only for a file in a data folder that this process has claimed.
 */
export const removeLock = (file: string): void => rmSync(`${file}.lock`, { recursive: true, force: true })
