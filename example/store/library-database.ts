import { strictEqual } from 'node:assert'
import { Kysely } from 'kysely'
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { libraryMigrations } from './library-tables.ts'
import { reasonOf } from './reason-of.ts'
import { migrateWhole, namesOfDone } from './open-database.ts'
import { filesOf, openSqlite, type Sqlite, type Statement, type Value } from './open-sqlite.ts'
import { dialectOf } from './sqlite-dialect.ts'

const name = 'library.sqlite'

/** Kilobytes of the file that are kept in memory. */
const cacheSize = 32_000
/** Bytes of the log that go to the file at a time, which waits for the disk twice. */
const largestLog = 1500 * 4096
/** Transactions that are committed together at most, so that no commit takes long. */
const mostWaiting = 8

/**
 * The database of the library. Statements are prepared once, and run without a promise: what a request reads is of one
 * moment, and a transaction is over before the next request is looked at.
 */
export class LibraryDatabase {
  /** Whether it is kept nowhere. */
  readonly isInMemory: boolean
  /** Called when a page of the file turns out to be damaged. Whoever reads it sets it first. */
  onDamage!: (error: Error) => void
  readonly #database: Sqlite
  /** None in memory. */
  readonly #file: string | undefined
  readonly #statements = new Map<string, Statement>()
  #waiting = 0

  private constructor (database: Sqlite, file?: string) {
    this.#database = database
    this.isInMemory = file === undefined
    this.#file = file
  }

  /** A library for which there is no room on the disk. */
  static async inMemory (): Promise<LibraryDatabase> {
    const database = openSqlite(':memory:')
    await migrate(database)
    return new LibraryDatabase(database)
  }

  /**
   * Opens the library of a folder. One that is damaged, or of a newer version, is made anew; the files are then read
   * again. That of a newer version is kept beside it.
   *
   * @param tell is told what is wrong with one
   * @throws when the folder cannot be written to, or the file cannot be used for another reason
   */
  static async open (dataDir: string, tell: (file: string, wrong: string) => void): Promise<LibraryDatabase> {
    const file = join(dataDir, name)
    mkdirSync(dataDir, { recursive: true })
    // The driver locks with a folder, which stays behind when the process is killed.
    rmSync(`${file}.lock`, { recursive: true, force: true })
    try {
      // The driver would not say why it cannot open a file.
      if (existsSync(file)) closeSync(openSync(file, 'r+'))
      return await LibraryDatabase.#openFile(file)
    } catch (error) {
      if (error instanceof NewerError) {
        const aside = `${file}.newer`
        renameSync(file, aside)
        tell(file, `is of a newer version (${error.message}): it is kept as ${aside}`)
      } else if (isDamage(error as Error)) tell(file, `is damaged (${(error as Error).message})`)
      else throw reasonOf(error as Error, file)
      return LibraryDatabase.makeAnew(dataDir)
    }
  }

  /** An empty library in place of the one of a folder, which nothing uses any more. */
  static makeAnew (dataDir: string): Promise<LibraryDatabase> {
    const file = join(dataDir, name)
    for (const part of filesOf(file)) rmSync(part, { recursive: true, force: true })
    return LibraryDatabase.#openFile(file)
  }

  static async #openFile (file: string): Promise<LibraryDatabase> {
    // A process that was killed leaves its log behind.
    const wasKilled = existsSync(`${file}-wal`)
    const database = openSqlite(file)
    try {
      // What a power cut takes is read again.
      database.exec(`
        PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${cacheSize}; PRAGMA wal_autocheckpoint = 0`)
      if (wasKilled) check(database)
      await migrate(database)
      const opened = new LibraryDatabase(database, file)
      opened.#tryTables()
      return opened
    } catch (error) {
      database.close()
      throw error
    }
  }

  all<Row = Record<string, Value>> (sql: string, ...values: Value[]): Row[] {
    return this.#use(sql, statement => statement.all(values) as Row[])
  }

  get<Row = Record<string, Value>> (sql: string, ...values: Value[]): Row | undefined {
    // A statement that has more rows would stay open.
    return this.all<Row>(sql, ...values)[0]
  }

  run (sql: string, ...values: Value[]): void {
    this.#use(sql, statement => statement.run(values))
  }

  /** Drops a table; statements that read it must not be used any more. */
  drop (table: string): void {
    this.#finalizeAll()
    this.#database.exec(`DROP TABLE ${table}`)
  }

  /**
   * All of it or nothing.
   *
   * @param isWaiting whether it may be committed with the next ones, since a commit costs as much as many changes;
   * whatever is read meanwhile has it already
   */
  transaction (work: () => void, isWaiting = false): void {
    try {
      if (!this.#database.inTransaction) {
        this.#emptyLog()
        this.#database.exec('BEGIN')
        this.#waiting = 0
      }
      work()
      if (!isWaiting || ++this.#waiting === mostWaiting) this.#database.exec('COMMIT')
    } catch (error) {
      // It has rolled back by itself when the disk is full, for example.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw reasonOf(error as Error, this.#file)
    }
  }

  /** Whether changes wait for their commit. */
  get isWaiting (): boolean {
    return this.#database.inTransaction
  }

  /** Whether the file was deleted; what is open stays until it is closed. */
  get isDeleted (): boolean {
    return this.#file !== undefined && !existsSync(this.#file)
  }

  /** Changes that wait for their commit have to be committed before. */
  close (): void {
    this.#finalizeAll()
    this.#database.close()
  }

  /** Not in the turn of a commit, as SQLite does it: both together would take long. */
  #emptyLog (): void {
    if (this.#file === undefined) return
    // One that was deleted is of no use when the process is killed.
    const size = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? Infinity
    if (size >= largestLog) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  #prepare (sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) this.#statements.set(sql, statement = this.#database.prepare(sql))
    return statement
  }

  #use<T> (sql: string, work: (statement: Statement) => T): T {
    try {
      return work(this.#prepare(sql))
    } catch (error) {
      this.#finalize(sql)
      if (isDamage(error as Error)) this.onDamage(error as Error)
      throw error
    }
  }

  #finalizeAll (): void {
    for (const sql of this.#statements.keys()) this.#finalize(sql)
  }

  #finalize (sql: string): void {
    const statement = this.#statements.get(sql)
    this.#statements.delete(sql)
    try {
      statement?.finalize()
    } catch {
      // The error of its last use comes again.
    }
  }

  /** Reads the beginning of each table and index: to read all of them would take as long as the library is large. */
  #tryTables (): void {
    const names = this.#database.all('SELECT name FROM sqlite_schema WHERE type = \'table\'')
    for (const { name } of names) this.#database.get(`SELECT * FROM "${name}" LIMIT 1`)
  }
}

async function migrate (database: Sqlite): Promise<void> {
  const db = new Kysely<any>({ dialect: dialectOf(database) })
  const newer = (await namesOfDone(db)).find(name => !Object.hasOwn(libraryMigrations, name))
  if (newer !== undefined) throw new NewerError(newer)
  await migrateWhole(db, libraryMigrations)
}

function check (database: Sqlite): void {
  const result = database.get('PRAGMA quick_check')!.quick_check
  strictEqual(result, 'ok', new DamagedError(String(result)))
}

class DamagedError extends Error {}
class NewerError extends Error {}

/** Whether the reason is what is in the file, and not a full disk, for example. */
const isDamage = (error: Error) => error instanceof DamagedError ||
  /EISDIR|malformed|not a database|unsupported file format|vtable constructor failed/.test(error.message)
