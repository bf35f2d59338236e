import { LRUCache } from 'lru-cache'
import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { appendDigest, digestBytes, hasItsDigest } from './file-digest.ts'

export interface FileCacheOptions {
  /** The maximum size of all files in bytes. */
  maxSize: number
  /** The maximum time since the last use of a file, in milliseconds. Default: no limit. */
  maxAge?: number | undefined
  /** The names of managed files. Other files in the folder are left alone. */
  names: RegExp
  /** Creates the folder, and throws if its disk is full. */
  prepare: (folder: string) => Promise<void>
}

/** The number of files whose size and time are read concurrently. */
const statsAtOnce = 100
const ending = '.new'

/** The interval between two clean-ups in milliseconds. */
const tidiesEvery = 60_000

/** The overhead of one file in bytes: a file occupies complete blocks. */
const block = 4096

/** The number of written bytes after which the free disk space is checked again. */
export const checkedEvery = 4 * 2 ** 20

/** A cached file. */
export interface CachedFile {
  readonly path: string
  /** The size in bytes, without the digest at the end. */
  readonly size: number
}

/**
 * A cache of files in a folder. The least recently used files are removed for new ones, and all of them if the disk is
 * full. A file gets its name when it is complete, with its digest at the end.
 */
export class FileCache {
  readonly #folder: string
  readonly #options: FileCacheOptions
  readonly #sizes: LRUCache<string, number>
  /** Names of files that this process has written or verified by their digest. */
  readonly #intact = new Set<string>()
  /** The number of current users of each file. */
  readonly #users = new Map<string, number>()
  /** The sizes in bytes of files that are being written, by path. */
  readonly #begun = new Map<string, number>()
  #unchecked = 0
  readonly #tidying = setInterval(() => this.#tidy(), tidiesEvery).unref()
  #opening: Promise<void> | undefined
  #removing: Promise<unknown> = Promise.resolve()

  constructor (folder: string, options: FileCacheOptions) {
    this.#folder = folder
    this.#options = options
    this.#sizes = new LRUCache<string, number>({
      maxSize: options.maxSize,
      sizeCalculation: bytes => bytes + block,
      ttl: options.maxAge ?? 0,
      updateAgeOnGet: true,
      perf: Date,
      dispose: (_bytes, name, reason) => { if (reason !== 'set') this.#remove(name) }
    })
  }

  /** @returns a cached file, which may have been deleted since; `undefined` if it is damaged */
  async find (name: string): Promise<CachedFile | undefined> {
    await this.#open()
    const size = this.#sizes.get(name)
    if (size === undefined) return undefined
    const path = join(this.#folder, name)
    if (!this.#intact.has(name)) {
      if (!await hasItsDigest(path).catch(() => false)) return this.remove(name)
      this.#intact.add(name)
    }
    // The modification time stays. On a disk that has become read-only, cached files are still readable.
    await stat(path).then(({ mtime }) => utimes(path, new Date(), mtime)).catch(() => {})
    return { path, size: size - digestBytes }
  }

  /** @returns the path of a file to write; pass it to `keep` or `drop` */
  async begin (): Promise<string> {
    await this.#open()
    await this.#removing
    // The folder may have been deleted to free space.
    await this.#options.prepare(this.#folder)
    return join(this.#folder, `${randomUUID()}${ending}`)
  }

  /**
   * Reserves space for bytes of a file that is being written, by removing unused files.
   *
   * @returns whether there is space
   */
  async reserve (begun: string, bytes: number): Promise<boolean> {
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

  /** Protects a file from removal. @returns a function that ends the protection */
  use (name: string): () => void {
    this.#users.set(name, (this.#users.get(name) ?? 0) + 1)
    return () => {
      const left = this.#users.get(name)! - 1
      if (left > 0) this.#users.set(name, left)
      else this.#users.delete(name)
    }
  }

  /** Renames a complete file to its final name. @param digest its SHA-256. Default: computed from the file */
  async store (begun: string, name: string, bytes: number, digest?: Uint8Array): Promise<void> {
    await appendDigest(begun, digest)
    await rename(begun, join(this.#folder, name))
    this.#begun.delete(begun)
    this.#intact.add(name)
    this.#sizes.set(name, bytes + digestBytes)
  }

  async discard (begun: string): Promise<void> {
    await rm(begun, { force: true }).catch(() => {})
    this.#begun.delete(begun)
  }

  /** Removes a file that is damaged. */
  remove (name: string): undefined {
    this.#sizes.delete(name)
  }

  /** Removes all unused files. */
  async clear (): Promise<void> {
    for (const name of [...this.#sizes.keys()]) if (!this.#users.has(name)) this.#sizes.delete(name)
    await this.#removing
  }

  async close (): Promise<void> {
    clearInterval(this.#tidying)
    await Promise.all([...this.#begun.keys()].map(begun => this.discard(begun)))
    await this.#removing
  }

  /** Lists the folder once, and again after a failure. */
  #open (): Promise<void> {
    this.#opening ??= this.#list().catch(error => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #list (): Promise<void> {
    const { names } = this.#options
    // Cached files can be read even if the disk is full.
    await this.#options.prepare(this.#folder).catch(() => {})
    const entries = await readdir(this.#folder, { withFileTypes: true })
    // Left over from a process that was killed.
    for (const { name } of entries) if (name.endsWith(ending)) this.#remove(name)
    // Links and pipes are not read.
    const kept = entries.filter(entry => entry.isFile() && names.test(entry.name))
    const files: { name: string, size: number, atimeMs: number }[] = []
    for (let from = 0; from < kept.length; from += statsAtOnce) {
      files.push(...await Promise.all(kept.slice(from, from + statsAtOnce).map(async ({ name }) => {
        const { size, atimeMs } = await stat(join(this.#folder, name))
        return { name, size, atimeMs }
      })))
    }
    for (const { name, size, atimeMs } of files.sort((a, b) => a.atimeMs - b.atimeMs)) {
      // A file larger than the total limit is not cached.
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
    const isOver = () => this.#sizes.calculatedSize + written > this.#options.maxSize
    // Least recently used files first.
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
