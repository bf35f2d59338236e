import { realpathSync, symlinkSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readLyrics } from '../../../example/lyrics/read-lyrics.ts'
import { replace } from '../../replace.ts'
import { demo, fifo, folder, mp3 } from '../helper.ts'

const none = { lyrics: '', wordLyrics: '', translatedLyrics: '' }
const readOf = (t: Test, files: Record<string, string | Uint8Array>, paths: string[]) =>
  readLyrics(realpathSync(folder(t, files)), paths)

t.test('the demo has lyrics with a translation, with word times and inside of a file', async t => {
  const ode = await readLyrics(demo, ['Nils Öhlin/Nachtorgel/1-01 Ode an die Freude.opus'])
  t.match(ode.lyrics, /\[00:00\.00\]Freude, schöner Götterfunken,\n/)
  t.match(ode.translatedLyrics, /^\[la:en\]\n\[00:00\.00\]Joy/)
  t.equal(ode.wordLyrics, '')

  const jacques = await readLyrics(demo, ['Various Artists/Songs from Everywhere/01 Frère Jacques.m4a'])
  t.match(jacques.lyrics, /^\[00:02\.00\]Frère Jacques,$/m)
  t.match(jacques.wordLyrics, '[00:02.00]<00:02.00>Frère <00:03.00>Jacques, <00:04.00>')

  t.match(await readLyrics(demo, ['Ada Plume/Plucked at Dawn/02 Greensleeves.m4a']), {
    ...none, lyrics: /^Alas, my love, you do me wrong\n/
  })
})

t.test('without lyrics, and without a file, they are empty', async t => {
  t.same(await readLyrics(demo, ['Ada Plume/Plucked at Dawn/03 Morning Frost.mp3', 'gone/away.mp3']), none)
})

t.test('lyrics have the name of the file when the same letters are written in another way', async t => {
  const files = { 'Bjo\u0308rk.mp3': '', 'Björk.lrc': 'own', 'Björk.en.lrc': 'translated' }
  t.same(await readOf(t, files, ['Bjo\u0308rk.mp3']), {
    ...none, lyrics: 'own', translatedLyrics: '[la:en]\ntranslated'
  })
})

t.test('lyrics beside any of the files count before those inside of one', async t => {
  const files = { 'a.mp3': mp3({ lyrics: 'inside' }), 'b.mp3': mp3({}), 'b.lrc': 'beside' }
  t.same(await readOf(t, files, ['a.mp3', 'b.mp3']), { ...none, lyrics: 'beside' })
  t.same(await readOf(t, files, ['a.mp3']), { ...none, lyrics: 'inside' })
})

t.test('what the system does not let us read and files that broke meanwhile are passed over', async t => {
  const { open } = promises
  t.teardown(syncBuiltinESMExports)
  replace(t, promises, 'open', async (path, ...more) => {
    if (String(path).endsWith('locked.lrc')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    return open(path, ...more)
  })
  syncBuiltinESMExports()
  const files = { 'a.wav': 'no audio', 'b.mp3': mp3({ lyrics: 'inside' }), 'locked.mp3': '', 'locked.lrc': 'locked' }
  t.same(await readOf(t, files, ['a.wav', 'b.mp3']), { ...none, lyrics: 'inside' })
  t.same(await readOf(t, files, ['a.wav', 'locked.mp3']), none)
})

t.test('times inside of a file become those of an LRC', async t => {
  const files = { 'a.mp3': mp3({ synced: [[0, 'one'], [61_230, 'two']] }) }
  t.same(await readOf(t, files, ['a.mp3']), { ...none, lyrics: '[00:00.00]one\n[01:01.23]two' })
})

t.test('lyrics without words hide no others', async t => {
  const inside = mp3({ synced: [[0, ' ']], lyrics: 'inside' })
  t.same(await readOf(t, { 'a.mp3': inside, 'a.lrc': ' \n' }, ['a.mp3']), { ...none, lyrics: 'inside' })
  const named = mp3({ more: { SYNCEDLYRICS: '[00:01.00]one' } })
  t.same(await readOf(t, { 'a.mp3': named }, ['a.mp3']), { ...none, lyrics: '[00:01.00]one' })
})

t.test('times may be written with a comma', async t => {
  const { lyrics, wordLyrics } =
    await readOf(t, { 'a.mp3': '', 'a.lrc': '[00:01,50]1,2 <00:02,00>two' }, ['a.mp3'])
  t.same([lyrics, wordLyrics], ['[00:01.50]1,2 two', '[00:01.50]1,2 <00:02.00>two'])
})

t.test('only a language makes a translation, and of the song itself', async t => {
  t.match(await readOf(t, { 'a.mp3': '', 'a.LRC': 'own', 'a.zh-Hans.lrc': 'translated' }, ['a.mp3']), {
    lyrics: 'own', translatedLyrics: '[la:zh-Hans]\ntranslated'
  })
  t.match(
    await readOf(t, { 'a.mp3': '', 'a.lrc': 'own', 'a.live version.lrc': 'other', 'b.zh.lrc': 'other' }, ['a.mp3']),
    { translatedLyrics: '' }
  )
})

const encodings: Record<string, Uint8Array> = {
  'UTF-8': Buffer.from('Schöne Grüße'),
  'UTF-8 with a mark': Buffer.from('\ufeffSchöne Grüße'),
  'UTF-16 LE': Buffer.from('\ufeffSchöne Grüße', 'utf16le'),
  'UTF-16 BE': Buffer.from('\ufeffSchöne Grüße', 'utf16le').swap16(),
  'Latin-1': Buffer.from('Schöne Grüße', 'latin1')
}
for (const [encoding, bytes] of Object.entries(encodings)) {
  t.test(`lyrics in ${encoding} are read`, async t => {
    t.equal((await readOf(t, { 'a.mp3': '', 'a.lrc': bytes }, ['a.mp3'])).lyrics, 'Schöne Grüße')
  })
}

t.test('line ends of any system are one', async t => {
  t.equal((await readOf(t, { 'a.mp3': '', 'a.lrc': 'one\r\ntwo\rthree\n' }, ['a.mp3'])).lyrics, 'one\ntwo\nthree')
})

t.test('blanks at the ends of lines go, those of word times too', async t => {
  const { lyrics, wordLyrics } =
    await readOf(t, { 'a.mp3': '', 'a.lrc': 'one  \n[00:01.00]<00:01.00>two <00:02.00>\n  three' }, ['a.mp3'])
  t.equal(lyrics, 'one\n[00:01.00]two\n  three')
  t.match(wordLyrics, '<00:02.00>')
})

t.test('a FIFO is no lyrics, nor is what is far too large inside of a file', async t => {
  const root = realpathSync(folder(t, { 'a.mp3': mp3({ lyrics: 'x'.repeat(2_000_000) }), 'b.mp3': '' }))
  fifo(root, 'b.lrc')
  t.same(await readLyrics(root, ['a.mp3']), none)
  t.same(await readLyrics(root, ['b.mp3']), none)
})

t.test('what is far too large and links that leave the folder are not read', async t => {
  t.same(await readOf(t, { 'a.mp3': '', 'a.lrc': 'x'.repeat(2_000_000) }, ['a.mp3']), none)
  const root = folder(t, { 'a.mp3': '' })
  symlinkSync(join(folder(t, { 'secret.txt': 'secret' }), 'secret.txt'), join(root, 'a.lrc'))
  t.same(await readLyrics(realpathSync(root), ['a.mp3']), none)
})
