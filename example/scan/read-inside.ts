import { LRUCache } from 'lru-cache'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { workOnFile } from './file-workers.ts'
import { limitShare } from '../files/limit-shares.ts'
import { AwayError } from './in-time.ts'
import type { FileResult } from './file-tasks.ts'

/** Unreadable files with their size and time. */
const refused = new LRUCache<string, string>({ max: 1000 })

/**
 * Reads lyrics or a picture inside of an audio file. An unreadable file is not read again until it changes.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @returns `undefined` if there is nothing
 */
export async function readInside<Task extends 'lyrics' | 'picture'> (
  task: Task, root: string, path: string
): Promise<FileResult<Task> | undefined> {
  const whole = join(root, path)
  const key = `${task} ${whole}`
  try {
    const { size, mtimeMs } = await limitShare(whole, () => stat(whole))
    const now = `${size} ${mtimeMs}`
    if (refused.get(key) === now) return undefined
    return await workOnFile(task, root, path).catch(error => {
      if (!(error instanceof AwayError)) refused.set(key, now)
      throw error
    })
  } catch {
    return undefined
  }
}
