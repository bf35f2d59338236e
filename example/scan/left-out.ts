import ignore, { type Ignore } from 'ignore'
import { readRegularFile } from '../files/open-regular-file.ts'

/** Files by which a folder is left out of scans, as other players have them. */
export const marks: readonly string[] = ['.nomedia', '.ndignore', '.plexignore', '.ignore']

/** Bytes of such a file; a larger one is taken for one without patterns. */
const longest = 65_536

/** Patterns, as in a .gitignore, of what is left out of a folder. */
interface Patterns {
  readonly folder: string
  readonly patterns: Ignore
}

/** What is left out of a folder: all of it, or what patterns of it and of those above match. */
export type LeftOut = 'all' | readonly Patterns[]

/**
 * What the marks of a folder leave out of it.
 *
 * @param root real path of the music folder
 * @param folder path of the folder relative to it
 * @param names of the marks that are in it
 */
export async function readMarks (root: string, folder: string, names: readonly string[]): Promise<LeftOut> {
  const patterns: Patterns[] = []
  for (const name of names) {
    const text = (await readRegularFile(root, below(folder, name), longest))?.toString().replace(/^\ufeff/, '') ?? ''
    if (text.split('\n').every(line => /^(?:#|$)/.test(line.trim()))) return 'all'
    patterns.push({ folder, patterns: ignore().add(text) })
  }
  return patterns
}

/** The path of a file or folder of a folder. */
export const below = (folder: string, name: string): string => folder === '' ? name : `${folder}/${name}`

/** Whether a file or folder is left out of one of the folders that it is in. */
export const isLeftOut = (leftOut: readonly Patterns[], path: string, isFolder: boolean): boolean =>
  leftOut.some(({ folder, patterns }) =>
    patterns.ignores(path.slice(folder === '' ? 0 : folder.length + 1) + (isFolder ? '/' : '')))
