import type { Track } from '../../schemas/index.ts'
import type { SourceAdapter } from './source-adapter.ts'

/** The key of the property that describes how an adapter merges an item of several sources. */
export const merging: unique symbol = Symbol('merging')

/** An adapter that may show items of several sources as one. */
export interface Merging {
  readonly [merging]?: {
    /** Returns the ids that the item has in the lists of its sources. */
    ids (id: string): readonly string[]
    /** Merges tracks that are the same. */
    tracks (tracks: readonly Track[]): readonly Track[]
  } | undefined
}

type Adapter = SourceAdapter & Merging

/** Returns whether items may have several ids. */
export const isMerging = (adapter: Adapter): boolean => adapter[merging] !== undefined

/** Returns the ids of an item: several for an item of several sources. */
export type IdsOf = (id: string) => readonly string[]

export const idsOf = (adapter: Adapter): IdsOf => id => adapter[merging]?.ids(id) ?? [id]

/** Returns tracks without those that are the same as another one. */
export const mergeTracks = (adapter: Adapter, tracks: readonly Track[]): readonly Track[] =>
  adapter[merging]?.tracks(tracks) ?? tracks

/** Values that are stored by the ids of items. The values of a merged item are the values of all its ids. */
export class ValuesOfItems<T> {
  readonly #values = new Map<string, { readonly value: T, readonly place: number }[]>()

  /** @param stored later values replace earlier ones */
  constructor (stored: Iterable<readonly [ids: readonly string[], value: T]> = []) {
    let place = 0
    for (const [ids, value] of stored) {
      const entry = { value, place: place++ }
      for (const id of ids) {
        const known = this.#values.get(id)
        if (known === undefined) this.#values.set(id, [entry])
        else known.push(entry)
      }
    }
  }

  /** The number of ids that have values. */
  get size (): number { return this.#values.size }

  /** Returns the values of an item, each once. */
  all (ids: readonly string[]): readonly T[] {
    const entries = ids.flatMap(part => this.#values.get(part) ?? [])
    return [...new Set(entries)].map(({ value }) => value)
  }

  /** Returns the last value of an item. */
  last (ids: readonly string[]): T | undefined {
    const entries = ids.flatMap(part => this.#values.get(part)?.at(-1) ?? [])
    return entries.reduce<typeof entries[0] | undefined>((last, entry) =>
      last === undefined || entry.place > last.place ? entry : last, undefined)?.value
  }
}
