const special = /[&<>"\n\r\t]/
const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;', '\r': '&#13;', '\t': '&#9;'
}

/** Escapes a string for XML or HTML, between tags or in an attribute with double quotes. */
export const escapeMarkup = (text: string): string =>
  special.test(text) ? text.replace(/[&<>"\n\r\t]/g, found => escapes[found]!) : text

/** Removes the characters that are invalid in XML 1.0, escaped or not: most control characters, and lone surrogates. */
export const withoutForbidden = (text: string): string =>
  text.replace(/(?![\t\n\r\x7f-\x9f])\p{Cc}|[\ufffe\uffff]|\p{Cs}/gu, '')
