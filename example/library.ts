import { realpath, stat } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import { buildCatalogue, type Catalogue } from './catalogue/build-catalogue.ts'
import type { PlaylistFile } from './playlists/read-playlist.ts'
import { readPlaylists } from './playlists/read-playlists.ts'
import { unlessAborted } from './scan/file-reader.ts'
import { isIn, MountedFolders } from './scan/mounted-folders.ts'
import { offerMeanwhile } from './scan/offer-meanwhile.ts'
import type { AudioFile } from './scan/read-audio-file.ts'
import { readFiles } from './scan/read-files.ts'
import { AlbumRepair } from './scan/repair-albums.ts'
import { Store, type Kept, type KeptFile } from './scan/store.ts'
import { isSame, walkFolder, type FoundFile } from './scan/walk-folder.ts'
import { WatchedFolder } from './scan/watched-folder.ts'
import { StartError } from './start-error.ts'

/** Milliseconds after which what was read is saved: each time waits for the disk; what was not is read again. */
const saveEvery = 1000
/** Milliseconds between two lines about a long scan. */
const progressEvery = 5000

/** A folder of music and what is in it. */
export class Library {
  /** Real path of the folder. */
  readonly root: string
  /** What requests are answered from; it is replaced whole when something has changed. */
  catalogue!: Catalogue
  /** Called when the catalogue has been replaced. */
  onNewCatalogue: () => unknown = () => {}
  /** Ids of the tracks that were roamed to last. */
  roamed: ReadonlySet<string> = new Set()
  readonly #log: FastifyBaseLogger
  readonly #store: Store
  readonly #files: Map<string, KeptFile>
  readonly #told = new Set<string>()
  readonly #folder: WatchedFolder
  readonly #mounts: MountedFolders
  readonly #albums = new AlbumRepair()
  readonly #closing = new AbortController()
  /** The folder that had files in it last. */
  #home: string | undefined
  #playlists = new Map<string, PlaylistFile>()
  #unsaved: KeptFile[] = []
  /** Whether the next scan forgets what is away too. */
  #forgets = false
  #isBuilt = false
  #building: Promise<void> = Promise.resolve()
  #scanning: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined

  private constructor (root: string, store: Store, { files, home, mounts }: Kept, log: FastifyBaseLogger) {
    this.root = root
    this.#store = store
    this.#files = new Map(files.map(file => [file.path, file]))
    this.#home = home
    this.#log = log
    this.#folder = new WatchedFolder(root, log, () => this.scan())
    this.#mounts = new MountedFolders(root, mounts, log)
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
    const library = openLibrary()
    await library.#build()
    return library

    function openLibrary () {
      try {
        const { store, kept } = Store.open(dataDir, log)
        return new Library(root, store, kept, log)
      } catch (error) {
        throw new StartError(`DATA_DIR must be a folder that the source may write to: ${(error as Error).message}`)
      }
    }
  }

