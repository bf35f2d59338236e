import { KeptFiles, type CoverStore } from 'fastify-source-origin/media'
import { readFile, writeFile } from 'node:fs/promises'
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

const names = /^[\da-f]{64}-\d+(?:\.webp)?$/

/** Makes a folder for what can be made anew. @throws Error when its disk has no room for that */
export async function prepareFolder (folder: string): Promise<void> {
  await makeFolder(folder)
  leaveRoom(folder, limits.leftFree)
}

/** Scaled covers as files of a folder. */
export class KeptCovers implements CoverStore {
  readonly #files: KeptFiles

  constructor (folder: string) {
    this.#files = new KeptFiles(folder, { bytes: limits.bytes, age: limits.age, names, prepare: prepareFolder })
  }

  async get (name: string): Promise<Buffer | undefined> {
    const file = await this.#files.find(name)
    if (file === undefined) return undefined
    const bytes = await readFile(file.path).catch(() => undefined)
    return bytes?.subarray(0, file.size) ?? this.#files.forget(name)
  }

  async set (name: string, bytes: Buffer): Promise<void> {
    const begun = await this.#files.begin()
    try {
      await writeFile(begun, bytes, { mode: 0o600 })
      await this.#files.keep(begun, name, bytes.length)
    } catch (error) {
      await this.#files.drop(begun)
      throw error
    }
  }

  close (): Promise<void> {
    return this.#files.close()
  }
}
