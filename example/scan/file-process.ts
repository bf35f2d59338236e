import type { FileAnswer, FileJob } from './answer-job.ts'
import type { AwaitedTask } from './awaited-task.ts'
import { ChildWorker } from './child-worker.ts'
import { AwayError, timeoutError } from './in-time.ts'

/** The number of files read concurrently, so that a slow disk can queue several reads. */
const mostAtATime = 4
/** The limit of JavaScript memory in megabytes. Normal tags need a few; pictures are not included. */
const mostMemory = 64
/** Milliseconds without a file after which the process is ended. */
const idleFor = 5000
/** The interval between two checks in milliseconds. */
const checkEvery = 1000
/** The number of checks after which a busy process that does not respond is ended. */
const mostBlocked = 20
/**
 * The number of checks after which a waiting process that does not respond is ended: each file has half of that time.
 */
const mostSilent = 60

/**
 * A process that reads several files concurrently. A file that exceeds the memory or time limit is rejected. The files
 * read with it are read again, one at a time.
 */
export class FileProcess {
  readonly #entry: URL
  readonly #onRoom: () => void
  /** The tasks by id, including abandoned ones whose system call is still pending. */
  readonly #tasks = new Map<number, AwaitedTask>()
  /** Tasks of which one has ended the process. */
  readonly #suspects: AwaitedTask[] = []
  #isTesting = false
  #last = 0
  #worker: ChildWorker | undefined
  #isReady = false
  #idle: NodeJS.Timeout | undefined
  #checks: NodeJS.Timeout | undefined
  #blocked = 0
  #silent = 0

  /**
   * @param entry the module of the worker
   * @param onRoom called when it can accept a task
   */
  constructor (entry: URL, onRoom: () => void) {
    this.#entry = entry
    this.#onRoom = onRoom
  }

  /** The number of free slots. */
  get room (): number { return this.#isTesting ? 0 : mostAtATime - this.#tasks.size }

  get isRunning (): boolean { return this.#worker !== undefined }

  add (task: AwaitedTask): void {
    clearTimeout(this.#idle)
    this.#tasks.set(++this.#last, task)
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#worker.postMessage({ id: this.#last, ...task.work } satisfies FileJob)
  }

  /** Called when a caller abandons a task. Without waiting callers, the process is ended. */
  leave (task: AwaitedTask): void {
    const at = this.#suspects.indexOf(task)
    if (at !== -1) this.#suspects.splice(at, 1)[0]!.end()
    if (this.#tasks.size > 0 && this.#waiting.length === 0) this.#lose(new Error('Nobody waits for it'))
  }

  get #waiting (): AwaitedTask[] { return [...this.#tasks.values()].filter(({ isSettled }) => !isSettled) }

  #start (): ChildWorker {
    const worker = new ChildWorker(this.#entry, mostMemory)
    worker.on('message', answer => { if (worker === this.#worker) this.#onAnswer(answer) })
    worker.on('exit', reason => { if (worker === this.#worker) this.#lose(reason) })
    this.#isReady = false
    this.#checks = setInterval(() => this.#check(), checkEvery).unref()
    this.#hear()
    return worker
  }

  #hear (): void {
    this.#blocked = 0
    this.#silent = 0
  }

  #onAnswer ({ id, isOver, ...answer }: FileAnswer): void {
    this.#blocked = 0
    this.#isReady = true
    if (id === undefined) return
    this.#silent = 0
    const task = this.#tasks.get(id)!
    const { error } = answer
    task.settle(error ? new (error.mayRecover ? AwayError : Error)(error.message) : answer)
    if (isOver) {
      this.#tasks.delete(id)
      task.end()
    }
    this.#next()
  }

  #check (): void {
    if (this.#waiting.length === 0) return this.#hear()
    this.#blocked++
    this.#silent++
    if (this.#blocked === mostBlocked) {
      this.#lose(new Error(`It takes more than ${mostBlocked * checkEvery / 1000} seconds to work on it`))
    } else if (this.#silent === mostSilent) {
      for (const task of this.#waiting) task.settle(timeoutError('read'))
      this.#lose(timeoutError('read'))
    }
  }

  /**
   * Handles the end or the failure of the process. A process that waits for the system ends when the system call
   * returns.
   */
  #lose (reason: Error): void {
    this.#stop()
    const waiting = this.#waiting
    for (const task of this.#tasks.values()) if (task.isSettled) task.end()
    this.#tasks.clear()
    const outcome = this.#isReady ? reason : new AwayError(reason.message)
    if (waiting.length > 1 && !(outcome instanceof AwayError)) this.#suspects.push(...waiting)
    else {
      for (const task of waiting) {
        task.settle(outcome)
        task.end()
      }
    }
    this.#next()
  }

  #stop (): void {
    clearInterval(this.#checks)
    this.#worker?.unref()
    this.#worker?.terminate()
    this.#worker = undefined
  }

  #next (): void {
    if (this.#waiting.length === 0) {
      const suspect = this.#suspects.shift()
      this.#isTesting = suspect !== undefined
      if (suspect !== undefined) this.add(suspect)
    }
    this.#onRoom()
    if (this.#tasks.size > 0 || this.#worker === undefined) return
    this.#worker.unref()
    this.#idle = setTimeout(() => this.#stop(), idleFor).unref()
  }
}
