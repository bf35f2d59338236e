import t from 'tap'
import { Catalogue } from '../../../example/catalogue/catalogue.ts'
import { changeIndex } from '../../../example/catalogue/change-index.ts'
import { matchNames } from '../../../example/catalogue/match-names.ts'
import type { AudioFile } from '../../../example/scan/read-audio-file.ts'
import { libraryInMemory } from '../../../example/index/open-index.ts'
import { countTimedTurns } from '../../count-turns.ts'
import { audioFile } from './audio-file.ts'

async function build (files: readonly AudioFile[]) {
  const db = libraryInMemory()
  t.teardown(() => db.close())
  db.transaction(() => changeIndex(db, { files }))
  const catalogue = new Catalogue(db)
  const search = async (keyword: string, slice: { offset?: number, limit: number } = { limit: 1000 }) =>
    (await catalogue.searchTracks(keyword, slice)).map(({ title }) => title)
  return { catalogue, search }
}

/** The titles that a search finds among those of tracks. */
const search = async (titles: string[], keyword: string) =>
  (await build(titles.map((title, at) => audioFile(`${at}.mp3`, title)))).search(keyword)

/** The same among names that are in no table. */
const match = (names: string[], keyword: string) => matchNames(names, name => ({ name, more: '-' }), keyword)

const found: Record<string, [name: string, ...keywords: string[]]> = {
  'case, both ways': ['Björk Guðmundsdóttir', 'BJÖRK', 'gUÐMUNDSDÓTTIR'],
  'accents, both ways': ['Beyonce Knowles', 'Beyoncé', 'beyonce', 'BÉYONCE'],
  'accents of the name': ['Beyoncé', 'beyonce', 'Beyonce\u0301'],
  'letters that are written otherwise': ['Røyksopp Straße Łódź', 'royksopp', 'strasse', 'lodz', 'RØYKSOPP'],
  'full width, both ways': ['Björk', 'ｂｊｏｒｋ', 'ＢＪＯＲＫ'],
  'full width of the name': ['ＴＯＫＹＯ　２０', 'tokyo', '20'],
  'CJK by characters': ['茉莉花之歌', '茉莉', '花', '歌花'],
  'kana and hangul': ['さくら ガール 사랑해', 'さく', 'ガ', 'ｶﾞｰﾙ', '사랑'],
  'a CJK name with words': ['周杰伦 Jay Chou', 'jay 周', '周杰伦jay'],
  'every word, in any order': ['Ode an die Freude', 'freude ode', 'die  an'],
  'the beginning of a word': ['Greensleeves', 'g', 'greens'],
  'one letter too many': ['Greensleeves', 'greenssleeves'],
  'one letter too few': ['Greensleeves', 'greensleves'],
  'another letter': ['Prelude', 'prelode'],
  'two letters swapped': ['Beyoncé', 'beyocne', 'ebyonce'],
  'apostrophes of any kind': ["Don't Stop", 'dont', 'don’t stop', "don't"],
  'a name of signs alone': ['!!!', '!!!'],
  'Persian, with the joiner, without it and with a space': [
    'می\u200cخواهم', 'می\u200cخواهم', 'میخواهم', 'می خواهم', 'خواهم'
  ],
  'Persian that is written in one': ['میخواهم', 'می\u200cخواهم'],
  'Persian that is written with a space': ['می خواهم', 'می\u200cخواهم'],
  'Hindi, with the joiner and without it': ['राजर्\u200dषि', 'राजर्\u200dषि', 'राजर्षि'],
  'Hindi without the joiner': ['राजर्षि', 'राजर्\u200dषि'],
  'an emoji of several': ['👨\u200d👩\u200d👧', '👨\u200d👩\u200d👧', '👨👩👧'],
  'an emoji or a symbol in a name': ['Love ❤️ and ★ for 👍🏽', '❤', '❤️', 'love ❤️', '★', '👍', '👍🏿 love'],
  'a symbol in a word': ['A$AP', 'a$ap', '$', 'ap'],
  'signs between words': ['AC/DC: T.N.T.', 'ac dc', 'ac/dc', 't.n.t'],
  'letters of an abbreviation in one': ['R.E.M. & AC/DC', 'rem', 'acdc', 'rem ac', 'acdc rem and'],
  'letters of an abbreviation with spaces': ['R. E. M. Live', 'rem', 'rem live', 'r e m'],
  'letters of an abbreviation, typed with signs': ['REM', 'R.E.M.', 'r e m'],
  'a hyphen': ['A‐ha Blink-182', 'aha', 'blink182', 'aha blink182'],
  'signs that stand for letters': ['P!nk and Ke$ha', 'pink', 'kesha', 'pink kesha', 'p!nk'],
  'letters in place of signs': ['Pink Asap', 'p!nk', 'a$ap pink'],
  'signs at the ends of a word': ['$uicideboy$ Wham!', 'suicideboys', 'wham', 'wham!'],
  'an ampersand': ['Simon & Garfunkel', 'simon and garfunkel', 'garfunkel and', 'simon + garfunkel'],
  'and for an ampersand': ['Simon and Garfunkel', 'simon & garfunkel', 'simon + garfunkel', "simon 'n' garfunkel"],
  'an ampersand in a word': ['R&B', 'rnb', 'r and b', 'r&b'],
  'Cyrillic in Latin': ['Кино: Виктор Цой', 'kino', 'kino tsoi', 'tsoy', 'viktor кино'],
  'Latin in Cyrillic': ['Kino', 'кино', 'Кин'],
  'Katakana in Hiragana and Latin': ['機動戦士ガンダム', 'がんだむ', 'ｶﾞﾝﾀﾞﾑ', 'gandamu'],
  'Hiragana in Katakana and Latin': ['さくら', 'サクラ', 'サく', 'sakura'],
  'a long vowel': ['ガールズ', 'がーる', 'ガールズ'],
  'Chinese in Latin': ['周杰伦', 'zhou', 'zhou jie lun', 'zhoujielun', 'zhoujie'],
  'Korean in Latin': ['방탄소년단', 'bangtan', 'bangtansonyeondan']
}
for (const [what, [name, ...keywords]] of Object.entries(found)) {
  for (const keyword of keywords) {
    t.test(`${what}: ${keyword} finds ${name}`, async t => {
      t.same(await search(['Something else', name], keyword), [name])
      t.same(match(['Something else', name], keyword), [name])
    })
  }
}

