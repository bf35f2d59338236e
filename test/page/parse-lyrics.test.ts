import t from 'tap'
import { lineAt } from '../../lib/page/browser/state/line-at.ts'
import { parseLyrics } from '../../lib/page/browser/state/parse-lyrics.ts'

const parse = (lyrics: string, wordLyrics = '', translatedLyrics = '') =>
  parseLyrics({ lyrics, wordLyrics, translatedLyrics }).map(({ time, text, translation }) => [time, text, translation])

for (const [title, texts, lines] of [
  ['lines have their times', ['[00:01.50]One\n[01:02]Two\r\n[00:03:25]Three'],
    [[1.5, 'One', ''], [3.25, 'Three', ''], [62, 'Two', '']]],
  ['a line with several times stands there several times', ['[00:05.00][00:01.00]Chorus\n[00:03.00]Verse'],
    [[1, 'Chorus', ''], [3, 'Verse', ''], [5, 'Chorus', '']]],
  ['tags are no lines, and an offset moves them all', ['[ti:Song]\n[offset:+500]\n[00:01.00]One'], [[0.5, 'One', '']]],
  ['lines without words are left out', ['[00:01.00]One\n[00:02.00]\n[00:03.00]Three'],
    [[1, 'One', ''], [3, 'Three', '']]],
  ['a translation belongs to the line of its time', ['[00:01.00]One\n[00:02.00]Two', '', '[00:02.10]Zwei'],
    [[1, 'One', ''], [2, 'Two', 'Zwei']]],
  ['of two translations near a line the nearer one is its own',
    ['[00:01.00]One\n[00:01.20]Two', '', '[00:01.05]Eins\n[00:01.25]Zwei'], [[1, 'One', 'Eins'], [1.2, 'Two', 'Zwei']]],
  ['lyrics without times stay in order, with their empty lines between', ['One\n\nTwo\n', '', 'Eins\n\nZwei'],
    [[undefined, 'One', 'Eins'], [undefined, '', ''], [undefined, 'Two', 'Zwei']]],
  ['what is no text is left out', ['[00:01.00]One', null, null], [[1, 'One', '']]],
  ['no lyrics are no lines', [''], []],
  ['word lyrics without a time give way to the lyrics', ['[00:01.00]One', 'One'], [[1, 'One', '']]]
] as const) {
  t.test(title, async t => t.strictSame(parse(...texts as unknown as [string]), lines))
}

t.test('of absurd lyrics a part is shown: 5,000 lines, a thousand characters of each', async t => {
  const lines = parse(`${'[0:01]'.repeat(6000)}${'x'.repeat(2000)}\n[0:00]never`)
  t.equal(lines.length, 5000)
  t.strictSame(lines.at(-1), [1, 'x'.repeat(1000), ''])
  t.equal(parse('a\n'.repeat(6000)).length, 5000)
  t.strictSame(parse(`${' '.repeat(499_999)}a\nb`), [[undefined, 'a', '']])
})

t.test('every line has the translation of its own time', async t => {
  const times = Array.from({ length: 50 }, (_, at) => `[0:${at}.5]`)
  const lines = parse(
    times.map(time => `${time}a${time}`).join('\n'), '',
    times.filter((_, at) => at % 3 > 0).map(time => `${time}b${time}`).join('\n')
  )
  t.equal(lines.length, 50)
  for (const [at, [, text, translation]] of lines.entries()) {
    t.equal(translation, at % 3 > 0 ? String(text).replace('a', 'b') : '')
  }
})

t.test('words have their times', async t => {
  const [line] =
    parseLyrics({ lyrics: '', wordLyrics: '[00:01.00]Oh <00:01.00>one <00:01.50>two<00:02.00>', translatedLyrics: '' })
  t.strictSame(line, {
    time: 1, text: 'Oh one two', translation: '', words: [{ time: 1, text: 'Oh one ' }, { time: 1.5, text: 'two' }]
  })
})

t.test('an offset moves words too', async t => {
  const [line] =
    parseLyrics({ lyrics: '', wordLyrics: '[offset:500]\n[00:01.00]<00:01.00>one <00:00.20>two', translatedLyrics: '' })
  t.strictSame(line, {
    time: 0.5, text: 'one two', translation: '', words: [{ time: 0.5, text: 'one ' }, { time: 0, text: 'two' }]
  })
})

t.test('the line that is sung is the last that has begun', async t => {
  const lines = parseLyrics({ lyrics: '[00:01.00]One\n[00:03.00]Two' })
  t.strictSame([0, 1, 2.9, 3].map(time => lineAt(lines, time)), [-1, 0, 0, 1])
})
