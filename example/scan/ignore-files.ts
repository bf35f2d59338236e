import ignore, { type Ignore } from 'ignore'
import { readRegularFile } from '../files/open-regular-file.ts'

/** Names of the ignore files that this and other players read. */
export const ignoreFileNames: readonly string[] = ['.nomedia', '.ndignore', '.plexignore', '.ignore']

/** The size limit of an ignore file, in bytes. A larger file excludes its folder. */
const longest = 65_536

/** Patterns of an ignore file, as in a `.gitignore`. */
interface Patterns {
  readonly folder: string
  readonly patterns: Ignore
}

/** The exclusions of a folder: all files, or the matches of its patterns and of the patterns above it. */
export type Exclusions = 'all' | readonly Patterns[]

/**
 * Reads the ignore files of a folder.
 *
 * @param root real path of the music folder
 * @param folder path of the folder relative to it
 * @param names names of its ignore files
 */
export async function readIgnoreFiles (root: string, folder: string, names: readonly string[]): Promise<Exclusions> {
  const patterns: Patterns[] = []
  for (const name of names) {
    const text = (await readRegularFile(root, pathIn(folder, name), longest))?.toString().replace(/^\ufeff/, '') ?? ''
    if (text.split('\n').every(line => /^(?:#|$)/.test(line.trim()))) return 'all'
    patterns.push({ folder, patterns: ignore().add(text) })
  }
  return patterns
}

/** Returns the path of an entry of a folder. */
export const pathIn = (folder: string, name: string): string => folder === '' ? name : `${folder}/${name}`

/** Returns whether patterns exclude a file or folder. */
export const isExcluded = (exclusions: readonly Patterns[], path: string, isFolder: boolean): boolean =>
  exclusions.some(({ folder, patterns }) =>
    patterns.ignores(path.slice(folder === '' ? 0 : folder.length + 1) + (isFolder ? '/' : '')))
