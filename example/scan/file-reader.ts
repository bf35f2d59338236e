import { isOpenInside } from 'fastify-source-origin/media'
import { LRUCache } from 'lru-cache'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { AbstractTokenizer, EndOfStreamError, type IRandomAccessFileInfo, type IReadChunkOptions } from 'strtok3'
import { limitShare } from '../files/limit-shares.ts'
import { limited, type OpenedFile } from '../files/open-regular-file.ts'
import { AwayError } from './in-time.ts'

/** Bytes that are read at a time. What is asked for is mostly the beginning of a file and its end. */
const blockSize = 64 * 1024
/** Blocks that are kept: a parser goes to and fro between few places. */
const mostBlocks = 4
/** Bytes of a file that are read in blocks at most. Tags with their pictures are smaller. */
const mostBytes = 64 * 1024 * 1024

/** Milliseconds that what is read is worked on, without those that the system takes to give it. */
const mostWork = 60_000
/** Milliseconds that count between two reads: a process that was stopped has not worked. */
const mostAtOnce = 1000

/** Reads a regular file in blocks: parsers ask for a few bytes each time. */
export class FileReader extends AbstractTokenizer {
  override readonly fileInfo: IRandomAccessFileInfo & Pick<OpenedFile, 'path'>
  readonly #handle: OpenedFile['handle']
  readonly #signal: AbortSignal | undefined
  readonly #blocks = new LRUCache<number, Uint8Array>({ max: mostBlocks })
  #left = mostBytes
  #worked = 0
  /** When the last read ended. */
  #since = performance.now()

  /** Takes a file that is open: closing this closes it. */
  constructor ({ handle, stats, path }: OpenedFile, signal?: AbortSignal) {
    super({ maxBufferSize: mostBytes })
    this.#handle = handle
    this.fileInfo = { path, size: stats.size }
    this.#signal = signal
  }

  /**
   * Opens a file of the folder, which has to be closed.
   *
   * @param root real path of the folder
   * @param path relative to it
   * @param signal ends what is read when it is aborted; a read that the system does not answer is not waited for by
   * `unlessAborted`
   * @throws for what is no regular file: a pipe would never end; AwayError where a link leads out
   */
  static async open (root: string, path: string, signal: AbortSignal): Promise<FileReader> {
    const whole = join(root, path)
    return limitShare(whole, async () => {
      const handle = await open(whole, constants.O_RDONLY | constants.O_NONBLOCK)
      try {
        const file = { handle, stats: await handle.stat(), path: whole }
        if (!file.stats.isFile()) throw new Error('This is no regular file')
        if (!await isOpenInside(root, file)) throw new AwayError('It leads out of the folder')
        return new FileReader(limited(file, signal), signal)
      } catch (error) {
        await handle.close()
        throw error
      }
    }, { signal })
  }

  /** Bytes of the file from a position on; fewer at its end. Much is read by itself, little with its neighbours. */
  async read (position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.fileInfo.size - position)))
    const isMuch = length > blockSize
    const count = isMuch ? this.#fill(bytes, position) : this.peekBuffer(bytes, { position, mayBeLess: true })
    return bytes.subarray(0, await count)
  }

  /** Few bytes of a place that nothing else is read near: without its neighbours, if they are not at hand. */
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
    // The same but for its sizes, which are in a chunk of their own: readers take what is there.
    if (number === 0 && /^(?:RF64|BW64)$/.test(block.toString('latin1', 0, 4))) block.write('RIFF')
    this.#blocks.set(number, block)
    return block
  }

  /** @returns how many bytes there were */
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
