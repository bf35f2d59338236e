import type { FastifyBaseLogger } from 'fastify'
import type { LibraryStore } from 'fastify-source-origin/library'
import { setImmediate } from 'node:timers/promises'
import { join } from 'node:path'
import { reserveDiskSpace } from '../database/reserve-disk-space.ts'
import { openSqlite, removeFiles, type Sqlite, type Statement } from '../database/open-sqlite.ts'
import { removeLock } from '../database/remove-lock.ts'
import { isDamage } from '../database/index-errors.ts'

const day = 24 * 60 * 60 * 1000

/** The number of days after which an unused library is removed. */
const unusedDays = 7

/** The number of strings that one transaction removes, so that it does not block requests. */
const atATime = 1000

// A library refers to its copy only when the copy is complete.
const tables = `
  CREATE TABLE IF NOT EXISTS library (name TEXT PRIMARY KEY, copy INTEGER NOT NULL, used INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS text (
    copy INTEGER NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (copy, position)
  ) WITHOUT ROWID;`

function openTables (file: string): Sqlite {
  const database = openSqlite(file)
  database.exec(`PRAGMA synchronous = NORMAL; ${tables}`)
  return database
}

/**
 * Opens the file of the libraries of other servers in the data folder. A damaged file is replaced.
 *
 * @returns `undefined` if the file cannot be used; the libraries are then in memory
 */
export function openMirrors (dataDir: string, log: Pick<FastifyBaseLogger, 'warn'>): MirrorFile | undefined {
  const file = join(dataDir, 'mirrors.sqlite')
  try {
    reserveDiskSpace(dataDir)
    removeLock(file)
    try {
      return new MirrorFile(dataDir, openTables(file))
    } catch (error) {
      if (!isDamage(error as Error)) throw error
      log.warn({ err: error }, 'stored libraries damaged')
      removeFiles(file)
      return new MirrorFile(dataDir, openTables(file))
    }
  } catch (error) {
    log.warn({ err: error }, 'stored libraries unavailable')
    return undefined
  }
}

interface Row { readonly position: number, readonly text: string }

/** Ends a statement. Ignores the error of its last use, which the driver throws again. */
function finalize (statement: Statement): void {
  try {
    statement.finalize()
  } catch {}
}

/** The libraries of other servers, in a file of the data folder that can be deleted. */
class MirrorFile implements LibraryStore {
  readonly #dataDir: string
  readonly #database: Sqlite
  readonly #select: Statement
  readonly #between: Statement
  /** The copies that are being written. */
  readonly #writing = new Set<number>()
  #copy: number

  constructor (dataDir: string, database: Sqlite) {
    this.#dataDir = dataDir
    this.#database = database
    this.#select = database.prepare('SELECT text FROM text WHERE copy = ? AND position = ?')
    this.#between = database.prepare('SELECT position, text FROM text WHERE copy = ? AND position BETWEEN ? AND ?')
    this.#copy = this.#get('SELECT max(copy) AS copy FROM text')?.copy ?? 0
  }

  read (name: string, positions: readonly number[]): (string | undefined)[] {
    const library = this.#get('SELECT copy, used FROM library WHERE name = ?', name)
    if (library === undefined) return positions.map(() => undefined)
    const { copy, used } = library
    if (Date.now() - used > day) this.#run('UPDATE library SET used = ? WHERE name = ?', Date.now(), name)
    const last = (): number => this.#get('SELECT max(position) AS last FROM text WHERE copy = ?', copy)!.last
    const [first = 0] = positions
    // A single statement reads consecutive strings.
    if (positions.length > 1 && positions.every((position, at) => position === first + at)) {
      const rows = this.#between.all([copy, first, first + positions.length - 1]) as Row[]
      const texts = new Map(rows.map(({ position, text }) => [position, text]))
      return positions.map(position => texts.get(position))
    }
    return positions.map(position => {
      const at = position < 0 ? last() + 1 + position : position
      return (this.#select.all([copy, at]) as Row[])[0]?.text
    })
  }

  async replace (name: string, texts: AsyncIterable<readonly string[]>): Promise<void> {
    const copy = ++this.#copy
    const insert = this.#database.prepare('INSERT INTO text VALUES (?, ?, ?)')
    this.#writing.add(copy)
    try {
      let position = 0
      for await (const some of texts) {
        reserveDiskSpace(this.#dataDir)
        this.#transaction(() => { for (const text of some) insert.run([copy, position++, text]) })
      }
      this.#run('INSERT OR REPLACE INTO library VALUES (?, ?, ?)', name, copy, Date.now())
    } finally {
      finalize(insert)
      this.#writing.delete(copy)
      await this.#removeUnused()
    }
  }

  close (): void {
    for (const statement of [this.#select, this.#between]) statement.finalize()
    this.#database.close()
  }

  /** Removes unused libraries, and strings without a library, which a killed process leaves. */
  async #removeUnused (): Promise<void> {
    this.#run('DELETE FROM library WHERE used < ?', Date.now() - unusedDays * day)
    const copies = this.#database.all('SELECT DISTINCT copy FROM text WHERE copy NOT IN (SELECT copy FROM library)')
    for (const { copy } of copies) {
      if (this.#writing.has(copy)) continue
      const sql = `DELETE FROM text WHERE copy = ? AND position IN (
        SELECT position FROM text WHERE copy = ? LIMIT ${atATime})`
      while (Number(this.#database.run(sql, [copy, copy]).changes) > 0) await setImmediate()
    }
  }

  #get (sql: string, ...values: (string | number)[]): Record<string, any> | undefined {
    return this.#database.get(sql, values) ?? undefined
  }

  #run (sql: string, ...values: (string | number)[]): void { this.#database.run(sql, values) }

  #transaction (work: () => void): void {
    this.#database.exec('BEGIN')
    try {
      work()
      this.#database.exec('COMMIT')
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }
}
