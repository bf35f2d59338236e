import { FileCache, type CoverStore } from 'fastify-source-origin/media'
import { readFile, writeFile } from 'node:fs/promises'
import { reserveDiskSpace } from '../database/reserve-disk-space.ts'
import { makeFolder } from '../database/make-folder.ts'

export const limits = {
  /** The maximum size of all files in bytes. */
  bytes: 256 * 2 ** 20,
  /** The maximum time since the last use of a cover, in milliseconds. */
  age: 90 * 24 * 60 * 60_000,
  /** The free disk space in MB that is reserved for data that cannot be created again, and for the index. */
  leftFree: 256
}

const names = /^[\da-f]{64}-\d+(?:\.webp)?$/

/** Creates a folder for data that can be created again. @throws Error if its disk is too full */
export async function prepareFolder (folder: string): Promise<void> {
  await makeFolder(folder)
  reserveDiskSpace(folder, limits.leftFree)
}

/** A store of scaled covers as files in a folder. */
export class CoverCache implements CoverStore {
  readonly #files: FileCache

  constructor (folder: string) {
    this.#files = new FileCache(folder, { maxSize: limits.bytes, maxAge: limits.age, names, prepare: prepareFolder })
  }

  async get (name: string): Promise<Buffer | undefined> {
    const file = await this.#files.find(name)
    if (file === undefined) return undefined
    const bytes = await readFile(file.path).catch(() => undefined)
    return bytes?.subarray(0, file.size) ?? this.#files.remove(name)
  }

  async set (name: string, bytes: Buffer): Promise<void> {
    const begun = await this.#files.begin()
    try {
      await writeFile(begun, bytes, { mode: 0o600 })
      await this.#files.store(begun, name, bytes.length)
    } catch (error) {
      await this.#files.discard(begun)
      throw error
    }
  }

  close (): Promise<void> {
    return this.#files.close()
  }
}
