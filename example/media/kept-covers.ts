import { KeptFiles, type CoverStore } from 'fastify-source-origin/media'
import { createHash } from 'node:crypto'
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
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
const digestBytes = 32

/** Makes a folder for what can be made anew. @throws Error when its disk has no room for that */
export async function prepareFolder (folder: string): Promise<void> {
  await makeFolder(folder)
  leaveRoom(folder, limits.leftFree)
}

/** Scaled covers as files of a folder, each behind its digest. */
export class KeptCovers implements CoverStore {
  readonly #files: KeptFiles

  constructor (folder: string) {
    this.#files = new KeptFiles(folder, { bytes: limits.bytes, age: limits.age, names, prepare: prepareFolder })
  }

  async get (name: string): Promise<Buffer | undefined> {
    const file = await this.#files.find(name)
    if (file === undefined) return undefined
    // A file that cannot be read is one that is damaged.
    const kept = await readFile(file).catch(() => Buffer.alloc(0))
    const bytes = kept.subarray(digestBytes)
    if (digestOf(bytes).equals(kept.subarray(0, digestBytes))) return bytes
    this.#files.forget(name)
  }

  async set (name: string, bytes: Buffer): Promise<void> {
    const begun = await this.#files.begin()
    const written = Buffer.concat([digestOf(bytes), bytes])
    try {
      await writeFile(begun, written, { mode: 0o600 })
      await this.#files.keep(begun, name, written.length)
    } catch (error) {
      await this.#files.drop(begun)
      throw error
    }
  }

  close (): Promise<void> {
    return this.#files.close()
  }
}
