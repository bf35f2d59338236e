import t from 'tap'
import { SearchIndex } from '../../../example/catalogue/search-index.ts'
import { countTurns } from '../helper.ts'

const search = (names: string[], keyword: string) =>
  new SearchIndex(names, name => ({ id: String(names.indexOf(name)).padStart(3, '0'), name })).search(keyword)

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
  'Persian, with the joiner, without it and with a space': ['می\u200cخواهم', 'می\u200cخواهم', 'میخواهم', 'می خواهم', 'خواهم'],
  'Persian that is written in one': ['میخواهم', 'می\u200cخواهم'],
  'Persian that is written with a space': ['می خواهم', 'می\u200cخواهم'],
  'Hindi, with the joiner and without it': ['राजर्\u200dषि', 'राजर्\u200dषि', 'राजर्षि'],
  'Hindi without the joiner': ['राजर्षि', 'राजर्\u200dषि'],
  'an emoji of several': ['👨\u200d👩\u200d👧', '👨\u200d👩\u200d👧', '👨👩👧'],
  'signs between words': ['AC/DC: T.N.T.', 'ac dc', 'ac/dc', 't.n.t']
}
for (const [what, [name, ...keywords]] of Object.entries(found)) {
  for (const keyword of keywords) {
    t.test(`${what}: ${keyword} finds ${name}`, async t => {
      t.same(await search(['Something else', name], keyword), [name])
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
  blanks: ['Song', '  '],
  'a joiner alone': ['Song', '\u200c']
}
for (const [what, [name, keyword]] of Object.entries(missed)) {
  t.test(`${what} finds nothing: ${keyword}`, async t => {
    t.same(await search([name], keyword), [])
  })
}

t.test('the name itself comes first, then what begins with it, then what holds it, then the rest', async t => {
  t.same(await search(['Lovly', 'I Love You', 'Love Me', 'Love'], 'love'), ['Love', 'Love Me', 'I Love You'])
  t.same(await search(['莉花茉', '小茉莉', '茉莉花', '茉莉'], '茉莉'), ['茉莉', '茉莉花', '小茉莉', '莉花茉'])
})

t.test('a keyword of thousands of words finds what has the first ones, and does not take its time for each', async t => {
  t.same(await search(['花月', '花'], '花月'.repeat(2000)), ['花月'])
  const many = Array.from({ length: 3000 }, (_, at) => `word${at}`)
  t.same((await search([many.slice(0, 20).join(' ')], many.join(' '))).length, 1)
  t.same(await search(['x'], 'x'.repeat(8000)), [])
})

t.test('the order is the same on every call, equals too', async t => {
  const names = Array.from({ length: 50 }, (_, at) => `Same ${'name '.repeat(at % 3)}`)
  const items = names.map((name, at) => ({ id: String(at), name }))
  const index = new SearchIndex(items, item => item)
  t.equal((await index.search('same')).length, 50)
  t.same(await index.search('same'), await new SearchIndex(items.toReversed(), item => item).search('same'))
})

t.test('other texts of an item are found too, after names', async t => {
  const items = [{ id: '1', name: 'Song', more: 'Prelude' }, { id: '2', name: 'Prelude', more: 'Song' }]
  t.same((await new SearchIndex(items, item => item).search('prelude')).map(({ id }) => id), ['2', '1'])
  t.same((await new SearchIndex(items, item => item).search('song prelude')).length, 2)
})

t.test('the word itself comes before words that begin with it, and those before typing errors', async t => {
  t.same(await search(['Song prelode', 'Song preludes by many', 'Song of the prelude'], 'prelude song'), ['Song of the prelude', 'Song preludes by many', 'Song prelode'])
})

t.test('others have their turn while an index of many is made and searched', async t => {
  const index = new SearchIndex(Array.from({ length: 1000 }, (_, at) => `number${at}`), name => ({ id: name, name }))
  const made = await countTurns(t, () => index.prepare())
  t.ok(made.turns > 1000, `${made.turns} turns while it was made`)
  const { result, turns } = await countTurns(t, () => index.search('numbre1'))
  t.equal(result.length, 1)
  t.ok(turns > 0)
})
