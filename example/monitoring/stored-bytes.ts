import { readdir, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Settings } from '../start/settings.ts'

/** The number of files whose size is read concurrently. */
const statsAtOnce = 100

/** The parts of the data folder, by the names of its files and folders. */
const parts = {
  index: /^(?:index|identities)\.sqlite|^arrivals/,
  accounts: /^state\.sqlite|^backups$/,
  covers: /^covers$/,
  removed: /^removed$/
} as const

/** The bytes of each part of what a source stores. */
export type StoredBytes = Record<keyof typeof parts | 'transcoded' | 'other', number>

/** Returns the bytes of each part of the data folder, and of the folder of transcodings. */
export async function storedBytes (
  { DATA_DIR, TRANSCODED_DIR }: Pick<Settings, 'DATA_DIR' | 'TRANSCODED_DIR'>
): Promise<StoredBytes> {
  const transcoded = resolve(TRANSCODED_DIR || join(DATA_DIR, 'transcoded'))
  const bytes: StoredBytes = {
    index: 0, accounts: 0, covers: 0, transcoded: await bytesOf(transcoded), removed: 0, other: 0
  }
  for (const name of await namesIn(DATA_DIR)) {
    const path = resolve(DATA_DIR, name)
    const [part] = Object.entries(parts).find(([, names]) => names.test(name)) ?? ['other']
    if (path !== transcoded) bytes[part as keyof StoredBytes] += await bytesOf(path)
  }
  return bytes
}

/** Returns the free bytes of the disk of a folder; `undefined` for a file system that does not report them. */
export async function freeBytes (folder: string): Promise<number | undefined> {
  const { blocks, bavail, bsize } = await statfs(folder)
  return blocks > 0 ? bavail * bsize : undefined
}

// Files and folders may be deleted meanwhile.
const namesIn = (folder: string) => readdir(folder).catch(() => [])
const statsOf = (path: string) => stat(path).catch(() => undefined)

/** Returns the bytes of a file, or of the files of a folder. */
async function bytesOf (path: string): Promise<number> {
  const stats = await statsOf(path)
  if (stats?.isDirectory() !== true) return stats?.size ?? 0
  const names = await namesIn(path)
  let sum = 0
  for (let at = 0; at < names.length; at += statsAtOnce) {
    const part = await Promise.all(names.slice(at, at + statsAtOnce).map(name => statsOf(join(path, name))))
    for (const stats of part) sum += stats?.size ?? 0
  }
  return sum
}
