import { OutsideError, unlessAborted } from './file-reader.ts'
import { readAudioFile, type AudioFile } from './read-audio-file.ts'
import type { FoundFile } from './walk-folder.ts'

/** Files that are read at the same time. */
const readers = 8
/** Milliseconds that a file may take. A disk that does not answer is tried again in the next scan. */
const fileTimeout = 30_000

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
 * @param closing ends it when it is aborted; files that have begun are left to themselves
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

async function readOne (root: string, found: FoundFile, closing: AbortSignal): Promise<ReadOutcome> {
  const giveUp = new AbortController()
  const close = () => giveUp.abort(new Error('The library is closed'))
  const isLate = () => giveUp.abort(new Error(`It takes longer than ${fileTimeout / 1000} seconds to read it`))
  const timer = setTimeout(isLate, fileTimeout)
  closing.addEventListener('abort', close)
  const outcome = await unlessAborted(readAudioFile(root, found, giveUp.signal), giveUp.signal).then(
    (file): ReadOutcome => ({ file }),
    (error: NodeJS.ErrnoException): ReadOutcome => ({
      error, mayRecover: giveUp.signal.aborted || error.errno !== undefined || error instanceof OutsideError
    })
  )
  clearTimeout(timer)
  closing.removeEventListener('abort', close)
  return outcome
}
