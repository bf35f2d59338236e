import { takeTurns } from '../async/take-turns.ts'

/**
 * Stores the libraries of other servers. A library is a list of texts under a name. Each track, album and artist is a
 * text of about 1 kB.
 *
 * @see docs/guide/subsonic.md
 */
export interface LibraryStore {
  /**
   * Reads texts by their positions. Position 0 is the first text, -1 the last one.
   *
   * @returns the texts in the order of the positions; `undefined` where there is none
   */
  read (
    name: string, positions: readonly number[]
  ): readonly (string | undefined)[] | Promise<readonly (string | undefined)[]>
  /**
   * Replaces all texts of a name. The store keeps the old texts until the iterable ends, and for good if it throws.
   *
   * @throws what the iterable throws
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

/** The number of texts in a batch. */
const atATime = 500

/** Reads the first texts of a library in batches, without blocking the event loop. */
export async function * readTexts (
  store: LibraryStore, name: string, count: number
): AsyncGenerator<readonly (string | undefined)[], void, undefined> {
  const pause = takeTurns()
  for (let from = 0; from < count; from += atATime) {
    yield await store.read(name, Array.from({ length: Math.min(atATime, count - from) }, (_empty, at) => from + at))
    await pause()
  }
}
