/**
 * A text without secrets. One of fewer than six characters stays, because removing it would damage other words. What
 * stands for a secret is not searched for the next one: a caller who may choose both would make it grow without end.
 */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter(({ length }) => length >= 6)
    .reduce((parts, secret) => parts.flatMap(part => part.split(secret)), [text])
    .join('[authorization]')

/** Words of an `Authorization` header that are looked for in texts. */
const mostWords = 16

/** First words of an `Authorization` header that are no part of the secret, and stay in texts. */
const schemes = /^(basic|bearer|digest|token|apikey)$/i

/** What is secret in an `Authorization` header: all of it, what follows its first word, and each of its words. */
export function secretsIn (authorization = ''): string[] {
  const whole = authorization.trim()
  const [first = '', ...words] = whole.split(/\s+/, mostWords)
  const rest = whole.slice(first.length).trim()
  return [whole, rest, ...words, schemes.test(first) ? '' : first]
}

/** A text without the logins in its URLs, and without their queries, which may hold signatures and tokens. */
export const withoutUrlSecrets = (text: string): string =>
  text.replace(/:\/\/[^\s"<>/\\?#]*@/g, '://[login]@').replace(/[^\s"'<>]+/g, withoutQuery)

/**
 * Works on one word, because an expression for all URLs of a text takes quadratic time, and a caller may choose the
 * text.
 */
function withoutQuery (word: string): string {
  const scheme = word.indexOf('://')
  const length = scheme === -1 ? -1 : word.slice(scheme).search(/[?#]/)
  return length === -1 ? word : `${word.slice(0, scheme + length)}?[query]`
}
