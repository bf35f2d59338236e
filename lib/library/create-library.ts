import type { SourceLibrary } from '../contract/source-library.ts'
import { ArrayLibrary } from './array-library.ts'
import { conformingLists } from './conforming-lists.ts'
import type { LibraryLists } from './complete-items.ts'

let made = Date.now()

/**
 * Creates the library of a source that has all its music in memory, for the property `library` of its adapters. Create
 * it again when the music changes, and not for each request. Missing extras are filled in from other items: artists of
 * albums, numbers of albums of artists, numbers of tracks.
 *
 * @param lists each item once; tracks of an album in its order
 * @param changedAt the time of the last change in Unix milliseconds. Default: now
 * @throws TypeError if a list is not an array. In development an item that violates the contract is an error with its
 * kind, id and property; in production it is repaired or left out, with a warning.
 * @see docs/reference/library.md
 */
export const createLibrary = (lists: LibraryLists, { changedAt = Date.now() } = {}): SourceLibrary =>
  new ArrayLibrary(conformingLists(lists), { revision: String(++made), changedAt }, true)
