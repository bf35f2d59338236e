import { fork, type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { FileAnswer, FileJob } from './answer-job.ts'
import { AwayError } from './in-time.ts'

/** Signals that end a process because of its own failure, such as a lack of memory. Other signals come from outside. */
const ownSignals: readonly (string | null)[] = [null, 'SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS']

/**
 * A process that runs file jobs with a memory limit. A worker thread has no effective limit: one large array ends the
 * complete process.
 */
export class ChildWorker extends EventEmitter<{ message: [FileAnswer], exit: [Error] }> {
  readonly #child: ChildProcess

  /**
   * @param entry the module to run
   * @param mostMemory the limit of JavaScript memory in megabytes
   */
  constructor (entry: URL, mostMemory: number) {
    super()
    // The sources run with the flags of this process; the build needs none.
    const flags = entry.pathname.endsWith('.ts') ? process.execArgv : []
    const child = fork(entry, {
      execArgv: [...flags, `--max-old-space-size=${mostMemory}`],
      serialization: 'advanced',
      // V8's output after running out of memory is replaced by one log line.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // In a separate process group, so that a kill also ends its children.
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
    // A message to an ended process is ignored; its end is reported separately.
    this.#child.send(job, () => {})
  }

  /** Prevents this process from exiting. */
  ref (): void {
    this.#child.ref()
    this.#child.channel?.ref()
  }

  unref (): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }

  /** Kills the process and its children. */
  terminate (): void {
    this.#child.kill('SIGKILL')
    try {
      process.kill(-this.#child.pid!, 'SIGKILL')
    } catch {
      // The processes have ended already, or the system has no groups.
    }
  }
}

function reasonOf (code: number | null, signal: NodeJS.Signals | null, mostMemory: number): Error {
  if (!ownSignals.includes(signal)) return new AwayError(`The process that reads files was ended by ${signal}`)
  return new Error(signal === 'SIGABRT' || code === 134
    ? `It takes more than ${mostMemory} MB of memory to read it`
    : 'It ended the process that reads files')
}
