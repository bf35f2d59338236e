import { open, type FileHandle } from 'node:fs/promises'
import { SourceError } from '../../contract/errors.ts'
import { startDigest } from '../file-digest.ts'
import type { FileCache } from '../file-cache.ts'
import type { ReadableFile } from '../send-file.ts'
import type { Listener } from './listener.ts'
import type { Task } from './slot.ts'

/** Milliseconds that a run continues without a listener: it may be nearly finished, and players reconnect. */
export const grace = { ms: 5000 }

/** The number of bytes per read. */
const chunk = 64 * 1024

/**
 * The minimum speed, in seconds of audio per second, of encoding audio again after the process ended for another run.
 */
const madeAgain = 30

const changed = 'The audio has changed while it was converted'

const isNoRoom = ({ code }: NodeJS.ErrnoException) => code === 'ENOSPC' || code === 'EDQUOT'

export interface RunOptions extends Pick<Task, 'account' | 'onState'> {
  readonly files: FileCache
  /** The name of the cached file. If `undefined`, the file is removed after the last listener. */
  readonly name: string | undefined
  readonly bytesPerSecond: number
  /** Frees space by ending other runs. @returns whether there was something to end */
  readonly makeRoom: (run: Run) => Promise<boolean>
  /** Called when the output cannot be stored. */
  readonly onUnstored: (error: unknown) => void
}

/**
 * A transcoding that is written to a file and read by several listeners meanwhile. If the disk is full, listeners
 * receive the bytes directly, and the run is as fast as they read.
 */
export class Run implements Task {
  readonly account: Task['account']
  readonly onState: Task['onState']
  readonly ended: Promise<void>
  readonly #options: RunOptions
  readonly #controller = new AbortController()
  readonly #waiting = new Set<() => void>()
  readonly #listeners = new Set<Listener>()
  readonly #digest = startDigest()
  #path: string | undefined
  #handle: FileHandle | undefined
  #release: (() => void) | undefined
  /** The number of bytes produced. */
  #bytes = 0
  /** The last bytes, which are not in the file. */
  #direct: Buffer | undefined
  /** The number of bytes that the process has to produce again. */
  #again = 0
  #outcome: { error?: unknown } | undefined
  #isOver = false
  #isClosed = false
  #leaving: NodeJS.Timeout | undefined

  /**
   * @param transcode produces all bytes from the first one and passes them to `write`. It is called again if its
   *   process had to end for another run
   */
  constructor (options: RunOptions, transcode: (run: Run, signal: AbortSignal) => Promise<void>) {
    this.#options = options
    this.account = options.account
    this.onState = options.onState
    this.ended = this.#run(transcode)
  }

