import { posix } from 'node:path'
import { compose } from '../text/compose.ts'

/** Folders of a path that a file is looked for in, counted from its end. */
const mostFolders = 64

type At<T> = (path: string) => T | undefined

/** Finds the files of playlists among those that are known. */
export class PathFinder<T> {
  readonly #root: string
  readonly #ways: readonly At<T>[]

  /**
   * @param root real path of the folder
   * @param ways what is known under a path, in the order in which they are tried; the same letters may be written in
   * two ways, so each is asked for paths in the composed form
   */
  constructor (root: string, ...ways: readonly At<T>[]) {
    this.#root = root
    this.#ways = ways
  }

  /**
   * A relative path begins at the playlist. An absolute one may be of another machine or outside the container: what
   * counts then is its end, as long as it can be. VLC writes paths as URLs have them: `a%20b.mp3`.
   *
   * @param playlist path of the playlist file
   * @param entry path in it
   */
  find (playlist: string, entry: string): T | undefined {
    for (const at of this.#ways) {
      const found = this.#findAsItIs(playlist, entry, at) ?? this.#findAsItIs(playlist, decodePath(entry), at)
      if (found !== undefined) return found
    }
    return undefined
  }

  #findAsItIs (playlist: string, entry: string, at: At<T>): T | undefined {
    const path = compose(entry)
    if (!/^(?:\/|[a-z]:\/)/i.test(path)) return at(posix.join(compose(posix.dirname(playlist)), path))
    const whole = posix.normalize(path)
    if (whole.startsWith(`${this.#root}/`)) {
      const file = at(whole.slice(this.#root.length + 1))
      if (file !== undefined) return file
    }
    const names = whole.split('/').slice(1).slice(-mostFolders)
    for (let from = 0; from < names.length; from++) {
      const file = at(names.slice(from).join('/'))
      if (file !== undefined) return file
    }
    return undefined
  }
}

/** A path that may be written as URLs have it. */
export function decodePath (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
