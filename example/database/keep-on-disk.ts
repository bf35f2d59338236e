import type { FastifyBaseLogger } from 'fastify'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { openSqlite, type Driver, type Sqlite } from './open-sqlite.ts'
import { makePrivate } from './private-files.ts'

/** The interval of the checks of the files, in milliseconds. */
const checkEvery = 400
/** The number of checks to skip after a failed one, since writing the complete database may take long. */
const leftOut = 25

/** An open database whose connection may be replaced. */
export interface KeptSqlite {
  readonly current: Sqlite
  close (): void
}

/**
 * Opens a database that loses no data if its files are deleted or replaced while it is open. It then writes all data to
 * new files, and renames a file that has replaced the database. Another program that reads a database of the WASM build
 * deletes the log, because it does not see the lock.
 *
 * @param log Receives an event when files were rewritten, or could not be
 */
export function keepOnDisk (file: string, log: Pick<FastifyBaseLogger, 'warn'>, driver?: Driver): KeptSqlite {
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
      log.warn({ path: file }, 'database files restored')
    } catch (error) {
      toLeaveOut = leftOut
      const { message } = error as Error
      if (message !== failed) log.warn({ path: file, reason: message }, 'database files not restored')
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

/** Returns the inode numbers of the database and its log. A replaced or deleted file changes the result. */
const identityOf = (file: string): string =>
  [file, `${file}-wal`].map(part => statSync(part, { throwIfNoEntry: false })?.ino).join()

/** Replaces a closed database by its copy. A file of another process is renamed first. */
function putInPlace (file: string, known: string): void {
  const isOther = existsSync(file) && identityOf(file).split(',')[0] !== known.split(',')[0]
  if (isOther) renameSync(file, `${file}.replaced-${Date.now()}`)
  for (const ending of ['-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
  renameSync(`${file}.new`, file)
}

/** Copies the current state of a database to a file and flushes it to the disk. Replaces an existing file. */
function copySqlite (database: Sqlite, file: string): void {
  rmSync(file, { force: true })
  makePrivate(file)
  database.run('VACUUM INTO ?', [file])
  syncToDisk(file)
}

/** Flushes a file to the disk. */
export function syncToDisk (file: string): void {
  const opened = openSync(file, 'r+')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
