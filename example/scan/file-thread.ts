import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { FileAnswer, FileJob } from './answer-job.ts'
import type { AwaitedTask } from './awaited-task.ts'
import { AwayError, lateError } from './in-time.ts'

/** Files that are read at the same time, so that a slow disk gets several questions. */
const mostAtATime = 4
/** Megabytes of JavaScript. Honest tags take a few; pictures are outside of these. */
const mostMemory = 64
/** Milliseconds without a file after which the thread is ended. */
const idleFor = 5000
/** Milliseconds between two looks at it. */
const lookEvery = 1000
/** Looks after which a thread that has computed all the time is ended. */
const mostBlocked = 20
/** Looks after which a thread that waits and does not answer is ended: each file has half of that. */
const mostSilent = 60

/**
 * A worker thread that reads some files at the same time. A file that makes it take too much memory or time is refused;
 * those that were read with it are read again, each by itself.
 */
export class FileThread {
  readonly #entry: URL
  readonly #onRoom: () => void
  /** By the ids of their answers; those too that were given up and that the system has not answered. */
  readonly #tasks = new Map<number, AwaitedTask>()
  /** One of these has ended the thread. */
  readonly #suspects: AwaitedTask[] = []
  #isTesting = false
  #last = 0
  #worker: Worker | undefined
  #isReady = false
  #idle: NodeJS.Timeout | undefined
  #looks: NodeJS.Timeout | undefined
  /** Milliseconds that it had nothing to do, at the last look. */
  #rested = -1
  #blocked = 0
  #silent = 0

  /**
   * @param entry what the worker runs
   * @param onRoom called when it can take a task
   */
  constructor (entry: URL, onRoom: () => void) {
    this.#entry = entry
    this.#onRoom = onRoom
  }

  /** How many tasks it can take. */
  get room (): number { return this.#isTesting ? 0 : mostAtATime - this.#tasks.size }

  get isRunning (): boolean { return this.#worker !== undefined }

  add (task: AwaitedTask): void {
    clearTimeout(this.#idle)
    this.#tasks.set(++this.#last, task)
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#worker.postMessage({ id: this.#last, ...task.work } satisfies FileJob)
  }

  /** To be called when a task was given up. Where nobody waits for anything, the thread is ended. */
  leave (task: AwaitedTask): void {
    const at = this.#suspects.indexOf(task)
    if (at !== -1) this.#suspects.splice(at, 1)[0]!.end()
    if (this.#tasks.size > 0 && this.#waiting.length === 0) this.#lose(new Error('Nobody waits for it'))
  }

  get #waiting (): AwaitedTask[] { return [...this.#tasks.values()].filter(({ isSettled }) => !isSettled) }

  #start (): Worker {
    // It has no more memory than it is given: this flag, set for the main thread, would count for it.
    setFlagsFromString('--max-old-space-size=0')
    const worker = new Worker(this.#entry, { resourceLimits: { maxOldGenerationSizeMb: mostMemory } })
    let reason = new Error('It ended the thread that reads files')
    worker.on('message', (answer: FileAnswer) => { if (worker === this.#worker) this.#onAnswer(answer) })
    worker.on('error', (error: NodeJS.ErrnoException) => {
      reason = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new Error(`It takes more than ${mostMemory} MB of memory to read it`)
        : error
    })
    worker.on('exit', () => { if (worker === this.#worker) this.#lose(reason) })
    this.#isReady = false
    this.#looks = setInterval(() => this.#look(worker), lookEvery).unref()
    this.#hear()
    return worker
  }

  #hear (): void {
    this.#blocked = 0
    this.#silent = 0
  }

  #onAnswer ({ id, isOver, ...answer }: FileAnswer): void {
    this.#hear()
    this.#isReady = true
    if (id === undefined) return
    const task = this.#tasks.get(id)!
    const { error } = answer
    task.settle(error ? new (error.mayRecover ? AwayError : Error)(error.message) : answer)
    if (isOver) {
      this.#tasks.delete(id)
      task.end()
    }
    this.#next()
  }

  /** A thread that computes does not rest; one that waits for a disk does, and its tasks tell that they are late. */
  #look (worker: Worker): void {
    const { idle } = worker.performance.eventLoopUtilization()
    const hasRested = idle !== this.#rested
    this.#rested = idle
    if (this.#waiting.length === 0) return this.#hear()
    this.#blocked = hasRested ? 0 : this.#blocked + 1
    this.#silent++
    if (this.#blocked === mostBlocked) {
      this.#lose(new Error(`It takes more than ${mostBlocked * lookEvery / 1000} seconds to work on it`))
    } else if (this.#silent === mostSilent) {
      for (const task of this.#waiting) task.settle(lateError('read'))
      this.#lose(lateError('read'))
    }
  }

  /** The thread has ended, or is of no use: one that waits for the system ends when that answers. */
  #lose (reason: Error): void {
    this.#stop()
    const waiting = this.#waiting
    for (const task of this.#tasks.values()) if (task.isSettled) task.end()
    this.#tasks.clear()
    if (this.#isReady && waiting.length > 1) this.#suspects.push(...waiting)
    else {
      for (const task of waiting) {
        task.settle(this.#isReady ? reason : new AwayError(reason.message))
        task.end()
      }
    }
    this.#next()
  }

  #stop (): void {
    clearInterval(this.#looks)
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
