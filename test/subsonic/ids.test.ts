import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { readId, readIdOf, writeId, type Kind } from '../../lib/subsonic/ids.ts'

const kinds: Kind[] = ['artist', 'album', 'track', 'playlist', 'toplist', 'special']
const halves = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1 }).map(units => String.fromCharCode(...units))

t.test('any id of a source comes back, from characters that need no escaping', async t => {
  fc.assert(fc.property(fc.constantFrom(...kinds), fc.oneof(fc.string({ minLength: 1, unit: 'binary' }), halves), (kind, id) => {
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

for (const text of ['', '42', 'xx-1', 'al', 'al-', 'al_1', 'al-a b', 'tr-~!', 'tr-~YWIvYw=', 'tr-~YQ', 'tr-~~YQ']) {
  t.test(`"${text}" was never given out`, async t => {
    t.throws(() => readId(text), { code: 70 })
  })
}

t.test('an id of another kind is none', async t => {
  t.equal(readIdOf('album', 'al-1'), '1')
  t.throws(() => readIdOf('album', 'tr-1'), { code: 70 })
})
