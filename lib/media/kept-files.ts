import { LRUCache } from 'lru-cache'
import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { appendDigest, digestBytes, hasItsDigest } from './file-digest.ts'

export interface KeptFilesOptions {
  /** Bytes of all files. */
  bytes: number
  /** Milliseconds since a file was used. Default: no limit. */
  age?: number | undefined
  /** Names of files that are kept: others in the folder are left alone. */
  names: RegExp
  /** Makes the folder, and throws where its disk has no more room. */
  prepare: (folder: string) => Promise<void>
}

/** Files whose size and time are read at a time. */
const statsAtOnce = 100
const ending = '.new'

/** Milliseconds. */
const tidiesEvery = 60_000

/** Bytes that a file takes besides its own: it takes whole blocks. */
const block = 4096

/** Bytes after which the room of the disk is looked at again. */
export const checkedEvery = 4 * 2 ** 20

/** A file that is kept. */
export interface KeptFile {
  readonly path: string
  /** Bytes, without the digest behind them. */
  readonly size: number
}

/**
 * Files of a folder that can be made again: those that were not used for longest are removed for new ones, and all of
 * them if the disk has no more room. A file has its name when it is complete, with its digest behind it.
 */
export class KeptFiles {
  readonly #folder: string
  readonly #options: KeptFilesOptions
  readonly #sizes: LRUCache<string, number>
  /** Those that this process has written, or has read to their digest. */
  readonly #intact = new Set<string>()
  /** How often a file is in use. */
  readonly #users = new Map<string, number>()
  /** Bytes of the files that are written, by their paths. */
  readonly #begun = new Map<string, number>()
  #unchecked = 0
  readonly #tidying = setInterval(() => this.#tidy(), tidiesEvery).unref()
  #opening: Promise<void> | undefined
  #removing: Promise<unknown> = Promise.resolve()

  constructor (folder: string, options: KeptFilesOptions) {
    this.#folder = folder
    this.#options = options
    this.#sizes = new LRUCache<string, number>({
      maxSize: options.bytes,
      sizeCalculation: bytes => bytes + block,
      ttl: options.age ?? 0,
      updateAgeOnGet: true,
      perf: Date,
      dispose: (_bytes, name, reason) => { if (reason !== 'set') this.#remove(name) }
    })
  }

  /** @returns a file that is kept, which may have been deleted since; `undefined` for one that is damaged */
  async find (name: string): Promise<KeptFile | undefined> {
    await this.#open()
    const size = this.#sizes.get(name)
    if (size === undefined) return undefined
    const path = join(this.#folder, name)
    if (!this.#intact.has(name)) {
      if (!await hasItsDigest(path).catch(() => false)) return this.forget(name)
      this.#intact.add(name)
    }
    // The time of change stays. A disk that has become read-only still has what it had.
    await stat(path).then(({ mtime }) => utimes(path, new Date(), mtime)).catch(() => {})
    return { path, size: size - digestBytes }
  }

  /** @returns the path of a file that is to be written, which `keep` or `drop` takes */
  async begin (): Promise<string> {
    await this.#open()
    await this.#removing
    // The folder may have been deleted to free space.
    await this.#options.prepare(this.#folder)
    return join(this.#folder, `${randomUUID()}${ending}`)
  }

  /**
   * Makes room for bytes of a file that is being written, at the cost of files that nobody uses.
   *
   * @returns whether there is room
   */
  async take (begun: string, bytes: number): Promise<boolean> {
    const taken = this.#begun.get(begun) ?? block
    const wanted = taken + bytes
    this.#begun.set(begun, wanted)
    this.#unchecked += bytes
    const isDue = this.#unchecked >= checkedEvery
    if (isDue) this.#unchecked = 0
    if ((isDue && !await this.#hasDisk()) || !this.#makeRoom()) {
      this.#begun.set(begun, taken)
      return false
    }
    await this.#removing
    return true
  }

  /** Keeps a file from being removed for others. @returns ends that */
  use (name: string): () => void {
    this.#users.set(name, (this.#users.get(name) ?? 0) + 1)
    return () => {
      const left = this.#users.get(name)! - 1
      if (left > 0) this.#users.set(name, left)
      else this.#users.delete(name)
    }
  }

  /** Gives a complete file its name. @param digest its SHA-256. Default: it is read again */
  async keep (begun: string, name: string, bytes: number, digest?: Uint8Array): Promise<void> {
    await appendDigest(begun, digest)
    await rename(begun, join(this.#folder, name))
    this.#begun.delete(begun)
    this.#intact.add(name)
    this.#sizes.set(name, bytes + digestBytes)
  }

  async drop (begun: string): Promise<void> {
    await rm(begun, { force: true }).catch(() => {})
    this.#begun.delete(begun)
  }

  /** Removes a file that is damaged. */
  forget (name: string): undefined {
    this.#sizes.delete(name)
  }

  /** Removes all files that nobody uses. */
  async clear (): Promise<void> {
    for (const name of [...this.#sizes.keys()]) if (!this.#users.has(name)) this.#sizes.delete(name)
    await this.#removing
  }

  async close (): Promise<void> {
    clearInterval(this.#tidying)
    await Promise.all([...this.#begun.keys()].map(begun => this.drop(begun)))
    await this.#removing
  }

  /** Once; again where it failed. */
  #open (): Promise<void> {
    this.#opening ??= this.#list().catch(error => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #list (): Promise<void> {
    const { names } = this.#options
    // What is kept can be read where there is no more room.
    await this.#options.prepare(this.#folder).catch(() => {})
    const entries = await readdir(this.#folder, { withFileTypes: true })
    // A process that was killed has left them.
    for (const { name } of entries) if (name.endsWith(ending)) this.#remove(name)
    // No link or pipe of others is read.
    const kept = entries.filter(entry => entry.isFile() && names.test(entry.name))
    const files: { name: string, size: number, atimeMs: number }[] = []
    for (let from = 0; from < kept.length; from += statsAtOnce) {
      files.push(...await Promise.all(kept.slice(from, from + statsAtOnce).map(async ({ name }) => {
        const { size, atimeMs } = await stat(join(this.#folder, name))
        return { name, size, atimeMs }
      })))
    }
    for (const { name, size, atimeMs } of files.sort((a, b) => a.atimeMs - b.atimeMs)) {
      // A file that is larger than the limit of all together is not kept.
      if (!this.#sizes.set(name, size, { start: atimeMs }).has(name)) this.#remove(name)
    }
    await this.#tidy()
  }

  async #tidy (): Promise<void> {
    if (this.#opening === undefined) return
    this.#sizes.purgeStale()
    await this.#options.prepare(this.#folder).catch(() => this.clear())
  }

  async #hasDisk (): Promise<boolean> {
    const check = () => this.#options.prepare(this.#folder).then(() => true, () => false)
    return await check() || this.clear().then(check)
  }

  #makeRoom (): boolean {
    const written = [...this.#begun.values()].reduce((sum, bytes) => sum + bytes, 0)
    const isOver = () => this.#sizes.calculatedSize + written > this.#options.bytes
    // The ones that were not used for longest first.
    for (const name of isOver() ? [...this.#sizes.rkeys()] : []) {
      if (!isOver()) break
      if (!this.#users.has(name)) this.#sizes.delete(name)
    }
    return !isOver()
  }

  #remove (name: string): void {
    this.#intact.delete(name)
    this.#removing = this.#removing.then(() => rm(join(this.#folder, name), { force: true })).catch(() => {})
  }
}
