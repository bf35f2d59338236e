import t from 'tap'
import { everyPage } from '../../lib/async/every-page.ts'

/** A list of one letter for each item. A page covers at most `most` places, and lacks the items in `left`. */
function listOf (letters: string, { most = Infinity, left = '' } = {}) {
  const asked: string[] = []
  const fetch = async (offset: number, requested: number) => {
    asked.push(`${offset}+${requested}`)
    const limit = Math.min(requested, most)
    const end = offset + limit
    const items = Array.from(letters.slice(offset, end), id => ({ id })).filter(({ id }) => !left.includes(id))
    return { items, limit, hasMore: end < letters.length }
  }
  return { asked, fetch }
}

const idsOf = (items: readonly { id: string }[] | undefined) => items?.map(({ id }) => id).join('')

t.test('a list is read to its end, also if pages cover fewer places than requested', async t => {
  const { asked, fetch } = listOf('abcdefg', { most: 2 })
  t.equal(idsOf(await everyPage(100, 3, fetch)), 'abcdefg')
  t.strictSame(asked, ['0+3', '2+3', '4+3', '6+3'])
})

t.test('the next page begins at offset + limit, also if a page lacks items or is empty', async t => {
  const { asked, fetch } = listOf('abcdefghi', { left: 'bdefgh' })
  t.equal(idsOf(await everyPage(100, 3, fetch)), 'aci')
  t.strictSame(asked, ['0+3', '3+3', '6+3'])
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
