export { createLibrary } from './create-library.ts'
export type { LibraryLists } from './complete-items.ts'
export { foldText, letterOf, limitMarks, sortKey, withoutArticle } from '../text/names.ts'
export type { LibraryStore } from './library-store.ts'
export type {
  LibraryCall, LibraryComposer, LibraryFacets, LibraryGenre, LibraryItems, LibraryKind, LibraryQuery, LibrarySort,
  RandomIds, SourceLibrary
} from '../contract/source-library.ts'
