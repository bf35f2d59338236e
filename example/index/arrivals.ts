import type { Yield } from 'fastify-source-origin'
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { arrivalOf } from '../catalogue/file-rows.ts'
import type { KeptFile } from '../catalogue/kept-file.ts'
import type { FoundFile } from '../scan/walk-folder.ts'
import { syncToDisk } from '../database/keep-on-disk.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { refuseUnusable } from '../database/private-files.ts'

/** A line: a time, and the recording that arrived then. The recording of a truncated line is unknown. */
const line = /^(\d+) (\S+)$/gm

/** The number of rows compared at a time. */
const linesAtATime = 2000

/**
 * The arrival times of recordings. The index contains them but can be created again, which these times cannot. So they
 * are also in a separate file, except for files whose modification time is the arrival time, as in a first scan.
 */
export class Arrivals {
  /** Recordings whose files this scan removed; this scan or the next may find them elsewhere. */
  removed = new Map<string, number>()
  /** Recordings whose files the previous scan removed. */
  #removedBefore: ReadonlyMap<string, number> = new Map()
  readonly #file: string
  /** Lines that are not written yet. */
  #lines = ''
  /** The content of the file, while in use. */
  #known: Map<string, number> | undefined
  #isWhole = false

  /** @throws Error if the file exists and cannot be used */
  constructor (dataDir: string) {
    this.#file = join(dataDir, 'arrivals')
    refuseUnusable(this.#file)
  }

  beginScan (): void {
    this.#removedBefore = this.removed
    this.removed = new Map()
  }

  /**
   * Returns the time at which a file arrived, which is never in the future. A moved file retains its first arrival.
   *
   * @param recording of the file, as it was read
   * @param isFirstScan whether the index is new
   */
  of (db: IndexDatabase, recording: string, { mtimeMs }: FoundFile, isFirstScan: boolean): number {
    const now = Date.now()
    if (isFirstScan) return Math.min(this.#read().get(recording) ?? mtimeMs, now)
    return Math.min(
      arrivalOf(db, recording) ?? this.removed.get(recording) ?? this.#removedBefore.get(recording) ?? now, now)
  }

  /** Records the arrival of a file, for `save`. */
  add (file: KeptFile): void {
    if ('broken' in file || file.added === file.mtimeMs || this.#known?.get(file.trackId) === file.added) return
    this.#note(file.trackId, file.added)
  }

  /** @throws Error if they cannot be written; they are then written with the next ones */
  save (): void {
    if (this.#lines === '') return
    // The previous line may be truncated.
    appendFileSync(this.#file, `\n${this.#lines}`, { mode: 0o600 })
    this.#lines = ''
  }

  /**
   * Adds times that an index has and this file lacks, once: from an older version, or after a crash.
   *
   * @param save called periodically
   * @param pause yields to the event loop
   */
  async complete (db: IndexDatabase, save: () => void, pause: Yield): Promise<void> {
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

  /** Rewrites the file without outdated lines. */
  #shorten (known: ReadonlyMap<string, number>): void {
    const copy = `${this.#file}.new`
    writeFileSync(copy, Array.from(known, ([recording, time]) => `${time} ${recording}\n`).join(''), { mode: 0o600 })
    syncToDisk(copy)
    renameSync(copy, this.#file)
  }
}
