import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeText } from '../lyrics/decode-text.ts'
import { resolveInside } from '../resolve-inside.ts'
import { cleanText } from '../scan/clean-tags.ts'
import type { FoundFile } from '../scan/walk-folder.ts'

/** A playlist file. */
export interface PlaylistFile extends FoundFile {
  readonly name: string
  /** Paths as the file has them, with slashes. */
  readonly entries: readonly string[]
}

/** Bytes; what is larger is no playlist. */
const largestFile = 10 * 1024 * 1024

/**
 * Reads an `.m3u` or `.m3u8` file, in UTF-8 or Latin-1.
 *
 * @throws for what cannot be read
 */
export async function readPlaylist (root: string, found: FoundFile): Promise<PlaylistFile> {
  const file = await resolveInside(root, found.path)
  if (file === undefined || found.size > largestFile) throw new Error('This is no playlist')
  const lines = decodeText(await readFile(file)).split(/\r\n?|\n/).map(line => line.trim())
  const name = lines.flatMap(line => /^#PLAYLIST:(.*)/i.exec(line)?.[1] ?? []).map(cleanText)[0]
  return {
    ...found,
    name: name ?? posix.parse(found.path).name,
    entries: lines.filter(line => line !== '' && !line.startsWith('#')).flatMap(pathsOf)
  }
}

/** The path of a line, with slashes; nothing for what is no file. */
function pathsOf (line: string): string[] {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(line)) return [line.replaceAll('\\', '/')]
  try {
    return [fileURLToPath(line)]
  } catch {
    return []
  }
}

/** Finds the files of playlists among those that are known. */
export class PathFinder<T> {
  readonly #root: string
  readonly #known: ReadonlyMap<string, T>

  /**
   * @param root real path of the folder
   * @param known by path; the same letters may be written in two ways, so the paths are compared in one form
   */
  constructor (root: string, known: Iterable<readonly [path: string, value: T]>) {
    this.#root = root
    this.#known = new Map([...known].map(([path, value]) => [path.normalize('NFC'), value]))
  }

  /**
   * A relative path begins at the playlist. An absolute one may be of another machine or outside the container: what counts then is
   * its end, as long as it can be.
   *
   * @param playlist path of the playlist file
   * @param entry path in it
   */
  find (playlist: string, entry: string): T | undefined {
    const path = entry.normalize('NFC')
    if (!/^(\/|[a-z]:\/)/i.test(path)) return this.#known.get(posix.join(posix.dirname(playlist), path))
    const inside = path.startsWith(`${this.#root}/`) ? path.slice(this.#root.length) : path
    const names = posix.normalize(inside).split('/').slice(1)
    for (let from = 0; from < names.length; from++) {
      const file = this.#known.get(names.slice(from).join('/'))
      if (file !== undefined) return file
    }
    return undefined
  }
}
