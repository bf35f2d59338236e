import { workOnFile } from './file-workers.ts'
import { AwayError } from './in-time.ts'
import type { AudioFile } from './read-audio-file.ts'
import type { FoundFile } from './walk-folder.ts'

/** Files that are read at the same time. */
const readers = 8

/** What becomes of a file. */
export interface ReadOutcome {
  /** What was read of it. */
  readonly file?: Omit<AudioFile, 'added'>
  /** Why nothing was. */
  readonly error?: Error
  /** Whether another scan could read it as it is: the system did not give it, or not in time. */
  readonly mayRecover?: boolean
}

/**
 * Reads files, several at the same time, each for a limited time.
 *
 * @param closing ends it when it is aborted
 * @param onRead is told of each file
 */
export async function readFiles (
  root: string,
  files: AsyncIterable<FoundFile>,
  closing: AbortSignal,
  onRead: (found: FoundFile, outcome: ReadOutcome) => void
): Promise<void> {
  const waiting = files[Symbol.asyncIterator]()
  await Promise.all(Array.from({ length: readers }, async () => {
    for (let next = await waiting.next(); next.done !== true && !closing.aborted; next = await waiting.next()) {
      const outcome = await readOne(root, next.value, closing)
      if (!closing.aborted) onRead(next.value, outcome)
    }
  }))
}

function readOne (root: string, found: FoundFile, closing: AbortSignal): Promise<ReadOutcome> {
  return workOnFile('tags', root, found.path, closing).then(
    (tagged): ReadOutcome => ({ file: { ...found, ...tagged } }),
    (error: Error): ReadOutcome => ({ error, mayRecover: error instanceof AwayError })
  )
}
