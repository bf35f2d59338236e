import { realpath, stat } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import { buildCatalogue, type Catalogue } from './catalogue/build-catalogue.ts'
import { readAudioFile, type AudioFile } from './scan/read-audio-file.ts'
import { walkFolder } from './scan/walk-folder.ts'
import { StartError } from './start-error.ts'

/** Files that are read at the same time. */
const readers = 8

/** A folder of music and what is in it. */
export class Library {
  /** Real path of the folder. */
  readonly root: string
  /** What requests are answered from; every scan makes a new one. */
  catalogue: Catalogue = buildCatalogue([])
  readonly #log: FastifyBaseLogger

  private constructor (root: string, log: FastifyBaseLogger) {
    this.root = root
    this.#log = log
  }

  /** @throws StartError when the folder is missing */
  static async open (folder: string, log: FastifyBaseLogger): Promise<Library> {
    const isFolder = await stat(folder).then(stats => stats.isDirectory(), () => false)
    if (!isFolder) throw new StartError(`MUSIC_DIR must be a folder of audio files: there is no folder ${folder}`)
    return new Library(await realpath(folder), log)
  }

  /** Reads the folder. A file that cannot be read is left out, with one warning. */
  async scan (): Promise<void> {
    const warn = (path: string, error: unknown) => this.#log.warn(`Left out ${path}: ${(error as Error).message}`)
    const { audio } = await walkFolder(this.root, warn)
    const files: AudioFile[] = []
    const waiting = audio.values()
    await Promise.all(Array.from({ length: readers }, async () => {
      for (const found of waiting) {
        try {
          files.push(await readAudioFile(this.root, found))
        } catch (error) {
          warn(found.path, error)
        }
      }
    }))
    this.catalogue = buildCatalogue(files.sort((a, b) => a.path < b.path ? -1 : 1))
    this.#log.info(`Found ${this.catalogue.tracks.size} tracks on ${this.catalogue.albums.size} albums in ${this.root}`)
  }
}
