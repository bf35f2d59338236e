import { readFileSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path/posix'
import type { FastifyBaseLogger } from 'fastify'
import { mountsAround } from '../files/limit-shares.ts'
import { isInside } from '../files/resolve-inside.ts'
import { checkFolder } from './check-folder.ts'
import { ignoreFileNames } from './ignore-files.ts'
import { isLitter } from './walk-folder.ts'

/** Milliseconds between a change and its scan, since changes come in bursts. */
const delay = 500
/** Milliseconds between two checks for a missing folder. */
const retryEvery = 2000

/** A folder that is watched. */
interface Watch {
  /** The identity of the folder (see `folderId`). */
  readonly id: string
  /** `undefined` if the system cannot watch it, or another watcher covers it. */
  readonly watcher: FSWatcher | undefined
}

/**
 * A watched folder that may become unavailable and return, such as an unplugged disk or a share that is down. Each
 * subfolder is watched separately, before a scan lists it, so that no change is missed.
 */
export class WatchedFolder {
  /** The real path of a subfolder that is neither scanned nor watched. */
  readonly except: string | undefined
  readonly #root: string
  readonly #log: FastifyBaseLogger
  readonly #scan: (folders?: ReadonlySet<string>) => unknown
  /** Whether the system watches subfolders as well, so that one watcher is enough. */
  readonly #recursive: boolean
  readonly #watches = new Map<string, Watch>()
  /** The number of events between two checks above which some may be lost. */
  readonly #mostEvents = mostEvents()
  #isWatching = false
  #timer: NodeJS.Timeout | undefined
  /** Paths of the folders that have changed since the last scan; `undefined` = unknown. */
  #changed: Set<string> | undefined = new Set()
  /** The timer of checks for mounts. */
  #looks: NodeJS.Timeout | undefined
  /** The timer of the next periodic scan. */
  #interval: NodeJS.Timeout | undefined
  /** The identity of the last available folder. */
  #folder: string | undefined
  #isAway = false
  /** Error codes that were logged: a system that has no more watches reports it for each folder. */
  readonly #told = new Set<string | undefined>()
  #closed = false
  /** The number of events since the last check. */
  #events = 0

  /**
   * @param scan called when something may have changed, with the paths of the changed folders, if known; it must call
   *   `checkThere` first, and returns a promise of its end
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

  /** Watches the folders that the next and later scans list, and their mounts. */
  watch (): void {
    this.#isWatching = true
    this.#lookAtMounts(mountsAround(this.#root))
  }

  /**
   * Called before a folder is listed.
   *
   * @param path real path
   * @param id its identity (see `folderId`)
   * @returns whether it was not watched or has been replaced, so that its subfolders are unknown
   */
  see = (path: string, id: string): boolean => {
    const known = this.#watches.get(path)
    const isKnown = known?.id === id
    // A folder above the system's limit of watches may be within it now.
    if (!this.#isWatching || this.#closed || (isKnown && known.watcher !== undefined)) return false
    this.#drop(path)
    this.#watches.set(path, { id, watcher: this.#recursive && path !== this.#root ? undefined : this.#watch(path) })
    return !isKnown
  }

  /** Returns whether changes in a folder are noticed. @param path relative to the music folder */
  sees (path: string): boolean {
    return !this.#isWatching || this.#watches.has(join(this.#root, path))
  }

  /** Stops watching folders whose parent is not watched, because a folder above was moved. Called after a scan. */
  prune (): void {
    for (const path of this.#watches.keys()) {
      if (path !== this.#root && !this.#watches.has(dirname(path))) this.#drop(path)
    }
  }

  /**
   * Scans periodically, because many systems do not report changes that others make in a network share.
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
   * Returns the identity of the folder. A missing or empty folder may be an unmounted disk: it is checked until it is
   * available again, and then watched again.
   *
   * @param isEmptied whether the existing empty folder was emptied deliberately
   * @returns `undefined` if it is unavailable
   */
  async checkThere (isEmptied: (folder: string) => boolean): Promise<string | undefined> {
    try {
      const folder = await this.check(isEmptied)
      if (this.#isAway) this.#log.info({ path: this.#root }, 'folder available again')
      this.#isAway = false
      const isSame = folder === this.#folder && this.#events < this.#mostEvents
      this.#folder = folder
      this.#events = 0
      // The lost events may be about any folder, so the complete folder is watched and scanned again.
      if (!isSame && this.isWatched) {
        this.#dropAll()
        this.#scanIn(delay)
      }
      return folder
    } catch (error) {
      const { message: reason } = error as Error
      if (!this.#isAway) this.#log.warn({ path: this.#root, reason }, 'folder unavailable')
      this.#isAway = true
      this.#folder = undefined
      this.#scanIn(retryEvery)
      return undefined
    }
  }

  /**
   * Returns the identity of the folder.
   *
   * @throws if it is unavailable; a folder that returns empty after an outage may be another disk
   */
  check (isEmptied: (folder: string) => boolean): Promise<string> {
    return checkFolder(this.#root, folder => !this.#isAway && isEmptied(folder))
  }

  /** Accepts an empty folder, after the operator has confirmed it. */
  believe (): void { this.#isAway = false }

  /** Releases watchers and timers. A running check or scan creates no new ones. */
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
        this.#warnUnwatched(error)
      })
    } catch (error) {
      this.#warnUnwatched(error as Error)
      return undefined
    }
  }

  #onEvent (folder: string, event: string, name: string | null): void {
    this.#events++
    if (name === null) return this.#scanIn(delay)
    // Linux reports this when the folder itself was moved, deleted or unmounted. It is watched again when it is
    // available.
    if (event === 'rename' && name === basename(folder)) this.#drop(folder)
    const path = join(folder, name)
    // An ignore file applies to all folders below it.
    if (ignoreFileNames.includes(basename(name))) return this.#scanIn(delay)
    this.#scanIn(delay, this.#watches.has(path) ? [dirname(path), path] : [dirname(path)])
  }

  /** Checks for mounts, since no folder reports that a disk was mounted on it or unmounted. */
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

  #warnUnwatched (error: Error): void {
    const { code, message: reason } = error as NodeJS.ErrnoException
    // The parent of a deleted folder reports the change.
    if (code !== 'ENOENT' && !this.#told.has(code)) this.#log.warn({ reason }, 'folder not watched')
    this.#told.add(code)
  }

  /** @param changed paths of changed folders. Default: unknown */
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

  /** Returns the path of a folder relative to the music folder; empty for the excluded folder. */
  #inside (path: string): string[] {
    const inside = relative(this.#root, path)
    const isLeftOut = this.except !== undefined && isInside(this.except, path)
    return isLeftOut || inside.split('/').some(isLitter) ? [] : [inside]
  }
}

/** Returns half of the event queue of Linux. A longer queue drops events, and Node.js does not report it. */
function mostEvents (): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) / 2
  } catch {
    return 8192
  }
}
