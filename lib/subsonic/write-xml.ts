/** What an answer is made of. Members that are `undefined` are left out; `null` never occurs. */
type Json = string | number | boolean | undefined | readonly Json[] | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

/** Objects whose scalars are child elements, in this order, and no attributes. */
const infoChildren = [
  'biography', 'notes', 'musicBrainzId', 'lastFmUrl', 'smallImageUrl', 'mediumImageUrl', 'largeImageUrl'
]
const childrenOf: Readonly<Record<string, readonly string[]>> =
  { albumInfo: infoChildren, artistInfo: infoChildren, artistInfo2: infoChildren }

const special = /[&<>"\n\r\t]/
const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;', '\r': '&#13;', '\t': '&#9;'
}
const escape = (text: string) => special.test(text) ? text.replace(/[&<>"\n\r\t]/g, found => escapes[found]!) : text

/** Characters that XML 1.0 cannot hold, escaped or not: most controls, and halves of pairs. */
const forbidden = /(?![\t\n\r\x7f-\x9f])\p{Cc}|[\ufffe\uffff]|\p{Cs}/gu

const isObject = (value: Json): value is JsonObject => typeof value === 'object' && !Array.isArray(value)

/**
 * The XML form of an answer in JSON, by the one rule that Subsonic servers keep: a scalar is an attribute, an object an
 * element, a list one element for each item, the member `value` the element's text.
 */
export function writeXml (name: string, value: JsonObject): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${element(name, value)}`.replace(forbidden, '')
}

function element (name: string, value: JsonObject): string {
  const inOrder = childrenOf[name]
  let attributes = ''
  let children = ''
  for (const child of inOrder ?? []) {
    if (value[child] !== undefined) children += `<${child}>${escape(String(value[child]))}</${child}>`
  }
  for (const key in value) {
    const member = value[key]
    if (member === undefined) continue
    if (Array.isArray(member)) {
      for (const item of member) {
        children += isObject(item) ? element(key, item) : `<${key}>${escape(String(item))}</${key}>`
      }
    } else if (isObject(member)) children += element(key, member)
    else if (inOrder !== undefined) continue
    else if (key === 'value' && name !== 'cueLine') children += escape(String(member))
    else attributes += ` ${key}="${escape(String(member))}"`
  }
  return children === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${children}</${name}>`
}
