import { createYield } from 'fastify-source-origin'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import { Catalogue } from '../catalogue/catalogue.ts'
import { filesAtATime, changeIndex, copyFiles, type Change } from '../catalogue/change-index.ts'
import type { KeptFile } from '../catalogue/kept-file.ts'
import { findEntries, hasStaleEntries } from '../catalogue/entry-rows.ts'
import { groupsOf } from '../playlists/group-playlists.ts'
import type { ReadOutcome } from '../scan/read-files.ts'
import type { FoundFile } from '../scan/walk-folder.ts'
import { Arrivals } from './arrivals.ts'
import { isNoRoom } from '../database/reserve-disk-space.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { homeOf, saveHome, type Home } from './index-home.ts'
import { libraryInMemory, makeIndexAnew, openIndex } from './open-index.ts'
import { reasonOf } from '../database/reason-of.ts'

/** The interval in milliseconds at which read files are stored and served. */
const keepEvery = 500

/** The rows of a library, and the handling of storage errors. */
export class PersistentIndex {
  /** The catalogue that requests read. */
  catalogue!: Catalogue
  /** Called when the catalogue has changed. */
  onChange: () => unknown = () => {}
  /** Called when the index is damaged: a scan creates it again. */
  onDamage: (() => unknown) | undefined
  readonly #dataDir: string
  readonly #log: FastifyBaseLogger
  readonly #signal: AbortSignal
  #db!: IndexDatabase
  #saved: Home
  #unsaved: KeptFile[] = []
  readonly #arrivals: Arrivals
  #isClosed = false
  /** The damage found during a read; the next scan creates the index again. */
  #damage: Error | undefined
  /** The reason why something could not be stored. */
  #unkept: Error | undefined

  private constructor (
    db: IndexDatabase, arrivals: Arrivals, dataDir: string, log: FastifyBaseLogger, signal: AbortSignal
  ) {
    this.#dataDir = dataDir
    this.#arrivals = arrivals
    this.#log = log
    this.#signal = signal
    this.#use(db)
    this.#saved = homeOf(db)
  }

  /**
   * Opens the rows stored by the last process.
   *
   * @param signal aborts pending writes
   * @throws Error if the data folder is not writable
   */
  static open (dataDir: string, log: FastifyBaseLogger, signal: AbortSignal): PersistentIndex {
    const arrivals = new Arrivals(dataDir)
    return new PersistentIndex(openIndex(dataDir, log), arrivals, dataDir, log, signal)
  }

