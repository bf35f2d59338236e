import { realpath, stat } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import { buildCatalogue, type Catalogue } from './catalogue/build-catalogue.ts'
import { readPlaylist, type PlaylistFile } from './playlists/read-playlist.ts'
import { readAudioFile, type AudioFile } from './scan/read-audio-file.ts'
import { Store, type KeptFile } from './scan/store.ts'
import { walkFolder, type FoundFile } from './scan/walk-folder.ts'
import { WatchedFolder } from './scan/watched-folder.ts'
import { StartError } from './start-error.ts'

/** Files that are read at the same time. */
const readers = 8
/** Files that are saved at a time. */
const batch = 250
/** Milliseconds between two lines about a long scan. */
const progressEvery = 5000

/** A folder of music and what is in it. */
export class Library {
  /** Real path of the folder. */
  readonly root: string
  /** What requests are answered from; it is replaced whole when something has changed. */
  catalogue!: Catalogue
  /** Ids of the tracks that were roamed to last. */
  roamed: ReadonlySet<string> = new Set()
  readonly #log: FastifyBaseLogger
  readonly #store: Store
  readonly #files: Map<string, KeptFile>
  readonly #warned = new Set<string>()
  readonly #folder: WatchedFolder
  #playlists = new Map<string, PlaylistFile>()
  #scanning: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined
  #closed = false

