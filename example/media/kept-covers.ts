import type { CoverStore } from 'fastify-source-origin/media'
import { LRUCache } from 'lru-cache'
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { leaveRoom } from '../database/leave-room.ts'
import { makeFolder } from '../database/make-folder.ts'

export const limits = {
  /** Bytes of all files. */
  bytes: 256 * 2 ** 20,
  /** Milliseconds since a cover was used. */
  age: 90 * 24 * 60 * 60_000,
  /** MB of the disk that are left to what cannot be made anew, and to the index. */
  leftFree: 256
}

/** Milliseconds. */
const tidiesEvery = 60_000

/** Files whose size and time are read at a time. */
const statsAtOnce = 100
const ending = '.new'
/** Names of kept covers: files with other names are left alone. */
const names = /^[\da-f]{64}-\d+(?:\.webp)?$/
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
const digestBytes = 32

/**
 * Scaled covers as files of a folder, each behind its digest. Those that were not used for longest are removed for new
 * ones, and all of them where the disk has no more room.
 */
export class KeptCovers implements CoverStore {
  readonly #folder: string
  readonly #sizes = new LRUCache<string, number>({
    maxSize: limits.bytes,
    // A file takes whole blocks.
    sizeCalculation: bytes => bytes + 4096,
    ttl: limits.age,
    updateAgeOnGet: true,
    perf: Date,
    dispose: (_bytes, name, reason) => { if (reason !== 'set') this.#remove(name) }
  })

  readonly #tidying = setInterval(() => this.#tidy(), tidiesEvery).unref()
  #opening: Promise<void> | undefined
  #removing: Promise<unknown> = Promise.resolve()

  constructor (folder: string) {
    this.#folder = folder
  }

  async get (name: string): Promise<Buffer | undefined> {
    await this.#open()
    if (this.#sizes.get(name) === undefined) return undefined
    const file = join(this.#folder, name)
    // A file that cannot be read is one that is damaged.
    const kept = await readFile(file).catch(() => Buffer.alloc(0))
    const bytes = kept.subarray(digestBytes)
    if (!digestOf(bytes).equals(kept.subarray(0, digestBytes))) {
      this.#sizes.delete(name)
      return undefined
    }
    const now = new Date()
    // A disk that has become read-only still has what it had.
    await utimes(file, now, now).catch(() => {})
    return bytes
  }

  async set (name: string, bytes: Buffer): Promise<void> {
    await this.#open()
    await this.#removing
    // The folder may have been deleted to free space.
    await makeFolder(this.#folder)
    leaveRoom(this.#folder, limits.leftFree)
    const written = Buffer.concat([digestOf(bytes), bytes])
    const begun = join(this.#folder, `${randomUUID()}${ending}`)
    try {
      await writeFile(begun, written, { mode: 0o600 })
      await rename(begun, join(this.#folder, name))
    } catch (error) {
      await rm(begun, { force: true }).catch(() => {})
      throw error
    }
    this.#sizes.set(name, written.length)
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
    await makeFolder(this.#folder)
    const entries = await readdir(this.#folder, { withFileTypes: true })
    // A process that was killed has left them.
    for (const { name } of entries) if (name.endsWith(ending)) this.#remove(name)
    // No link or pipe of others is read.
    const kept = entries.filter(entry => entry.isFile() && names.test(entry.name))
    const files: { name: string, size: number, mtimeMs: number }[] = []
    for (let from = 0; from < kept.length; from += statsAtOnce) {
      files.push(...await Promise.all(kept.slice(from, from + statsAtOnce).map(async ({ name }) => {
        const { size, mtimeMs } = await stat(join(this.#folder, name))
        return { name, size, mtimeMs }
      })))
    }
    for (const { name, size, mtimeMs } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      // A file that is larger than the limit of all together is not kept.
      if (!this.#sizes.set(name, size, { start: mtimeMs }).has(name)) this.#remove(name)
    }
    this.#tidy()
  }

  #tidy (): void {
    this.#sizes.purgeStale()
    try {
      if (this.#opening !== undefined) leaveRoom(this.#folder, limits.leftFree)
    } catch {
      this.#sizes.clear()
    }
  }

  #remove (name: string): void {
    this.#removing = this.#removing.then(() => rm(join(this.#folder, name), { force: true })).catch(() => {})
  }
}
