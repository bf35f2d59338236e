import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { limitShare, shareOf } from '../files/limit-shares.ts'
import { isInside, pointsInside, resolveInside } from '../files/resolve-inside.ts'
import { audioTypes, type AudioTypes } from './audio-types.ts'
import { timeoutError, timeLimit, unlessAborted } from './in-time.ts'
import { folderId, isNothing } from './check-folder.ts'
import { ignoreFileNames, isExcluded, pathIn, readIgnoreFiles, type Exclusions } from './ignore-files.ts'

/** A file of the folder. */
export interface FoundFile {
  /** The path relative to the folder, with slashes. */
  readonly path: string
  /** The size in bytes. */
  readonly size: number
  /** The modification time in Unix milliseconds. */
  readonly mtimeMs: number
}

/** Returns whether a file is unchanged. */
export const isSame = (found: FoundFile, known: FoundFile | undefined): boolean =>
  found.size === known?.size && found.mtimeMs === known.mtimeMs

/** The files of a folder. */
export interface FoundFolder {
  /** The path relative to the walked folder, with slashes; empty for that folder itself. */
  readonly path: string
  readonly audio: readonly FoundFile[]
  readonly playlists: readonly FoundFile[]
  /** Names of its subfolders. */
  readonly folders: readonly string[]
}

/** Findings of a walk other than files. */
export interface Seen {
  /** The numbers of unlisted files by type, including playlists of other programs. */
  readonly others: Map<string, number>
  /** The number of folders with a `.cue` file and a single audio file: an album in one piece. */
  sheets: number
  /** Non-empty folders on another device than their parent, without links. */
  readonly mounts: Map<string, string>
  /** Whether there are links that point inside the folder, even to missing targets. */
  links: boolean
  /** Links to folders and music outside, which are not followed. */
  readonly outside: string[]
}

export const nothingSeen = (): Seen =>
  ({ others: new Map(), sheets: 0, mounts: new Map(), links: false, outside: [] })

/** The starting points and the scope of a walk. */
export interface Walk {
  /** Paths of folders. Default: the complete folder. */
  readonly from?: Iterable<string>
  /** Returns whether to enter a folder. Default: every folder. */
  readonly goesInto?: (path: string) => boolean
  /** The real path of a folder that is skipped. */
  readonly except?: string | undefined
  /**
   * Called before a folder is listed, with its real path and its identity (see `folderId`).
   *
   * @returns whether to enter all its subfolders
   */
  readonly onFolder?: (path: string, id: string) => boolean
  /** Default: the types of a source without transcoding. */
  readonly types?: AudioTypes
}

const playlistTypes = new Set(['.m3u', '.m3u8'])
/** Playlist formats of other programs, which are not read. */
export const otherLists = new Set(['.pls', '.xspf', '.wpl', '.asx'])

/**
 * Trash, snapshots and other data of systems, network drives and sync programs. Other names with a leading dot are
 * music: ".38 Special". The trash of old Windows is recognised by its subfolders, since "Recycler" is an album.
 */
const litter = new Set([
  '.@__thumb', '.AppleDouble', '.DocumentRevisions-V100', '.Spotlight-V100', '.SynologyWorkingDirectory',
  '.TemporaryItems', '.deleted', '.dropbox.cache', '.fseventsd', '.git', '.recycle', '.snapshot', '.snapshots',
  '.stfolder', '.stversions', '.sync', '.zfs', '#recycle', '#snapshot', '$RECYCLE.BIN', '@eaDir', '@Recently-Snapshot',
  '@Recycle', '@sharebin', '@tmp', 'Network Trash Folder', 'System Volume Information', '__MACOSX', 'lost+found',
  '~snapshot'
].map(name => name.toLowerCase()))
const litterNames = /^(?:\._|\.Trash|S-1-5-\d)/

/** Returns whether a name is used by systems for their own data. */
export const isLitter = (name: string): boolean => litter.has(name.toLowerCase()) || litterNames.test(name)

