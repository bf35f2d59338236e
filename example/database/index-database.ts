import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDamage } from './index-errors.ts'
import { reserveDiskSpace } from './reserve-disk-space.ts'
import { removeFiles, type Sqlite, type Statement, type Value } from './open-sqlite.ts'
import { reasonOf } from './reason-of.ts'

/** The size of the write-ahead log, in bytes, that starts a checkpoint. A checkpoint waits for the disk twice. */
const largestLog = 1500 * 4096
/** The maximum number of transactions that are committed together, so that a commit stays short. */
const mostWaiting = 8

/** Runs statements that only read. */
export interface IndexReader extends Pick<IndexDatabase, 'all' | 'get'> {
  /** If `true`, it contains only a part of the library, so items that a search finds may be missing from it. */
  readonly isPart?: boolean
}

/**
 * The database of the library. Statements are prepared once and run synchronously. So a request reads a consistent
 * state, and a transaction ends before the next request begins.
 */
export class IndexDatabase {
  /** Called when a page of the file is found to be damaged. Must be set before the first read. */
  onDamage!: (error: Error) => void
  #database: Sqlite
  /** The path of the database file; `undefined` for a database in memory. */
  #file: string | undefined
  readonly #statements = new Map<string, Statement>()
  #waiting = 0

  /** @param file The path of the database file; omit it for a database in memory */
  constructor (database: Sqlite, file?: string) {
    this.#database = database
    this.#file = file
  }

  all<Row = Record<string, Value>> (sql: string, ...values: Value[]): Row[] {
    return this.#use(sql, statement => statement.all(values) as Row[])
  }

  get<Row = Record<string, Value>> (sql: string, ...values: Value[]): Row | undefined {
    // `all` is used because a statement that is not read to its last row would stay open.
    return this.all<Row>(sql, ...values)[0]
  }

  run (sql: string, ...values: Value[]): void {
    this.#use(sql, statement => statement.run(values))
  }

  /**
   * Runs `work` in a transaction, and rolls it back if `work` throws.
   *
   * @param isWaiting If `true`, the changes may be committed together with the next transactions, since a commit costs
   * as much as many changes. Reads see the changes before the commit.
   */
  transaction (work: () => void, isWaiting = false): void {
    try {
      if (!this.#database.inTransaction) {
        this.leaveRoom()
        this.#emptyLog()
        this.#database.exec('BEGIN')
        this.#waiting = 0
      }
      work()
      if (!isWaiting || ++this.#waiting === mostWaiting) this.#database.exec('COMMIT')
    } catch (error) {
      // SQLite has already rolled back after some errors, such as a full disk.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw reasonOf(error as Error, this.#file)
    }
  }

  /** `true` if changes wait for their commit. */
  get isWaiting (): boolean {
    return this.#database.inTransaction
  }

  /** `true` if the database is not stored in a file. */
  get isInMemory (): boolean {
    return this.#file === undefined
  }

  /** @throws Error if the disk has only the space left that is reserved for other files */
  leaveRoom (): void {
    if (this.#file !== undefined) reserveDiskSpace(dirname(this.#file))
  }

  /**
   * Replaces the file by a database in memory. Existing references to this object then use that database.
   *
   * @param isFull If `true`, the files are removed, because the disk is full
   */
  become (memory: IndexDatabase, isFull: boolean): void {
    this.close()
    if (isFull) removeFiles(this.#file!)
    this.#database = memory.#database
    this.#file = undefined
  }

  /** `true` if the file was deleted. The open database still works until it is closed. */
  get isDeleted (): boolean {
    return this.#file !== undefined && !existsSync(this.#file)
  }

  /** Closes the database. Commit waiting changes first. */
  close (): void {
    this.#finalizeAll()
    this.#database.close()
  }

  /** Writes a large log to the file. SQLite would do so with a commit, and both together would block for too long. */
  #emptyLog (): void {
    if (this.#file === undefined) return
    // A deleted log would be lost if the process were killed, so it is written at once.
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
      // `finalize` throws the error of the last use again.
    }
  }
}
