import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDamage } from './index-errors.ts'
import { leaveRoom } from './leave-room.ts'
import { removeFiles, type Sqlite, type Statement, type Value } from './open-sqlite.ts'
import { reasonOf } from './reason-of.ts'

/** Bytes of the log that go to the file at a time, which waits for the disk twice. */
const largestLog = 1500 * 4096
/** Transactions that are committed together at most, so that no commit takes long. */
const mostWaiting = 8

/** What statements that only read are run by. */
export interface IndexReader extends Pick<IndexDatabase, 'all' | 'get'> {
  /** Whether it is told of a part of the library only, so that what searches find may not be in it. */
  readonly isPart?: boolean
}

/**
 * The database of the library. Statements are prepared once, and run without a promise: what a request reads is of one
 * moment, and a transaction is over before the next request is looked at.
 */
export class IndexDatabase {
  /** Called when a page of the file turns out to be damaged. Whoever reads it sets it first. */
  onDamage!: (error: Error) => void
  #database: Sqlite
  /** None in memory. */
  #file: string | undefined
  readonly #statements = new Map<string, Statement>()
  #waiting = 0

  /** @param file of the database, none in memory */
  constructor (database: Sqlite, file?: string) {
    this.#database = database
    this.#file = file
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

  /**
   * All of it or nothing.
   *
   * @param isWaiting whether it may be committed with the next ones, since a commit costs as much as many changes;
   * whatever is read meanwhile has it already
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
      // It has rolled back by itself when the disk is full, for example.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw reasonOf(error as Error, this.#file)
    }
  }

  /** Whether changes wait for their commit. */
  get isWaiting (): boolean {
    return this.#database.inTransaction
  }

  /** Whether it is kept nowhere. */
  get isInMemory (): boolean {
    return this.#file === undefined
  }

  /** @throws Error when there is no more room on the disk than is left to others */
  leaveRoom (): void {
    if (this.#file !== undefined) leaveRoom(dirname(this.#file))
  }

  /**
   * Goes on in memory, as that database, for whoever reads this one now too.
   *
   * @param isFull whether the files are removed, since there is no room
   */
  become (memory: IndexDatabase, isFull: boolean): void {
    this.close()
    if (isFull) removeFiles(this.#file!)
    this.#database = memory.#database
    this.#file = undefined
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
}
