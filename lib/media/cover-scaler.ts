import type { FastifyBaseLogger } from 'fastify'
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { limitConcurrency } from '../async/limit-concurrency.ts'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'
import { anObject, hasMethods } from '../options/member-rules.ts'
import type { Media } from './open-media.ts'

/** What is used of sharp. Its types are not there where it is not installed. */
interface Picture {
  metadata (): Promise<{ width: number, height: number }>
  /** As its EXIF orientation says. */
  rotate (): Picture
  resize (options: { width: number, height: number, fit: 'inside' }): Picture
  webp (options: { quality: number }): Picture
  toBuffer (): Promise<Buffer>
}
type Sharp = (bytes: Buffer, options: { limitInputPixels: number }) => Picture

const sharpName = 'sharp'
const webpType = 'image/webp'

/** Bytes and pixels of a picture; one with more is sent as it is. */
const mostBytes = 16 * 1024 * 1024
const mostPixels = 50_000_000
const mostBytesKept = 32 * 1024 * 1024
const keptFor = 10 * 60_000
/** Pictures in memory at a time. */
const mostAtOnce = 2

/** A whole picture, and its media type. */
export interface Cover {
  readonly bytes: Buffer
  readonly type: string
}

/**
 * Keeps scaled covers for longer than the process runs. An error of it is a line in the log, and the cover is scaled as
 * without it.
 */
export interface CoverStore {
  /** @param name that of a file: digits, small letters, `-` and `.`; another picture or size has another one */
  get (name: string): Promise<Buffer | undefined>
  set (name: string, bytes: Buffer): Promise<void>
}

/** Scales covers with sharp, where that is installed. Those that it cannot read are left as they are. */
export class CoverScaler {
  readonly #log: Pick<FastifyBaseLogger, 'info'>
  readonly #limit = limitConcurrency({ inAll: mostAtOnce })
  readonly #kept = new LRUCache<string, Cover>({
    maxSize: mostBytesKept, sizeCalculation: ({ bytes }) => bytes.length + 1000, ttl: keptFor
  })

  readonly #store: CoverStore | undefined

  #sharp: Promise<Sharp | undefined> | undefined
  /** Why the store failed last: the same is told once. */
  #failure = ''

  constructor (log: Pick<FastifyBaseLogger, 'info'>, store?: CoverStore) {
    this.#log = log
    this.#store = store
  }

  /** @param pixels the most that width and height may have */
  find (url: string, pixels: number): Cover | undefined {
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
      const { bytes } = await this.#resize(sharp, { bytes: Buffer.concat(parts), type }, url, pixels)
      return { ...media, headers: { 'content-length': String(bytes.length) }, body: joined([bytes]) }
    }, { signal })
  }

  /**
   * A cover that is read as a whole, when its turn has come: so the pictures of all who wait are not in memory.
   *
   * @param isWebp whether it is to be WebP where it is scaled
   * @throws the reason of the signal; what `read` throws
   */
  async scaleWhole (
    url: string, pixels: number, read: () => Promise<Cover>, signal: AbortSignal, isWebp = false
  ): Promise<Cover> {
    const key = isWebp ? `webp ${url}` : url
    const sharp = await (this.#sharp ??= this.#loadSharp())
    if (sharp === undefined) return read()
    const known = () => this.find(key, pixels)
    return known() ?? this.#limit(async () => {
      // Another one may have asked for the same before.
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

  /** By what is in the picture: a URL has a signature, and may lead to another one later. */
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
      if (reason !== this.#failure) this.#log.info({ reason }, 'Scaled covers are not kept')
      this.#failure = reason
    }
  }

  async #loadSharp (): Promise<Sharp | undefined> {
    try {
      return (await import(sharpName)).default
    } catch (error) {
      this.#log.info({ reason: (error as Error).message }, 'Covers are sent in their own size, without sharp')
    }
  }
}

export interface CoverScalerOptions {
  /** Is told once when covers stay as they are, since sharp is not installed. */
  log: Pick<FastifyBaseLogger, 'info'>
  /** Where scaled covers are kept besides. Default: none, so they are in memory. */
  store?: CoverStore | undefined
}

const rules: Record<keyof CoverScalerOptions, MemberRule> = {
  log: anObject,
  store: { must: 'an object with get and set', holds: hasMethods('get', 'set'), optional: true }
}

/**
 * @param pixels the most that width and height may have
 * @param isWebp whether it is to be WebP where it is scaled; default: the format that it has
 */
export type ScaleCover = (
  key: string, pixels: number, read: () => Promise<Cover>, signal: AbortSignal, isWebp?: boolean
) => Promise<Cover>

/**
 * Scales covers that a route of your own sends, where the package sharp is installed: never up, two at a time, 32 MiB
 * of results kept for 10 minutes. `read` is called when there is room. What cannot be scaled stays as it is.
 *
 * @returns a function that throws what `read` throws, and the reason of the signal while it waits
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function createCoverScaler (options: CoverScalerOptions): ScaleCover {
  validateMembers(options, rules)
  const scaler = new CoverScaler(options.log, options.store)
  return (...args) => scaler.scaleWhole(...args)
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
