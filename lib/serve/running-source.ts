import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The address and token of a running source, for commands of the same user on the same machine. */
export interface RunningSource {
  readonly url: string
  readonly token: string
}

const fileIn = (dataDir: string) => join(dataDir, 'running.json')

/**
 * Writes the file for this user only. Returns a function that removes the file, unless another process has written it
 * since.
 */
export async function writeRunning (dataDir: string, running: RunningSource): Promise<() => Promise<void>> {
  const file = fileIn(dataDir)
  const text = JSON.stringify({ ...running, pid: process.pid })
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // The mode applies only to a new file.
  await rm(file, { force: true })
  await writeFile(file, text, { mode: 0o600 })
  return async () => {
    if (await readFile(file, 'utf8').catch(() => undefined) === text) await rm(file, { force: true })
  }
}

/** Returns `undefined` if no source runs. A killed process leaves its file behind. */
export async function readRunning (dataDir: string): Promise<RunningSource | undefined> {
  try {
    const { pid, ...running } = JSON.parse(await readFile(fileIn(dataDir), 'utf8'))
    process.kill(pid, 0)
    return running
  } catch {
    return undefined
  }
}
