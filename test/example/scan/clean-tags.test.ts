import t from 'tap'
import { cleanNumber, cleanText, splitDate, splitList, timeOfDate } from '../../../example/scan/clean-tags.ts'

const dateOf = (value: unknown) => timeOfDate(splitDate(value))

t.test('control characters, odd spaces and unpaired surrogates go, accents get one form', async t => {
  t.equal(cleanText(' a\0b\n\u200bc\t '), 'a b c')
  t.equal(cleanText('x\ud800y'), 'x y')
  t.equal(cleanText('Bjo\u0308rk'), 'Björk')
})

const joined: Record<string, string> = {
  Persian: 'می\u200cخواهم',
  'Persian after a digit and after a Latin letter': '۲۰\u200cساله و CD\u200cها',
  Hindi: 'राजर्\u200dषि क्\u200cष',
  'Bengali, before the virama': 'র\u200d্যাপ',
  Sinhala: 'ශ්\u200dරී',
  'Malayalam, at the end of a word': 'അവന്\u200d അവള്\u200d',
  'a family': '👨\u200d👩\u200d👧 👩🏽\u200d🚀 🏳️\u200d🌈'
}
for (const [what, name] of Object.entries(joined)) {
  t.test(`joiners stay in a name in which they say how it is written: ${what}`, async t => {
    t.equal(cleanText(name), name)
  })
}

t.test('joiners beside which nothing is joined go', async t => {
  t.equal(cleanText('\u200cمی\u200c'), 'می')
  t.equal(cleanText('\u200dनाम \u200d👧\u200d'), 'नाम 👧')
  t.equal(cleanText('می \u200c خواهم'), 'می خواهم')
  t.equal(cleanText('\u200c\u200d'), undefined)
})

t.test('other signs that nobody sees go as before, in names with joiners too', async t => {
  t.equal(cleanText('\ufeff\u202bمی\u200cخواهم\u202c\u200f'), 'می\u200cخواهم')
  t.equal(cleanText('می\u200c\u200bخواهم'), 'می خواهم')
})

t.test('a long text that is cut does not end with a joiner', async t => {
  t.equal(cleanText(`${'ی'.repeat(298)}\u200c${'ی'.repeat(9)}`), `${'ی'.repeat(298)}…`)
})

t.test('a blank text and what is no text are nothing', async t => {
  for (const value of ['', ' \0 ', undefined, null, 7, {}]) t.equal(cleanText(value), undefined)
})

t.test('a very long text is cut between characters', async t => {
  t.equal([...cleanText('😀'.repeat(100_000))!].length, 300)
  t.match(cleanText('a'.repeat(301)), /^a{299}…$/)
  t.equal(cleanText('a'.repeat(300)), 'a'.repeat(300))
})

t.test('absurd numbers are none', async t => {
  for (const value of [0, -1, 1.5, 10_000, NaN, Infinity, null, undefined, '7']) {
    t.equal(cleanNumber(value, 9999), undefined)
  }
  t.equal(cleanNumber(9999, 9999), 9999)
})

t.test('a date gives the year and the time', async t => {
  t.same(dateOf('2021-05-03T10:00:00'), { year: 2021, publishTime: Date.UTC(2021, 4, 3) })
  t.same(dateOf('2021-05'), { year: 2021, publishTime: Date.UTC(2021, 4, 1) })
  t.same(dateOf(2021), { year: 2021, publishTime: Date.UTC(2021, 0, 1) })
  t.same(dateOf('2021-00-00'), { year: 2021, publishTime: Date.UTC(2021, 0, 1) })
  t.same(dateOf('2021-13-45'), { year: 2021, publishTime: Date.UTC(2021, 0, 1) })
  t.same(dateOf('2021-05-00'), { year: 2021, publishTime: Date.UTC(2021, 4, 1) })
  t.same(dateOf('2021-12-31'), { year: 2021, publishTime: Date.UTC(2021, 11, 31) })
  t.same(dateOf('12.05.1999'), { year: 1999, publishTime: Date.UTC(1999, 4, 12) })
  for (const year of ['c. 1978', 'ca 1978', 'Circa 1978']) t.match(dateOf(year), { year: 1978 })
  for (const value of [undefined, 'soon', '198?', 'concert', '0000', '9999', 21, '']) t.same(dateOf(value), {})
})

t.test('a list is split, cleaned and without doubles', async t => {
  t.same(splitList(['Rock; Pop', 'Pop', ' ']), ['Rock', 'Pop'])
  t.same(splitList(['Rock\\\\Pop; Jazz', 'AC\\DC']), ['Rock', 'Pop', 'Jazz', 'AC\\DC'])
  t.same(splitList([]), [])
})
