import { foldText } from 'fastify-source-origin/library'
import { spaceOut, wordsOf } from '../text/fold-text.ts'
import { hasOneError } from '../text/has-one-error.ts'
import { typedWordsOf } from '../text/typed-words.ts'
import { indexedWordsOf, isForgiving, mostWords, typedFormsBeside } from './search-words.ts'

/** The searchable texts of an item; the name counts most. */
export interface Searchable { readonly name: string, readonly more: string }

/**
 * Returns the items in which every word of the keyword matches, by the rules of the library search, for the few items
 * without a table. The order: the exact name, names that begin with the keyword, names that contain it, other matching
 * names, and matches of signs typed as letters.
 */
export function matchNames<T> (items: readonly T[], textsOf: (item: T) => Searchable, keyword: string): T[] {
  const spaced = spaceOut(keyword)
  for (const text of spaced === undefined ? [keyword] : [keyword, spaced]) {
    const words = [...new Set(wordsOf(text))].slice(0, mostWords)
    const typed = [...new Set(typedWordsOf(text))].slice(0, mostWords)
    const wanted = foldText(text).trim()
    for (const matches of words.length === 0 ? [] : [begins, isMeant]) {
      const found = items.flatMap(item => {
        const { name, more } = textsOf(item)
        const all = indexedWordsOf(`${name} ${more}`)
        const isThere = (words: readonly string[], all: readonly string[]) =>
          words.length > 0 && words.every(word => all.some(other => matches(other, word)))
        if (isThere(words, all)) return [{ item, rank: rankOf(foldText(name), wanted) }]
        return isThere(typed, [...all, ...typedFormsBeside(`${name} ${more}`, all)]) ? [{ item, rank: 4 }] : []
      })
      if (found.length > 0) return found.sort((a, b) => a.rank - b.rank).map(({ item }) => item)
    }
  }
  return []
}

const begins = (other: string, word: string) => other.length >= word.length && other.startsWith(word)
const isMeant = (other: string, word: string) => begins(other, word) || (isForgiving(word) && hasOneError(other, word))

const rankOf = (name: string, wanted: string) =>
  name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3
