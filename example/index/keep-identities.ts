import { createYield } from 'fastify-source-origin'
import { filesAtATime } from '../catalogue/change-index.ts'
import { workOnFile } from '../scan/file-workers.ts'
import { joinPath } from '../text/paths.ts'
import { settleSome } from '../catalogue/track-index.ts'
import type { PersistentIndex } from './persistent-index.ts'

/**
 * Stores the data that identifies the tracks of a scan, in batches.
 *
 * @param isEnd whether the scan has removed deleted files, and no file waits for the id of another one
 */
export async function settleAll (kept: PersistentIndex, signal: AbortSignal, isEnd: boolean): Promise<void> {
  const pause = createYield(signal)
  for (let isMore = true; isMore;) {
    isMore = false
    kept.keepAside(() => { isMore = settleSome(kept.db, filesAtATime, isEnd) }, true)
    await pause()
  }
  kept.keepAside(() => {}, false)
}

interface FileRow { readonly folder: string, readonly name: string }

/**
 * Hashes the audio of files that an older version has read, sequentially in the background. Files that cannot be read
 * now are read after the next start.
 */
export async function hashAll (kept: PersistentIndex, root: string, signal: AbortSignal): Promise<void> {
  let next: FileRow | undefined
  let audio: string | undefined
  const step = (): void => {
    const { folder, name } = next ?? { folder: '', name: '' }
    if (audio !== undefined) keepAudio(kept, { folder, name }, audio)
    next = kept.db.get<FileRow>(`
      SELECT folder, name FROM file WHERE audio IS NULL AND recording IS NOT NULL AND (folder, name) > (?, ?)
      ORDER BY folder, name LIMIT 1`, folder, name)
  }
  for (let last; ; last = next) {
    kept.keepAside(step, true)
    if (next === last || next === undefined || signal.aborted) break
    audio = await workOnFile('audio', root, joinPath(next.folder, next.name), signal).catch(() => undefined)
  }
  kept.keepAside(() => {}, false)
}

function keepAudio ({ db }: PersistentIndex, { folder, name }: FileRow, audio: string): void {
  db.run('UPDATE file SET audio = ? WHERE folder = ? AND name = ? AND audio IS NULL', audio, folder, name)
  db.run('UPDATE ids.known SET audio = ? WHERE folder = ? AND name = ? AND audio IS NULL', audio, folder, name)
}
