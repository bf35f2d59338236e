import { foldName } from './names.ts'

type Items<T> = Pick<Map<string, T>, 'get' | 'size'> & { set: (key: string, item: T) => unknown }

/**
 * Items by name. An exact match is preferred; otherwise names are folded. If several items have a name, the last one is
 * returned.
 */
export class NameIndex<T extends {}> {
  readonly #items: Items<T>

  /** @param items the storage of the items */
  constructor (items: Items<T> = new Map<string, T>()) {
    this.#items = items
  }

  get size (): number { return this.#items.size }

  set (name: string, item: T): void {
    for (const key of keysOf(name)) this.#items.set(key, item)
  }

  get (name: string): T | undefined { return this.exact(name) ?? this.#items.get(keysOf(name)[1]) }

  exact (name: string): T | undefined { return this.#items.get(keysOf(name)[0]) }
}

const keysOf = (name: string): [exact: string, folded: string] => {
  const text = name.trim()
  return [`=${text}`, `~${foldName(text)}`]
}
