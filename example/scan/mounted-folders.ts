import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import { findShares } from '../files/limit-shares.ts'
import { checkFolder } from './check-folder.ts'

/** The identity of the folder at each mount point in the music folder (as returned by `folderId`), by relative path. */
export type Mounts = ReadonlyMap<string, string>

/** Returns whether a path is inside a folder. */
export const isIn = (folder: string, path: string): boolean => folder === '' || path.startsWith(`${folder}/`)

/** Disks and shares mounted inside of the music folder. Each may become unavailable and return separately. */
export class MountedFolders {
  /** Mounts that were not empty when they were last seen. The map is replaced, never modified. */
  known: Mounts
  readonly #root: string
  readonly #log: FastifyBaseLogger
  readonly #mayEmpty: (path: string) => boolean
  readonly #told = new Set<string>()

  /** @param mayEmpty returns whether an empty folder that previously contained files was emptied deliberately */
  constructor (root: string, known: Mounts, log: FastifyBaseLogger, mayEmpty: (path: string) => boolean) {
    this.#root = root
    this.known = known
    this.#log = log
    this.#mayEmpty = mayEmpty
    findShares()
  }

  /** Forgets all mounts; a scan finds the available ones again. */
  forget (): void {
    this.known = new Map()
  }

  /** @returns the reasons of unavailable mounts, by path; a mount inside another unavailable one is left out */
  async check (): Promise<Map<string, string>> {
    findShares()
    const away = new Map<string, string>()
    const outerFirst = [...this.known].sort(([a], [b]) => a.length - b.length)
    for (const [path, folder] of outerFirst) {
      if ([...away.keys()].some(outer => isIn(outer, path))) continue
      // A mount that returns empty after an outage may be another disk.
      const isEmptied = (found: string) => found === folder && !this.#told.has(path) && this.#mayEmpty(path)
      await checkFolder(join(this.#root, path), isEmptied).catch(({ message }: Error) => away.set(path, message))
    }
    return away
  }

  /**
   * Checks the mounts after a scan, and logs changes of their availability.
   *
   * @param before the mounts that were unavailable before the scan
   * @param unreadable paths of folders that the scan could not list
   * @returns paths of mounts that were or are unavailable
   */
  async checkAgain (before: Map<string, string>, found: Mounts, unreadable: readonly string[]): Promise<string[]> {
    const away = new Map([...before, ...await this.check()])
    const added = new Set([...found].filter(([path]) => !this.known.has(path)).map(([, folder]) => folder))
    for (const [path, folder] of this.known) {
      // Only a new path counts: after a reboot two known disks may have swapped device numbers.
      const hasMoved = added.has(folder)
      if (hasMoved) away.delete(path)
    }
    for (const path of this.#told) {
      if (away.has(path)) continue
      if (found.has(path)) this.#log.info({ path }, 'folder available again')
      this.#told.delete(path)
    }
    for (const [path, reason] of away) {
      if (this.#told.has(path)) continue
      this.#log.warn({ path, reason }, 'folder unavailable')
      this.#told.add(path)
    }
    const hidden = [...away.keys(), ...unreadable]
    const kept = [...this.known].filter(([path]) => hidden.some(folder => folder === path || isIn(folder, path)))
    const known = new Map([...kept, ...found])
    if (!isDeepStrictEqual(known, this.known)) this.known = known
    return [...away.keys()]
  }
}
