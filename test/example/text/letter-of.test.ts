import t from 'tap'
import { letterOf } from '../../../example/text/letter-of.ts'

for (const [name, letter] of [
  ['Ada', 'A'], ['ärger', 'A'], ['“Ålesund”', 'A'], ['Øyvind', 'Ø'], ['жук', 'Ж'], ['茉莉花', '漢'], ['서울', '한'],
  ['さくら', 'あ'], ['カ', 'あ'],
  ['99', '#'], ['…', '#'], ['', '#'], ['(Sun)', 'S']
] as const) {
  t.test(`“${name}” stands under ${letter}`, async t => t.equal(letterOf(name), letter))
}
