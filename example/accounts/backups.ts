import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../monitoring/start-error.ts'

/** Backups that the page makes, and that are kept. */
const most = 10

const isBackup = (name: string) => /^\d{4}(?:-\d\d){2} \d\d(?:-\d\d){2}\.sqlite$/.test(name)

const folderOf = (dataDir: string) => join(dataDir, 'backups')

/** The names of the backups that the page has made, the last one first. */
export async function listBackups (dataDir: string): Promise<string[]> {
  const names = await readdir(folderOf(dataDir)).catch(() => [])
  return names.filter(isBackup).sort().reverse()
}

/** Has a backup written to a new file of the data folder, named by the time. Then the oldest ones are deleted. */
export async function makeBackup<T> (dataDir: string, write: (file: string) => Promise<T>): Promise<T> {
  const folder = folderOf(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const time = new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '-')
  const result = await write(join(folder, `${time}.sqlite`))
  for (const name of (await listBackups(dataDir)).slice(most)) await rm(join(folder, name), { force: true })
  return result
}

/** The path of a backup of the list. @throws StartError for every other name */
export async function findBackup (dataDir: string, name: string): Promise<string> {
  if (!(await listBackups(dataDir)).includes(name)) throw new StartError('Backup not found')
  return join(folderOf(dataDir), name)
}
