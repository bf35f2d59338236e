import { waitAtMost } from '../database/wait-at-most.ts'
import type { MusicFolder } from './music-folder.ts'

/** The maximum time in milliseconds that a start waits for a scan, less one for each known track. */
const startWithin = 3000

/** The scan at the start. */
export class FirstScan {
  readonly #folder: MusicFolder
  readonly #known: number
  #isDone: boolean

  constructor (folder: MusicFolder) {
    this.#folder = folder
    this.#known = folder.catalogue.tracks.size
    this.#isDone = this.#known > 0
  }

  /** Returns whether the library is ready. */
  state = (): true | 'running' => this.#isDone || 'running'

  /**
   * Scans the folder, and watches it. The start waits for a small folder, so that it is complete from the first
   * response; it does not wait for a large one.
   *
   * @param interval milliseconds between scans, 0 = none
   */
  async run (interval: number): Promise<void> {
    const scanned = this.#folder.watch(interval).then(() => { this.#isDone = true })
    await waitAtMost(Math.max(0, startWithin - this.#known), scanned)
  }
}