  private constructor (root: string, store: Store, files: readonly KeptFile[], log: FastifyBaseLogger) {
    this.root = root
    this.#store = store
    this.#files = new Map(files.map(file => [file.path, file]))
    this.#log = log
    this.#folder = new WatchedFolder(root, log, () => this.scan())
    this.#build()
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
      const { store, files } = Store.open(dataDir, log)
      return new Library(root, store, files, log)
    } catch (error) {
      throw new StartError(`DATA_DIR must be a folder that the source may write to: ${(error as Error).message}`)
    }
  }

  /** Reads what is new or has changed; one scan at a time. A file that cannot be read is left out, with one warning. */
  scan (): Promise<void> {
    // One that has not begun will see what changed until now.
    this.#waiting ??= this.#scanning
      .then(() => {
        this.#waiting = undefined
        return this.#closed ? undefined : this.#scan()
      })
      .catch(error => this.#log.error(error, 'The scan failed'))
    this.#scanning = this.#waiting
    return this.#scanning
  }

  /** Scans again whenever something changes, until the library is closed. */
  watch (): void {
    if (!this.#closed) this.#folder.watch()
  }

  /** Ends what is going on. */
  async close (): Promise<void> {
    this.#closed = true
    // A scan may watch and wait anew, so it ends first.
    await this.#scanning
    await this.#folder.close()
    this.#store.close()
  }

  async #scan (): Promise<void> {
    const began = performance.now()
    const unreadable: string[] = []
    const wasThere = await this.#folder.look()
    const { audio, playlists } = await walkFolder(this.root, (path, error) => {
      unreadable.push(path)
      if (path !== '') this.#warn(path, error)
    })
    const read = await this.#read(audio.filter(found => !isSame(found, this.#files.get(found.path))))
    const playlistsBefore = this.#playlists
    this.#playlists = await this.#readPlaylists(playlists)

    // A folder that cannot be read now, a disk that is not there or was unplugged meanwhile, has lost nothing.
    const isThere = wasThere && await this.#folder.look()
    const isAway = (path: string) => !isThere || unreadable.some(folder => folder === '' || path.startsWith(`${folder}/`))
    const there = new Set(audio.map(({ path }) => path))
    const gone = this.#closed ? [] : [...this.#files.keys()].filter(path => !there.has(path) && !isAway(path))
    this.#keep([], gone)
    for (const path of gone) this.#files.delete(path)
    for (const [path, file] of playlistsBefore) if (!this.#playlists.has(path) && isAway(path)) this.#playlists.set(path, file)

    const playlistsChanged = playlistsBefore.size !== this.#playlists.size ||
      [...this.#playlists].some(([path, file]) => playlistsBefore.get(path) !== file)
    const isNew = read > 0 || gone.length > 0 || playlistsChanged
    if (isNew) this.#build()
    const { tracks, albums } = this.catalogue
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    // Most changes that a watcher sees are none.
    const level = isNew || !this.#folder.isWatched ? 'info' : 'debug'
    this.#log[level](`${tracks.size} tracks on ${albums.size} albums: read ${read} files, ${gone.length} are gone (${seconds} s)`)
    setImmediate(() => { for (const index of Object.values(this.catalogue.search)) index.prepare() })
  }

  /** @returns how many could be read, or never will be as they are */
  async #read (changed: readonly FoundFile[]): Promise<number> {
    const firstScan = this.#files.size === 0
    const addedBefore = new Map([...this.#files.values()].flatMap(file => 'broken' in file ? [] : [[file.trackId, file.added]]))
    const waiting = changed.values()
    const unsaved: KeptFile[] = []
    let read = 0
    let nextBuild = batch
    let told = Date.now()

    await Promise.all(Array.from({ length: readers }, async () => {
      for (const found of waiting) {
        if (this.#closed) return
        const file = await this.#readOne(found, track => addedBefore.get(track) ?? (firstScan ? found.mtimeMs : Date.now()))
        if (file === undefined) continue
        unsaved.push(file)
        this.#files.set(file.path, file)
        if (++read % batch === 0) this.#keep(unsaved.splice(0), [])
        // What is there can be played meanwhile. Each time there is twice as much, so that all of it is built twice at most.
        if (read === nextBuild) {
          nextBuild *= 2
          this.#build()
        }
        if (Date.now() - told >= progressEvery) {
          told = Date.now()
          this.#log.info(`Read ${read} of ${changed.length} files`)
        }
      }
    }))
    this.#keep(unsaved, [])
    return read
  }

  /** @returns `undefined` for what the system does not give now: it is tried again in the next scan */
  async #readOne (found: FoundFile, addedOf: (trackId: string) => number): Promise<KeptFile | undefined> {
    try {
      const file = await readAudioFile(this.root, found)
      return { ...file, added: addedOf(file.trackId) }
    } catch (error) {
      this.#warn(found.path, error)
      return (error as NodeJS.ErrnoException).errno === undefined ? { ...found, broken: true } : undefined
    }
  }

  async #readPlaylists (found: readonly FoundFile[]): Promise<Map<string, PlaylistFile>> {
    const playlists = new Map<string, PlaylistFile>()
    for (const file of found) {
      const known = this.#playlists.get(file.path)
      try {
        playlists.set(file.path, known !== undefined && isSame(file, known) ? known : await readPlaylist(this.root, file))
      } catch (error) {
        this.#warn(file.path, error)
      }
    }
    return playlists
  }

  /** What cannot be kept now is read again at the next start. */
  #keep (files: readonly KeptFile[], forgotten: readonly string[]): void {
    try {
      this.#store.save(files, forgotten)
    } catch (error) {
      this.#log.warn(`What was read cannot be kept: ${(error as Error).message}`)
    }
  }

  #build (): void {
    const files = [...this.#files.values()].filter((file): file is AudioFile => !('broken' in file))
    this.catalogue = buildCatalogue(this.root, files.sort((a, b) => a.path < b.path ? -1 : 1), [...this.#playlists.values()])
  }

  /** Every scan finds the same again; it is told once. */
  #warn (path: string, error: unknown): void {
    const text = `Left out ${path}: ${(error as Error).message}`
    if (!this.#warned.has(text)) this.#log.warn(text)
    this.#warned.add(text)
  }
}

const isSame = (found: FoundFile, known: FoundFile | undefined) => found.size === known?.size && found.mtimeMs === known.mtimeMs
