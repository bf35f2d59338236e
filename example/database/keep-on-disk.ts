import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { openSqlite, type Driver, type Sqlite } from './open-sqlite.ts'
import { makePrivate } from './private-files.ts'

/** Milliseconds between looks at the files. */
const checkEvery = 400
/** Looks that are left out after one that failed: to write all anew may take long. */
const leftOut = 25

/** A database that is open, whichever connection that is at the moment. */
export interface KeptSqlite {
  readonly current: Sqlite
  close (): void
}

/**
 * Opens a database that loses nothing when its files are deleted or replaced while it is open: what it has is written
 * anew then, and a file that took its place is kept. Whoever reads a database of the WASM build with another program
 * deletes its log, since that sees no lock.
 *
 * @param tell is given what has happened
 */
export function keepOnDisk (file: string, tell: (message: string) => void, driver?: Driver): KeptSqlite {
  const open = () => openSqlite(file, true, driver)
  let current = open()
  let known = identityOf(file)
  let isOpen = true
  let toLeaveOut = 0
  let failed = ''

  function check () {
    if (toLeaveOut-- > 0) return
    toLeaveOut = 0
    try {
      if (isOpen) {
        if (identityOf(file) === known || current.inTransaction) return
        copySqlite(current, `${file}.new`)
        isOpen = false
        current.close()
      }
      if (existsSync(`${file}.new`)) putInPlace(file, known)
      current = open()
      isOpen = true
      known = identityOf(file)
      failed = ''
      tell(`${file} or its log was deleted or replaced by another process: what it had was written anew`)
    } catch (error) {
      toLeaveOut = leftOut
      const { message } = error as Error
      if (message !== failed) tell(`${file} was deleted or replaced, and cannot be written anew: ${message}`)
      failed = message
    }
  }

  const checking = setInterval(check, checkEvery).unref()
  return {
    get current () { return current },
    close () {
      clearInterval(checking)
      toLeaveOut = 0
      check()
      if (isOpen) current.close()
    }
  }
}

/** Which files these are: another one of the same name has another number, and one that was deleted has none. */
const identityOf = (file: string): string =>
  [file, `${file}-wal`].map(part => statSync(part, { throwIfNoEntry: false })?.ino).join()

/** Puts a copy in the place of a database that is not open. */
function putInPlace (file: string, known: string): void {
  const isOther = existsSync(file) && identityOf(file).split(',')[0] !== known.split(',')[0]
  if (isOther) renameSync(file, `${file}.replaced-${Date.now()}`)
  for (const ending of ['-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
  renameSync(`${file}.new`, file)
}

/** Copies a database as it is now to a file, which is whole and on the disk then. A file of that name is replaced. */
function copySqlite (database: Sqlite, file: string): void {
  rmSync(file, { force: true })
  makePrivate(file)
  database.run('VACUUM INTO ?', [file])
  syncToDisk(file)
}

/** Waits until a file is on the disk. */
export function syncToDisk (file: string): void {
  const opened = openSync(file, 'r+')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
