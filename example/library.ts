import { realpath, stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import { Catalogue } from './catalogue/catalogue.ts'
import { changeLibrary, type Change } from './catalogue/change-library.ts'
import { arrivalOf, filesBehind, type KeptFile } from './catalogue/file-rows.ts'
import { findEntries, hasStaleEntries } from './playlists/entry-rows.ts'
import { readPlaylists } from './playlists/read-playlists.ts'
import { FolderChanges } from './scan/folder-changes.ts'
import { unlessAborted } from './scan/file-reader.ts'
import { MountedFolders, type Mounts } from './scan/mounted-folders.ts'
import { readFiles, type ReadOutcome } from './scan/read-files.ts'
import { ScanProgress, type FilesRead } from './scan/scan-progress.ts'
import { tellScan } from './scan/tell-scan.ts'
import type { FoundFile } from './scan/walk-folder.ts'
import { WatchedFolder } from './scan/watched-folder.ts'
import { StartError } from './start-error.ts'
import { LibraryDatabase } from './store/library-database.ts'
import { hasOldIndex, homeOf, mountsOf, saveHome, takeOver } from './store/library-home.ts'
import { isInside } from './resolve-inside.ts'
import { takeTurns } from './take-turns.ts'

/** Files that become rows at a time: requests wait for no more. */
const atATime = 50
/** Milliseconds after which what was read is kept and served. */
const keepEvery = 500

/** A folder of music and what is in it. */
export class Library {
  /** Real path of the folder. */
  readonly root: string
  /** What requests are answered from. */
  catalogue!: Catalogue
  /** Called when something in the catalogue has changed. */
  onChange: () => unknown = () => {}
  /** Ids of the tracks that were roamed to last. */
  roamed: ReadonlySet<string> = new Set()
  readonly #log: FastifyBaseLogger
  readonly #dataDir: string
  /** Real path of the data folder, where it is in the music folder: what is kept is no music. */
  readonly #except: string | undefined
  readonly #told = new Set<string>()
  readonly #folder: WatchedFolder
  readonly #mounts: MountedFolders
  readonly #closing = new AbortController()
  #db!: LibraryDatabase
  /** The folder that had files in it last. */
  #home: string | undefined
  #savedHome: { home: string | undefined, mounts: Mounts }
  #unsaved: KeptFile[] = []
  #isClosed = false
  /** What was damaged when it was read; the next scan makes the index anew. */
  #damage: Error | undefined
  /** Whether something could not be kept. */
  #isFull = false
  /** Whether the next scan forgets what is away too. */
  #forgets = false
  /** Whether a whole scan has found that each folder tells all that has changed in it: there is no link. */
  #isPlain = false
  #progress: ScanProgress | undefined
  #scanning: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined
  /** Paths of folders that the waiting scan looks at; all of them when it is `undefined`. */
  #wanted: Set<string> | undefined = new Set()

  private constructor (
    root: string, dataDir: string, realDataDir: string, db: LibraryDatabase, log: FastifyBaseLogger
  ) {
    this.root = root
    this.#dataDir = dataDir
    this.#except = realDataDir !== root && isInside(root, realDataDir) ? realDataDir : undefined
    this.#use(db)
    this.#savedHome = { home: homeOf(db), mounts: mountsOf(db) }
    this.#home = this.#savedHome.home
    this.#log = log
    this.#folder = new WatchedFolder(root, log, folders => this.scan(folders), this.#except)
    this.#mounts = new MountedFolders(root, this.#savedHome.mounts, log)
  }

  /**
   * The library as it was when it was scanned last.
   *
   * @throws StartError when the folder is missing, or the data folder cannot be written to
   */
  static async open (folder: string, dataDir: string, log: FastifyBaseLogger): Promise<Library> {
    const isFolder = await stat(folder).then(stats => stats.isDirectory(), () => false)
    if (!isFolder) throw new StartError(`MUSIC_DIR must be a folder of audio files: there is no folder ${folder}`)
    const root = await realpath(folder)
    try {
      const db = await openDatabase(dataDir, log)
      return new Library(root, dataDir, await realpath(dataDir), db, log)
    } catch (error) {
      throw new StartError(`DATA_DIR must be a folder that the source may write to: ${(error as Error).message}`)
    }
  }

  /**
   * Reads what is new or has changed; one scan at a time. A file that cannot be read is left out, with one warning.
   *
   * @param folders paths of those in which something may have changed; all without them
   */
  scan (folders?: ReadonlySet<string>): Promise<void> {
    const { signal } = this.#closing
    // One that has not begun will see what changed until now.
    this.#wanted = folders && this.#wanted && new Set([...this.#wanted, ...folders])
    this.#waiting ??= this.#scanning
      .then(() => {
        const only = this.#wanted
        this.#waiting = undefined
        this.#wanted = new Set()
        return signal.aborted ? undefined : tellScan(() => unlessAborted(this.#scan(only), signal))
      })
      .catch(error => {
        if (!signal.aborted && this.#damage === undefined) this.#log.error(error, 'The scan failed')
      })
      .finally(() => { this.#progress = undefined })
    this.#scanning = this.#waiting
    return this.#scanning
  }

  /** How far the scan of the whole folder is that runs; `undefined` without one. */
  get progress (): FilesRead | undefined {
    return this.#progress?.look()
  }

  /** Forgets all that is not there now, a disk that is not mounted too, which a scan would keep. */
  forgetMissing (): Promise<void> {
    this.#forgets = true
    return this.scan()
  }

  /**
   * Scans again whenever something changes, until the library is closed.
   *
   * @param scanEvery milliseconds between scans at an interval, for changes that the system does not report; 0 = none
   */
  watch (scanEvery = 0): void {
    this.#folder.watch()
    this.#folder.scanEvery(scanEvery)
  }

  /** Ends what is going on, and keeps what was read. What the system does not give is not waited for. */
  async close (): Promise<void> {
    this.#closing.abort()
    await this.#scanning
    await this.#folder.close()
    this.#keepRead()
    this.#isClosed = true
    this.#db.close()
  }

  async #scan (only?: ReadonlySet<string>): Promise<void> {
    const began = performance.now()
    const forgets = this.#forgets
    this.#forgets = false
    if (forgets) this.#mounts.forget()
    if (this.#damage !== undefined) await this.#makeAnew(this.#damage)
    await this.#takeOver()
    const folder = await this.#folder.look(this.#home)
    const away = await this.#mounts.look()
    const isPart = only !== undefined && this.#isPlain && folder !== undefined && away.size === 0 && !forgets
    const changes = new FolderChanges(this.#db, this.root, isPart ? only : undefined, this.#except, (path, error) => {
      if (path !== '' && !away.has(path)) this.#warn(path, error)
    })
    const progress = new ScanProgress(this.root, () => changes.done, this.#log)
    if (!isPart) this.#progress = progress
    const read = await this.#read(changes.files()).finally(() => progress.end())
    if (isPart && changes.isUnclear) return this.#scan()
    const { mounts, links, others, sheets } = changes.seen
    if (!isPart) this.#tellOthers(others, sheets)
    const playlists = await readPlaylists(this.root, changes.playlists, (path, error) => {
      changes.losePlaylist(path)
      this.#warn(path, error)
    })

    // A folder that cannot be read now, a disk that is not there or was unplugged meanwhile, has lost nothing.
    const isThere = folder !== undefined && await this.#folder.look(this.#home) === folder
    const missing = isThere ? [] : ['']
    if (isThere && !isPart) {
      await this.#folder.follow(mounts)
      missing.push(...await this.#mounts.lookAgain(away, mounts, changes.unreadable))
    } else if (isThere) missing.push(...(await this.#mounts.look()).keys())
    this.#closing.signal.throwIfAborted()
    const { gone, gonePlaylists } = await changes.gone(missing, forgets)
    if (isThere && changes.hasAudio) this.#home = folder
    if (!isPart) this.#isPlain = !links
    const isNew = read + gone.length + playlists.length + gonePlaylists.length > 0
    const report = `read ${read} files, ${gone.length} are gone`
    await this.#keepAll({ gone, playlists, gonePlaylists })
    if (this.#isFull && !this.#db.isInMemory) {
      await this.#moveToMemory()
      return this.#scan()
    }
    if (this.#db.isDeleted) {
      this.#tell(`The index in ${this.#dataDir} was deleted: it is used until the source ends, and then made anew`)
    }
    const { tracks, albums } = this.catalogue
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    // Most changes that a watcher sees are none.
    const level = isNew || !this.#folder.isWatched ? 'info' : 'debug'
    this.#log[level](`${tracks.size} tracks on ${albums.size} albums: ${report} (${seconds} s)`)
  }

  /** @returns how many could be read, or never will be as they are */
  async #read (files: AsyncIterable<FoundFile>): Promise<number> {
    // The home of the files is known when a scan has come to its end.
    const firstScan = this.#home === undefined || this.#db.get('SELECT 1 FROM file LIMIT 1') === undefined
    const keeping = setInterval(() => this.#keepRead(), keepEvery).unref()
    let read = 0
    try {
      await readFiles(this.root, files, this.#closing.signal, (found, { file, error, mayRecover }) => {
        if (error !== undefined) this.#warn(found.path, error)
        if (mayRecover) return
        this.#unsaved.push(this.#arrived(found, file, firstScan))
        read++
        if (this.#unsaved.length >= atATime) this.#keepRead(true)
      })
    } finally {
      clearInterval(keeping)
    }
    return read
  }

  /** A file of the first scan arrived when it was written; one that was moved, when it came first. */
  #arrived (found: FoundFile, file: ReadOutcome['file'], firstScan: boolean): KeptFile {
    if (file === undefined) return { ...found, broken: true }
    return { ...file, added: firstScan ? found.mtimeMs : arrivalOf(this.#db, file.trackId) ?? Date.now() }
  }

  /**
   * Serves what was read from now on, and keeps it.
   *
   * @param isWaiting whether it may be kept with what comes next
   */
  #keepRead (isWaiting = false): void {
    const files = this.#unsaved.splice(0)
    if (files.length > 0 || this.#db.isWaiting) this.#change(() => changeLibrary(this.#db, { files }), isWaiting)
  }

  /** Keeps what is left of a scan: little in one transaction, much in several, so that requests are answered. */
  async #keepAll ({ gone, playlists, gonePlaylists }: Omit<Required<Change>, 'files'>): Promise<void> {
    const pause = takeTurns()
    let from = 0
    for (; gone.length - from > atATime; from += atATime) {
      const some = gone.slice(from, from + atATime)
      this.#change(() => changeLibrary(this.#db, { gone: some }))
      await pause()
    }
    const files = this.#unsaved.splice(0)
    let isMore = true
    const home = { home: this.#home, mounts: this.#mounts.known }
    const isSameHome = isDeepStrictEqual(home, this.#savedHome)
    const last = [files, gone, playlists, gonePlaylists]
    const isLeft = this.#db.isWaiting || hasStaleEntries(this.#db)
    if (last.every(({ length }) => length === 0) && isSameHome && !isLeft) return
    this.#change(() => {
      changeLibrary(this.#db, { playlists, gonePlaylists, files, gone: gone.slice(from) })
      if (!isSameHome) saveHome(this.#db, home.home, home.mounts)
      isMore = findEntries(this.#db, this.root)
    })
    this.#savedHome = home
    while (isMore) {
      await pause()
      isMore = false
      this.#change(() => { isMore = findEntries(this.#db, this.root) })
    }
  }

  /** Keeps the files of an index that was made before the library had tables. */
  async #takeOver (): Promise<void> {
    const pause = takeTurns()
    while (hasOldIndex(this.#db) && !this.#isFull) {
      this.#change(() => changeLibrary(this.#db, { files: takeOver(this.#db, atATime) }), true)
      await pause()
      this.#closing.signal.throwIfAborted()
    }
  }

  /** Goes on with a copy of the library in memory: what is read now is served, and read again at the next start. */
  async #moveToMemory (): Promise<void> {
    const pause = takeTurns()
    const [before, db] = [this.#db, await LibraryDatabase.inMemory()]
    for (let files = filesBehind(before, '', atATime); files.length > 0;) {
      db.transaction(() => changeLibrary(db, { files }))
      files = filesBehind(before, files.at(-1)!.path, atATime)
      await pause()
      this.#closing.signal.throwIfAborted()
    }
    this.#use(db)
    before.close()
  }

  /** The files are read again; the folder that they were in is known. */
  async #makeAnew ({ message }: Error): Promise<void> {
    this.#log.warn(`The index in ${this.#dataDir} is damaged (${message}): it is made anew`)
    this.#damage = undefined
    this.#db.close()
    this.#use(await LibraryDatabase.makeAnew(this.#dataDir))
    this.#savedHome = { home: undefined, mounts: new Map() }
  }

  #use (db: LibraryDatabase): void {
    this.#db = db
    this.catalogue = new Catalogue(db)
    db.onDamage = error => {
      if (this.#damage === undefined) this.scan()
      this.#damage = error
    }
    this.onChange()
  }

  /** Changes rows, all or none. What cannot be kept now is read again in the next scan. */
  #change (work: () => void, isWaiting = false): void {
    // Where there is no room, the rest waits for the end of the scan. One that was given up goes on to its end.
    if (this.#isClosed || (this.#isFull && !this.#db.isInMemory)) return
    try {
      this.#db.transaction(work, isWaiting)
    } catch (error) {
      if (this.#damage !== undefined) return
      this.#isFull = true
      this.#log.warn(`What was read cannot be kept: ${(error as Error).message}`)
      return
    }
    this.catalogue.changed()
    this.onChange()
  }

  #tellOthers (others: ReadonlyMap<string, number>, sheets: number): void {
    const counts = Array.from(others, ([type, count]) => `${count} ${type}`).sort()
    if (counts.length > 0) this.#tell(`Left out what players do not open: ${counts.join(', ')}`)
    if (sheets > 0) {
      this.#tell(`Albums in one file with a .cue: ${sheets}. Each is one track, since files are played whole`)
    }
  }

  #warn (path: string, error: unknown): void {
    this.#tell(`Left out ${path}: ${(error as Error).message}`)
  }

  /** Every scan finds the same again; it is told once. */
  #tell (text: string): void {
    if (!this.#told.has(text)) this.#log.warn(text)
    this.#told.add(text)
  }
}

async function openDatabase (dataDir: string, log: FastifyBaseLogger): Promise<LibraryDatabase> {
  return LibraryDatabase.open(dataDir, (file, { message }) =>
    log.warn(`The index in ${file} is damaged (${message}): it is made anew`))
}
