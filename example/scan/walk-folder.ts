import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { dirname } from 'node:path/posix'
import { resolveInside } from '../resolve-inside.ts'
import { isNothing } from './look-at-folder.ts'
import type { Mounts } from './mounted-folders.ts'

/** A file of the folder. */
export interface FoundFile {
  /** Relative to the folder, with slashes. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Unix time in milliseconds. */
  readonly mtimeMs: number
}

/** Whether a file is as it was. */
export const isSame = (found: FoundFile, known: FoundFile | undefined): boolean =>
  found.size === known?.size && found.mtimeMs === known.mtimeMs

export interface FoundFiles {
  readonly audio: FoundFile[]
  readonly playlists: FoundFile[]
  /** How many files there are of each type that players do not open. */
  readonly others: Map<string, number>
  /** How many folders have a `.cue` file and one audio file: an album in one piece. */
  readonly sheets: number
  /** Folders that have something in them and are on another device than the folder above. A link is none. */
  readonly mounts: Mounts
}

/** What Chromium opens. */
export const audioTypes = new Set(['.mp3', '.flac', '.m4a', '.mp4', '.ogg', '.oga', '.opus', '.wav', '.aac', '.mka'])
const otherTypes = new Set(['.aif', '.aiff', '.wma', '.wv', '.ape', '.dsf', '.dff', '.mpc', '.tta'])
const playlistTypes = new Set(['.m3u', '.m3u8'])

/** What systems leave in folders. Other names with a dot in front are music: ".38 Special". */
const litter = /^(\._|\.Trash|\.AppleDouble$|@eaDir$|#recycle$)/

/** Folders that are listed at the same time. */
const atATime = 16

interface Folder {
  readonly path: string
  readonly real: string
  /** Device of the folder above; none for a link. */
  readonly above?: number
}

/**
 * Lists the audio and playlist files of a folder and of those in it, in the order of their names. Links are followed
 * only inside the folder, and each folder is listed once, so that circles end.
 *
 * @param root real path of the folder
 * @param onUnreadable is told the path of what cannot be read, and why; the rest is listed all the same
 */
export async function walkFolder (
  root: string, onUnreadable: (path: string, error: unknown) => void
): Promise<FoundFiles> {
  const found = { audio: [] as FoundFile[], playlists: [] as FoundFile[], others: new Map<string, number>() }
  const sheets = new Set<string>()
  const mounts = new Map<string, string>()
  const seen = new Set<string>()
  const folders: Folder[] = [{ path: '', real: root }]
  // Links come last: a folder is listed where it is, not where something points to it.
  const links: Folder[] = []

  while (folders.length > 0 || links.length > 0) {
    const next = folders.length > 0 ? folders.splice(-atATime) : links.splice(-1)
    await Promise.all(next.map(list))
  }

  async function list ({ path, real, above }: Folder): Promise<void> {
    if (seen.has(real)) return
    seen.add(real)
    try {
      const [all, { dev, ino }] = await Promise.all([readdir(real, { withFileTypes: true }), stat(real)])
      const isMount = above !== undefined && dev !== above
      if (isMount && !all.every(({ name }) => isNothing(name))) mounts.set(path, `${dev} ${ino}`)
      const entries = all.filter(({ name }) => !litter.test(name))
      const before = path === '' ? '' : `${path}/`
      await Promise.all(entries.map(entry => add(entry, before + entry.name, real, dev)))
    } catch (error) {
      tellUnreadable(path, error)
    }
  }

  async function add (entry: Dirent, path: string, folder: string, device: number): Promise<void> {
    if (entry.isDirectory()) {
      folders.push({ path, real: join(folder, entry.name), above: device })
      return
    }
    const isLink = entry.isSymbolicLink()
    const type = extname(path).toLowerCase()
    const kind = audioTypes.has(type) ? 'audio' : playlistTypes.has(type) ? 'playlists' : undefined
    if (otherTypes.has(type)) found.others.set(type, (found.others.get(type) ?? 0) + 1)
    if (type === '.cue') sheets.add(dirname(path))
    if (kind === undefined && !isLink) return
    try {
      const real = isLink ? await resolveInside(root, path) : join(folder, entry.name)
      if (real === undefined) return
      const stats = await stat(real)
      if (stats.isDirectory()) links.push({ path, real })
      else if (kind !== undefined && stats.isFile()) {
        found[kind].push({ path, size: stats.size, mtimeMs: Math.floor(stats.mtimeMs) })
      }
    } catch (error) {
      tellUnreadable(path, error)
    }
  }

  /** Node.js gives a name that is not UTF-8 with this character in it, and then does not find it. */
  function tellUnreadable (path: string, error: unknown): void {
    onUnreadable(path, path.includes('\ufffd') ? new Error('Its name is not UTF-8', { cause: error }) : error)
  }

  for (const files of [found.audio, found.playlists]) files.sort((a, b) => a.path < b.path ? -1 : 1)
  const counts = new Map<string, number>()
  for (const { path } of sheets.size > 0 ? found.audio : []) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  }
  return { ...found, mounts, sheets: [...sheets].filter(folder => counts.get(folder) === 1).length }
}
