import { escapeMarkup, withoutForbidden } from '../text/escape-markup.ts'

/** A value of a response. Properties that are `undefined` are left out; `null` never occurs. */
export type Json = string | number | boolean | undefined | readonly Json[] | Described | JsonObject
export type JsonObject = { readonly [name: string]: Json }

/** A list whose items are created while it is written, so that a long list is never completely in memory. */
export class Described {
  /** Yields batches of items. */
  readonly slices: () => Iterable<readonly JsonObject[]>

  constructor (slices: Described['slices']) {
    this.slices = slices
  }
}

/** @param describe creates an item of the response */
export const described = <T>(items: readonly T[], describe: (item: T) => JsonObject): Described =>
  new Described(function * () {
    for (const some of slicesOf(items)) yield some.map(item => describe(item))
  })

/** Objects whose scalars are written as child elements in this order, not as attributes. */
const infoChildren = [
  'biography', 'notes', 'musicBrainzId', 'lastFmUrl', 'smallImageUrl', 'mediumImageUrl', 'largeImageUrl'
]
const childrenOf: Readonly<Record<string, readonly string[]>> =
  { albumInfo: infoChildren, artistInfo: infoChildren, artistInfo2: infoChildren }

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Described)

/**
 * Writes a JSON response as XML, by the common rule of Subsonic servers: a scalar is an attribute, an object an
 * element, a list one element for each item, the property `value` the element's text.
 *
 * @returns pieces, each with some items of a long list
 */
export function * xmlPieces (name: string, value: JsonObject): Generator<string, void, undefined> {
  yield '<?xml version="1.0" encoding="UTF-8"?>'
  for (const piece of elementPieces(name, value)) yield withoutForbidden(piece)
}

function * elementPieces (name: string, value: Json): Generator<string, void, undefined> {
  if (!isObject(value) || !isLong(value)) {
    yield elementOf(name, value)
    return
  }
  const members = Object.entries(value)
  const scalars = members.filter(([, member]) => typeof member !== 'object')
  yield element(name, Object.fromEntries(scalars)).replace(/\/>$/, '>')
  for (const [key, member] of members.filter(([, member]) => typeof member === 'object')) {
    const slices = longSlices(member)
    if (slices !== undefined) for (const some of slices) yield some.map(item => elementOf(key, item)).join('')
    else for (const item of [member].flat() as readonly Json[]) yield * elementPieces(key, item)
  }
  yield `</${name}>`
}

/** The number of items that are created and written per batch. */
const mostAtOnce = 50

/** Returns whether a list in a value is so long that writing it must yield. Items with lists are checked in place. */
export function isLong (value: Json): boolean {
  if (typeof value !== 'object' || value instanceof Described) return typeof value === 'object'
  if (Array.isArray(value)) {
    if (value.length > mostAtOnce) return true
    for (const item of value) {
      if (typeof item !== 'object') continue
      for (const name in item) {
        const member = (item as JsonObject)[name]
        if (member instanceof Described || (Array.isArray(member) && member.length > mostAtOnce)) return true
      }
    }
    return false
  }
  const members = value as JsonObject
  for (const name in members) if (typeof members[name] === 'object' && isLong(members[name])) return true
  return false
}

/** Returns the batches of a long list. */
export const longSlices = (value: Json): Iterable<readonly Json[]> | undefined => value instanceof Described
  ? value.slices()
  : Array.isArray(value) && value.length > mostAtOnce ? slicesOf<Json>(value) : undefined

function * slicesOf<T> (items: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let from = 0; from < items.length; from += mostAtOnce) yield items.slice(from, from + mostAtOnce)
}

const elementOf = (name: string, value: Json): string =>
  isObject(value) ? element(name, value) : `<${name}>${escapeMarkup(String(value))}</${name}>`

function element (name: string, value: JsonObject): string {
  const inOrder = childrenOf[name]
  let attributes = ''
  let children = ''
  for (const child of inOrder ?? []) {
    if (value[child] !== undefined) children += `<${child}>${escapeMarkup(String(value[child]))}</${child}>`
  }
  for (const key in value) {
    const member = value[key]
    if (member === undefined) continue
    if (Array.isArray(member)) {
      for (const item of member) children += elementOf(key, item)
    } else if (isObject(member)) children += element(key, member)
    else if (inOrder !== undefined) continue
    else if (key === 'value' && name !== 'cueLine') children += escapeMarkup(String(member))
    else attributes += ` ${key}="${escapeMarkup(String(member))}"`
  }
  return children === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${children}</${name}>`
}
