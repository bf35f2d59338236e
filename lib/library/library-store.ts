import { createYield } from '../async/create-yield.ts'

/**
 * Stores the libraries of other servers. A library is a list of strings under a name. Each track, album and artist is a
 * string of about 1 kB.
 *
 * @see docs/reference/subsonic.md
 */
export interface LibraryStore {
  /**
   * Reads strings by their positions. Position 0 is the first string, -1 the last one.
   *
   * @returns the strings in the order of the positions; `undefined` for a missing string
   */
  read (
    name: string, positions: readonly number[]
  ): readonly (string | undefined)[] | Promise<readonly (string | undefined)[]>
  /**
   * Replaces all strings of a name. The store retains the old strings until the iterable ends, and permanently if it
   * throws.
   *
   * @throws errors of the iterable
   */
  replace (name: string, texts: AsyncIterable<readonly string[]>): Promise<void>
  close (): void | Promise<void>
}

/** A store in memory. */
export class MemoryStore implements LibraryStore {
  readonly #libraries = new Map<string, readonly string[]>()

  read (name: string, positions: readonly number[]): readonly (string | undefined)[] {
    const texts = this.#libraries.get(name) ?? []
    return positions.map(position => texts.at(position))
  }

  async replace (name: string, texts: AsyncIterable<readonly string[]>): Promise<void> {
    const all: string[] = []
    for await (const some of texts) all.push(...some)
    this.#libraries.set(name, all)
  }

  close (): void { this.#libraries.clear() }
}

/** The number of strings in a batch. */
const atATime = 500

/** Reads the first strings of a library in batches, without blocking the event loop. */
export async function * readTexts (
  store: LibraryStore, name: string, count: number
): AsyncGenerator<readonly (string | undefined)[], void, undefined> {
  const pause = createYield()
  for (let from = 0; from < count; from += atATime) {
    yield await store.read(name, Array.from({ length: Math.min(atATime, count - from) }, (_empty, at) => from + at))
    await pause()
  }
}
