import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readRegularFile } from '../files/open-regular-file.ts'
import { cleanText } from '../scan/clean-tags.ts'
import { decodeText } from '../scan/repair-encodings.ts'
import type { FoundFile } from '../scan/walk-folder.ts'

/** A playlist file. */
export interface PlaylistFile extends FoundFile {
  readonly name: string
  /** The paths of the file as written, but with forward slashes. */
  readonly entries: readonly string[]
}

/** The maximum size of a playlist file, in bytes. */
const largestFile = 10 * 1024 * 1024
/** The maximum number of non-empty lines. The rest of a file is ignored. */
const mostLines = 200_000
/** The maximum length of a line, in characters. No operating system has longer paths. */
const longestPath = 4096

/**
 * Reads an `.m3u` or `.m3u8` file, in UTF-8 or Latin-1.
 *
 * @throws Error if the file cannot be read, is not a regular file or is too large
 */
export async function readPlaylist (root: string, found: FoundFile): Promise<PlaylistFile> {
  const bytes = await readRegularFile(root, found.path, largestFile)
  if (bytes === undefined) throw new Error('not a playlist')
  let name: string | undefined
  const entries: string[] = []
  for (const line of linesOf(decodeText(bytes))) {
    if (line.startsWith('#')) name ??= nameOf(line)
    else entries.push(...pathsOf(line))
  }
  const stem = posix.parse(found.path).name
  return { ...found, name: name ?? cleanText(stem) ?? stem, entries }
}

/** Yields the non-blank lines of a playlist, trimmed. Lines that are too long for a path are skipped. */
export function * linesOf (text: string): Generator<string> {
  let lines = 0
  for (const [found] of text.matchAll(/[^\r\n]+/g)) {
    if (++lines > mostLines) return
    const line = found.trim()
    if (line !== '' && line.length <= longestPath) yield line
  }
}

/** Returns the playlist name of a `#PLAYLIST:` comment; `undefined` for other comments. */
const nameOf = (line: string) => /^#PLAYLIST:/i.test(line) ? cleanText(line.slice('#PLAYLIST:'.length)) : undefined

/** Returns the path of a line with forward slashes; an empty array for a URL that is not a file. */
export function pathsOf (line: string): string[] {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(line)) return [line.replaceAll('\\', '/')]
  try {
    return [fileURLToPath(line)]
  } catch {
    return []
  }
}
