import { isOpenInside } from 'fastify-source-origin/media'
import { LRUCache } from 'lru-cache'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { AbstractTokenizer, EndOfStreamError, type IRandomAccessFileInfo, type IReadChunkOptions } from 'strtok3'
import { limitShare } from '../files/limit-shares.ts'
import { limited, type OpenedFile } from '../files/open-regular-file.ts'
import { AwayError } from './in-time.ts'

/** The number of bytes per read. Mostly the beginning and the end of a file are requested. */
const blockSize = 64 * 1024
/** The maximum number of cached blocks, since a parser alternates between few positions. */
const mostBlocks = 4
/** The maximum bytes of a file that are read in blocks. Tags with their pictures are smaller. */
const mostBytes = 64 * 1024 * 1024

/** The maximum processing time of a file in milliseconds, without the time of system calls. */
const mostWork = 60_000
/** The maximum milliseconds counted between two reads, since a suspended process has not worked. */
const mostAtOnce = 1000

/** Reads a regular file in blocks, since parsers request a few bytes each time. */
export class FileReader extends AbstractTokenizer {
  override readonly fileInfo: IRandomAccessFileInfo & Pick<OpenedFile, 'path'>
  readonly #handle: OpenedFile['handle']
  readonly #signal: AbortSignal | undefined
  readonly #blocks = new LRUCache<number, Uint8Array>({ max: mostBlocks })
  #left = mostBytes
  #worked = 0
  /** The time when the last read ended. */
  #since = performance.now()

  /** Creates a reader of an open file, which `close` closes. */
  constructor ({ handle, stats, path }: OpenedFile, signal?: AbortSignal) {
    super({ maxBufferSize: mostBytes })
    this.#handle = handle
    this.fileInfo = { path, size: stats.size }
    this.#signal = signal
  }

  /**
   * Opens a file of the folder. The caller must close it.
   *
   * @param root real path of the folder
   * @param path relative to it
   * @param signal aborts reads; `unlessAborted` does not wait for pending system calls
   * @throws if it is not a regular file, since a pipe would never end; AwayError if a link leads out of the folder
   */
  static async open (root: string, path: string, signal: AbortSignal): Promise<FileReader> {
    const whole = join(root, path)
    return limitShare(whole, async () => {
      const handle = await open(whole, constants.O_RDONLY | constants.O_NONBLOCK)
      try {
        const file = { handle, stats: await handle.stat(), path: whole }
        if (!file.stats.isFile()) throw new Error('not a regular file')
        if (!await isOpenInside(root, file)) throw new AwayError('It leads out of the folder')
        return new FileReader(limited(file, signal), signal)
      } catch (error) {
        await handle.close()
        throw error
      }
    }, { signal })
  }

  /** Reads bytes from a position; fewer at the end of the file. Large reads are direct, small ones read a block. */
  async read (position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.fileInfo.size - position)))
    const isMuch = length > blockSize
    const count = isMuch ? this.#fill(bytes, position) : this.peekBuffer(bytes, { position, mayBeLess: true })
    return bytes.subarray(0, await count)
  }

  /** Reads a few bytes at an isolated position, without caching a block, unless it is cached already. */
  async sample (position: number, length: number): Promise<Buffer> {
    const first = Math.floor(position / blockSize)
    const isAtHand = this.#blocks.has(first) && this.#blocks.has(Math.floor((position + length - 1) / blockSize))
    if (isAtHand) return this.read(position, length)
    const bytes = Buffer.allocUnsafe(Math.max(0, length))
    return bytes.subarray(0, await this.#fill(bytes, position))
  }

  override async readBuffer (target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    if (options?.position !== undefined) this.position = options.position
    const count = await this.peekBuffer(target, options)
    this.position += count
    return count
  }

  override async peekBuffer (target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { length, position, mayBeLess } = this.normalizeOptions(target, options)
    let done = 0
    while (done < length) {
      const at = position + done
      const block = await this.#block(Math.floor(at / blockSize))
      const part = block.subarray(at % blockSize, at % blockSize + length - done)
      if (part.length === 0) break
      target.set(part, done)
      done += part.length
    }
    if (done < length && !mayBeLess) throw new EndOfStreamError()
    return done
  }

  setPosition (position: number): void {
    this.position = position
  }

  override supportsRandomAccess (): boolean {
    return true
  }

  protected override async closeOnce (): Promise<void> {
    await this.#handle.close()
  }

  async #block (number: number): Promise<Uint8Array> {
    const known = this.#blocks.get(number)
    if (known !== undefined) return known
    this.#left -= blockSize
    if (this.#left < 0) throw new Error(`No audio was found in ${mostBytes / 1024 / 1024} MB of it`)
    const position = number * blockSize
    const bytes = Buffer.allocUnsafe(Math.min(blockSize, Math.max(0, this.fileInfo.size - position)))
    const block = bytes.subarray(0, await this.#fill(bytes, position))
    // RF64 differs from RIFF only in its sizes, which are in a separate chunk: readers use the actual size.
    if (number === 0 && /^(?:RF64|BW64)$/.test(block.toString('latin1', 0, 4))) block.write('RIFF')
    this.#blocks.set(number, block)
    return block
  }

  /** @returns the number of bytes read */
  async #fill (bytes: Uint8Array, position: number): Promise<number> {
    let done = 0
    while (done < bytes.length) {
      this.#signal?.throwIfAborted()
      this.#worked += Math.min(mostAtOnce, performance.now() - this.#since)
      if (this.#worked > mostWork) throw new Error(`It takes more than ${mostWork / 1000} seconds to work on it`)
      const { bytesRead } = await this.#handle.read(bytes, done, bytes.length - done, position + done)
      this.#since = performance.now()
      if (bytesRead === 0) break
      done += bytesRead
    }
    return done
  }
}
