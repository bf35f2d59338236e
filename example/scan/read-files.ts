import { workOnFile } from './file-workers.ts'
import { AwayError } from './in-time.ts'
import type { AudioFile } from './read-audio-file.ts'
import type { FoundFile } from './walk-folder.ts'

/** The number of files read concurrently. */
const readers = 8

/** The outcome of reading a file. */
export interface ReadOutcome {
  /** The metadata of the file. */
  readonly file?: Omit<AudioFile, 'added'>
  /** The reason of a failure. */
  readonly error?: Error
  /** Whether another scan may succeed with the unchanged file: the system returned an error, or timed out. */
  readonly mayRecover?: boolean
}

/**
 * Reads files concurrently, each with a timeout.
 *
 * @param closing aborts the reading
 * @param onRead called for each file
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
