import type { FastifyBaseLogger } from 'fastify'
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { limitConcurrency } from '../async/limit-concurrency.ts'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'
import { anObject, hasMethods } from '../options/member-rules.ts'
import type { Media } from './open-media.ts'

/** The part of sharp's API that is used here. Its types are missing if sharp is not installed. */
interface Picture {
  metadata (): Promise<{ width: number, height: number }>
  /** Rotates by the EXIF orientation. */
  rotate (): Picture
  resize (options: { width: number, height: number, fit: 'inside' }): Picture
  webp (options: { quality: number }): Picture
  toBuffer (): Promise<Buffer>
}
type Sharp = (bytes: Buffer, options: { limitInputPixels: number }) => Picture

const sharpName = 'sharp'
const webpType = 'image/webp'

/** The limits of a source picture in bytes and pixels. Larger pictures are sent unchanged. */
const mostBytes = 16 * 1024 * 1024
const mostPixels = 50_000_000
const mostBytesKept = 32 * 1024 * 1024
const keptFor = 10 * 60_000
/** The maximum number of pictures that are scaled concurrently. */
const mostAtOnce = 2

/** A complete picture and its media type. */
export interface Cover {
  readonly bytes: Buffer
  readonly type: string
}

/** Stores scaled covers across restarts. If the store fails, the error is logged and the cover is scaled without it. */
export interface CoverStore {
  /** @param name a file name of digits, small letters, `-` and `.`; unique for each picture and size */
  get (name: string): Promise<Buffer | undefined>
  set (name: string, bytes: Buffer): Promise<void>
}

/** Scales covers with sharp, if it is installed. Covers that sharp cannot read stay unchanged. */
export class CoverScaler {
  readonly #log: Pick<FastifyBaseLogger, 'info'>
  readonly #limit = limitConcurrency({ inAll: mostAtOnce })
  readonly #kept = new LRUCache<string, Cover>({
    maxSize: mostBytesKept, sizeCalculation: ({ bytes }) => bytes.length + 1000, ttl: keptFor
  })

  readonly #store: CoverStore | undefined

  #sharp: Promise<Sharp | undefined> | undefined
  /** The last error of the store. An equal error is logged only once. */
  #failure = ''

  constructor (log: Pick<FastifyBaseLogger, 'info'>, store?: CoverStore) {
    this.#log = log
    this.#store = store
  }

  /** @param pixels the maximum width and height */
  find (url: string, pixels: number): Cover | undefined {
    return this.#kept.get(keyOf(url, pixels))
  }

  /** @throws the reason of the signal; errors of reading the cover */
  async scale (media: Media, type: string, url: string, pixels: number, signal: AbortSignal): Promise<Media> {
    const sharp = await (this.#sharp ??= this.#loadSharp())
    const { body } = media
    if (sharp === undefined || body === undefined) return media
    return this.#limit(async () => {
      const { parts, isWhole } = await readStart(body)
      if (!isWhole) return { ...media, body: joined(parts, body) }
      const { bytes } = await this.#resize(sharp, { bytes: Buffer.concat(parts), type }, url, pixels)
      return { ...media, headers: { 'content-length': String(bytes.length) }, body: joined([bytes]) }
    }, { signal })
  }

  /**
   * Scales a cover that is read completely, after a slot is free. So the pictures of waiting requests are not in
   * memory.
   *
   * @param isWebp whether a scaled cover is written as WebP
   * @throws the reason of the signal; errors of `read`
   */
  async scaleWhole (
    url: string, pixels: number, read: () => Promise<Cover>, signal: AbortSignal, isWebp = false
  ): Promise<Cover> {
    const key = isWebp ? `webp ${url}` : url
    const sharp = await (this.#sharp ??= this.#loadSharp())
    if (sharp === undefined) return read()
    const known = () => this.find(key, pixels)
    return known() ?? this.#limit(async () => {
      // A concurrent call may have scaled the same cover already.
      if (known() !== undefined) return known()!
      const cover = await read()
      return cover.bytes.length > mostBytes ? cover : this.#resize(sharp, cover, key, pixels, isWebp)
    }, { signal })
  }

  async #resize (sharp: Sharp, cover: Cover, key: string, pixels: number, isWebp = false): Promise<Cover> {
    const scaled = await this.#stored(cover, pixels, isWebp, () => resize(sharp, cover, pixels, isWebp))
    this.#kept.set(keyOf(key, pixels), scaled)
    return scaled
  }

  /** Caches by the picture's content: a URL has a signature, and may lead to another picture later. */
  async #stored (cover: Cover, pixels: number, isWebp: boolean, scale: () => Promise<Cover>): Promise<Cover> {
    const store = this.#store
    if (store === undefined) return scale()
    const digest = createHash('sha256').update(cover.bytes).digest('hex')
    const name = `${digest}-${pixels}${isWebp ? '.webp' : ''}`
    const bytes = await this.#attempt(() => store.get(name))
    if (bytes !== undefined) return { bytes, type: isWebp ? webpType : cover.type }
    const scaled = await scale()
    if (scaled !== cover) await this.#attempt(() => store.set(name, scaled.bytes))
    return scaled
  }

  async #attempt<T> (run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run()
    } catch (error) {
      const reason = (error as Error).message
      if (reason !== this.#failure) this.#log.info({ reason }, 'scaled covers not stored')
      this.#failure = reason
    }
  }

  async #loadSharp (): Promise<Sharp | undefined> {
    try {
      return (await import(sharpName)).default
    } catch (error) {
      this.#log.info({ reason: (error as Error).message }, 'covers not scaled')
    }
  }
}

