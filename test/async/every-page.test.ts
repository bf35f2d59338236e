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

t.test('a list whose pages leave items out is read whole, with two calls for a page', async t => {
  const calls: number[] = []
  const rare = async (offset: number, limit: number) => {
    calls.push(offset)
    const places = Array.from({ length: Math.min(limit, 1000 - offset) }, (_empty, at) => offset + at)
    return { items: places.filter(at => at % 20 === 0).map(at => ({ id: `${at}` })), hasMore: offset + limit < 1000 }
  }
  const found = await everyPage(500, 100, rare)
  t.strictSame(found!.map(({ id }) => Number(id)), Array.from({ length: 50 }, (_empty, at) => 20 * at))
  t.ok(calls.length < 25, `${calls}`)
})

t.test('a list goes on behind pages that leave out all items', async t => {
  const fetch = async (offset: number, limit: number) => ({
    items: offset <= 500 && offset + limit > 500 ? [{ id: 'x' }] : [], hasMore: offset < 600
  })
  t.equal(idsOf(await everyPage(10, 100, fetch)), 'x')
})

t.test('a list that is not there is told from one that breaks off', async t => {
  t.equal(await everyPage(100, 2, async () => undefined), undefined)
  const { fetch } = listOf('abcd')
  const broken = async (offset: number, limit: number) => offset === 0 ? fetch(offset, limit) : undefined
  await t.rejects(everyPage(100, 2, broken), { name: 'UpstreamError' })
})
