import { LRUCache } from 'lru-cache'
import { tracingChannel } from 'node:diagnostics_channel'
import { realpath, stat } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { reportMissingEntries } from '../playlists/missing-entries.ts'
import { readPlaylists } from '../playlists/read-playlists.ts'
import type { Heard } from '../catalogue/listened.ts'
import { audioTypes, type AudioTypes } from '../scan/audio-types.ts'
import { FolderChanges } from './folder-changes.ts'
import { unlessAborted } from '../scan/in-time.ts'
import { hasMany } from '../scan/known-files.ts'
import { MountedFolders } from '../scan/mounted-folders.ts'
import { reportOddCodecs } from '../catalogue/odd-codecs.ts'
import { reportOthers } from '../scan/others-left-out.ts'
import { readFiles } from '../scan/read-files.ts'
import { ScanProgress, type FilesRead } from '../scan/scan-progress.ts'
import { ScanQueue } from '../scan/scan-queue.ts'
import type { FoundFile } from '../scan/walk-folder.ts'
import { WatchedFolder } from '../scan/watched-folder.ts'
import { StartError } from '../start/start-error.ts'
import { settleAll } from './keep-identities.ts'
import { PersistentIndex } from './persistent-index.ts'
import { LeftOut } from './left-out.ts'
import { isInside } from '../files/resolve-inside.ts'

const scans = tracingChannel('fastify-source-origin.scan')

/** A finished scan. `endedAt` is a Unix time in milliseconds. */
export interface EndedScan {
  readonly endedAt: number
  /** The number of files that were read. */
  readonly read: number
  /** The number of files deleted since the previous scan. */
  readonly gone: number
  readonly failed: boolean
}

/** A music folder with its library. */
export class MusicFolder {
  /** Real path of the folder. */
  readonly root: string
  readonly dataDir: string
  /** Called when the catalogue has changed. */
  onChange: () => unknown = () => {}
  /** The ids of the last radio tracks of each listener. */
  readonly roamed = new LRUCache<string, ReadonlySet<string>>({ max: 1000 })
  /** The album plays of each listener. */
  readonly heardAlbums = new LRUCache<string, Promise<ReadonlyMap<string, Heard>>>({ max: 100, ttl: 60_000 })
  readonly #log: FastifyBaseLogger
  readonly #types: AudioTypes
  readonly #kept: PersistentIndex
  readonly #leftOut: LeftOut
  readonly #folder: WatchedFolder
  readonly #mounts: MountedFolders
  readonly #scans = new ScanQueue(only => this.#scanOrTell(only))
  readonly #closing: AbortController
  /** The folder that last contained files. */
  #home: string | undefined
  /** Whether the next scan also removes files of unavailable folders. */
  #forgets = false
  /** Whether all folders report their changes, as a complete scan without links has shown. */
  #isPlain = false
  #progress: ScanProgress | undefined
  #lastScan: EndedScan | undefined

  private constructor (
    root: string, dataDir: string, realDataDir: string, kept: PersistentIndex, log: FastifyBaseLogger,
    closing: AbortController, types: AudioTypes
  ) {
    this.#types = types
    this.root = root
    this.dataDir = dataDir
    this.#closing = closing
    this.#kept = kept
    kept.onChange = () => this.onChange()
    kept.onDamage = () => this.scan()
    this.#home = kept.saved.home
    this.#log = log
    this.#leftOut = new LeftOut(log)
    // The data folder contains no music.
    const except = realDataDir !== root && isInside(root, realDataDir) ? realDataDir : undefined
    this.#folder = new WatchedFolder(root, log, folders => this.scan(folders), except)
    this.#mounts = new MountedFolders(root, kept.saved.mounts, log, path => this.#mayEmpty(path))
  }

