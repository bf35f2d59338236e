import { createYield } from 'fastify-source-origin'
import type { Slice } from './artist-lists.ts'
import type { IndexReader } from '../database/index-database.ts'
import { spaceOut, wordsOf } from '../text/fold-text.ts'
import { hasOneError } from '../text/has-one-error.ts'
import { typedWordsOf } from '../text/typed-words.ts'
import { lengthIn } from './named-rows.ts'
import { backSign, isForgiving, mostWords, reverse, typedSigns, type SearchKind } from './search-words.ts'

/** The maximum number of characters of a keyword. */
const longestKeyword = 1000
/** The maximum number of candidates for a misspelt word. */
const mostMeant = 20

/**
 * The maximum number of hits with names of equal length that are sorted at a time, since it could be the complete
 * library.
 */
const mostEqual = 2000
/** The number of hits per read: few for a first page, then more, since each read starts from the beginning. */
const readAtATime = { first: 500, most: 8000 }

/** The order of hits with names of equal length. */
const orders: Readonly<Record<SearchKind, string>> = {
  track: 'sort, (SELECT sort FROM album WHERE number = track.album), album, disc, place, number',
  album: 'sort, (SELECT sort FROM artist WHERE number = album.artist), number',
  artist: 'sort, number'
}

/** The last character in sort order. */
const last = '\u{10ffff}'

/**
 * Returns the numbers of items in which every word of the keyword matches: as a word or the beginning of a word, and
 * without results, with one typing error in a word. The order: names that begin with the keyword (the exact name
 * first), names that contain it, names with all words, matches elsewhere, and last matches of signs typed as letters.
 * Among equal hits, short names come first, then names in natural order. The order is stable.
 *
 * @param slice the requested part
 */
export async function search (db: IndexReader, kind: SearchKind, keyword: string, slice: Slice): Promise<number[]> {
  const plain = keyword.slice(0, longestKeyword).replaceAll('\0', ' ')
  const spaced = spaceOut(plain)
  for (const text of spaced === undefined ? [plain] : [plain, spaced]) {
    const words = wordsOf(text)
    if (words.length === 0) return []
    const found = await collect(db, kind, [...waysOf(words), ...waysOfTyped(firstOf(typedWordsOf(text)))], slice)
    if (found !== undefined) return found
    const meant = await collect(db, kind, await waysOfErrors(db, kind, words), slice)
    if (meant !== undefined) return meant
  }
  return []
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

const firstOf = (words: readonly string[]) => [...new Set(words)].slice(0, mostWords)

/** Returns the search expressions for words, best first. */
function waysOf (words: readonly string[]): string[] {
  const phrase = quoted(words.slice(0, mostWords).join(' '))
  const whole = firstOf(words).map(quoted).join(' AND ')
  const begun = firstOf(words).map(word => `${quoted(word)} *`).join(' AND ')
  const names = [`^ ${phrase}`, `^ ${phrase} *`, phrase, `${phrase} *`]
  if (words.length > 1) names.push(`(${whole})`, `(${begun})`)
  return [...names.map(way => `name : ${way}`), `{name more} : (${whole})`, `{name more} : (${begun})`]
}

/** Returns the search expressions for words typed without signs, or present as typed, best first. */
function waysOfTyped (words: readonly string[]): string[] {
  if (words.length === 0) return []
  const { name, more } = typedSigns
  const way = (columns: string, signs: readonly string[], end: string) => words.map(word => `(${[
    `${columns} : ${quoted(word)}${end}`, ...signs.map(sign => `back : ${quoted(sign + word)}${end}`)
  ].join(' OR ')})`).join(' AND ')
  return [
    way('name', [name], ''), way('name', [name], ' *'), way('{name more}', [name, more], ''),
    way('{name more}', [name, more], ' *')
  ]
}

/** Returns the search expressions for words with one typing error in each misspelt word. */
async function waysOfErrors (db: IndexReader, kind: SearchKind, words: readonly string[]): Promise<string[]> {
  const pause = createYield()
  const ways: string[] = []
  let isAny = false
  for (const word of firstOf(words)) {
    const meant = isForgiving(word) ? meantBy(db, kind, word) : []
    isAny ||= meant.length > 0
    ways.push(`(${[`${quoted(word)} *`, ...meant.map(quoted)].join(' OR ')})`)
    await pause()
  }
  const all = ways.join(' AND ')
  return isAny ? [`name : (${all})`, `{name more} : (${all})`] : []
}

/**
 * Returns the words that differ from a word by a typing error. An error leaves the first or last half unchanged, except
 * for the letter between them if two are swapped.
 */
function meantBy (db: IndexReader, kind: SearchKind, word: string): string[] {
  const half = (word.length - 1) >> 1
  const between = (from: string) => db.all<{ term: string }>(
    `SELECT term FROM ${kind}_spellings WHERE term >= ? AND term < ?`, from, from + last).map(({ term }) => term)
  const begun = between(word.slice(0, half))
  const ended = between(reverse(word.slice(half + 1)))
    .map(term => reverse(term.slice(backSign.length)).slice(backSign.length))
  return [...new Set([...begun, ...ended])].filter(other => hasOneError(other, word)).slice(0, mostMeant)
}

/** Returns the hits of expressions sequentially, until there are enough; `undefined` without any hit. */
async function collect (
  db: IndexReader, kind: SearchKind, ways: readonly string[], { offset = 0, limit }: Slice
): Promise<number[] | undefined> {
  const pause = createYield()
  const found = new Set<number>()
  for (const way of ways) {
    for (const block of blocksOf(db, kind, way)) {
      // Each expression also matches the hits of earlier ones.
      const fresh = block.filter(number => !found.has(number))
      // Hits before the slice are only counted, if all of the library is visible.
      const isShown = db.isPart === true || found.size + fresh.length > offset
      for (const number of isShown ? inOrder(db, kind, fresh) : fresh) found.add(number)
      if (found.size >= offset + limit) return [...found].slice(offset, offset + limit)
      await pause()
    }
    await pause()
  }
  return found.size === 0 ? undefined : [...found].slice(offset)
}

/** Yields the hits of an expression in blocks of names with equal length, shortest first. */
function * blocksOf (db: IndexReader, kind: SearchKind, way: string): Generator<number[], void, undefined> {
  let block: number[] = []
  let { first: limit } = readAtATime
  for (let after = -1; ;) {
    const hits = db.all<{ rowid: number }>(
      `SELECT rowid FROM ${kind}_words WHERE ${kind}_words MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?`,
      way, after, limit)
    for (const { rowid } of hits) {
      if (block.length === mostEqual || (block.length > 0 && lengthIn(block[0]!) !== lengthIn(rowid))) {
        yield block
        block = []
      }
      block.push(rowid)
    }
    if (hits.length < limit) break
    after = block.at(-1)!
    limit = Math.min(2 * limit, readAtATime.most)
  }
  if (block.length > 0) yield block
}

const inOrder = (db: IndexReader, kind: SearchKind, hits: readonly number[]): number[] => db.all<{ number: number }>(`
  SELECT number FROM json_each(?) AS hit JOIN ${kind} ON number = hit.value ORDER BY ${orders[kind]}`,
JSON.stringify(hits)).map(({ number }) => number)