export interface CoverScalerOptions {
  /** Logs one line if covers are not scaled because sharp is not installed. */
  log: Pick<FastifyBaseLogger, 'info'>
  /** A persistent store of scaled covers. Default: none, they are cached in memory only. */
  store?: CoverStore | undefined
}

const rules: Record<keyof CoverScalerOptions, MemberRule> = {
  log: anObject,
  store: { must: 'an object with get and set', holds: hasMethods('get', 'set'), optional: true }
}

/**
 * @param pixels the maximum width and height
 * @param isWebp whether a scaled cover is written as WebP; default: the original format
 */
export type ScaleCover = (
  key: string, pixels: number, read: () => Promise<Cover>, signal: AbortSignal, isWebp?: boolean
) => Promise<Cover>

/**
 * Creates a function that scales covers for custom routes, if the package sharp is installed. Covers are never
 * enlarged. Two are scaled at a time, and 32 MiB of results are cached for 10 minutes. `read` is called when a slot is
 * free. Covers that cannot be scaled are returned unchanged.
 *
 * @returns a function that throws the errors of `read`, and the reason of the signal while it waits
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function createCoverScaler (options: CoverScalerOptions): ScaleCover {
  validateMembers(options, rules)
  const scaler = new CoverScaler(options.log, options.store)
  return (...args) => scaler.scaleWhole(...args)
}

const keyOf = (url: string, pixels: number) => `${pixels} ${url}`

/** Reads a body up to a size limit. The rest of a larger body can be read afterwards. */
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

/** Scales a picture to fit within a square. Smaller and unreadable pictures are returned unchanged. */
async function resize (sharp: Sharp, cover: Cover, pixels: number, isWebp: boolean): Promise<Cover> {
  const { bytes, type } = cover
  try {
    const picture = sharp(bytes, { limitInputPixels: mostPixels })
    const { width, height } = await picture.metadata()
    if (Math.max(width, height) <= pixels) return cover
    const scaled = picture.rotate().resize({ width: pixels, height: pixels, fit: 'inside' })
    if (!isWebp) return { bytes: await scaled.toBuffer(), type }
    return { bytes: await scaled.webp({ quality: 80 }).toBuffer(), type: webpType }
  } catch {
    return cover
  }
}
