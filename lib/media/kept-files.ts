import { LRUCache } from 'lru-cache'
import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

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

/**
 * Files of a folder that can be made anew: those that were not used for longest are removed for new ones, and all of
 * them where the disk has no more room. A file has its name when it is whole.
 */
export class KeptFiles {
  readonly #folder: string
  readonly #options: KeptFilesOptions
  readonly #sizes: LRUCache<string, number>
  readonly #tidying = setInterval(() => this.#tidy(), tidiesEvery).unref()
  #opening: Promise<void> | undefined
  #removing: Promise<unknown> = Promise.resolve()

  constructor (folder: string, options: KeptFilesOptions) {
    this.#folder = folder
    this.#options = options
    this.#sizes = new LRUCache<string, number>({
      maxSize: options.bytes,
      // A file takes whole blocks.
      sizeCalculation: bytes => bytes + 4096,
      ttl: options.age ?? 0,
      updateAgeOnGet: true,
      perf: Date,
      dispose: (_bytes, name, reason) => { if (reason !== 'set') this.#remove(name) }
    })
  }

  /** @returns the path of a file that is kept, which may have been deleted since */
  async find (name: string): Promise<string | undefined> {
    await this.#open()
    if (this.#sizes.get(name) === undefined) return undefined
    const path = join(this.#folder, name)
    // The time of change stays, since an ETag is made of it. A disk that has become read-only still has what it had.
    await stat(path).then(({ mtime }) => utimes(path, new Date(), mtime)).catch(() => {})
    return path
  }

  /** @returns the path of a file that is to be written, which `keep` or `drop` takes */
  async begin (): Promise<string> {
    await this.#open()
    await this.#removing
    // The folder may have been deleted to free space.
    await this.#options.prepare(this.#folder)
    return join(this.#folder, `${randomUUID()}${ending}`)
  }

  /** Gives a file that is whole its name. */
  async keep (begun: string, name: string, bytes: number): Promise<void> {
    await rename(begun, join(this.#folder, name))
    this.#sizes.set(name, bytes)
  }

  async drop (begun: string): Promise<void> {
    await rm(begun, { force: true }).catch(() => {})
  }

  /** Removes a file that is damaged. */
  forget (name: string): void {
    this.#sizes.delete(name)
  }

  /** Removes all of them. */
  async clear (): Promise<void> {
    this.#sizes.clear()
    await this.#removing
  }

  async close (): Promise<void> {
    clearInterval(this.#tidying)
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
    await this.#options.prepare(this.#folder).catch(() => this.#sizes.clear())
  }

  #remove (name: string): void {
    this.#removing = this.#removing.then(() => rm(join(this.#folder, name), { force: true })).catch(() => {})
  }
}
