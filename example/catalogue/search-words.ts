import type { IndexDatabase } from '../database/index-database.ts'
import { spaceOut, wordsOf } from '../text/fold-text.ts'
import { typedFormsOf } from '../text/typed-words.ts'

/** A searchable kind. */
export type SearchKind = 'track' | 'album' | 'artist'

/** The maximum number of words of a keyword: thousands of words would block other requests. */
export const mostWords = 20

/** The length range of words that may have a typing error; longer ones are not words. */
const forgiving = { from: 5, to: 40 }

/** The prefix of reversed words. */
export const backSign = '<'

/** The prefixes of words typed without signs: of the name, and of other texts. */
export const typedSigns = { name: '~', more: '=' }

export const isForgiving = (word: string): boolean => word.length >= forgiving.from && word.length <= forgiving.to

export const reverse = (word: string): string => backSign + [...word].reverse().join('')

/** Returns the words of a text, and of a keyword with a space instead of a non-joiner. */
export const indexedWordsOf = (text: string): string[] => [...wordsOf(text), ...wordsOf(spaceOut(text) ?? '')]

/** Returns further forms by which a text is found. */
export function typedFormsBeside (text: string, words: readonly string[]): string[] {
  const forms = typedFormsOf(text)
  for (const word of words) forms.delete(word)
  return [...forms]
}

/** Returns the column values of an item: its name, its other texts, and prefixed forms. */
function columnsOf (name: string, more: string): readonly [string, string, string] {
  const [words, moreWords] = [indexedWordsOf(name), indexedWordsOf(more)]
  const others = new Set([
    ...[...words, ...moreWords].filter(isForgiving).map(reverse),
    ...typedFormsBeside(name, words).map(form => typedSigns.name + form),
    ...typedFormsBeside(more, moreWords).map(form => typedSigns.more + form)
  ])
  return [words.join(' '), moreWords.join(' '), [...others].join(' ')]
}

/**
 * Adds the words of an item that has none yet.
 *
 * @param more other texts of the item; the name counts most
 */
export function indexWords (db: IndexDatabase, kind: SearchKind, number: number, name: string, more: string): void {
  db.run(`INSERT INTO ${kind}_words (rowid, name, more, back) VALUES (?, ?, ?, ?)`, number, ...columnsOf(name, more))
}
