import { createYield } from 'fastify-source-origin'
import { hasPlaylist } from '../catalogue/entry-rows.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import type { AudioTypes } from '../scan/audio-types.ts'
import { compareFolder, foldersBelow, isKnown } from '../scan/known-files.ts'
import { isIn } from '../scan/mounted-folders.ts'
import { nothingSeen, walkFolder, type FoundFile } from '../scan/walk-folder.ts'
import type { WatchedFolder } from '../scan/watched-folder.ts'

/** The differences between a folder, or some of its subfolders, and the index. */
export class FolderChanges {
  /** Findings other than files. */
  readonly seen = nothingSeen()
  /** New or changed playlist files. */
  readonly playlists: FoundFile[] = []
  /** Paths that could not be listed or read. */
  readonly unreadable: string[] = []
  /** Paths of files that earlier scans could not read. */
  readonly unread: string[] = []
  /** Whether audio files were found. */
  hasAudio = false
  /** The number of audio files that are unchanged or were read. */
  done = 0
  readonly #db: IndexDatabase
  readonly #root: string
  readonly #only: ReadonlySet<string> | undefined
  readonly #folder: WatchedFolder
  readonly #types: AudioTypes
  readonly #onUnreadable: (path: string, error: unknown) => void
  /** The names of the subfolders of each listed folder, by path. */
  readonly #listed = new Map<string, readonly string[]>()
  readonly #gone: string[] = []
  readonly #gonePlaylists: string[] = []
  readonly #refused = new Set<string>()

  /**
   * @param root real path of the folder
   * @param only paths of folders that may have changed; unknown subfolders are included
   * @param folder notified of each folder before it is listed
   * @param onUnreadable called with each unreadable path and the reason
   */
  constructor (
    db: IndexDatabase, root: string, only: ReadonlySet<string> | undefined, folder: WatchedFolder, types: AudioTypes,
    onUnreadable: (path: string, error: unknown) => void
  ) {
    this.#db = db
    this.#types = types
    this.#root = root
    this.#only = only
    this.#folder = folder
    this.#onUnreadable = onUnreadable
  }

  /** Yields new or changed audio files. */
  async * files (): AsyncGenerator<FoundFile, void, undefined> {
    const only = this.#only
    const { except, see } = this.#folder
    const goesInto = (path: string) => !(isKnown(this.#db, path) && this.#folder.sees(path))
    const walk = { ...only && { from: only, goesInto }, except, onFolder: see, types: this.#types }
    const note = (path: string, error: unknown) => this.#note(path, error)
    for await (const { folders, ...folder } of walkFolder(this.#root, this.seen, note, walk)) {
      this.#listed.set(folder.path, folders)
      const { audio, playlists, gone, gonePlaylists, unread } = compareFolder(this.#db, folder)
      this.unread.push(...unread)
      this.hasAudio ||= folder.audio.length > 0
      this.playlists.push(...playlists)
      this.#gone.push(...gone)
      this.#gonePlaylists.push(...gonePlaylists)
      this.done += folder.audio.length - audio.length
      for (const file of audio) {
        yield file
        this.done++
      }
    }
  }

  /** Removes a playlist file that has become unreadable. */
  losePlaylist (path: string): void {
    if (hasPlaylist(this.#db, path)) this.#gonePlaylists.push(path)
  }

  /** Whether some folders do not report all changes, so that the complete folder must be scanned. */
  get isUnclear (): boolean {
    return this.unreadable.length > 0 || this.seen.links || this.seen.mounts.size > 0
  }

  /**
   * Returns the paths of known files that are missing, after everything has been listed.
   *
   * @param away paths of unavailable folders, whose files stay in the index
   * @param forgets whether to include files of unavailable folders
   */
  async gone (away: readonly string[], forgets: boolean): Promise<{ gone: string[], gonePlaylists: string[] }> {
    const pause = createYield()
    for (const folder of this.#only ?? ['']) {
      for (const known of foldersBelow(this.#db, folder)) {
        if (!this.#listed.has(known) && (forgets || this.#isGone(known))) this.#addGone(known)
        await pause()
      }
    }
    if (forgets && !this.#listed.has('')) this.#addGone('')
    const hidden = [...this.unreadable, ...away]
    const isGone = (path: string) =>
      forgets || !(this.#refused.has(path) || hidden.some(folder => isIn(folder, path)))
    return { gone: this.#gone.filter(isGone), gonePlaylists: this.#gonePlaylists.filter(isGone) }
  }

  #addGone (path: string): void {
    const { gone, gonePlaylists } = compareFolder(this.#db, { path, audio: [], playlists: [] })
    this.#gone.push(...gone)
    this.#gonePlaylists.push(...gonePlaylists)
  }

  /** Returns whether the folder, or one above it, is missing from a listed folder. */
  #isGone (folder: string): boolean {
    let below = folder
    while (below !== '') {
      const end = below.lastIndexOf('/')
      const above = below.slice(0, Math.max(0, end))
      const names = this.#listed.get(above)
      if (names !== undefined) return !names.includes(below.slice(end + 1))
      below = above
    }
    return false
  }

  #note (path: string, error: unknown): void {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    // The listing of the parent folder shows that it is missing.
    if (isMissing && this.#only?.has(path) === true) return
    this.unreadable.push(path)
    // A file that was deleted after its folder was listed counts as missing.
    if (!isMissing) this.#refused.add(path)
    this.#onUnreadable(path, error)
  }
}
