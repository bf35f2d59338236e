export { ArrayLibrary } from './array-library.ts'
export { hasArtist, isNamed, numberTracks, type LibraryLists } from './complete-items.ts'
