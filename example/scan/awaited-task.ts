import type { FileAnswer, FileJob } from './answer-job.ts'

export type FileWork = Omit<FileJob, 'id'>
/** The outcome of a task. */
export type Outcome = Pick<FileAnswer, 'value'> | Error

/** A task with a file and a waiting caller. */
export class AwaitedTask {
  readonly work: FileWork
  /** Called when all work of the task has ended. */
  readonly end: () => void
  readonly #onSettled: (outcome: Outcome) => void
  readonly #signal: AbortSignal | undefined
  #hasOutcome = false

  /** @param signal aborted when the caller no longer waits */
  constructor (work: FileWork, onSettled: (outcome: Outcome) => void, end: () => void, signal?: AbortSignal) {
    this.work = work
    this.end = end
    this.#onSettled = onSettled
    this.#signal = signal
  }

  /** Whether no caller waits for it any more. */
  get isSettled (): boolean { return this.#hasOutcome || this.#signal?.aborted === true }

  /** Settles the task. The first outcome counts. */
  settle (outcome: Outcome): void {
    if (!this.#hasOutcome) this.#onSettled(outcome)
    this.#hasOutcome = true
  }
}
