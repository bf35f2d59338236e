import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { writeXml } from '../../lib/subsonic/write-xml.ts'
import { expectedXml, parseXml } from './helper.ts'

const name =
  fc.constantFrom('id', 'name', 'song', 'artist', 'index', 'value', 'line', 'cueLine', 'albumInfo', 'version')
const text = fc.string({ unit: 'grapheme' }).map(text => text.replace(/\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, ''))
const scalar = fc.oneof(text, fc.integer(), fc.boolean())

const { object } = fc.letrec<{ object: object }>(tie => ({
  object: fc.dictionary(name, fc.oneof({ maxDepth: 3 }, scalar, tie(
    'object'
  ), fc.array(tie('object'), { maxLength: 3 }), fc.array(scalar, { maxLength: 3 })), { maxKeys: 5 })
}))

/** `value` is text, not an element; the scalars of infos have names of their own. */
const isNatural = (value: any, of = ''): boolean => Object.entries(value).every(([key, member]) => {
  if (key === 'value' && (typeof member === 'object' || of === '')) return false
  if (of === 'albumInfo' && typeof member !== 'object') return false
  return [member].flat().every(item => typeof item !== 'object' || isNatural(item, key))
})

t.test('XML parsed back equals the JSON', async () => {
  fc.assert(fc.property(object.filter(value => isNatural(value)), value => {
    assert.deepStrictEqual(parseXml(writeXml('subsonic-response', value as {})), expectedXml(value))
  }), { numRuns: 300 })
})

t.test('what XML cannot hold is dropped, and white space in attributes is kept', async t => {
  const root = parseXml(writeXml('subsonic-response', { name: 'a\u0000b\u001f\ud800c\uffff\td\ne\r "<&>\'' }))
  t.equal(root['@name'], 'abc\td\ne\r "<&>\'')
})

t.test('infos have their texts as elements in one order, whatever the order in JSON', async t => {
  const info = {
    similarArtist: [{ id: 'ar-1' }], largeImageUrl: 'l', biography: '<b>', smallImageUrl: '', mediumImageUrl: undefined
  }
  t.match(writeXml('subsonic-response', { artistInfo2: info }),
    '<artistInfo2><biography>&lt;b&gt;</biography><smallImageUrl></smallImageUrl><largeImageUrl>l</largeImageUrl>' +
    '<similarArtist id="ar-1"/></artistInfo2>')
})
