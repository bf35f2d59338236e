import t from 'tap'
import { parseLrc, timedWords } from '../../lib/text/parse-lrc.ts'

t.test('a heading of a part is a line, and a tag is none', async t => {
  const { synced, lines } = parseLrc('[by:Ann]\n[Verse 1: Bo]\nOne')
  t.notOk(synced)
  t.strictSame(lines.map(({ value }) => value), ['[Verse 1: Bo]', 'One'])
})

t.test('what stands before the first time of a word belongs to that word', async t => {
  t.strictSame(timedWords('Oh <00:01.00>one <00:01.50>two', 500), [
    { start: 500, value: 'Oh one ' }, { start: 1000, value: 'two' }
  ])
})
