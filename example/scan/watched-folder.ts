import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path/posix'
import { isDeepStrictEqual } from 'node:util'
import chokidar, { type FSWatcher } from 'chokidar'
import type { FastifyBaseLogger } from 'fastify'
import { limitShare } from '../limit-shares.ts'
import { lookAtFolder } from './look-at-folder.ts'
import { isIn, type Mounts } from './mounted-folders.ts'
import { SecondLooks } from './second-looks.ts'
import { isLitter } from './walk-folder.ts'

/** Milliseconds from a change to the scan that sees it: changes come in crowds. */
const delay = 500
/** Milliseconds between two looks for a folder that is not there. */
const retryEvery = 2000

/** Events between two looks from which on some may be lost: half of the queue that Linux has by default. */
const mostEvents = 8192

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
  /** New folders. chokidar lists a folder before it watches it, and misses what comes in between. */
  readonly #new = new SecondLooks(paths => this.#lookAtNew(paths))
  /** Paths that the system reports as added, moved or removed and for which chokidar has reported no new folder. */
  readonly #unsure = new SecondLooks(paths => this.#lookAtUnsure(paths))
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
  /** Events since the last look. */
  #events = 0

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
    const ignored = (path: string, stats?: Stats) => stats?.isFile() === true || this.#isLeftOut(path)
    // With `atomic`, chokidar ignores folders whose names end in ~.
    const options = { ignoreInitial: true, followSymlinks: false, atomic: false, ignored }
    this.#watcher = chokidar.watch(this.#root, options)
      .on('all', (_event, path) => changedIn(path, dirname(path)))
      .on('raw', (event, name, details) => {
        const { watchedPath } = details as { watchedPath: string }
        if (event === 'rename' && name) this.#unsure.add(join(watchedPath, name))
        changedIn(watchedPath)
        this.#events++
      })
      .on('addDir', path => {
        this.#unsure.delete(path)
        this.#new.add(path)
      })
      // What changed between the first scan and now was not seen.
      .on('ready', () => this.#scanIn(delay))
      // From then on the watcher sees nothing, even if the folder is back before the next scan.
      .on('unlinkDir', path => { if (path === this.#root) this.#folder = undefined })
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
      // The lost events may be about new folders, so the whole folder is watched and scanned again.
      const isSame = folder === this.#folder && this.#events < mostEvents
      this.#folder = folder
      this.#events = 0
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
    for (const timer of [this.#timer, this.#interval]) clearTimeout(timer)
    for (const looks of [this.#new, this.#unsure]) looks.clear()
    await this.#watcher?.close()
  }

  /** Watches the disks inside that have been mounted since. */
  async follow (mounts: Mounts): Promise<void> {
    const isSame = isDeepStrictEqual(mounts, this.#mounts)
    this.#mounts = mounts
    if (!isSame) await this.#watchAnew()
  }

  /**
   * Starts a new watcher. The old one keeps watching the folders that it found, even after they have been replaced.
   *
   * @param watcher the one to replace; nothing happens if another one has replaced it already
   */
  async #watchAnew (watcher = this.#watcher): Promise<void> {
    if (watcher === undefined || watcher !== this.#watcher || this.#closed) return
    for (const looks of [this.#new, this.#unsure]) looks.clear()
    await watcher.close()
    if (watcher === this.#watcher) this.watch()
  }

  #isLeftOut (path: string): boolean {
    return path === this.#except || (path !== this.#root && isLitter(basename(path)))
  }

  /** Scans new folders again, and starts a new watcher if it does not know a folder in one of them. */
  async #lookAtNew (paths: ReadonlySet<string>): Promise<void> {
    this.#scanIn(delay, [...paths])
    const watcher = this.#watcher!
    const watched = watcher.getWatched()
    for (const path of paths) {
      const entries = await limitShare(path, () => readdir(path, { withFileTypes: true })).catch(() => [])
      const known = new Set(watched[path])
      const isMissed = entries.some(entry =>
        entry.isDirectory() && !known.has(entry.name) && !this.#isLeftOut(join(path, entry.name)))
      if (isMissed) return this.#watchAnew(watcher)
    }
  }

  /** Starts a new watcher if a path is a folder: it has replaced another folder or a link, and is not watched. */
  async #lookAtUnsure (paths: ReadonlySet<string>): Promise<void> {
    const watcher = this.#watcher
    for (const path of paths) {
      const isFolder = await limitShare(path, () => lstat(path)).then(stats => stats.isDirectory(), () => false)
      if (isFolder && !this.#isLeftOut(path)) return this.#watchAnew(watcher)
    }
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
    }, milliseconds).unref()
  }
}