  /**
   * Opens the library as of the last scan.
   *
   * @param isTranscoding whether scans list files that need transcoding
   * @throws StartError if the folder is missing, or the data folder is not writable
   */
  static async open (
    folder: string, dataDir: string, log: FastifyBaseLogger, isTranscoding = false
  ): Promise<MusicFolder> {
    const isFolder = await stat(folder).then(stats => stats.isDirectory(), () => false)
    if (!isFolder) throw new StartError(`MUSIC_DIR must be a folder of audio files: there is no folder ${folder}`)
    const root = await realpath(folder)
    try {
      const closing = new AbortController()
      const kept = PersistentIndex.open(dataDir, log, closing.signal)
      return new MusicFolder(root, dataDir, await realpath(dataDir), kept, log, closing, audioTypes(isTranscoding))
    } catch (error) {
      throw new StartError(`DATA_DIR must be a folder that the source may write to: ${(error as Error).message}`)
    }
  }

  /** The catalogue that requests read. */
  get catalogue (): Catalogue { return this.#kept.catalogue }

  /**
   * Reads new and changed files; one scan at a time. An unreadable file is skipped with one warning.
   *
   * @param folders paths of folders that may have changed. Default: all
   */
  scan (folders?: ReadonlySet<string>): Promise<void> { return this.#scans.add(folders) }

  /** The progress of a scan of the complete folder; `undefined` without one. */
  get progress (): FilesRead | undefined { return this.#progress?.filesRead() }

  /** The last finished scan; `undefined` before it. */
  get lastScan (): EndedScan | undefined { return this.#lastScan }

  /** The latest messages about skipped files. */
  get leftOut (): readonly string[] { return this.#leftOut.list() }

  get isScanning (): boolean { return this.#scans.isBusy }

  /** @throws if the folder is missing, unreadable, or has unexpectedly become empty */
  async isThere (): Promise<boolean> {
    await this.#folder.check(id => id === this.#home && this.#mayEmpty(''))
    return (await this.#mounts.check()).size === 0
  }

  /**
   * Returns whether an empty folder may have been emptied deliberately. For a folder with many files the operator must
   * confirm it.
   */
  #mayEmpty (path: string): boolean {
    if (!hasMany(this.#kept.db, path)) return true
    const folder = path === '' ? 'the music folder' : path
    this.#leftOut.warn({ path: path || this.root }, 'folder emptied',
      `All files of ${folder} are gone at once. If that is right: npm run account -- forget-missing`)
    return false
  }

  /** Removes everything that is missing now, also files on unmounted disks, which a scan would retain. */
  forgetMissing (): Promise<void> {
    this.#forgets = true
    return this.scan()
  }

  /**
   * Scans, and again after each change, until the library is closed.
   *
   * @param scanEvery milliseconds between periodic scans, for changes that the system does not report; 0 = none
   * @returns a promise that resolves after the first scan
   */
  async watch (scanEvery = 0): Promise<void> {
    this.#folder.watch()
    await this.scan()
    this.#folder.scanEvery(scanEvery)
  }

  /** Aborts running work, and stores read files. It does not wait for pending reads of the system. */
  async close (): Promise<void> {
    this.#closing.abort()
    await this.#scans.last
    this.#folder.close()
    this.#kept.close()
  }

  async #scanOrTell (only?: ReadonlySet<string>): Promise<void> {
    const { signal } = this.#closing
    if (signal.aborted) return
    try {
      await scans.tracePromise(() => unlessAborted(this.#scan(only), signal), {})
    } catch (error) {
      if (!signal.aborted && !this.#kept.isDamaged) this.#log.error({ err: error }, 'scan failed')
      this.#lastScan = { endedAt: Date.now(), read: 0, gone: 0, failed: true }
    }
    this.#progress = undefined
  }

  async #scan (only?: ReadonlySet<string>): Promise<void> {
    const began = performance.now()
    const { isWatched } = this.#folder
    const forgets = this.#forgets
    this.#forgets = false
    if (forgets) {
      this.#mounts.forget()
      this.#folder.believe()
    }
    this.#kept.mend()
    // Files of a scan whose process was killed are recognised even at other paths with other tags.
    await settleAll(this.#kept, this.#closing.signal, false)
    const isEmptied = (id: string) => id === this.#home && (forgets || this.#mayEmpty(''))
    const folder = await this.#folder.checkThere(isEmptied)
    const away = await this.#mounts.check()
    const isPart = only !== undefined && this.#isPlain && folder !== undefined && away.size === 0 && !forgets
    const { db } = this.#kept
    const onUnreadable = (path: string, error: unknown) => {
      if (path !== '' && !away.has(path)) this.#leftOut.add(path, error)
    }
    const changes = new FolderChanges(
      db, this.root, isPart ? only : undefined, this.#folder, this.#types, onUnreadable)
    const progress = new ScanProgress(this.root, this.#types, () => changes.done, this.#log)
    if (!isPart) this.#progress = progress
    const read = await this.#read(changes.files()).finally(() => progress.end())
    if (isPart && changes.isUnclear) return this.#scan()
    this.#folder.prune()
    const { mounts, links } = changes.seen
    if (!isPart) reportOthers(changes.seen, this.#leftOut.warn)
    const playlists = await readPlaylists(this.root, changes.playlists, (path, error) => {
      changes.losePlaylist(path)
      this.#leftOut.add(path, error)
    })
    // A folder that is unreadable, or whose disk is unavailable or was unplugged meanwhile, retains its files.
    const isThere = folder !== undefined && await this.#folder.checkThere(isEmptied) === folder
    const missing = isThere ? [] : ['']
    if (isThere && !isPart) {
      missing.push(...await this.#mounts.checkAgain(away, mounts, changes.unreadable))
    } else if (isThere) missing.push(...(await this.#mounts.check()).keys())
    this.#closing.signal.throwIfAborted()
    const { gone, gonePlaylists } = await changes.gone(missing, forgets)
    if (isThere && changes.hasAudio) this.#home = folder
    if (!isPart) {
      this.#isPlain = !links
      this.#leftOut.setUnread(changes.unread)
    }
    const isNew = read + gone.length + playlists.length + gonePlaylists.length > 0
    const kept = { home: this.#home, mounts: this.#mounts.known }
    await this.#kept.keepAll({ gone, playlists, gonePlaylists }, this.root, kept)
    if (this.#kept.needsMemory) {
      await this.#kept.moveToMemory()
      return this.#scan()
    }
    if (this.#kept.db.isDeleted) {
      this.#leftOut.warn({ path: this.dataDir }, 'index deleted',
        `The index in ${this.dataDir} was deleted: it is used until the source ends, and then created again`)
    }
    const { db: after } = this.#kept
    if (!isPart) {
      reportOddCodecs(after, this.#leftOut.warn)
      reportMissingEntries(after, this.#leftOut.warn)
    }
    const { tracks, albums } = this.catalogue
    this.#lastScan = { endedAt: Date.now(), read, gone: gone.length, failed: false }
    const seconds = Number(((performance.now() - began) / 1000).toFixed(1))
    const counts = { tracks: tracks.size, albums: albums.size, read, gone: gone.length }
    // Most events of a watcher lead to no change.
    this.#log[isNew || !isWatched ? 'info' : 'debug']({ ...counts, seconds }, 'scan finished')
    await settleAll(this.#kept, this.#closing.signal, true)
  }

  /** @returns the number of files that were read, or cannot be read unless they change */
  async #read (files: AsyncIterable<FoundFile>): Promise<number> {
    // The folder of the files is recorded at the end of a scan.
    const firstScan = this.#home === undefined || this.#kept.db.get('SELECT 1 FROM file LIMIT 1') === undefined
    let read = 0
    await this.#kept.keepWhile(() =>
      readFiles(this.root, files, this.#closing.signal, (found, { file, error, mayRecover }) => {
        if (error !== undefined) this.#leftOut.add(found.path, error)
        if (mayRecover) return
        this.#kept.add(this.#kept.arrived(found, file, firstScan))
        read++
      }))
    return read
  }
}
