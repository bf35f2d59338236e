import { LRUCache } from 'lru-cache'
import { tracingChannel } from 'node:diagnostics_channel'
import { realpath, stat } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { missingEntries } from '../playlists/missing-entries.ts'
import { readPlaylists } from '../playlists/read-playlists.ts'
import type { Heard } from '../catalogue/listened.ts'
import { audioTypes, type AudioTypes } from '../scan/audio-types.ts'
import { FolderChanges } from './folder-changes.ts'
import { unlessAborted } from '../scan/in-time.ts'
import { hasMany } from '../scan/known-files.ts'
import { MountedFolders } from '../scan/mounted-folders.ts'
import { oddCodecs } from '../catalogue/odd-codecs.ts'
import { othersLeftOut } from '../scan/others-left-out.ts'
import { readFiles } from '../scan/read-files.ts'
import { ScanProgress, type FilesRead } from '../scan/scan-progress.ts'
import { ScanQueue } from '../scan/scan-queue.ts'
import type { FoundFile } from '../scan/walk-folder.ts'
import { WatchedFolder } from '../scan/watched-folder.ts'
import { StartError } from '../start/start-error.ts'
import { hashAll, settleAll } from './keep-identities.ts'
import { KeptIndex } from './kept-index.ts'
import { LeftOut } from './left-out.ts'
import { isInside } from '../files/resolve-inside.ts'

const scans = tracingChannel('fastify-source-origin.scan')

/** A scan that has ended. `endedAt` is a Unix time in milliseconds. */
export interface EndedScan {
  readonly endedAt: number
  /** The number of files that were read. */
  readonly read: number
  /** The number of files that were deleted since the scan before. */
  readonly gone: number
  readonly failed: boolean
}

/** A folder of music and what is in it. */
export class MusicFolder {
  /** Real path of the folder. */
  readonly root: string
  readonly dataDir: string
  /** Called when something in the catalogue has changed. */
  onChange: () => unknown = () => {}
  /** Ids of the tracks that each listener has roamed to last. */
  readonly roamed = new LRUCache<string, ReadonlySet<string>>({ max: 1000 })
  /** What each listener has heard of albums. */
  readonly heardAlbums = new LRUCache<string, Promise<ReadonlyMap<string, Heard>>>({ max: 100, ttl: 60_000 })
  readonly #log: FastifyBaseLogger
  readonly #types: AudioTypes
  readonly #kept: KeptIndex
  readonly #leftOut: LeftOut
  readonly #folder: WatchedFolder
  readonly #mounts: MountedFolders
  readonly #scans = new ScanQueue(only => this.#scanOrTell(only))
  readonly #closing: AbortController
  /** The folder that had files in it last. */
  #home: string | undefined
  /** Whether the next scan forgets what is away too. */
  #forgets = false
  /** Whether a whole scan has found that each folder tells all that has changed in it: there is no link. */
  #isPlain = false
  #progress: ScanProgress | undefined
  #lastScan: EndedScan | undefined
  /** The reading of audio that an older version did not read. */
  #hashing: Promise<void> | undefined

  private constructor (
    root: string, dataDir: string, realDataDir: string, kept: KeptIndex, log: FastifyBaseLogger,
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
    // What is kept is no music.
    const except = realDataDir !== root && isInside(root, realDataDir) ? realDataDir : undefined
    this.#folder = new WatchedFolder(root, log, folders => this.scan(folders), except)
    this.#mounts = new MountedFolders(root, kept.saved.mounts, log, path => this.#mayEmpty(path))
  }

  /**
   * The library as it was when it was scanned last.
   *
   * @param isTranscoding whether scans list files that need transcoding
   * @throws StartError when the folder is missing, or the data folder cannot be written to
   */
  static async open (
    folder: string, dataDir: string, log: FastifyBaseLogger, isTranscoding = false
  ): Promise<MusicFolder> {
    const isFolder = await stat(folder).then(stats => stats.isDirectory(), () => false)
    if (!isFolder) throw new StartError(`MUSIC_DIR must be a folder of audio files: there is no folder ${folder}`)
    const root = await realpath(folder)
    try {
      const closing = new AbortController()
      const kept = KeptIndex.open(dataDir, log, closing.signal)
      return new MusicFolder(root, dataDir, await realpath(dataDir), kept, log, closing, audioTypes(isTranscoding))
    } catch (error) {
      throw new StartError(`DATA_DIR must be a folder that the source may write to: ${(error as Error).message}`)
    }
  }

