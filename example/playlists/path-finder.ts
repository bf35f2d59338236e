import { posix } from 'node:path'
import { compose } from '../text/compose.ts'

/** Folders of a path that a file is looked for in, counted from its end. */
const mostFolders = 64

/** Finds the files of playlists among those that are known. */
export class PathFinder<T> {
  readonly #root: string
  /** The same letters may be written in two ways, so the paths are compared in one form. */
  readonly #known = new Map<string, T>()

  /**
   * @param root real path of the folder
   * @param known by path
   */
  constructor (root: string, known: Iterable<readonly [path: string, value: T]> = []) {
    this.#root = root
    for (const [path, value] of known) this.add(path, value)
  }

  /** Makes a file known. */
  add (path: string, value: T): void {
    this.#known.set(compose(path), value)
  }

  /**
   * A relative path begins at the playlist. An absolute one may be of another machine or outside the container: what
   * counts then is its end, as long as it can be. VLC writes paths as URLs have them: `a%20b.mp3`.
   *
   * @param playlist path of the playlist file
   * @param entry path in it
   */
  find (playlist: string, entry: string): T | undefined {
    return this.#findAsItIs(playlist, entry) ?? this.#findAsItIs(playlist, decoded(entry))
  }

  #findAsItIs (playlist: string, entry: string): T | undefined {
    const path = compose(entry)
    if (!/^(?:\/|[a-z]:\/)/i.test(path)) return this.#known.get(posix.join(posix.dirname(playlist), path))
    const whole = posix.normalize(path)
    if (whole.startsWith(`${this.#root}/`)) {
      const file = this.#known.get(whole.slice(this.#root.length + 1))
      if (file !== undefined) return file
    }
    const names = whole.split('/').slice(1).slice(-mostFolders)
    for (let from = 0; from < names.length; from++) {
      const file = this.#known.get(names.slice(from).join('/'))
      if (file !== undefined) return file
    }
    return undefined
  }
}

function decoded (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
