/**
 * Returns a string without secrets. Secrets shorter than six characters stay, because their removal would damage other
 * words. Replacements are not searched for further secrets, because a caller who chooses both could make the string
 * grow without limit.
 */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter(({ length }) => length >= 6)
    .reduce((parts, secret) => parts.flatMap(part => part.split(secret)), [text])
    .join('[authorization]')

/** The maximum number of words of an `Authorization` header that are removed. */
const mostWords = 16

/** Authentication schemes, which are not secret and stay in the string. */
const schemes = /^(basic|bearer|digest|token|apikey)$/i

/**
 * Returns the secrets of an `Authorization` header: the complete header, the part after its first word, and each of its
 * words.
 */
export function secretsIn (authorization = ''): string[] {
  const whole = authorization.trim()
  const [first = '', ...words] = whole.split(/\s+/, mostWords)
  const rest = whole.slice(first.length).trim()
  return [whole, rest, ...words, schemes.test(first) ? '' : first]
}

/** Returns a string without the logins and queries of its URLs. Queries may contain signatures and tokens. */
export const withoutUrlSecrets = (text: string): string =>
  text.replace(/:\/\/[^\s"<>/\\?#]*@/g, '://[login]@').replace(/[^\s"'<>]+/g, withoutQuery)

/**
 * Removes the query of one word. An expression for all URLs of a string takes quadratic time, and a caller may choose
 * the string.
 */
function withoutQuery (word: string): string {
  const scheme = word.indexOf('://')
  const length = scheme === -1 ? -1 : word.slice(scheme).search(/[?#]/)
  return length === -1 ? word : `${word.slice(0, scheme + length)}?[query]`
}
