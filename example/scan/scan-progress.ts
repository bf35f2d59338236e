import type { FastifyBaseLogger } from 'fastify'
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { limitShare } from '../files/limit-shares.ts'
import type { AudioTypes } from './audio-types.ts'

/** The interval between two log lines in milliseconds. */
const every = 10_000

/** The numbers of read files and of all files; `total` is absent until they are counted. */
export interface FilesRead { readonly done: number, readonly total?: number }

/** Reports the progress of a scan, in the log and on request. For the first scan all files are counted. */
export class ScanProgress {
  readonly #root: string
  readonly #types: AudioTypes
  readonly #done: () => number
  readonly #log: Pick<FastifyBaseLogger, 'info'>
  readonly #timer: NodeJS.Timeout
  #isOver = false
  #isCounting = false
  #counted = 0
  #total: number | undefined

  /** @param done returns the number of files processed so far */
  constructor (root: string, types: AudioTypes, done: () => number, log: Pick<FastifyBaseLogger, 'info'>) {
    this.#root = root
    this.#types = types
    this.#done = done
    this.#log = log
    this.#timer = setInterval(() => this.#tell(), every).unref()
  }

  end (): void {
    this.#isOver = true
    clearInterval(this.#timer)
  }

  filesRead (): FilesRead {
    if (!this.#isCounting) this.#count()
    this.#isCounting = true
    const done = this.#done()
    // Files added after the count increase the total.
    return { done, ...this.#total !== undefined && { total: Math.max(this.#total, done) } }
  }

  #tell (): void {
    this.#log.info(this.filesRead(), 'scan progressed')
  }

  async #count (): Promise<void> {
    const folders = [this.#root]
    for (let folder = folders.pop(); folder !== undefined && !this.#isOver; folder = folders.pop()) {
      // A folder that cannot be listed has no files to scan.
      const list = () => readdir(folder, { withFileTypes: true })
      const entries = await limitShare(folder, list, { priority: -1 }).catch(() => [])
      for (const entry of entries) {
        if (entry.isDirectory()) folders.push(join(folder, entry.name))
        else if (this.#types.listed.has(extname(entry.name).toLowerCase())) this.#counted++
      }
    }
    this.#total = this.#counted
  }
}