const missed: Record<string, [name: string, keyword: string]> = {
  'a word that does not match': ['Ode an die Freude', 'ode joy'],
  'two typing errors': ['Greensleeves', 'grensleves'],
  'a typing error in a short word': ['Lied', 'leid'],
  'a CJK character that is not there': ['茉莉花', '茉莉草'],
  'the middle of a word': ['Greensleeves', 'sleeves'],
  'signs that are not there': ['!!!', '???'],
  'a symbol that is not there': ['Love', 'love ❤'],
  'signs that are nothing without letters': ['100', '$100'],
  'letters of words': ['Rock Ending More', 'rem'],
  'a word of more letters than one has': ['а'.repeat(41), 'a'.repeat(41)],
  'a letter that Latin has not': ['Song', 'ь'],
  blanks: ['Song', '  '],
  'a joiner alone': ['Song', '\u200c']
}
for (const [what, [name, keyword]] of Object.entries(missed)) {
  t.test(`${what} finds nothing: ${keyword}`, async t => {
    t.same(await search([name], keyword), [])
    t.same(match([name], keyword), [])
  })
}

const orders: [names: string[], keyword: string, found: string[]][] = [
  [['Lovly', 'I Love You', 'Love Me', 'Love'], 'love', ['Love', 'Love Me', 'I Love You']],
  [['Rem', 'R.E.M.', 'The Rembrandts', 'R.E.M. Live', 'Rem Live'], 'rem', [
    'Rem', 'Rem Live', 'The Rembrandts', 'R.E.M.', 'R.E.M. Live'
  ]],
  [['莉花茉', '小茉莉', '茉莉花', '茉莉'], '茉莉', ['茉莉', '茉莉花', '小茉莉', '莉花茉']]
]
for (const [names, keyword, found] of orders) {
  t.test(`the name itself comes first, then what begins with it, then what holds it, then the rest: ${keyword}`, async t => {
    t.same(await search(names, keyword), found)
    t.same(match(names, keyword), found)
  })
}

t.test('a keyword of thousands of words finds what has the first ones, in the time of these', async t => {
  t.same(await search(['花月', '花'], '花月'.repeat(2000)), ['花月'])
  const many = Array.from({ length: 3000 }, (_, at) => `word${at}`)
  t.same((await search([many.slice(0, 20).join(' ')], many.join(' '))).length, 1)
  t.same(await search(['x'], 'x'.repeat(8000)), [])
})

