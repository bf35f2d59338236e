export { foldText, ignoredArticles, letterOf, limitMarks, sortKey, withoutArticle } from '../text/names.ts'
