const article = /^(?:The|El|La|Los|Las|Le|Les)\s+/i

/** A name as artists are sorted by it: without its article, those that Subsonic apps are told to ignore. */
export const withoutArticle = (name: string): string => name.trim().replace(article, '')
