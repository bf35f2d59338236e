import { atLongest } from '../database/at-longest.ts'
import type { MusicFolder } from './music-folder.ts'

/** Milliseconds that a start waits for a scan, one less for each known track. */
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

  /** Whether there is something to answer with. */
  state = (): true | 'running' => this.#isDone || 'running'

  /**
   * Scans the folder, and watches it. A small folder is whole from the first answer on; a large one is not
   * waited for.
   *
   * @param interval milliseconds between scans, 0 = none
   */
  async run (interval: number): Promise<void> {
    const scanned = this.#folder.watch(interval).then(() => { this.#isDone = true })
    await atLongest(Math.max(0, startWithin - this.#known), scanned)
  }
}
