import type { LibraryDatabase } from '../store/library-database.ts'
import { spaceOut, wordsOf } from '../text/fold-text.ts'

/** What is searched for. */
export type Kind = 'track' | 'album' | 'artist'

/** Words of a keyword that count: a text of thousands would keep everybody waiting. */
export const mostWords = 20

/** Letters of words that may have one typing error; longer ones are no words. */
const forgiving = { from: 5, to: 40 }

/** Stands before a word that is written from its end. */
export const backSign = '<'

export const isForgiving = (word: string): boolean => word.length >= forgiving.from && word.length <= forgiving.to

export const reverse = (word: string): string => backSign + [...word].reverse().join('')

/** The words of a text, and those that a keyword with a space in place of a non-joiner has. */
export const indexedWordsOf = (text: string): string[] => [...wordsOf(text), ...wordsOf(spaceOut(text) ?? '')]

/**
 * Makes an item findable, which has no words yet.
 *
 * @param more what else it is found by; the name counts most
 */
export function indexWords (db: LibraryDatabase, kind: Kind, number: number, name: string, more: string): void {
  const [words, moreWords] = [indexedWordsOf(name), indexedWordsOf(more)]
  const back = new Set([...words, ...moreWords].filter(isForgiving).map(reverse))
  db.run(`INSERT INTO ${kind}_words (rowid, name, more, back) VALUES (?, ?, ?, ?)`,
    number, words.join(' '), moreWords.join(' '), [...back].join(' '))
}
