import { readFileSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path/posix'
import type { FastifyBaseLogger } from 'fastify'
import { mountsAround } from '../files/limit-shares.ts'
import { isInside } from '../files/resolve-inside.ts'
import { checkFolder } from './check-folder.ts'
import { ignoreFileNames } from './ignore-files.ts'
import { isLitter } from './walk-folder.ts'

/** Milliseconds from a change to the scan that sees it: changes come in crowds. */
const delay = 500
/** Milliseconds between two looks for a folder that is not there. */
const retryEvery = 2000

/** A folder that is watched. */
interface Watch {
  /** As `folderId` gives it. */
  readonly id: string
  /** `undefined` where the system cannot watch it, or where another one tells of it. */
  readonly watcher: FSWatcher | undefined
}

/**
 * A folder that changes, and that may go away and come back: a disk that is unplugged, a share that is down. Each
 * folder in it is watched by itself, and before a scan lists it, so that nothing is missed in between.
 */
export class WatchedFolder {
  /** Real path of a folder in it that is neither scanned nor watched. */
  readonly except: string | undefined
  readonly #root: string
  readonly #log: FastifyBaseLogger
  readonly #scan: (folders?: ReadonlySet<string>) => unknown
  /** Whether the system tells of what is in the folders of a folder too: then one watcher is enough. */
  readonly #recursive: boolean
  readonly #watches = new Map<string, Watch>()
  /** Events between two looks from which on some may be lost. */
  readonly #mostEvents = mostEvents()
  #isWatching = false
  #timer: NodeJS.Timeout | undefined
  /** Paths of the folders in which something has changed since the last scan; `undefined` for anything. */
  #changed: Set<string> | undefined = new Set()
  /** Of the looks at what is mounted. */
  #looks: NodeJS.Timeout | undefined
  /** Of the next scan at the interval. */
  #interval: NodeJS.Timeout | undefined
  /** The folder that was there last. */
  #folder: string | undefined
  #isAway = false
  /** Codes of errors that were told: a system that has no more watches says so for each folder. */
  readonly #told = new Set<string | undefined>()
  #closed = false
  /** Events since the last look. */
  #events = 0

  /**
   * @param scan called when something may have changed, with the paths of the folders in which it has, where that is
   * known; it has to `look` first, and gives a promise of its end
   */
  constructor (
    root: string, log: FastifyBaseLogger, scan: (folders?: ReadonlySet<string>) => unknown, except?: string
  ) {
    this.#root = root
    this.#log = log
    this.#scan = scan
    this.except = except
    this.#recursive = process.platform === 'darwin' || process.platform === 'win32'
  }

  get isWatched (): boolean { return this.#watches.size > 0 }

  /** Has the folders watched that the next scan and later ones list, and what is mounted there. */
  watch (): void {
    this.#isWatching = true
    this.#lookAtMounts(mountsAround(this.#root))
  }

  /**
   * To be called before a folder is listed.
   *
   * @param path real path
   * @param id as `folderId` gives it
   * @returns whether it was not watched, or is another one than the one that was: nothing is known of those in it
   */
  see = (path: string, id: string): boolean => {
    const known = this.#watches.get(path)
    const isKnown = known?.id === id
    // One that is beyond the limit of the system may be within it now.
    if (!this.#isWatching || this.#closed || (isKnown && known.watcher !== undefined)) return false
    this.#drop(path)
    this.#watches.set(path, { id, watcher: this.#recursive && path !== this.#root ? undefined : this.#watch(path) })
    return !isKnown
  }

  /** Whether what changes in a folder is seen. @param path relative to the music folder */
  sees (path: string): boolean {
    return !this.#isWatching || this.#watches.has(join(this.#root, path))
  }

  /** Forgets folders that are in none that is watched: one above them was moved. To be called after a scan. */
  prune (): void {
    for (const path of this.#watches.keys()) {
      if (path !== this.#root && !this.#watches.has(dirname(path))) this.#drop(path)
    }
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
   * Which folder is there. One that is away or empty may be a disk that is not mounted: it is
   * looked for until it is back, and watched again then.
   *
   * @param isEmptied whether the one that is there, and has nothing in it, was emptied
   * @returns `undefined` when it is away
   */
  async checkThere (isEmptied: (folder: string) => boolean): Promise<string | undefined> {
    try {
      const folder = await this.check(isEmptied)
      if (this.#isAway) this.#log.info(`The music folder ${this.#root} is back`)
      this.#isAway = false
      const isSame = folder === this.#folder && this.#events < this.#mostEvents
      this.#folder = folder
      this.#events = 0
      // The lost events may be about any folder, so the whole folder is watched and scanned again.
      if (!isSame && this.isWatched) {
        this.#dropAll()
        this.#scanIn(delay)
      }
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

  /**
   * Which folder is there.
   *
   * @throws when it is away; one that was away and is back without anything may be another disk
   */
  check (isEmptied: (folder: string) => boolean): Promise<string> {
    return checkFolder(this.#root, folder => !this.#isAway && isEmptied(folder))
  }

  /** Takes an empty folder for the one that was there: somebody has said so. */
  believe (): void { this.#isAway = false }

  /** Releases watchers and timers; a look or a scan that goes on makes none. */
  close (): void {
    this.#closed = true
    for (const timer of [this.#timer, this.#looks, this.#interval]) clearTimeout(timer)
    this.#dropAll()
  }

  #watch (folder: string): FSWatcher | undefined {
    const options = { persistent: false, recursive: this.#recursive }
    try {
      return watch(folder, options, (event, name) => this.#onEvent(folder, event, name)).on('error', error => {
        this.#drop(folder)
        this.#warn(error)
      })
    } catch (error) {
      this.#warn(error as Error)
      return undefined
    }
  }

  #onEvent (folder: string, event: string, name: string | null): void {
    this.#events++
    if (name === null) return this.#scanIn(delay)
    // Linux reports this when the folder itself was moved, deleted or unmounted: it is watched again if it is back.
    if (event === 'rename' && name === basename(folder)) this.#drop(folder)
    const path = join(folder, name)
    // An ignore file applies to all folders below it.
    if (ignoreFileNames.includes(basename(name))) return this.#scanIn(delay)
    this.#scanIn(delay, this.#watches.has(path) ? [dirname(path), path] : [dirname(path)])
  }

  /** No folder tells that another one of the same disk is mounted on it, or is no more. */
  #lookAtMounts (before: string): void {
    this.#looks = setTimeout(() => {
      const now = mountsAround(this.#root)
      if (now !== before) this.#scanIn(delay)
      this.#lookAtMounts(now)
    }, retryEvery).unref()
  }

  #drop (path: string): void {
    this.#watches.get(path)?.watcher?.close()
    this.#watches.delete(path)
  }

  #dropAll (): void {
    for (const path of this.#watches.keys()) this.#drop(path)
  }

  #warn (error: Error): void {
    const { code, message } = error as NodeJS.ErrnoException
    // Of a folder that is gone, the one above tells.
    if (code !== 'ENOENT' && !this.#told.has(code)) this.#log.warn(`Changes of the folder may be seen late: ${message}`)
    this.#told.add(code)
  }

  /** @param changed paths of folders in which something has changed; anywhere without them */
  #scanIn (milliseconds: number, changed?: readonly string[]): void {
    if (this.#closed) return
    if (changed === undefined) this.#changed = undefined
    for (const path of changed ?? []) this.#changed?.add(path)
    this.#timer ??= setTimeout(() => {
      const folders = this.#changed && new Set([...this.#changed].flatMap(path => this.#inside(path)))
      this.#timer = undefined
      this.#changed = new Set()
      if (folders?.size !== 0) this.#scan(folders)
    }, milliseconds).unref()
  }

  /** The path of a folder relative to the music folder; none of what is left out. */
  #inside (path: string): string[] {
    const inside = relative(this.#root, path)
    const isLeftOut = this.except !== undefined && isInside(this.except, path)
    return isLeftOut || inside.split('/').some(isLitter) ? [] : [inside]
  }
}

/** Half of what Linux keeps for a process that is busy. Then it drops events, and Node.js does not tell. */
function mostEvents (): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) / 2
  } catch {
    return 8192
  }
}
