import t from 'tap'
import fc from 'fast-check'
import { fifthOfRuns } from '../fifth.ts'
import { fakeTime } from '../fake-time.ts'
import { combined, pageOf, sourceOf, trackOf } from './helper.ts'

const tracks = (count: number) => Array.from({ length: count }, (_empty, at) => trackOf(`${at}`))
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)
const searching = (searchTracks: object) => ({ searchTracks })

/** All pages of a search. */
async function readAll (searchTracks: (...args: any[]) => any, limit: number): Promise<string[]> {
  const found: string[] = []
  for (let [offset, hasMore] = [0, true]; hasMore; offset += limit) {
    const page = await searchTracks('x', offset, limit)
    found.push(...idsOf(page.items))
    hasMore = page.hasMore
  }
  return found
}

/** Pages of a source that leaves out what it does not want to show after it has counted. */
const filtered = (all: readonly ReturnType<typeof trackOf>[], isOut: (place: number) => boolean) =>
  (_keyword: string, offset: number, limit: number) => {
    const page = pageOf(all, offset, limit)
    return { ...page, items: page.items.filter(({ id }) => !isOut(Number(id))) }
  }

t.test('pages with items left out lose nothing, and have nothing twice', async t => {
  const places = fc.uniqueArray(fc.nat(200), { maxLength: 60 })
  await fc.assert(fc.asyncProperty(places, fc.nat(200), fc.integer({ min: 1, max: 100 }), async (out, count, limit) => {
    const isOut = (place: number) => out.includes(place)
    const { searchTracks } = combined([
      sourceOf('a', searching(filtered(tracks(count), isOut))), sourceOf('b', searching(() => pageOf([], 0, 20)))
    ])
    const found = await readAll(searchTracks, limit)
    const expected = idsOf(tracks(count)).filter(id => !isOut(Number(id))).map(id => `a:${id}`)
    const lost = expected.filter(id => !found.includes(id))
    if (lost.length > 0) throw new Error(`Lost ${lost}`)
    const { items } = await searchTracks('x', 0, limit)
    if (new Set(idsOf(items)).size < items.length) throw new Error(`Twice: ${idsOf(items)}`)
  }), fifthOfRuns(300))
})

t.test('a source that shows one of 20 items has each of them on one page', async t => {
  const rare = (place: number) => place % 20 > 0
  const { searchTracks } = combined([
    sourceOf('a', searching(filtered(tracks(1000), rare))), sourceOf('b', searching(filtered(tracks(200), rare)))
  ])
  const expected = ['a', 'b'].flatMap((source, at) =>
    Array.from({ length: [50, 10][at]! }, (_empty, place) => `${source}:${20 * place}`))
  for (const limit of [7, 50]) t.strictSame((await readAll(searchTracks, limit)).sort(), expected.toSorted())
})

t.test('a source that shows each second item has each of them on one page', async t => {
  const second = filtered(tracks(1000), place => place % 2 > 0)
  const none = searching(() => pageOf([], 0, 20))
  const { searchTracks } = combined([sourceOf('a', searching(second)), sourceOf('b', none)])
  t.equal((await readAll(searchTracks, 50)).length, 500)
})

t.test('a source that gives more than it is asked for loses nothing', async t => {
  const minimum = (_keyword: string, offset: number, limit: number) => pageOf(tracks(30), offset, Math.max(limit, 50))
  const { searchTracks } = combined([sourceOf('a', searching(minimum)), sourceOf('b', searching(minimum))])
  const found = await readAll(searchTracks, 20)
  t.strictSame(found, tracks(30).flatMap(({ id }) => [`a:${id}`, `b:${id}`]))
})

t.test('a source that gives the same page for ever has ended', async t => {
  const same = () => ({ ...pageOf(tracks(3), 0, 20), hasMore: true })
  const { searchTracks } = combined([sourceOf('a', searching(same)), sourceOf('b', searching(() => pageOf([], 0, 20)))])
  t.strictSame(idsOf((await searchTracks('x', 0, 20)).items), ['a:0', 'a:1', 'a:2'])
})

t.test('a source that hangs takes none of the time of the others', async t => {
  const time = fakeTime(t)
  const hangs = () => new Promise(() => {})
  const later = (answer: object) => new Promise(resolve => { setTimeout(resolve, 500, answer) })
  const all = (_keyword: string, offset: number, limit: number) => later(pageOf(tracks(100), offset, limit))
  const missing: string[] = []
  const { searchTracks, getUserMe } = combined([
    sourceOf('a', { searchTracks: hangs, getUserMe: hangs }),
    sourceOf('b', { searchTracks: all, getUserMe: () => later({ userId: '1' }) })
  ], { onPartial: ({ source }) => { missing.push(source) } })
  const page = searchTracks('x', 40, 20)
  await time.passUntil(page)
  t.strictSame(idsOf((await page).items), idsOf(tracks(60).slice(40)).map(id => `b:${id}`))
  const me = getUserMe()
  await time.passUntil(me)
  t.match(await me, { userId: 'b:1' })
  t.strictSame(missing, ['a'])
})
