import { setTimeout } from 'node:timers/promises'
import type { Library } from './library.ts'

/** Milliseconds that a start waits for a scan, one less for each known track. */
const startWithin = 3000

/** The scan at the start. */
export class FirstScan {
  readonly #library: Library
  readonly #known: number
  #isDone: boolean

  constructor (library: Library) {
    this.#library = library
    this.#known = library.catalogue.tracks.size
    this.#isDone = this.#known > 0
  }

  /** Whether there is something to answer with. */
  state = (): true | 'running' => this.#isDone || 'running'

  /**
   * Scans the folder, and watches it. A small folder is whole from the first answer on; a large one is not
   * waited for.
   *
   * @param interval milliseconds between scans, 0 = none
   */
  async run (interval: number): Promise<void> {
    const scanned = this.#library.watch(interval).then(() => { this.#isDone = true })
    const end = new AbortController()
    const waited = setTimeout(Math.max(0, startWithin - this.#known), undefined, { signal: end.signal })
    await Promise.race([scanned, waited])
    end.abort()
  }
}