/** The number of folders listed concurrently. */
const foldersAtATime = 16

/** Reading files has priority over listing: a listener or a timeout waits for them. */
const listing = { priority: -1 }

interface Folder {
  readonly path: string
  readonly real: string
  /** The device of the parent folder; `undefined` for a link and for a starting point. */
  readonly above?: number
  readonly isLink?: boolean
  /** The exclusions of the parent folder; `undefined` if `above` is. */
  readonly exclusions?: Exclusions
}

/**
 * Lists the audio and playlist files of a folder and its subfolders, folder by folder, in the order of names. Links are
 * followed only inside the folder, and each folder is listed once, so that circular links end.
 *
 * @param root real path of the folder
 * @param seen filled with other findings
 * @param onUnreadable called with each unreadable path and the reason; the rest is still listed
 */
export async function * walkFolder (
  root: string,
  seen: Seen,
  onUnreadable: (path: string, error: unknown) => void,
  { from = [''], goesInto = () => true, except, onFolder = () => true, types = audioTypes(false) }: Walk = {}
): AsyncGenerator<FoundFolder, void, undefined> {
  const listed = new Set<string>()
  const folders: Folder[] = Array.from(from, path => ({ path, real: join(root, path) }))
  // Links come last: a folder is listed at its real path, not at a link.
  const links: Folder[] = []
  /** The number of responses of the system. */
  let answers = 0
  /** Network shares that have timed out, and are skipped. */
  const hung = new Set<string>()

  while (folders.length > 0 || links.length > 0) {
    const next = folders.length > 0 ? folders.splice(-foldersAtATime) : links.splice(-1)
    for (const folder of await Promise.all(next.map(listInTime))) if (folder !== undefined) yield folder
  }

  function inTurn<T> (path: string, call: () => Promise<T>): Promise<T> {
    return limitShare(path, call, listing).finally(() => { answers++ })
  }

  /**
   * Lists a folder. A folder of a share that does not respond, while nothing else does either, is skipped with its
   * subfolders.
   */
  async function listInTime (folder: Folder): Promise<FoundFolder | undefined> {
    const share = shareOf(folder.real)
    if (share === undefined) return list(folder)
    const giveUp = new AbortController()
    let before = -1
    const timer = setInterval(() => {
      if (before === answers) giveUp.abort(timeoutError('list'))
      before = answers
    }, timeLimit).unref()
    const listing = hung.has(share) ? Promise.reject(timeoutError('list')) : unlessAborted(list(folder), giveUp.signal)
    return listing.catch(error => {
      hung.add(share)
      return noteUnreadable(folder.path, error)
    }).finally(() => clearInterval(timer))
  }

  async function list ({ path, real, above, isLink = false, exclusions }: Folder): Promise<FoundFolder | undefined> {
    if (listed.has(real)) return undefined
    listed.add(real)
    try {
      // A link is handled when the folder that contains it is listed.
      if (above === undefined && !isLink && await inTurn(real, () => realpath(real)) !== real) return undefined
      const stats = await inTurn(real, () => stat(real))
      const { dev } = stats
      const goesOn = onFolder(real, folderId(stats))
      const all = await inTurn(real, () => readdir(real, { withFileTypes: true }))
      const isMount = above !== undefined && dev !== above
      if (isMount && !all.every(({ name }) => isNothing(name))) seen.mounts.set(path, folderId(stats))
      const found = { path, audio: [] as FoundFile[], playlists: [] as FoundFile[], folders: [] as string[] }
      // A walk that starts at a folder has not read the exclusions above it.
      const left = await addIgnoreFiles(exclusions ?? await exclusionsAbove(path), path,
        ignoreFileNames.filter(fileName => all.some(({ name }) => name === fileName)))
      if (left === 'all') return found
      const entries = all.filter(entry =>
        !isLitter(entry.name) && !isExcluded(left, pathIn(path, entry.name), entry.isDirectory()))
      await Promise.all(entries.map(entry => add(entry, found, { real, dev, goesOn, exclusions: left })))
      for (const files of [found.audio, found.playlists]) files.sort((a, b) => a.path < b.path ? -1 : 1)
      if (found.audio.length === 1 && entries.some(({ name }) => /\.cue$/i.test(name))) seen.sheets++
      return found
    } catch (error) {
      return noteUnreadable(path, error)
    }
  }

  /**
   * Adds the ignore files of a folder. An ignore file without patterns excludes its folder, except the music folder.
   */
  async function addIgnoreFiles (exclusions: Exclusions, path: string, names: readonly string[]): Promise<Exclusions> {
    if (exclusions === 'all') return 'all'
    const own = await readIgnoreFiles(root, path, names)
    if (own !== 'all') return [...exclusions, ...own]
    return path === '' ? exclusions : 'all'
  }

  async function exclusionsAbove (path: string): Promise<Exclusions> {
    if (path === '') return []
    const above = path.includes('/') ? dirname(path) : ''
    const real = join(root, above)
    const isThere = (name: string) => inTurn(real, () => stat(join(real, name))).then(() => true, () => false)
    const found = await Promise.all(ignoreFileNames.map(isThere))
    return addIgnoreFiles(await exclusionsAbove(above), above, ignoreFileNames.filter((_, at) => found[at]))
  }

  async function add (
    entry: Dirent, found: Record<'audio' | 'playlists', FoundFile[]> & { path: string, folders: string[] },
    { real: folder, dev, goesOn, exclusions }: { real: string, dev: number, goesOn: boolean, exclusions: Exclusions }
  ): Promise<void> {
    const path = pathIn(found.path, entry.name)
    if (entry.isDirectory()) {
      if (join(folder, entry.name) === except) return
      found.folders.push(entry.name)
      if (goesOn || goesInto(path)) folders.push({ path, real: join(folder, entry.name), above: dev, exclusions })
      return
    }
    const isLink = entry.isSymbolicLink()
    const type = extname(path).toLowerCase()
    const kind = types.listed.has(type) ? 'audio' : playlistTypes.has(type) ? 'playlists' : undefined
    if (types.others.has(type) || otherLists.has(type)) seen.others.set(type, (seen.others.get(type) ?? 0) + 1)
    if (kind === undefined && !isLink) return
    try {
      const real = isLink ? await inTurn(folder, () => resolveInside(root, path)) : join(folder, entry.name)
      if (isLink && real === undefined) {
        if (await inTurn(folder, () => pointsInside(root, path))) seen.links = true
        else if (kind !== undefined || await mayBeFolder(folder, path)) seen.outside.push(path)
      }
      if (real === undefined || (isLink && except !== undefined && isInside(except, real))) return
      seen.links ||= isLink
      const stats = await inTurn(real, () => stat(real))
      if (stats.isDirectory()) links.push({ path, real, isLink })
      else if (kind !== undefined && stats.isFile()) {
        found[kind].push({ path, size: stats.size, mtimeMs: Math.floor(stats.mtimeMs) })
      }
    } catch (error) {
      noteUnreadable(path, error)
    }
  }

  /**
   * Returns whether a link may lead to a folder. The target of an outside link may be missing here, as in a container.
   */
  async function mayBeFolder (folder: string, path: string): Promise<boolean> {
    const target = await inTurn(folder, () => stat(join(root, path))).catch(() => undefined)
    return target?.isDirectory() ?? extname(path) === ''
  }

  /**
   * Reports an unreadable path. Node.js returns a name that is not UTF-8 with this character, and then does not find
   * it.
   */
  function noteUnreadable (path: string, error: unknown): undefined {
    onUnreadable(path, path.includes('\ufffd') ? new Error('Its name is not UTF-8', { cause: error }) : error)
  }
}
