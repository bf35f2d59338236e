import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ICommonTagsResult } from 'music-metadata'
import t from 'tap'
import { runCommand } from '../../../example/accounts/run-command.ts'
import { wordsOf } from '../../../example/text/fold-text.ts'
import { hasOneError } from '../../../example/text/has-one-error.ts'
import { Catalogue } from '../../../example/catalogue/catalogue.ts'
import { changeIndex } from '../../../example/catalogue/change-index.ts'
import { matchNames } from '../../../example/catalogue/match-names.ts'
import { readLyrics } from '../../../example/lyrics/read-lyrics.ts'
import { PathFinder } from '../../../example/playlists/path-finder.ts'
import { readPlaylist } from '../../../example/playlists/read-playlist.ts'
import { cleanText, splitDate, splitList, timeOfDate } from '../../../example/scan/clean-tags.ts'
import { guessFromPath } from '../../../example/scan/guess-from-path.ts'
import { plainName } from '../../../example/scan/identify.ts'
import { nameTrack, tagTextsOf } from '../../../example/scan/name-track.ts'
import { decodeText, findRepair } from '../../../example/scan/repair-encodings.ts'
import { validateText } from '../../../example/catalogue/validate-input.ts'
import { libraryInMemory } from '../../../example/index/open-index.ts'
import { compose } from '../../../example/text/compose.ts'
import { typedFormsOf, typedWordsOf } from '../../../example/text/typed-words.ts'
import { audioFile } from '../catalogue/audio-file.ts'
import { countSteps } from '../count-steps.ts'
import { folder, mp3, put } from '../helper.ts'
import { testLinear } from '../test-linear.ts'

const root = folder(t, { 'song.mp3': mp3({ title: 'Song' }) })
const names = ['Ode an die Freude', 'Prelude', '茉莉花']
const db = libraryInMemory()
t.teardown(() => db.close())
db.transaction(() => changeIndex(db, { files: names.map(name => audioFile(name, name)) }))
const catalogue = new Catalogue(db)
const finder = new PathFinder('/music', path => ['a/b.mp3', 'b.mp3'].find(known => known === path))
/** What accounts and their playlists are kept in: nothing is. */
const services: any =
  { state: { accounts: async () => ['ann'], whole: async () => {} }, library: { root: '/music', catalogue } }
const imported = (file: string) => runCommand(services, ['import', 'ann'], file).catch(() => {})
const marked = '#EXTM3U\n#SOURCE-TRACK:0123456789abcdef0123\n'

/** What looks at texts of files and requests. */
const readers: Record<string, (text: string) => unknown> = {
  compose,
  wordsOf,
  typedFormsOf,
  typedWordsOf,
  'hasOneError, of two': text => hasOneError(text, `${text}a`),
  'a search': text => catalogue.searchTracks(text, { limit: 10 }),
  matchNames: text => matchNames(names, name => ({ name, more: text }), text),
  cleanText,
  cleanDate: text => timeOfDate(splitDate(text)),
  'splitList, of one': text => splitList([text]),
  'splitList, of many': text => splitList([...text]),
  guessFromPath,
  nameTrack (text) {
    const texts = tagTextsOf({ title: text, artists: [text], album: text, genre: [text] } as ICommonTagsResult)
    return nameTrack(texts, { path: `${text}/${text}.mp3` })
  },
  'findRepair, of one': text => findRepair([text]),
  'findRepair, of many': text => findRepair(Array.from(text, character => `ü${character}`)),
  decodeText: text => decodeText(Buffer.from(text)),
  'PathFinder.find, for a relative path': text => finder.find('list.m3u', text),
  'PathFinder.find, for an absolute path': text => finder.find('list.m3u', `/${text}`),
  'Catalogue.trackAt': text => catalogue.trackAt(text),
  plainName: text => plainName(cleanText(text) ?? ''),
  validateText (text) { try { validateText(text, 'description') } catch {} },
  'the import of a file': imported,
  'the import of a playlist': text => imported(`#EXTM3U\n${text}`),
  'the import of a playlist with a name': text => imported(`#EXTM3U\n#PLAYLIST:${text}`),
  'the import of a playlist with marks': text => imported(`${marked}#EXTINF:1,${text}\n${marked}${text}`),
  'the import of an account': text => imported(JSON.stringify({
    format: 'source-account',
    version: 1,
    playlists: [{
      id: '0123456789abcdef0123',
      name: text,
      description: text,
      createdAt: 1,
      updatedAt: 1,
      tracks: [...text].map(title => ({ id: title, title }))
    }],
    favorites: [...text].map(id => ({ kind: 'track', id, addedAt: 1 })),
    plays: []
  })),
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

testLinear(t, readers)

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
