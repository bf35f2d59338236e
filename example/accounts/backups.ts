import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../start/start-error.ts'

/** The maximum number of backups. */
const maxBackups = 10

const isBackup = (name: string) => /^\d{4}(?:-\d\d){2} \d\d(?:-\d\d){2}\.sqlite$/.test(name)

const folderOf = (dataDir: string) => join(dataDir, 'backups')

/** Returns the names of the backups, the last one first. */
export async function listBackups (dataDir: string): Promise<string[]> {
  const names = await readdir(folderOf(dataDir)).catch(() => [])
  return names.filter(isBackup).sort().reverse()
}

/** Returns the name of a backup that was made at a time, in Unix milliseconds. */
const nameAt = (time: number) =>
  `${new Date(time).toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '-')}.sqlite`

/** Backups that are being written, by their paths. */
const writing = new Set<string>()

/** Writes a backup to a new file of the data folder, whose name is the time, and deletes the oldest ones. */
export async function makeBackup<T> (dataDir: string, write: (file: string) => Promise<T>): Promise<T> {
  const folder = folderOf(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const names = await listBackups(dataDir)
  let time = Date.now()
  // Two devices may make one in the same second.
  while (names.includes(nameAt(time)) || writing.has(join(folder, nameAt(time)))) time += 1000
  const file = join(folder, nameAt(time))
  writing.add(file)
  const result = await write(file).finally(() => writing.delete(file))
  for (const name of (await listBackups(dataDir)).slice(maxBackups)) await rm(join(folder, name), { force: true })
  return result
}

/** Returns the path of a backup. @throws StartError if the list does not have the name */
export async function findBackup (dataDir: string, name: string): Promise<string> {
  if (!(await listBackups(dataDir)).includes(name)) throw new StartError('Backup not found')
  return join(folderOf(dataDir), name)
}
