import { open, type FileHandle } from 'node:fs/promises'
import type { KeptFiles } from '../kept-files.ts'
import type { ReadableFile } from '../send-file.ts'

/** Milliseconds that a run goes on for nobody: it may be nearly done, and players ask again. */
export const grace = { ms: 5000 }

/** Bytes that are read at a time. */
const chunk = 64 * 1024

const isNoRoom = ({ code }: NodeJS.ErrnoException) => code === 'ENOSPC' || code === 'EDQUOT'

/** A transcoding that is written to a file, which several listeners read meanwhile. */
export class Run {
  readonly #files: KeptFiles
  readonly #most: number
  readonly #controller = new AbortController()
  readonly #waiting = new Set<() => void>()
  readonly ended: Promise<void>
  #listeners = 0
  #handle: FileHandle | undefined
  #bytes = 0
  #outcome: { error?: unknown, at: Date } | undefined
  #leaving: NodeJS.Timeout | undefined

  /**
   * @param name that the file is kept by; none: it is removed at the end
   * @param most bytes
   * @param transcode gives the bytes to `write`, one call after the other
   */
  constructor (
    files: KeptFiles, name: string | undefined, most: number,
    transcode: (write: (bytes: Buffer) => Promise<void>, signal: AbortSignal) => Promise<void>
  ) {
    this.#files = files
    this.#most = most
    this.ended = this.#run(name, transcode).then(() => this.#end({ at: new Date() }), error =>
      this.#end({ error, at: new Date() }))
  }

  /** A listener, until it leaves. */
  join (): void {
    this.#listeners++
    clearTimeout(this.#leaving)
  }

  leave (): void {
    if (--this.#listeners > 0) return
    if (this.#outcome !== undefined) this.#close()
    else this.#leaving = setTimeout(() => this.abort(new Error('Nobody listens any more')), grace.ms).unref()
  }

  abort (reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** Waits for the first byte, or for the last one. @throws what has ended it */
  async until (isWhole: boolean): Promise<void> {
    const isThere = () => !isWhole && this.#bytes > 0
    while (this.#outcome === undefined && !isThere()) await this.#change()
    if (this.#outcome?.error !== undefined && !isThere()) throw this.#outcome.error
  }

  /** What is there of it, and what comes. @throws what ends it before its end */
  async * read (onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
    for (let position = 0; await this.#hasMore(position);) {
      const buffer = Buffer.allocUnsafe(Math.min(chunk, this.#bytes - position))
      const { bytesRead } = await this.#handle!.read(buffer, 0, buffer.length, position)
      onBytes?.(bytesRead)
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }

  async #hasMore (position: number): Promise<boolean> {
    while (position === this.#bytes && this.#outcome === undefined) await this.#change()
    if (position < this.#bytes) return true
    if (this.#outcome!.error !== undefined) throw this.#outcome!.error
    return false
  }

  /** The whole file; closing it leaves it to the other listeners. */
  get file (): ReadableFile {
    const handle = this.#handle!
    return {
      handle: { read: (...args) => handle.read(...args), close: async () => {} },
      stats: { size: this.#bytes, mtime: this.#outcome!.at }
    }
  }

  async #run (
    name: string | undefined,
    transcode: (write: (bytes: Buffer) => Promise<void>, signal: AbortSignal) => Promise<void>
  ): Promise<void> {
    const { signal } = this.#controller
    const begun = await this.#files.begin()
    try {
      this.#handle = await open(begun, 'wx+', 0o600)
      await transcode(bytes => this.#write(bytes), signal)
      if (name === undefined) await this.#files.drop(begun)
      else await this.#files.keep(begun, name, this.#bytes)
    } catch (error) {
      await this.#files.drop(begun)
      throw error
    }
  }

  async #write (bytes: Buffer): Promise<void> {
    if (this.#bytes + bytes.length > this.#most) throw new Error(`It has more than ${this.#most} bytes`)
    for (let written = 0, isCleared = false; written < bytes.length;) {
      try {
        const left = bytes.length - written
        written += (await this.#handle!.write(bytes, written, left, this.#bytes + written)).bytesWritten
      } catch (error) {
        if (isCleared || !isNoRoom(error as Error)) throw error
        isCleared = true
        await this.#files.clear()
      }
    }
    this.#bytes += bytes.length
    this.#tell()
  }

  #end (outcome: { error?: unknown, at: Date }): void {
    clearTimeout(this.#leaving)
    this.#outcome = outcome
    this.#tell()
    if (this.#listeners === 0) this.#close()
  }

  #close (): void {
    this.#handle?.close().catch(() => {})
  }

  #change (): Promise<void> {
    return new Promise(resolve => this.#waiting.add(resolve))
  }

  #tell (): void {
    for (const go of this.#waiting) go()
    this.#waiting.clear()
  }
}
