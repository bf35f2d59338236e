import t from 'tap'
import { everyPage } from '../../lib/async/every-page.ts'

/** A list of one letter for each item, which gives no more than some at once. */
function listOf (letters: string, atOnce = Infinity) {
  const asked: string[] = []
  const fetch = async (offset: number, limit: number) => {
    asked.push(`${offset}+${limit}`)
    const end = offset + Math.min(limit, atOnce)
    return { items: Array.from(letters.slice(offset, end), id => ({ id })), hasMore: end < letters.length }
  }
  return { asked, fetch }
}

const idsOf = (items: readonly { id: string }[] | undefined) => items?.map(({ id }) => id).join('')

t.test('a list is read to its end, also where pages are shorter than asked for', async t => {
  const { asked, fetch } = listOf('abcdefg', 2)
  t.equal(idsOf(await everyPage(100, 3, fetch)), 'abcdefg')
  t.strictSame(asked, ['0+3', '2+3', '4+3', '6+3'])
})

t.test('no more are read than wanted, from where they begin', async t => {
  const { asked, fetch } = listOf('abcdefg')
  t.equal(idsOf(await everyPage(4, 3, fetch, 1)), 'bcde')
  t.strictSame(asked, ['1+3', '4+1'])
})

t.test('a source that gives the same page again and again, or an empty one, comes to an end', async t => {
  const same = async () => ({ items: [{ id: 'a' }, { id: 'b' }], hasMore: true })
  t.equal(idsOf(await everyPage(100, 2, same)), 'ab')
  t.equal(idsOf(await everyPage(100, 2, async () => ({ items: [], hasMore: true }))), '')
})

t.test('a list that is not there is told from one that breaks off', async t => {
  t.equal(await everyPage(100, 2, async () => undefined), undefined)
  const { fetch } = listOf('abcd')
  const broken = async (offset: number, limit: number) => offset === 0 ? fetch(offset, limit) : undefined
  await t.rejects(everyPage(100, 2, broken), { name: 'UpstreamError' })
})
