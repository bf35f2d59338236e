import type { FastifyBaseLogger } from 'fastify'
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { audioTypes } from './walk-folder.ts'

/** Milliseconds between two lines of the log. */
const every = 10_000

/** Tells in the log how far a scan is. How many files there are is counted when it takes long. */
export class ScanProgress {
  readonly #root: string
  readonly #done: () => number
  readonly #log: Pick<FastifyBaseLogger, 'info'>
  readonly #timer: NodeJS.Timeout
  #isOver = false
  #isCounting = false
  #counted = 0
  #total: number | undefined

  /** @param done how many files were looked at until now */
  constructor (root: string, done: () => number, log: Pick<FastifyBaseLogger, 'info'>) {
    this.#root = root
    this.#done = done
    this.#log = log
    this.#timer = setInterval(() => this.#tell(), every).unref()
  }

  end (): void {
    this.#isOver = true
    clearInterval(this.#timer)
  }

  #tell (): void {
    const done = this.#done()
    // What came after it was counted makes more of them.
    const of = this.#total === undefined ? '' : ` of ${write(Math.max(this.#total, done))}`
    this.#log.info(`Scanned ${write(done)}${of} files so far`)
    if (!this.#isCounting) this.#count()
    this.#isCounting = true
  }

  async #count (): Promise<void> {
    const folders = [this.#root]
    for (let folder = folders.pop(); folder !== undefined && !this.#isOver; folder = folders.pop()) {
      // One that cannot be listed has nothing to scan.
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        if (entry.isDirectory()) folders.push(join(folder, entry.name))
        else if (audioTypes.has(extname(entry.name).toLowerCase())) this.#counted++
      }
    }
    this.#total = this.#counted
  }
}

const write = (count: number) => count.toLocaleString('en')