  get db (): IndexDatabase { return this.#db }

  get saved (): Home { return this.#saved }

  get isDamaged (): boolean { return this.#damage !== undefined }

  /** Whether the disk is full, so that read files are served from memory only. */
  get needsMemory (): boolean { return this.#unkept !== undefined && !this.#db.isInMemory }

  /** Returns the data to store for a file that was read. */
  arrived (found: FoundFile, file: ReadOutcome['file'], isFirstScan: boolean): KeptFile {
    if (file === undefined) return { ...found, broken: true }
    return { ...file, added: this.#arrivals.of(this.#db, file.trackId, found, isFirstScan) }
  }

  /** Queues a file, which is stored and served with the next batch. */
  add (file: KeptFile): void {
    this.#unsaved.push(file)
    this.#arrivals.add(file)
    if (this.#unsaved.length >= filesAtATime) this.#keepRead(true)
  }

  /** Stores the files that `run` adds, periodically and at its end. */
  async keepWhile (run: () => Promise<void>): Promise<void> {
    this.#arrivals.beginScan()
    const keeping = setInterval(() => this.#keepRead(), keepEvery).unref()
    await run().finally(() => clearInterval(keeping))
    // A second walk may follow and compares with the rows. A moved file is also added before its old path is removed.
    this.#keepRead(true)
  }

  /**
   * Serves and stores files that were read.
   *
   * @param isWaiting whether they may be stored with the next ones
   */
  #keepRead (isWaiting = false): void {
    if (this.#isClosed) return
    const files = this.#unsaved.splice(0)
    if (files.length > 0 || this.#db.isWaiting) {
      this.#change(() => this.#changeRows({ files }), isWaiting)
    }
    this.#saveArrivals()
  }

  /**
   * Stores the rest of a scan: a small rest in one transaction, a large one in several, so that requests are served.
   */
  async keepAll (
    { gone, playlists, gonePlaylists }: Required<Omit<Change, 'files' | 'removed'>>, root: string, home: Home
  ): Promise<void> {
    this.#attempt(() => this.#db.leaveRoom())
    await this.#arrivals.complete(this.#db, () => this.#saveArrivals(), createYield(this.#signal))
    const pause = createYield()
    const step = async (change: Change) => {
      this.#change(() => this.#changeRows(change))
      await pause()
    }
    let from = 0
    for (; gone.length - from > filesAtATime; from += filesAtATime) {
      await step({ gone: gone.slice(from, from + filesAtATime) })
    }
    const groups = groupsOf(playlists)
    for (const group of groups.slice(0, -1)) await step({ playlists: group })
    let isMore = true
    const isSameHome = isDeepStrictEqual(home, this.#saved)
    const last = [gone, playlists, gonePlaylists]
    const isLeft = this.#db.isWaiting || hasStaleEntries(this.#db)
    if (last.every(({ length }) => length === 0) && isSameHome && !isLeft) return
    this.#change(() => {
      this.#changeRows({ playlists: groups.at(-1)!, gonePlaylists, gone: gone.slice(from) })
      if (!isSameHome) saveHome(this.#db, home)
      isMore = findEntries(this.#db, root)
    })
    this.#saved = home
    while (isMore) {
      await pause()
      isMore = false
      this.#change(() => { isMore = findEntries(this.#db, root) })
    }
  }

  /** Stores data that is in no response. With `isWaiting` it may be stored together with later data. */
  keepAside (work: () => void, isWaiting: boolean): void { this.#attempt(() => this.#db.transaction(work, isWaiting)) }

  /**
   * Continues with a copy of the library in memory: newly read files are served, and read again at the next start. If
   * the disk is full, the index files are deleted.
   */
  async moveToMemory (): Promise<void> {
    const memory = libraryInMemory()
    await copyFiles(this.#db, memory, createYield(this.#signal))
    this.#db.become(memory, isNoRoom(this.#unkept!))
    this.#changed()
  }

  /** Replaces a damaged index. The files are read again; their folder is known. */
  mend (): void {
    if (this.#damage === undefined) return
    this.#log.warn({ path: this.#dataDir, reason: this.#damage.message }, 'index rebuilt')
    this.#damage = undefined
    this.#db.close()
    this.#use(makeIndexAnew(this.#dataDir, this.#log))
    this.#saved = { home: undefined, mounts: new Map() }
  }

  /** Stores read files. An aborted scan runs to its end without changes. */
  close (): void {
    this.#keepRead()
    this.#isClosed = true
    this.#db.close()
  }

  #use (db: IndexDatabase): void {
    this.#db = db
    this.catalogue = new Catalogue(db)
    db.onDamage = error => {
      if (this.#damage === undefined) this.onDamage?.()
      this.#damage = error
    }
    this.onChange()
  }

  #changeRows (change: Change): void {
    changeIndex(this.#db, { ...change, removed: this.#arrivals.removed })
  }

  /** Changes rows atomically. Changes that cannot be stored now are read again in the next scan. */
  #change (work: () => void, isWaiting = false): void {
    if (this.#attempt(() => this.#db.transaction(work, isWaiting))) this.#changed()
  }

  /** @returns whether it was attempted: if the disk is full, the rest waits for the end of the scan */
  #attempt (keep: () => void): boolean {
    if (this.#isClosed || this.needsMemory) return false
    try {
      keep()
    } catch (error) {
      if (this.#damage === undefined && this.#unkept === undefined) {
        this.#unkept = reasonOf(error as Error, undefined)
        this.#log.warn({ reason: this.#unkept.message }, 'index not stored')
      }
    }
    return true
  }

  #saveArrivals (): void { this.#attempt(() => this.#arrivals.save()) }

  /** Called also after an error: a rollback may have removed rows that were served. */
  #changed (): void {
    this.catalogue.changed()
    this.onChange()
  }
}
