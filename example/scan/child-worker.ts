import { fork, type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { FileAnswer, FileJob } from './answer-job.ts'
import { AwayError } from './in-time.ts'

/** How a process ends that has no memory left, or that its own code broke. Others end it by other signals. */
const ownSignals: readonly (string | null)[] = [null, 'SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS']

/**
 * A process that does jobs with files, and has a limit of memory. That of a worker thread is none: one large array is
 * enough to end the whole process with the thread.
 */
export class ChildWorker extends EventEmitter<{ message: [FileAnswer], exit: [Error] }> {
  readonly #child: ChildProcess

  /**
   * @param entry what it runs
   * @param mostMemory megabytes of JavaScript
   */
  constructor (entry: URL, mostMemory: number) {
    super()
    // The sources are run as those of this process are; the build needs nothing.
    const flags = entry.pathname.endsWith('.ts') ? process.execArgv : []
    const child = fork(entry, {
      execArgv: [...flags, `--max-old-space-size=${mostMemory}`],
      serialization: 'advanced',
      // What V8 writes there when it has no memory is told in one line.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // In a process group of its own, a kill ends its children too.
      detached: process.platform !== 'win32'
    })
    this.#child = child
    child.on('message', answer => this.emit('message', answer as FileAnswer))
    child.on('error', error => this.emit('exit', new AwayError(error.message)))
    child.on('exit', (code, signal) => {
      this.terminate()
      this.emit('exit', reasonOf(code, signal, mostMemory))
    })
  }

  postMessage (job: FileJob): void {
    // To one that has just ended nothing is sent; its end is told.
    this.#child.send(job, () => {})
  }

  /** Keeps this process running. */
  ref (): void {
    this.#child.ref()
    this.#child.channel?.ref()
  }

  unref (): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }

  /** Ends it with all that it has started. */
  terminate (): void {
    this.#child.kill('SIGKILL')
    try {
      process.kill(-this.#child.pid!, 'SIGKILL')
    } catch {
      // All of it has ended already, or the system has no groups.
    }
  }
}

function reasonOf (code: number | null, signal: NodeJS.Signals | null, mostMemory: number): Error {
  if (!ownSignals.includes(signal)) return new AwayError(`The process that reads files was ended by ${signal}`)
  return new Error(signal === 'SIGABRT' || code === 134
    ? `It takes more than ${mostMemory} MB of memory to read it`
    : 'It ended the process that reads files')
}
