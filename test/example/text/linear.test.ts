import fc from 'fast-check'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { decodeText } from '../../../example/lyrics/decode-text.ts'
import { readLyrics } from '../../../example/lyrics/read-lyrics.ts'
import { parseRange } from '../../../example/media/parse-range.ts'
import { PathFinder } from '../../../example/playlists/path-finder.ts'
import { readPlaylist } from '../../../example/playlists/read-playlist.ts'
import { compose } from '../../../example/text/compose.ts'
import { countSteps } from '../count-steps.ts'
import { folder, mp3, put } from '../helper.ts'

const root = folder(t, { 'song.mp3': mp3({ title: 'Song' }) })
const finder = new PathFinder('/music', [['a/b.mp3', 1], ['b.mp3', 2]])

/** What looks at texts of files and requests. */
const readers: Record<string, (text: string) => unknown> = {
  compose,
  decodeText: text => decodeText(Buffer.from(text)),
  parseRange: text => parseRange(`bytes=${text}`, 1000),
  'PathFinder.find, for a relative path': text => finder.find('list.m3u', text),
  'PathFinder.find, for an absolute path': text => finder.find('list.m3u', `/${text}`),
  'new PathFinder': text => new PathFinder('/music', [[text, 1]]),
  async readPlaylist (text) {
    put(root, 'list.m3u', text)
    const { entries } = await readPlaylist(root, { path: 'list.m3u', size: 1, mtimeMs: 1 })
    for (const entry of entries) finder.find('list.m3u', entry)
  },
  async 'readLyrics, of a file' (text) {
    put(root, 'song.lrc', text)
    await readLyrics(root, ['song.mp3'])
    rmSync(join(root, 'song.lrc'))
  },
  async 'readLyrics, of a tag' (text) {
    put(root, 'song.mp3', mp3({ title: 'Song', lyrics: text }, { seconds: 0.1 }))
    await readLyrics(root, ['song.mp3'])
  }
}

/** A text that grows by repeating its middle. */
type Attack = [begin: string, repeated: string, end: string]

const known: Attack[] = [
  ['a', ' ', 'b'], ['', '/a', ''], ['/', '../', ''], ['a', '\u0301\u0323\u0300', ''], ['', '<1:', ''], ['<1:11.', '1', ''], ['', '\r', ''], ['', '\n', 'a'],
  ['#PLAYLIST:', ' ', ''], ['', '#', ''], ['file:///', '%20', ''], ['a:', '/', ''], ['', '\\', 'a'], ['', '1', '-'], ['[00:00]', ' \n', 'x']
]
const piece = fc.string({ unit: fc.constantFrom(...' \t\r\n#/\\.:<>[]-=%0aA\u0301\u0323がß'), maxLength: 4 })
const attack = fc.tuple(piece, piece.filter(text => text !== ''), piece)
const grown = ([begin, repeated, end]: Attack, length: number) => begin + repeated.repeat(length / repeated.length) + end

/** Characters. */
const length = 3000

for (const [name, read] of Object.entries(readers)) {
  t.test(`a text four times as long takes ${name} four times the steps at most`, async t => {
    await fc.assert(fc.asyncProperty(attack, async attack => {
      const once = await countSteps(() => read(grown(attack, length)))
      const more = await countSteps(() => read(grown(attack, 4 * length)))
      // The rest does not depend on the text.
      if (more > 4.5 * once + 5000) throw new Error(`${once} steps become ${more}`)
    }), { examples: known.map(attack => [attack]), numRuns: known.length + 40, seed: 1 })
    t.pass('it is linear')
  })
}

t.test('quadratic work is seen', async t => {
  const quadratic: ((text: string) => unknown)[] = [
    text => text.split('/').map((_, from, names) => names.slice(from).join('/')),
    text => text.normalize('NFC'),
    text => { for (let rest = text; rest !== ''; rest = rest.slice(1)) rest.startsWith('b') },
    text => [...text].map((_, at) => text.includes('b', at))
  ]
  for (const [at, text] of ['/a', '\u0301', 'a', 'a'].entries()) {
    const once = await countSteps(() => quadratic[at]!(text.repeat(1000)))
    const more = await countSteps(() => quadratic[at]!(text.repeat(4000)))
    t.ok(more > 10 * once, `${once} steps become ${more}`)
  }
})
