import { Kysely } from 'kysely'
import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import { libraryMigrations } from './library-tables.ts'
import { reasonOf } from './reason-of.ts'
import { migrateWhole } from './open-database.ts'
import { filesOf, openSqlite } from './open-sqlite.ts'
import { dialectOf } from './sqlite-dialect.ts'

export type Value = string | number | null

const name = 'library.sqlite'

/** Kilobytes of the file that are kept in memory. */
const cacheSize = 32_000
/** Pages of the log that go to the file at a time, which waits for the disk twice. */
const largestLog = 1500
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
  readonly #database: sqlite.Database
  /** None in memory. */
  readonly #file: string | undefined
  readonly #statements = new Map<string, sqlite.Statement>()
  #waiting = 0

  private constructor (database: sqlite.Database, file?: string) {
    this.#database = database
    this.isInMemory = file === undefined
    this.#file = file
  }

  /** A library for which there is no room on the disk. */
  static async inMemory (): Promise<LibraryDatabase> {
    const database = new sqlite.Database(':memory:')
    await migrate(database)
    return new LibraryDatabase(database)
  }

  /**
   * Opens the library of a folder. One that is damaged is made anew; the files are then read again.
   *
   * @param onDamage is told of one that is damaged
   * @throws when the folder cannot be written to, or the file cannot be used for another reason
   */
  static async open (dataDir: string, onDamage: (file: string, error: Error) => void): Promise<LibraryDatabase> {
    const file = join(dataDir, name)
    mkdirSync(dataDir, { recursive: true })
    // The driver locks with a folder, which stays behind when the process is killed.
    rmSync(`${file}.lock`, { recursive: true, force: true })
    // The driver would not say why it cannot open a file.
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
    try {
      return await LibraryDatabase.#openFile(file)
    } catch (error) {
      if (error instanceof sqlite.SQLite3Error && !isDamage(error)) throw reasonOf(error, file)
      onDamage(file, error as Error)
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
    const [{ log }] = this.all<{ log: number }>('PRAGMA wal_checkpoint(NOOP)') as [{ log: number }]
    if (log >= largestLog) this.#database.exec('PRAGMA wal_checkpoint(RESTART)')
  }

  #prepare (sql: string): sqlite.Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) this.#statements.set(sql, statement = this.#database.prepare(sql))
    return statement
  }

  #use<T> (sql: string, work: (statement: sqlite.Statement) => T): T {
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

const migrate = (database: sqlite.Database) =>
  migrateWhole(new Kysely<any>({ dialect: dialectOf(database) }), libraryMigrations)

function check (database: sqlite.Database): void {
  const result = database.get('PRAGMA quick_check')?.quick_check
  if (result !== 'ok') throw new Error(String(result))
}

/** Whether the reason is what is in the file, and not a full disk, for example. */
const isDamage = ({ message }: Error) =>
  /Could not open|malformed|not a database|vtable constructor failed/.test(message)
