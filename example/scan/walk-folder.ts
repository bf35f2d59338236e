import type { Stats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { resolveInside } from '../resolve-inside.ts'

/** A file of the folder. */
export interface FoundFile {
  /** Relative to the folder, with slashes. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Unix time in milliseconds. */
  readonly mtimeMs: number
}

export interface FoundFiles { audio: FoundFile[], playlists: FoundFile[] }

const audioTypes = new Set(['.mp3', '.flac', '.m4a', '.mp4', '.ogg', '.oga', '.opus', '.wav'])
const playlistTypes = new Set(['.m3u', '.m3u8'])

/** What systems leave in folders. Other names with a dot in front are music: ".38 Special". */
const litter = /^(\._|\.Trash|\.AppleDouble$|@eaDir$|#recycle$)/

/**
 * Lists the audio and playlist files of a folder and of those in it, in the order of their names. Links are followed only
 * inside the folder, and each folder is listed once, so that circles end.
 *
 * @param root real path of the folder
 * @param onUnreadable is told the path of what cannot be read, and why; the rest is listed all the same
 */
export async function walkFolder (root: string, onUnreadable: (path: string, error: unknown) => void): Promise<FoundFiles> {
  const found: FoundFiles = { audio: [], playlists: [] }
  const seen = new Set<string>()
  const folders = ['']

  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      const real = await realpath(join(root, folder))
      if (seen.has(real)) continue
      seen.add(real)
      const entries = (await readdir(real, { withFileTypes: true })).filter(({ name }) => !litter.test(name))
      const stats = await Promise.all(entries.map(async entry => {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (!entry.isDirectory() && !entry.isSymbolicLink() && kindOf(path) === undefined) return undefined
        try {
          const target = entry.isSymbolicLink() ? await resolveInside(root, path) : join(root, path)
          return target === undefined ? undefined : { path, stats: await stat(target) }
        } catch (error) {
          onUnreadable(path, error)
          return undefined
        }
      }))
      for (const entry of stats) if (entry) add(entry.path, entry.stats)
    } catch (error) {
      onUnreadable(folder, error)
    }
  }

  function add (path: string, stats: Stats): void {
    const kind = kindOf(path)
    if (stats.isDirectory()) folders.push(path)
    else if (kind !== undefined && stats.isFile()) found[kind].push({ path, size: stats.size, mtimeMs: Math.floor(stats.mtimeMs) })
  }

  for (const files of [found.audio, found.playlists]) files.sort((a, b) => a.path < b.path ? -1 : 1)
  return found
}

function kindOf (path: string): keyof FoundFiles | undefined {
  const type = extname(path).toLowerCase()
  return audioTypes.has(type) ? 'audio' : playlistTypes.has(type) ? 'playlists' : undefined
}