  /** What requests are answered from. */
  get catalogue (): Catalogue { return this.#kept.catalogue }

  /**
   * Reads what is new or has changed; one scan at a time. A file that cannot be read is left out, with one warning.
   *
   * @param folders paths of those in which something may have changed; all without them
   */
  scan (folders?: ReadonlySet<string>): Promise<void> { return this.#scans.add(folders) }

  /** How far the scan of the whole folder is that runs; `undefined` without one. */
  get progress (): FilesRead | undefined { return this.#progress?.filesRead() }

  /** The last scan; `undefined` before its end. */
  get lastScan (): EndedScan | undefined { return this.#lastScan }

  /** The latest messages about skipped files. */
  get leftOut (): readonly string[] { return this.#leftOut.list() }

  get isScanning (): boolean { return this.#scans.isBusy }

  /** @throws when the folder is missing, cannot be read, or is empty and was not so before */
  async isThere (): Promise<boolean> {
    await this.#folder.check(id => id === this.#home && this.#mayEmpty(''))
    return (await this.#mounts.check()).size === 0
  }

  /** Whether a folder that has nothing in it was emptied. Of one that had many files a person has to say so. */
  #mayEmpty (path: string): boolean {
    if (!hasMany(this.#kept.db, path)) return true
    const folder = path === '' ? 'the music folder' : path
    this.#leftOut.report(`All files of ${folder} are gone at once. If that is right: npm run account -- forget-missing`)
    return false
  }

  /** Forgets all that is not there now, a disk that is not mounted too, which a scan would keep. */
  forgetMissing (): Promise<void> {
    this.#forgets = true
    return this.scan()
  }

  /**
   * Scans, and again whenever something changes, until the library is closed.
   *
   * @param scanEvery milliseconds between scans at an interval, for changes that the system does not report; 0 = none
   * @returns when the first scan has ended
   */
  async watch (scanEvery = 0): Promise<void> {
    this.#folder.watch()
    await this.scan()
    this.#hashing = hashAll(this.#kept, this.root, this.#closing.signal)
    this.#folder.scanEvery(scanEvery)
  }

  /** Ends what is going on, and keeps what was read. What the system does not give is not waited for. */
  async close (): Promise<void> {
    this.#closing.abort()
    await Promise.all([this.#scans.last, this.#hashing])
    this.#folder.close()
    this.#kept.close()
  }

  async #scanOrTell (only?: ReadonlySet<string>): Promise<void> {
    const { signal } = this.#closing
    if (signal.aborted) return
    try {
      await scans.tracePromise(() => unlessAborted(this.#scan(only), signal), {})
    } catch (error) {
      if (!signal.aborted && !this.#kept.isDamaged) this.#log.error(error, 'The scan failed')
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
    // What a scan has left whose process was killed is recognised too when it has other places and tags.
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
    if (!isPart) othersLeftOut(changes.seen).forEach(text => this.#leftOut.report(text))
    const playlists = await readPlaylists(this.root, changes.playlists, (path, error) => {
      changes.losePlaylist(path)
      this.#leftOut.add(path, error)
    })
    // A folder that cannot be read now, a disk that is not there or was unplugged meanwhile, has lost nothing.
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
    const report = `read ${read} files, ${gone.length} are gone`
    const kept = { home: this.#home, mounts: this.#mounts.known }
    await this.#kept.keepAll({ gone, playlists, gonePlaylists }, this.root, kept)
    if (this.#kept.needsMemory) {
      await this.#kept.moveToMemory()
      return this.#scan()
    }
    if (this.#kept.db.isDeleted) {
      this.#leftOut.report(
        `The index in ${this.dataDir} was deleted: it is used until the source ends, and then created again`)
    }
    const { db: after } = this.#kept
    if (!isPart) [...oddCodecs(after), ...missingEntries(after)].forEach(text => this.#leftOut.report(text))
    const { tracks, albums } = this.catalogue
    this.#lastScan = { endedAt: Date.now(), read, gone: gone.length, failed: false }
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    // Most changes that a watcher sees are none.
    const level = isNew || !isWatched ? 'info' : 'debug'
    this.#log[level](`${tracks.size} tracks on ${albums.size} albums: ${report} (${seconds} s)`)
    await settleAll(this.#kept, this.#closing.signal, true)
  }

  /** @returns how many could be read, or never will be as they are */
  async #read (files: AsyncIterable<FoundFile>): Promise<number> {
    // The home of the files is known when a scan has come to its end.
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
