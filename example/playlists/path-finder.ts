import { posix } from 'node:path'
import { compose } from '../text/compose.ts'

/** The maximum number of names at the end of an absolute path that the search uses. */
const mostFolders = 64

type At<T> = (path: string) => T | undefined

/** Finds the files that playlists name in the library. */
export class PathFinder<T> {
  readonly #root: string
  readonly #ways: readonly At<T>[]

  /**
   * @param root The real path of the folder
   * @param ways Functions that find a file by its path, in order of preference. They are called with paths in the
   * composed form (NFC).
   */
  constructor (root: string, ...ways: readonly At<T>[]) {
    this.#root = root
    this.#ways = ways
  }

  /**
   * Finds the file of a playlist entry. A relative path is resolved from the folder of the playlist. An absolute path
   * may be from another machine or from outside the container, so its longest matching end counts. VLC writes
   * URL-encoded paths: `a%20b.mp3`.
   *
   * @param playlist The path of the playlist file
   * @param entry A path in the playlist file
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

/** Decodes a path that may be URL-encoded. Returns it unchanged if it cannot be decoded. */
export function decodePath (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