  /** Reads what is new or has changed; one scan at a time. A file that cannot be read is left out, with one warning. */
  scan (): Promise<void> {
    const { signal } = this.#closing
    // One that has not begun will see what changed until now.
    this.#waiting ??= this.#scanning
      .then(() => {
        this.#waiting = undefined
        return signal.aborted ? undefined : unlessAborted(this.#scan(), signal)
      })
      .catch(error => { if (!signal.aborted) this.#log.error(error, 'The scan failed') })
    this.#scanning = this.#waiting
    return this.#scanning
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
    this.#save(this.#unsaved.splice(0))
    this.#store.close()
  }

  async #scan (): Promise<void> {
    const began = performance.now()
    const unreadable: string[] = []
    const refused = new Set<string>()
    const forgets = this.#forgets
    this.#forgets = false
    if (forgets) this.#mounts.forget()
    const folder = await this.#folder.look(this.#home)
    const away = await this.#mounts.look()
    const { audio, playlists, others, sheets, mounts } = await walkFolder(this.root, (path, error) => {
      unreadable.push(path)
      // A file that was deleted after its folder was listed is gone.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') refused.add(path)
      if (path !== '' && !away.has(path)) this.#warn(path, error)
    })
    const counts = Array.from(others, ([type, count]) => `${count} ${type}`).sort()
    if (counts.length > 0) this.#tell(`Left out what players do not open: ${counts.join(', ')}`)
    if (sheets > 0) {
      this.#tell(`Albums in one file with a .cue: ${sheets}. Each is one track, since files are played whole`)
    }
    const read = await this.#read(audio.filter(found => !isSame(found, this.#files.get(found.path))))
    const onUnreadable = (path: string, error: unknown) => this.#warn(path, error)
    const playlistsNow = await readPlaylists(this.root, playlists, this.#playlists, onUnreadable)

    // A folder that cannot be read now, a disk that is not there or was unplugged meanwhile, has lost nothing.
    const isThere = folder !== undefined && await this.#folder.look(this.#home) === folder
    if (isThere) {
      await this.#folder.follow(mounts)
      unreadable.push(...await this.#mounts.lookAgain(away, mounts, unreadable))
    }
    this.#closing.signal.throwIfAborted()
    const isAway = (path: string) =>
      !forgets && (!isThere || refused.has(path) || unreadable.some(folder => isIn(folder, path)))
    const there = new Set(audio.map(({ path }) => path))
    const gone = [...this.#files.keys()].filter(path => !there.has(path) && !isAway(path))
    for (const path of gone) this.#files.delete(path)
    if (isThere && audio.length > 0) this.#home = folder
    this.#save(this.#unsaved.splice(0), gone)
    const playlistsBefore = this.#playlists
    for (const [path, file] of playlistsBefore) {
      if (!playlistsNow.has(path) && isAway(path)) playlistsNow.set(path, file)
    }
    this.#playlists = playlistsNow

    const playlistsChanged = playlistsBefore.size !== playlistsNow.size ||
      [...playlistsNow].some(([path, file]) => playlistsBefore.get(path) !== file)
    const isNew = read > 0 || gone.length > 0 || playlistsChanged
    if (isNew) await this.#build()
    const { tracks, albums } = this.catalogue
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    // Most changes that a watcher sees are none.
    const level = isNew || !this.#folder.isWatched ? 'info' : 'debug'
    const changes = `read ${read} files, ${gone.length} are gone`
    this.#log[level](`${tracks.size} tracks on ${albums.size} albums: ${changes} (${seconds} s)`)
    for (const index of Object.values(this.catalogue.search)) index.prepare()
  }

  /** @returns how many could be read, or never will be as they are */
  async #read (changed: readonly FoundFile[]): Promise<number> {
    // The home of the files is known when a scan has come to its end.
    const firstScan = this.#files.size === 0 || this.#home === undefined
    const addedBefore = new Map<string, number>()
    for (const file of this.#files.values()) if (!('broken' in file)) addedBefore.set(file.trackId, file.added)
    const stopOffering = offerMeanwhile(async () => { if (!this.#isBuilt) await this.#build() })
    let read = 0
    let [saved, told] = [Date.now(), Date.now()]
    try {
      await readFiles(this.root, changed, this.#closing.signal, (found, { file, error, mayRecover }) => {
        if (error !== undefined) this.#warn(found.path, error)
        if (mayRecover) return
        const added = file && (addedBefore.get(file.trackId) ?? (firstScan ? found.mtimeMs : Date.now()))
        const kept: KeptFile = file === undefined ? { ...found, broken: true } : { ...file, added: added! }
        this.#files.set(found.path, kept)
        this.#isBuilt = false
        this.#unsaved.push(kept)
        read++
        const now = Date.now()
        if (now - saved >= saveEvery) {
          saved = now
          this.#save(this.#unsaved.splice(0))
        }
        if (now - told >= progressEvery) {
          told = now
          this.#log.info(`Read ${read} of ${changed.length} files`)
        }
      })
    } finally {
      stopOffering()
    }
    return read
  }

  /** What cannot be kept now is read again at the next start. */
  #save (files: readonly KeptFile[], forgotten: readonly string[] = []): void {
    try {
      this.#store.save(files, forgotten, this.#home, this.#mounts.known)
    } catch (error) {
      this.#log.warn(`What was read cannot be kept: ${(error as Error).message}`)
    }
  }

  /** Makes a catalogue of what is known now; one after the other, so that none replaces a newer one. */
  #build (): Promise<void> {
    this.#building = this.#building.then(async () => {
      this.#isBuilt = true
      const files = [...this.#files.values()].filter((file): file is AudioFile => !('broken' in file))
      const named = await this.#albums.repair(files.sort((a, b) => a.path < b.path ? -1 : 1))
      this.catalogue = await buildCatalogue(this.root, named, [...this.#playlists.values()])
      this.onNewCatalogue()
    })
    return this.#building
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
