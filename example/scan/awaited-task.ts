import type { FileAnswer, FileJob } from './answer-job.ts'

export type FileWork = Omit<FileJob, 'id'>
/** What came of it. */
export type Outcome = Pick<FileAnswer, 'value'> | Error

/** A task with a file that somebody waits for. */
export class AwaitedTask {
  readonly work: FileWork
  /** Called when nothing of it goes on any more. */
  readonly end: () => void
  readonly #onSettled: (outcome: Outcome) => void
  readonly #signal: AbortSignal | undefined
  #hasOutcome = false

  /** @param signal of who gives it up */
  constructor (work: FileWork, onSettled: (outcome: Outcome) => void, end: () => void, signal?: AbortSignal) {
    this.work = work
    this.end = end
    this.#onSettled = onSettled
    this.#signal = signal
  }

  /** Whether nobody waits for it any more. */
  get isSettled (): boolean { return this.#hasOutcome || this.#signal?.aborted === true }

  /** What comes first counts. */
  settle (outcome: Outcome): void {
    if (!this.#hasOutcome) this.#onSettled(outcome)
    this.#hasOutcome = true
  }
}
