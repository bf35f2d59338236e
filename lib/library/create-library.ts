import type { SourceLibrary } from '../contract/source-library.ts'
import { ArrayLibrary } from './array-library.ts'
import type { LibraryLists } from './complete-items.ts'

let made = Date.now()

/**
 * The library of a source that has all its music in memory, for the member `library` of its adapters. It is made anew
 * when the music changes, and not for each request. Items get what others tell of them where their extras do not:
 * albums their artists, artists the number of their albums, tracks their numbers.
 *
 * @param lists each item once; tracks of an album in its order
 * @param changedAt when something changed last, in Unix milliseconds. Default: now
 * @see docs/guide/library.md
 */
export const createLibrary = (lists: LibraryLists, { changedAt = Date.now() } = {}): SourceLibrary =>
  new ArrayLibrary(lists, { revision: String(++made), changedAt }, true)
