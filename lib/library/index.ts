export { createLibrary } from './create-library.ts'
export type { LibraryLists } from './complete-items.ts'
export { foldText, ignoredArticles, letterOf, limitMarks, sortKey, withoutArticle } from '../text/names.ts'
