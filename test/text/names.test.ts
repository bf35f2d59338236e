import t from 'tap'
import { compareNames, foldName, foldText, letterOf, sortKey, withoutArticle } from '../../lib/text/names.ts'

for (const [name, letter] of [
  ['Ada', 'A'], ['ärger', 'A'], ['“Ålesund”', 'A'], ['"Weird Al" Yankovic', 'W'], ['¿Téo?', 'T'], ['Øyvind', 'Ø'],
  ['ßtraße', 'S'], ['ｆｕｌｌ', 'F'], ['жук', 'Ж'], ['Σωκράτης', 'Σ'],
  ['茉莉花', '#'], ['山下達郎', '#'], ['서울', 'ㅅ'], ['ㄱ', 'ㄱ'], ['さくら', 'あ'], ['カ', 'あ'],
  ['99', '#'], ['+44', '#'], ['$ign', '#'], ['…', '#'], ['!!!', '#'], ['', '#'], ['(Sun)', 'S']
] as const) {
  t.test(`“${name}” stands under ${letter}`, async t => t.equal(letterOf(name), letter))
}

t.test('names are sorted without case, accents and what is before them, numbers by their size', async t => {
  const sorted = ['!!!', '$ign', '9 Lives', '10cc', '100 gecs', 'a-ha', '"Band"', 'Émilie', 'Ölaf', '(Zoo)', 'あ']
  t.strictSame(sorted.toReversed().sort(compareNames), sorted)
})

t.test('names that differ in case, accents or quotes only have one key', async t => {
  t.equal(new Set(['Bjork', 'björk', '“Björk', 'ＢＪＯＲＫ', 'Bj\u200dork'].map(sortKey)).size, 1)
})

t.test('accents that make other letters count', async t => {
  t.not(foldText('か'), foldText('が'))
  t.equal(foldText('Straße'), 'strasse')
})

t.test('a name of more than 1,000 characters is compared as it is', async t => {
  const [name, long] = ['É'.repeat(1000), 'É'.repeat(1001)]
  t.equal(foldName(name), 'e'.repeat(1000))
  t.equal(foldName(long), long)
  t.equal(sortKey(long), long)
})

t.test('a name without its article is the same where it is nothing else', async t => {
  t.strictSame(['The Beatles', 'the the', 'Los Lobos', 'The', 'Theo'].map(withoutArticle),
    ['Beatles', 'the', 'Lobos', 'The', 'Theo'])
})
