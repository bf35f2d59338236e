import type { Stats } from 'node:fs'
import { basename, dirname, relative } from 'node:path/posix'
import { isDeepStrictEqual } from 'node:util'
import chokidar, { type FSWatcher } from 'chokidar'
import type { FastifyBaseLogger } from 'fastify'
import { lookAtFolder } from './look-at-folder.ts'
import { isIn, type Mounts } from './mounted-folders.ts'
import { isLitter } from './walk-folder.ts'

/** Milliseconds from a change to the scan that sees it: changes come in crowds. */
const delay = 500
/** Milliseconds after which a new folder is looked at again: the watcher lists it first, and watches it then. */
const againAfter = 5000
/** Milliseconds between two looks for a folder that is not there. */
const retryEvery = 2000

/** A folder that changes, and that may go away and come back: a disk that is unplugged, a share that is down. */
export class WatchedFolder {
  readonly #root: string
  readonly #log: FastifyBaseLogger
  readonly #except: string | undefined
  readonly #scan: (folders?: ReadonlySet<string>) => unknown
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  /** Paths of the folders in which something has changed since the last scan; `undefined` for anything. */
  #changed: Set<string> | undefined = new Set()
  /** Paths of folders that are new. */
  #new: string[] = []
  /** Of the second look at them. */
  #again: NodeJS.Timeout | undefined
  /** Paths of folders that have gone or moved, as the system says, and the watcher does not know of it. */
  readonly #left = new Set<string>()
  /** Of the next scan at the interval. */
  #interval: NodeJS.Timeout | undefined
  /** The folder that is watched. */
  #folder: string | undefined
  /** Disks inside of it. */
  #mounts: Mounts = new Map()
  #isAway = false
  /** Codes of errors that were told: a system that has no more watches says so for each folder. */
  readonly #told = new Set<string | undefined>()
  #closed = false

  /**
   * @param scan called when something may have changed, with the paths of the folders in which it has, where that is
   * known; it has to `look` first, and gives a promise of its end
   * @param except real path of a folder in it that is not watched
   */
  constructor (
    root: string, log: FastifyBaseLogger, scan: (folders?: ReadonlySet<string>) => unknown, except?: string
  ) {
    this.#root = root
    this.#log = log
    this.#scan = scan
    this.#except = except
  }

  get isWatched (): boolean {
    return this.#watcher !== undefined
  }

  watch (): void {
    if (this.#closed) return
    const changedIn = (...paths: string[]) => this.#scanIn(delay, paths)
    // Folders alone are watched, and `raw` tells what happens in them: a watch for every file would need much memory,
    // and systems have a limit.
    const ignored = (path: string, stats?: Stats) => stats?.isFile() === true || path === this.#except ||
      (path !== this.#root && isLitter(basename(path)))
    this.#watcher = chokidar.watch(this.#root, { ignoreInitial: true, followSymlinks: false, ignored })
      .on('all', (_event, path) => changedIn(path, dirname(path)))
      .on('raw', (event, name, details) => {
        const { watchedPath } = details as { watchedPath: string }
        // So Linux tells of the watched folder itself.
        if (event === 'rename' && name === basename(watchedPath)) this.#left.add(watchedPath)
        changedIn(watchedPath)
      })
      .on('addDir', path => {
        this.#new.push(path)
        this.#again ??= setTimeout(() => {
          this.#again = undefined
          changedIn(...this.#new.splice(0))
        }, againAfter).unref()
      })
      // What changed between the first scan and now was not seen.
      .on('ready', () => this.#scanIn(delay))
      .on('unlinkDir', path => {
        this.#left.delete(path)
        // From then on the watcher sees nothing, even if the folder is back before the next scan.
        if (path === this.#root) this.#folder = undefined
      })
      .on('error', error => this.#warn(error as NodeJS.ErrnoException))
  }

  /**
   * Scans at an interval, because many systems do not report changes that others make in a network share.
   *
   * @param milliseconds from the end of such a scan to the next one; 0 = never
   */
  scanEvery (milliseconds: number): void {
    if (this.#closed || milliseconds === 0) return
    this.#interval = setTimeout(async () => {
      await this.#scan()
      this.scanEvery(milliseconds)
    }, milliseconds).unref()
  }

  /**
   * Which folder is there: its device and inode. One that is away or empty may be a disk that is not mounted: it is
   * looked for until it is back, and watched again then.
   *
   * @param home the folder that had files in it: when it is that one, it was emptied
   * @returns `undefined` when it is away
   */
  async look (home: string | undefined): Promise<string | undefined> {
    try {
      const folder = await lookAtFolder(this.#root, home)
      if (this.#isAway) this.#log.info(`The music folder ${this.#root} is back`)
      this.#isAway = false
      const isSame = folder === this.#folder
      this.#folder = folder
      if (!isSame) await this.#watchAnew()
      return folder
    } catch (error) {
      if (!this.#isAway) {
        const { message } = error as Error
        const why = `The music folder is missing or empty (${message})`
        this.#log.warn(`${why}: what is known of it is kept until it is back`)
      }
      this.#isAway = true
      this.#folder = undefined
      this.#scanIn(retryEvery)
      return undefined
    }
  }

  /** Releases watcher and timers; a look or a scan that goes on makes none. */
  async close (): Promise<void> {
    this.#closed = true
    for (const timer of [this.#timer, this.#again, this.#interval]) clearTimeout(timer)
    await this.#watcher?.close()
  }

  /** Watches the disks inside that have been mounted since. */
  async follow (mounts: Mounts): Promise<void> {
    const isSame = isDeepStrictEqual(mounts, this.#mounts)
    this.#mounts = mounts
    if (!isSame) await this.#watchAnew()
  }

  /** The watcher holds on to the folders that it found, also when another one takes the place of one of them. */
  async #watchAnew (): Promise<void> {
    if (this.#watcher === undefined || this.#closed) return
    this.#left.clear()
    await this.#watcher.close()
    this.watch()
  }

  #warn ({ code, message }: NodeJS.ErrnoException): void {
    if (!this.#told.has(code)) this.#log.warn(`Changes of the folder may be seen late: ${message}`)
    this.#told.add(code)
  }

  /** @param changed paths of folders in which something has changed; anywhere without them */
  #scanIn (milliseconds: number, changed?: readonly string[]): void {
    if (this.#closed) return
    if (changed === undefined) this.#changed = undefined
    for (const path of changed ?? []) if (isIn(this.#root, `${path}/`)) this.#changed?.add(relative(this.#root, path))
    this.#timer ??= setTimeout(() => {
      const folders = this.#changed
      this.#timer = undefined
      this.#changed = new Set()
      this.#scan(folders)
      // Another folder has taken the place: the watcher saw the same name again.
      if (this.#left.size > 0) this.#watchAnew()
    }, milliseconds).unref()
  }
}