  get hasListeners (): boolean { return this.#listeners.size > 0 }

  /** Whether all bytes are in the file. Only then can another listener join. */
  get isStored (): boolean { return this.#direct === undefined && !this.#isClosed }

  isHeardBy (listener: Listener): boolean { return this.#listeners.has(listener) }

  /** Whether the run is finished and all its output is in the file. */
  get isComplete (): boolean { return this.isStored && this.#outcome !== undefined && !('error' in this.#outcome) }

  ahead (hasProcess: boolean): number {
    const { bytesPerSecond } = this.#options
    const made = this.#bytes / bytesPerSecond
    const ahead = [...this.#listeners].map(listener => made - listener.heard(bytesPerSecond))
    return Math.min(...ahead) - (hasProcess ? 0 : made / madeAgain)
  }

  join (listener: Listener): void {
    this.#listeners.add(listener)
    clearTimeout(this.#leaving)
  }

  leave (listener: Listener): void {
    this.#listeners.delete(listener)
    this.#tell()
    if (this.hasListeners) return
    const abort = () => this.abort(new SourceError(499, 'Nobody listens any more'))
    if (this.#isOver) this.#close().catch(() => {})
    else if (this.isStored) this.#leaving = setTimeout(abort, grace.ms).unref()
    else abort()
  }

  abort (reason: unknown): void {
    this.#controller.abort(reason)
    this.#tell()
  }

  /** Waits for the first byte, or for the last one if all of them are stored. @throws the error that ended the run */
  async until (isWhole: boolean): Promise<void> {
    const isThere = () => this.#bytes > 0 && !(isWhole && this.isStored)
    while (this.#outcome === undefined && !isThere()) await this.#change()
    if (this.#outcome?.error !== undefined && !isThere()) throw this.#outcome.error
  }

  /** Yields the existing bytes and then the new ones. @throws the error that ended the run early */
  async * read (listener: Listener, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
    while (await this.#hasMore(listener.taken)) {
      const part = await this.#readAt(listener.taken)
      onBytes?.(part.length)
      yield part
      listener.take(part.length)
      this.#tell()
    }
  }

  async #hasMore (position: number): Promise<boolean> {
    while (position === this.#bytes && this.#outcome === undefined) await this.#change()
    if (position < this.#bytes) return true
    if (this.#outcome!.error !== undefined) throw this.#outcome!.error
    return false
  }

  async #readAt (position: number): Promise<Buffer> {
    const stored = this.#bytes - (this.#direct?.length ?? 0)
    if (position >= stored) return this.#direct!.subarray(position - stored)
    const buffer = Buffer.allocUnsafe(Math.min(chunk, stored - position))
    const { bytesRead } = await this.#handle!.read(buffer, 0, buffer.length, position)
    return buffer.subarray(0, bytesRead)
  }

  /** The complete file. Closing it leaves it open for other listeners. */
  get file (): ReadableFile {
    const handle = this.#handle!
    return {
      handle: { read: (...args) => handle.read(...args), close: async () => {} },
      stats: { size: this.#bytes }
    }
  }

  async #run (transcode: (run: Run, signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await this.#open()
      await transcode(this, this.#controller.signal)
      if (this.#again > 0) throw new Error(changed)
      this.#outcome = {}
      this.#tell()
      await this.#keep()
    } catch (error) {
      this.#outcome = { error }
    }
    clearTimeout(this.#leaving)
    this.#tell()
    this.#isOver = true
    if (!this.hasListeners) await this.#close()
  }

  async #open (): Promise<void> {
    const { files, onUnstored } = this.#options
    try {
      this.#path = await files.begin()
      this.#handle = await open(this.#path, 'wx+', 0o600)
    } catch (error) {
      onUnstored(error)
      this.#direct = Buffer.alloc(0)
    }
  }

  async #keep (): Promise<void> {
    const { files, name, onUnstored } = this.#options
    if (name === undefined || this.#path === undefined) return
    try {
      await files.store(this.#path, name, this.#bytes, this.#digest.digest())
      this.#path = undefined
      this.#release = files.use(name)
    } catch (error) {
      onUnstored(error)
    }
  }

  /** @returns a function that accepts all bytes of a process from the first one, also if some were produced before */
  writer (): (bytes: Buffer) => Promise<void> {
    const digest = startDigest()
    this.#again = this.#bytes
    return async bytes => {
      const again = bytes.subarray(0, this.#again)
      this.#again -= again.length
      digest.update(again)
      if (this.#again > 0) return
      const isSame = again.length === 0 || digest.digest().equals(this.#digest.copy().digest())
      if (!isSame) throw new Error(changed)
      if (again.length < bytes.length) await this.#write(bytes.subarray(again.length))
    }
  }

  async #write (bytes: Buffer): Promise<void> {
    this.#digest.update(bytes)
    const stored = this.isStored ? await this.#store(bytes) : 0
    this.#bytes += stored
    if (stored < bytes.length) await this.#hand(bytes.subarray(stored))
    this.#tell()
  }

  /** @returns the number of bytes that could be stored */
  async #store (bytes: Buffer): Promise<number> {
    const { files, makeRoom, onUnstored } = this.#options
    let written = 0
    try {
      while (!await files.reserve(this.#path!, bytes.length)) if (!await makeRoom(this)) return 0
      for (let isCleared = false; written < bytes.length;) {
        try {
          const left = bytes.length - written
          written += (await this.#handle!.write(bytes, written, left, this.#bytes + written)).bytesWritten
        } catch (error) {
          if (isCleared || !isNoRoom(error as Error)) throw error
          isCleared = true
          await files.clear()
        }
      }
    } catch (error) {
      onUnstored(error)
    }
    return written
  }

  /** Passes bytes to the listeners, and waits until they have read them. */
  async #hand (bytes: Buffer): Promise<void> {
    const { signal } = this.#controller
    const isBehind = () => [...this.#listeners].some(({ taken }) => taken < this.#bytes)
    const allTaken = async () => {
      this.#tell()
      while (isBehind() && !signal.aborted) await this.#change()
      signal.throwIfAborted()
    }
    // A client that waits for the complete file receives the stream from here on.
    this.#direct ??= Buffer.alloc(0)
    await allTaken()
    // All listeners have read the stored bytes.
    await this.#remove()
    this.#direct = bytes
    this.#bytes += bytes.length
    await allTaken()
  }

  async #close (): Promise<void> {
    this.#isClosed = true
    this.#release?.()
    await this.#remove()
  }

  async #remove (): Promise<void> {
    const [handle, path] = [this.#handle, this.#path]
    this.#handle = this.#path = undefined
    await handle?.close()
    if (path !== undefined) await this.#options.files.discard(path)
  }

  #change (): Promise<void> {
    return new Promise(resolve => this.#waiting.add(resolve))
  }

  #tell (): void {
    for (const go of this.#waiting) go()
    this.#waiting.clear()
  }
}
