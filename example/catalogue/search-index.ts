import MiniSearch, { type Query } from 'minisearch'
import { foldText, wordsOf } from './fold-text.ts'

/** Texts of an item that searches look at; the name counts most. */
export interface Searchable { readonly id: string, readonly name: string, readonly more?: string }

/** Words of so many letters may have one typing error; longer ones are no words. */
const forgiving = { from: 5, to: 40 }

/** Words of a keyword that count: a text of thousands would keep everybody waiting. */
const mostWords = 20

/** An index of things by their names. It is made when it is first needed. */
export class SearchIndex<T> {
  readonly #all: Iterable<T>
  readonly #textsOf: (item: T) => Searchable
  readonly #items = new Map<string, { item: T, name: string }>()
  #index: MiniSearch<Searchable> | undefined

  /** @param textsOf what to look at in an item */
  constructor (all: Iterable<T>, textsOf: (item: T) => Searchable) {
    this.#all = all
    this.#textsOf = textsOf
  }

  /** Makes the index now, so that the first search does not wait for it. */
  prepare (): MiniSearch<Searchable> {
    if (this.#index !== undefined) return this.#index
    this.#index = new MiniSearch({ fields: ['name', 'more'], tokenize: wordsOf, processTerm: term => term })
    for (const item of this.#all) {
      const texts = this.#textsOf(item)
      this.#items.set(texts.id, { item, name: foldText(texts.name) })
      this.#index.add(texts)
    }
    return this.#index
  }

  /**
   * The items in which every word of the keyword matches: as it is, as the beginning of a word, or with one typing error.
   * First the name itself, then names that begin with it, then names that hold it; the order is always the same.
   */
  search (keyword: string): T[] {
    const wanted = foldText(keyword).trim()
    const rankOf = (name: string) => name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3
    return this.prepare().search({ combineWith: 'AND', queries: [...new Set(wordsOf(keyword))].slice(0, mostWords).map(queryOf) }, { boost: { name: 3 } })
      .map(({ id, score }) => ({ id: id as string, score, found: this.#items.get(id)! }))
      .map(result => ({ ...result, rank: rankOf(result.found.name) }))
      .sort((a, b) => a.rank - b.rank || b.score - a.score || (a.id < b.id ? -1 : 1))
      .map(({ found }) => found.item)
  }
}

/** One word: letters swapped are one typing error, so each swap of neighbours is looked up besides. */
function queryOf (word: string): Query {
  const letters = [...word]
  if (letters.length < forgiving.from || letters.length > forgiving.to) return { queries: [word], prefix: true }
  const swapped = letters.slice(1).map((letter, at) => letters.toSpliced(at, 2, letter, letters[at]!).join(''))
  return {
    combineWith: 'OR',
    queries: [{ queries: [word], prefix: true, fuzzy: 1 }, { queries: swapped, boost: { name: 1 } }]
  }
}
