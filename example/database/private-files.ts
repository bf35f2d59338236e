import { closeSync, existsSync, fchmodSync, openSync } from 'node:fs'

/**
 * Restricts an existing file to this user.
 *
 * @throws Error that names the file if it cannot be read and written
 */
export function refuseUnusable (file: string): void {
  if (existsSync(file)) makePrivate(file, 'r+')
}

/** Creates a file for this user only, or restricts an existing one. SQLite creates its log with the same mode. */
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
