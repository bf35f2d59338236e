import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readRegularFile } from '../files/open-regular-file.ts'
import { cleanText } from '../scan/clean-tags.ts'
import { decodeText } from '../scan/repair-encodings.ts'
import type { FoundFile } from '../scan/walk-folder.ts'

/** A playlist file. */
export interface PlaylistFile extends FoundFile {
  readonly name: string
  /** Paths as the file has them, with slashes. */
  readonly entries: readonly string[]
}

/** Bytes; what is larger is no playlist. */
const largestFile = 10 * 1024 * 1024
/** Lines that are not empty; the rest of a file is left out. */
const mostLines = 200_000
/** Characters of a line; no system has longer paths. */
const longestPath = 4096

/**
 * Reads an `.m3u` or `.m3u8` file, in UTF-8 or Latin-1.
 *
 * @throws for what cannot be read
 */
export async function readPlaylist (root: string, found: FoundFile): Promise<PlaylistFile> {
  const bytes = await readRegularFile(root, found.path, largestFile)
  if (bytes === undefined) throw new Error('This is no playlist')
  let name: string | undefined
  const entries: string[] = []
  for (const line of linesOf(decodeText(bytes))) {
    if (line.startsWith('#')) name ??= nameOf(line)
    else entries.push(...pathsOf(line))
  }
  const stem = posix.parse(found.path).name
  return { ...found, name: name ?? cleanText(stem) ?? stem, entries }
}

/** The lines of a playlist that say something, without blanks around them. What is too long for a path is left out. */
export function * linesOf (text: string): Generator<string> {
  let lines = 0
  for (const [found] of text.matchAll(/[^\r\n]+/g)) {
    if (++lines > mostLines) return
    const line = found.trim()
    if (line !== '' && line.length <= longestPath) yield line
  }
}

/** The name that a comment gives to the playlist. */
const nameOf = (line: string) => /^#PLAYLIST:/i.test(line) ? cleanText(line.slice('#PLAYLIST:'.length)) : undefined

/** The path of a line, with slashes; nothing for what is no file. */
export function pathsOf (line: string): string[] {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(line)) return [line.replaceAll('\\', '/')]
  try {
    return [fileURLToPath(line)]
  } catch {
    return []
  }
}
