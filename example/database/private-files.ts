import { closeSync, existsSync, fchmodSync, openSync } from 'node:fs'

/**
 * Makes a file that is there readable for this user alone.
 *
 * @throws Error that names the file, where it cannot be read and written
 */
export function refuseUnusable (file: string): void {
  if (existsSync(file)) makePrivate(file, 'r+')
}

/** Makes a file, or one that is there, readable for this user alone: SQLite gives its log the same mode. */
export function makePrivate (file: string, flags: 'a' | 'r+' = 'a'): void {
  const opened = openSync(file, flags, 0o600)
  try {
    fchmodSync(opened, 0o600)
  } catch {
    // Not every file system has modes, and the file may be another user's.
  } finally {
    closeSync(opened)
  }
}