t.test('the order is the same on every call, equals too, whatever came first', async t => {
  const files = Array.from({ length: 50 }, (_, at) => audioFile(`${at}.mp3`, `Same ${'name '.repeat(at % 3)}${at % 5}`))
  const one = await build(files)
  t.equal((await one.search('same')).length, 50)
  t.same(await one.search('same'), await (await build(files.toReversed())).search('same'))
})

t.test('pages of a search follow each other without a gap or a double', async t => {
  const { search } = await build(Array.from({ length: 60 }, (_, at) =>
    audioFile(`${at}.mp3`, at % 2 === 0 ? `Song ${at}` : `My song ${at}`)))
  const pages = []
  for (let offset = 0; offset < 60; offset += 7) pages.push(...await search('song', { offset, limit: 7 } as never))
  t.same(pages, await search('song'))
  t.equal(new Set(pages).size, 60)
})

t.test('artists and the album of a track are found too, after names', async t => {
  const { search } = await build([
    audioFile('1.mp3', 'Song', { artists: ['Prelude'] }), audioFile('2.mp3', 'Prelude', { album: 'Song' })
  ])
  t.same(await search('prelude'), ['Prelude', 'Song'])
  t.same((await search('song prelude')).length, 2)
})

t.test('what matches by signs in the artist or the album comes last', async t => {
  const { search } = await build([
    audioFile('1.mp3', 'A', { artists: ['P!nk'] }), audioFile('2.mp3', 'My P!nks'), audioFile('3.mp3', 'The P!nk'),
    audioFile('4.mp3', 'B', { artists: ['Pink'] }), audioFile('5.mp3', 'C', { album: 'P!nks' })
  ])
  t.same(await search('pink'), ['B', 'The P!nk', 'My P!nks', 'A', 'C'])
})

t.test('the word itself comes before words that begin with it; typing errors only where there is neither', async t => {
  const titles = ['Song prelode', 'Song preludes by many', 'Song of the prelude']
  t.same(await search(titles, 'prelude song'), ['Song of the prelude', 'Song preludes by many'])
  t.same(await search(['Song prelode', 'The prelude'], 'prelude song'), ['Song prelode'])
})

t.test('albums and artists are found, and no longer when their last track is gone', async t => {
  const db = libraryInMemory()
  t.teardown(() => db.close())
  const catalogue = new Catalogue(db)
  const namesOf = async () =>
    [await catalogue.searchAlbums('nacht', { limit: 9 }), await catalogue.searchArtists('nacht', { limit: 9 })]
      .map(items => items.map(({ name }) => name))
  const file = audioFile('a.mp3', 'Song', { album: 'Nachtorgel', artists: ['Nachtvogel'] })
  db.transaction(() => changeIndex(db, { files: [file] }))
  t.same(await namesOf(), [['Nachtorgel'], ['Nachtvogel']])
  db.transaction(() => changeIndex(db, { gone: ['a.mp3'] }))
  catalogue.changed()
  t.same(await namesOf(), [[], []])
})

t.test('others have their turn while many words are looked for', async t => {
  const { catalogue } = await build(Array.from({ length: 100 }, (_, at) =>
    audioFile(`${at}.mp3`, `number${at} second`)))
  const { result, turns } = await countTimedTurns(t, () => catalogue.searchTracks('numbre1 secnod', { limit: 5 }))
  t.equal(result.length, 1)
  t.ok(turns > 4, `${turns} turns`)
})

t.test('names of one length are found in natural order, on each page', async t => {
  const titles = [3, 10, 4, 1, 12, 5, 2, 11].map(part => `Part ${part}`)
  const { search } = await build(titles.map((title, at) => audioFile(`${at}.mp3`, title)))
  const sorted = [1, 2, 3, 4, 5, 10, 11, 12].map(part => `Part ${part}`)
  t.same(await search('part'), sorted)
  t.same((await Promise.all([0, 1, 2, 3].map(page => search('par', { offset: 2 * page, limit: 2 })))).flat(), sorted)
})

t.test('more names of one length than are put in order at once are found once each, lists too', async t => {
  const titles = Array.from({ length: 2300 }, (_, at) => `Part ${1000 + at}`)
  const files = titles.map((title, at) => audioFile(`${at}.mp3`, title, { genres: ['Rock'] }))
  const { catalogue, search } = await build(files)
  const [genre] = catalogue.playlists.values()
  t.same((await catalogue.playlistTracks(genre!, 20)).map(({ title }) => title), titles.slice(0, 20))
  const pages = await Promise.all([0, 800, 1600].map(offset => search('part', { offset, limit: 800 })))
  t.same(pages.flat().sort(), titles)
})
