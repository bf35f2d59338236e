import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { readId, readIdOf, writeId, type IdKind } from '../../lib/subsonic-server/ids.ts'

const kinds: IdKind[] = ['artist', 'album', 'track', 'playlist', 'toplist', 'special']
const halves = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1 }).map(units =>
  String.fromCharCode(...units))

t.test('any id of a source comes back, from characters that need no escaping', async t => {
  fc.assert(fc.property(fc.constantFrom(...kinds), fc.oneof(fc.string({
    minLength: 1, unit: 'binary'
  }), halves), (kind, id) => {
    const text = writeId(kind, id)
    assert.match(text, /^[a-z]{2}-[A-Za-z0-9_~-]+$/)
    assert.deepEqual(readId(text), { kind, id })
  }))
})

t.test('plain ids stand as they are', async t => {
  t.equal(writeId('album', '42'), 'al-42')
  t.equal(writeId('track', 'ab/c'), 'tr-~YWIvYw')
  t.match(writeId('track', '-x'), 'tr-~')
})

t.test('an id begins with its kind', async t => {
  t.strictSame(kinds.map(kind => writeId(kind, '1')), ['ar-1', 'al-1', 'tr-1', 'pl-1', 'tl-1', 'sp-1'])
})

t.test('ids of up to 128 plain characters stand as they are, longer ones do not', async t => {
  t.equal(writeId('track', 'x'.repeat(128)), `tr-${'x'.repeat(128)}`)
  t.equal(writeId('track', 'x'.repeat(129)), `tr-~${Buffer.from('x'.repeat(129)).toString('base64url')}`)
  t.equal(writeId('track', '_a-B9'), 'tr-_a-B9')
})

for (const text of [
  '', '42', 'xx-1', 'al', 'al-', 'al_1', 'al1', 'al1-1', 'al--1', 'AL-1', 'al-a b', 'undefined-1', 'un-1', '__-1',
  'tr-~!', 'tr-~YWIvYw=', 'tr-~YQ', 'tr-~~YQ', `tr-${'x'.repeat(129)}`
]) {
  t.test(`"${text}" was never given out`, async t => {
    t.throws(() => readId(text), { name: 'SubsonicError', code: 70, message: /^There is nothing with the id / })
  })
}

t.test('an id of another kind is none', async t => {
  t.equal(readIdOf('album', 'al-1'), '1')
  t.throws(() => readIdOf('album', 'tr-1'), { code: 70, message: /^This is not the id of an album: tr-1$/ })
})
