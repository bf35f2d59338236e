import { LRUCache } from 'lru-cache'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { workOnFile } from './file-workers.ts'
import { limitShare } from '../files/limit-shares.ts'
import { AwayError } from './in-time.ts'
import type { FileResult } from './file-tasks.ts'

/** Files that nothing could be read of, with what they were then. */
const refused = new LRUCache<string, string>({ max: 1000 })

/**
 * What is inside of an audio file besides the audio. A file that it cannot be read of is not read again until it
 * changes, however often it is asked for.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @returns `undefined` where there is nothing
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
