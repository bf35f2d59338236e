import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import { limitConcurrency } from '../../async/limit-concurrency.ts'
import type { Media } from '../../media/open-media.ts'

/** What is used of sharp. Its types are not there where it is not installed. */
interface Picture {
  metadata (): Promise<{ width: number, height: number }>
  /** As its EXIF orientation says. */
  rotate (): Picture
  resize (options: { width: number, height: number, fit: 'inside' }): Picture
  toBuffer (): Promise<Buffer>
}
type Sharp = (bytes: Buffer, options: { limitInputPixels: number }) => Picture

const sharpName = 'sharp'

/** Bytes and pixels of a picture; one with more is sent as it is. */
const mostBytes = 16 * 1024 * 1024
const mostPixels = 50_000_000
const mostBytesKept = 32 * 1024 * 1024
const keptFor = 10 * 60_000
/** Pictures in memory at a time. */
const mostAtOnce = 2

/** A cover in another size, or in its own where it could not be scaled. */
interface Scaled { readonly bytes: Buffer, readonly type: string }

/** Scales covers with sharp, where that is installed. Those that it cannot read are left as they are. */
export class CoverScaler {
  readonly #log: Pick<FastifyBaseLogger, 'info'>
  readonly #load: () => Promise<{ default: Sharp }>
  readonly #limit = limitConcurrency(mostAtOnce)
  readonly #kept = new LRUCache<string, Scaled>({
    maxSize: mostBytesKept, sizeCalculation: ({ bytes }) => bytes.length + 1000, ttl: keptFor
  })

  #sharp: Promise<Sharp | undefined> | undefined

  constructor (log: Pick<FastifyBaseLogger, 'info'>, load = () => import(sharpName)) {
    this.#log = log
    this.#load = load
  }

  /** @param pixels the most that width and height may have */
  find (url: string, pixels: number): Scaled | undefined {
    return this.#kept.get(keyOf(url, pixels))
  }

  /** @throws the reason of the signal; what reading the cover throws */
  async scale (media: Media, type: string, url: string, pixels: number, signal: AbortSignal): Promise<Media> {
    const sharp = await (this.#sharp ??= this.#loadSharp())
    const { body } = media
    if (sharp === undefined || body === undefined) return media
    return this.#limit(async () => {
      const { parts, isWhole } = await readStart(body)
      if (!isWhole) return { ...media, body: joined(parts, body) }
      const bytes = await resize(sharp, Buffer.concat(parts), pixels)
      this.#kept.set(keyOf(url, pixels), { bytes, type })
      return { ...media, headers: { 'content-length': String(bytes.length) }, body: joined([bytes]) }
    }, { signal })
  }

  async #loadSharp (): Promise<Sharp | undefined> {
    try {
      return (await this.#load()).default
    } catch (error) {
      this.#log.info({ reason: (error as Error).message }, 'Covers are sent in their own size, without sharp')
    }
  }
}

const keyOf = (url: string, pixels: number) => `${pixels} ${url}`

/** Reads a body that is not too large; the rest of a larger one can be read after it. */
async function readStart (body: AsyncGenerator<Buffer>): Promise<{ parts: Buffer[], isWhole: boolean }> {
  const parts: Buffer[] = []
  let bytes = 0
  while (bytes <= mostBytes) {
    const { done, value } = await body.next()
    if (done) return { parts, isWhole: true }
    parts.push(value)
    bytes += value.length
  }
  return { parts, isWhole: false }
}

async function * joined (parts: Buffer[], rest?: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield * parts
  if (rest !== undefined) yield * rest
}

/** The picture within a square; as it is where it is smaller, or cannot be read. */
async function resize (sharp: Sharp, bytes: Buffer, pixels: number): Promise<Buffer> {
  try {
    const picture = sharp(bytes, { limitInputPixels: mostPixels })
    const { width, height } = await picture.metadata()
    if (Math.max(width, height) <= pixels) return bytes
    return await picture.rotate().resize({ width: pixels, height: pixels, fit: 'inside' }).toBuffer()
  } catch {
    return bytes
  }
}
