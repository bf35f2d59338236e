import type { IndexDatabase } from '../database/index-database.ts'
import { spaceOut, wordsOf } from '../text/fold-text.ts'
import { typedFormsOf } from '../text/typed-words.ts'

/** What is searched for. */
export type Kind = 'track' | 'album' | 'artist'

/** Words of a keyword that count: a text of thousands would keep everybody waiting. */
export const mostWords = 20

/** Letters of words that may have one typing error; longer ones are no words. */
const forgiving = { from: 5, to: 40 }

/** Stands before a word that is written from its end. */
export const backSign = '<'

/** Stand before a word as it is typed without signs: of the name, and of what else an item is found by. */
export const typedSigns = { name: '~', more: '=' }

export const isForgiving = (word: string): boolean => word.length >= forgiving.from && word.length <= forgiving.to

export const reverse = (word: string): string => backSign + [...word].reverse().join('')

/** The words of a text, and those that a keyword with a space in place of a non-joiner has. */
export const indexedWordsOf = (text: string): string[] => [...wordsOf(text), ...wordsOf(spaceOut(text) ?? '')]

/** What a text is found by besides its words. */
export function typedFormsBeside (text: string, words: readonly string[]): string[] {
  const forms = typedFormsOf(text)
  for (const word of words) forms.delete(word)
  return [...forms]
}

/** The columns of an item: its name, what else it is found by, and what has a sign before it. */
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
 * Makes an item findable, which has no words yet.
 *
 * @param more what else it is found by; the name counts most
 */
export function indexWords (db: IndexDatabase, kind: Kind, number: number, name: string, more: string): void {
  db.run(`INSERT INTO ${kind}_words (rowid, name, more, back) VALUES (?, ?, ?, ?)`, number, ...columnsOf(name, more))
}
