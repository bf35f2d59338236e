import type { Pause } from 'fastify-source-origin'
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { arrivalOf } from '../catalogue/file-rows.ts'
import type { KeptFile } from '../catalogue/kept-file.ts'
import type { FoundFile } from '../scan/walk-folder.ts'
import { syncToDisk } from '../database/keep-on-disk.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { refuseUnusable } from '../database/private-files.ts'

/** A time, and the recording that arrived then. Of a line that was cut short the recording is unknown. */
const line = /^(\d+) (\S+)$/gm

/** Rows that are compared at a time. */
const linesAtATime = 2000

/**
 * When recordings arrived. The index says so and can be made anew, which these times cannot: they are in a file of
 * their own too, except those of files that arrived when they were written, as files of a first scan do.
 */
export class Arrivals {
  /** Of recordings whose files this scan removed; this scan or the next may find them elsewhere. */
  removed = new Map<string, number>()
  /** The same of the scan before. */
  #removedBefore: ReadonlyMap<string, number> = new Map()
  readonly #file: string
  /** Lines that are not in the file yet. */
  #lines = ''
  /** What the file has, while it is used. */
  #known: Map<string, number> | undefined
  #isWhole = false

  /** @throws Error when the file is there and cannot be used */
  constructor (dataDir: string) {
    this.#file = join(dataDir, 'arrivals')
    refuseUnusable(this.#file)
  }

  beginScan (): void {
    this.#removedBefore = this.removed
    this.removed = new Map()
  }

  /**
   * Returns the time at which a file arrived, which is never in the future. A moved file keeps its first arrival.
   *
   * @param recording of the file, as it was read
   * @param isFirstScan whether the index has been begun
   */
  of (db: IndexDatabase, recording: string, { mtimeMs }: FoundFile, isFirstScan: boolean): number {
    const now = Date.now()
    if (isFirstScan) return Math.min(this.#read().get(recording) ?? mtimeMs, now)
    return Math.min(
      arrivalOf(db, recording) ?? this.removed.get(recording) ?? this.#removedBefore.get(recording) ?? now, now)
  }

  /** Notes when a file arrived, for `save`. */
  add (file: KeptFile): void {
    if ('broken' in file || file.added === file.mtimeMs || this.#known?.get(file.trackId) === file.added) return
    this.#note(file.trackId, file.added)
  }

  /** @throws Error when they cannot be written; they are written with the next ones then */
  save (): void {
    if (this.#lines === '') return
    // The line before may have been cut short.
    appendFileSync(this.#file, `\n${this.#lines}`, { mode: 0o600 })
    this.#lines = ''
  }

  /**
   * Notes, once, what an index has that this file has not: one of an older version, or what a crash took.
   *
   * @param save is called now and then
   * @param pause lets others have their turn
   */
  async complete (db: IndexDatabase, save: () => void, pause: Pause): Promise<void> {
    if (this.#isWhole) return
    this.#isWhole = true
    const known = this.#read()
    const { last } = db.get<{ last: number | null }>('SELECT max(rowid) AS last FROM file')!
    for (let from = 0; from < Number(last); from += linesAtATime) {
      const rows = db.all<{ recording: string, added: number }>(`
        SELECT coalesce(read_as, recording) AS recording, added FROM file
        WHERE rowid > ? AND rowid <= ? AND added <> mtime`, from, from + linesAtATime)
      for (const { recording, added } of rows) if (!known.has(recording)) this.#note(recording, added)
      save()
      await pause()
    }
    this.#known = undefined
  }

  #note (recording: string, added: number): void {
    this.#lines += `${added} ${recording}\n`
  }

  #read (): Map<string, number> {
    if (this.#known !== undefined) return this.#known
    const known = new Map<string, number>()
    const text = existsSync(this.#file) ? readFileSync(this.#file, 'latin1') : ''
    let lines = 0
    for (const [, time, recording] of text.matchAll(line)) {
      known.set(recording!, Number(time))
      lines++
    }
    if (lines > 2 * known.size + linesAtATime) this.#shorten(known)
    this.#known = known
    return known
  }

  /** Leaves out what was written again since. */
  #shorten (known: ReadonlyMap<string, number>): void {
    const copy = `${this.#file}.new`
    writeFileSync(copy, Array.from(known, ([recording, time]) => `${time} ${recording}\n`).join(''), { mode: 0o600 })
    syncToDisk(copy)
    renameSync(copy, this.#file)
  }
}
