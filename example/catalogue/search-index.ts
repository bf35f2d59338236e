import { takeTurns } from '../take-turns.ts'
import { foldText, spaceOut, wordsOf } from './fold-text.ts'
import { hasOneError } from './has-one-error.ts'

/** Texts of an item that searches look at; the name counts most. */
export interface Searchable { readonly id: string, readonly name: string, readonly more?: string }

/** Words of so many letters may have one typing error; longer ones are no words. */
const forgiving = { from: 5, to: 40 }

/** Words of a keyword that count: a text of thousands would keep everybody waiting. */
const mostWords = 20

/**
 * What a word is worth where it is found: as it is, as the beginning of a word, or with a typing error; and more in the
 * name.
 */
const worth = { exact: 3, prefix: 2, error: 1, inName: 3 }

/** What is made of the items. */
interface Index<T> {
  /** Those with short names first, which is the order of equals. */
  readonly items: readonly T[]
  /** Folded, by the number of the item. */
  readonly names: readonly string[]
  /** All words by their first letter, each list in order. */
  readonly words: ReadonlyMap<string, readonly string[]>
  /** All words by their length. */
  readonly lengths: ReadonlyMap<number, readonly string[]>
  /** Where a word is: twice the number of the item, and one more when it is not in the name. */
  readonly places: ReadonlyMap<string, readonly number[]>
}

/**
 * An index of things by their names. It is made when it is first needed. Nothing here blocks for long, however many
 * they are.
 */
export class SearchIndex<T> {
  readonly #all: Iterable<T>
  readonly #textsOf: (item: T) => Searchable
  #index: Promise<Index<T>> | undefined

  /** @param textsOf what to look at in an item */
  constructor (all: Iterable<T>, textsOf: (item: T) => Searchable) {
    this.#all = all
    this.#textsOf = textsOf
  }

  /** Makes the index now, so that the first search does not wait for it. */
  prepare (): Promise<Index<T>> {
    this.#index ??= makeIndex(this.#all, this.#textsOf)
    return this.#index
  }

  /**
   * The items in which every word of the keyword matches: as it is, as the beginning of a word, or with one typing
   * error. First the name itself, then names that begin with it, then names that hold it; the order is always the same.
   */
  async search (keyword: string): Promise<T[]> {
    const found = await this.#find(keyword)
    const spaced = spaceOut(keyword)
    return found.length > 0 || spaced === undefined ? found : this.#find(spaced)
  }

  async #find (keyword: string): Promise<T[]> {
    const { items, names, words, lengths, places } = await this.prepare()
    const pause = takeTurns()
    const wanted = [...new Set(wordsOf(keyword))].slice(0, mostWords)
    const scores = new Uint8Array(items.length)
    for (const [at, word] of wanted.entries()) {
      const found = new Uint8Array(items.length)
      const add = (other: string, value: number) => {
        for (const place of places.get(other)!) {
          const score = (place & 1) === 0 ? value + worth.inName : value
          if (score > found[place >> 1]!) found[place >> 1] = score
        }
      }
      for (const other of beginningWith(word, words)) add(other, other === word ? worth.exact : worth.prefix)
      if (word.length >= forgiving.from && word.length <= forgiving.to) {
        for (const length of [word.length - 1, word.length, word.length + 1]) {
          for (const other of lengths.get(length) ?? []) if (hasOneError(other, word)) add(other, worth.error)
          await pause()
        }
      }
      let isAny = false
      for (let item = 0; item < found.length; item++) {
        scores[item] = found[item] === 0 || (at > 0 && scores[item] === 0) ? 0 : scores[item]! + found[item]!
        isAny ||= scores[item] !== 0
      }
      if (!isAny) return []
      await pause()
    }
    return sort(scores, names, foldText(keyword).trim(), items)
  }
}

async function makeIndex<T> (all: Iterable<T>, textsOf: (item: T) => Searchable): Promise<Index<T>> {
  const pause = takeTurns()
  const byLength = new Map<number, { item: T, texts: Searchable }[]>()
  for (const item of all) {
    const texts = textsOf(item)
    listIn(byLength, texts.name.length).push({ item, texts })
    await pause()
  }

  const items: T[] = []
  const names: string[] = []
  const places = new Map<string, number[]>()
  // Artists and albums are the same again and again.
  const wordsOfMore = new Map<string, string[]>()
  for (const length of [...byLength.keys()].sort((a, b) => a - b)) {
    const sameLength = byLength.get(length)!.sort((a, b) => a.texts.id < b.texts.id ? -1 : 1)
    for (const { item, texts: { name, more = '' } } of sameLength) {
      const place = 2 * items.push(item) - 2
      names.push(foldText(name))
      if (!wordsOfMore.has(more)) wordsOfMore.set(more, indexedWordsOf(more))
      for (const word of new Set(indexedWordsOf(name))) listIn(places, word).push(place)
      for (const word of new Set(wordsOfMore.get(more))) listIn(places, word).push(place + 1)
      await pause()
    }
  }

  const words = new Map<string, string[]>()
  const lengths = new Map<number, string[]>()
  for (const word of places.keys()) {
    listIn(words, word[0]!).push(word)
    listIn(lengths, word.length).push(word)
    await pause()
  }
  for (const list of words.values()) {
    list.sort()
    await pause()
  }
  return { items, names, words, lengths, places }
}

/** The words of a text, and those that a keyword with a space in place of a non-joiner has. */
const indexedWordsOf = (text: string): string[] => [...wordsOf(text), ...wordsOf(spaceOut(text) ?? '')]

function listIn<K, V> (lists: Map<K, V[]>, key: K): V[] {
  let list = lists.get(key)
  if (list === undefined) lists.set(key, list = [])
  return list
}

/** The words that begin with this one. */
function * beginningWith (word: string, words: Index<unknown>['words']): Iterable<string> {
  const list = words.get(word[0]!) ?? []
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = from + to >> 1
    if (list[middle]! < word) from = middle + 1
    else to = middle
  }
  for (; from < list.length && list[from]!.startsWith(word); from++) yield list[from]!
}

/** The items that have a score, the best ones first: by their names, then by their scores, then by their numbers. */
function sort<T> (scores: Uint8Array, names: readonly string[], wanted: string, items: readonly T[]): T[] {
  const rankOf = (name: string) => name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3
  // Numbers alone are sorted fast, so all that decides goes into one.
  const keys = new Float64Array(scores.length)
  let count = 0
  for (let item = 0; item < scores.length; item++) {
    if (scores[item] !== 0) keys[count++] = (rankOf(names[item]!) * 256 + 255 - scores[item]!) * scores.length + item
  }
  const sorted: T[] = []
  for (const key of keys.subarray(0, count).sort()) sorted.push(items[key % scores.length]!)
  return sorted
}
