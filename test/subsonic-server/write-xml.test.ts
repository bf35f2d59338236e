import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { xmlPieces, type JsonObject } from '../../lib/subsonic-server/write-xml.ts'
import { countTimedTurns } from '../count-turns.ts'
import { fifthOfRuns } from '../fifth.ts'
import { checkXml, formats, readAnswer } from './check-answer.ts'
import { ask, expectedXml, get, parseXml, serve } from './helper.ts'
import { trackOf } from './library.ts'

const writeXml = (name: string, value: JsonObject) => [...xmlPieces(name, value)].join('')

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
  }), fifthOfRuns(300))
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

t.test('others have their turn while a long list is answered, in every format', async t => {
  const tracks = Array.from({ length: 2000 }, (_empty, at) => ({ ...trackOf(at % 50, 0), id: `t${at}` }))
  const artists = Array.from({ length: 1000 }, (_empty, at) => ({ id: `a${at}`, name: `${at < 900 ? 'A' : 'B'}${at}` }))
  const app = await serve(t, {
    adapter: { getPlaylistDetail: () => ({ id: 'p', name: 'P', tracks }) },
    library: () => ({ artists, albums: [], tracks: [] })
  })
  await ask(app, 'getArtists')
  for (const [method, query, least] of [['getPlaylist', { id: 'pl-p' }, 12], ['getArtists', {}, 4]] as const) {
    const answers = []
    for (const format of ['json', 'jsonp', 'xml'] as const) {
      const { result, turns } = await countTimedTurns(t, () => get(app, method, { ...query, ...formats[format] }))
      answers.push(readAnswer(format, result))
      t.ok(turns >= least, `${method} as ${format}: ${turns} turns`)
    }
    const [json, jsonp, xml] = answers
    t.equal(JSON.stringify(jsonp), JSON.stringify(json))
    checkXml(xml, json)
    t.match(json, method === 'getPlaylist'
      ? { playlist: { songCount: 2000, entry: { length: 2000, 1999: { id: 'tr-t1999' } } } }
      : { artists: { index: [{ artist: { length: 900 } }, { artist: { length: 100 } }] } })
  }
})
