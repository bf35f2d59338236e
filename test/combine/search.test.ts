import t from 'tap'
import fc from 'fast-check'
import { combined, pageOf, sourceOf, trackOf } from './helper.ts'

/** A source whose search finds tracks with these titles, and how often it was asked. */
function searching (titles: readonly string[], short?: number) {
  const asked: [offset: number, limit: number][] = []
  const tracks = titles.map((title, at) => trackOf(`${at}`, title))
  const searchTracks = (_keyword: string, offset: number, limit: number) => {
    asked.push([offset, limit])
    return pageOf(tracks, offset, limit, short)
  }
  return { adapter: { searchTracks }, asked }
}

const titles = (name: string, count: number) => Array.from({ length: count }, (_empty, at) => `${name} ${at}`)

t.test('the best of each source come in turns, and exact names first', async t => {
  const { searchTracks } = combined([
    sourceOf('a', searching(['Dawning', 'Dawn', 'Dawned']).adapter),
    sourceOf('b', searching(['Dawn II', 'DÁWN ']).adapter)
  ])
  const { items, ...page } = await searchTracks('dawn', 0, 20)
  t.strictSame(items.map(({ id, title }: any) => `${id} ${title}`), [
    'a:1 Dawn', 'b:1 DÁWN ', 'a:0 Dawning', 'b:0 Dawn II', 'a:2 Dawned'
  ])
  t.strictSame(page, { offset: 0, limit: 20, hasMore: false })
})

t.test('a page costs the calls of that page, however deep it is and however long the sources are', async t => {
  const sources = Array.from({ length: 20 }, (_empty, at) => searching(titles('x', at % 2 === 0 ? 100_000 : 40_000)))
  const { searchTracks } = combined(sources.map(({ adapter }, at) => sourceOf(`s${at}`, adapter)))
  const first = await searchTracks('x', 0, 20)
  t.equal(first.items.length, 20)
  t.ok(sources.every(({ asked }) => asked.length === 1))
  for (const { asked } of sources) asked.length = 0
  const deep = await searchTracks('x', 1_200_000, 20)
  t.strictSame(deep.items.slice(0, 2).map(({ id }: { id: string }) => id), ['s0:80000', 's2:80000'])
  t.ok(sources.every(({ asked }) => asked.length < 25), 'the end of a shorter source is found by halves')
})

const searchOf = (lists: readonly { titles: string[], short: number }[]) =>
  combined(lists.map(({ titles, short }, at) => sourceOf(`s${at}`, searching(titles, short).adapter)))

const lists = fc.array(fc.record({
  titles: fc.array(fc.constantFrom('x', 'X', 'xy', 'y', 'z'), { maxLength: 90 }), short: fc.integer({ min: 1, max: 30 })
}), { minLength: 2, maxLength: 5 })

t.test('all pages together are a plain merge of the lists, whatever their sizes', async t => {
  await fc.assert(fc.asyncProperty(lists, fc.integer({ min: 1, max: 100 }), async (lists, limit) => {
    const { searchTracks } = searchOf(lists)
    type Place = { source: number, place: number, turn: number }
    const inTurns = (places: Place[]) => places.sort((a, b) => a.turn - b.turn || a.source - b.source)
    const parts = lists.map(({ titles }, source) => {
      const isFirst = titles.map((title, place) => place < 20 && title.toLowerCase() === 'x')
      const places = titles.map((_title, place) => ({ source, place, turn: place }))
      const rest = places.filter(({ place }) => !isFirst[place]).map((item, turn) => ({ ...item, turn }))
      return { first: places.filter(({ place }) => isFirst[place]), rest }
    })
    const expected = [...inTurns(parts.flatMap(({ first }) => first)), ...inTurns(parts.flatMap(({ rest }) => rest))]
    const found: string[] = []
    for (let hasMore = true; hasMore;) {
      const page = await searchTracks('x', found.length, limit)
      found.push(...page.items.map(({ id }: { id: string }) => id))
      hasMore = page.hasMore
      if (hasMore && page.items.length !== limit) throw new Error('A page is short')
    }
    if (found.join() !== expected.map(({ source, place }) => `s${source}:${place}`).join()) throw new Error(`Not ${found}`)
  }))
})

t.test('any page is that part of the whole list', async t => {
  const limits = fc.integer({ min: 1, max: 100 })
  await fc.assert(fc.asyncProperty(lists, fc.nat(460), limits, async (lists, offset, limit) => {
    const { searchTracks } = searchOf(lists)
    const all: string[] = []
    for (let hasMore = true; hasMore;) {
      const page = await searchTracks('x', all.length, 100)
      all.push(...page.items.map(({ id }: { id: string }) => id))
      hasMore = page.hasMore
    }
    const { items, hasMore } = await searchTracks('x', offset, limit)
    const part = all.slice(offset, offset + limit)
    if (items.map(({ id }: { id: string }) => id).join() !== part.join()) throw new Error('Another part')
    if (hasMore !== (offset + limit < all.length)) throw new Error('hasMore')
  }))
})

t.test('a source that promises more and gives nothing has ended', async t => {
  const endless = {
    searchTracks: (_keyword: string, offset: number) => ({ items: offset === 0 ? [trackOf('1')] : [], hasMore: true })
  }
  const { searchTracks } = combined([sourceOf('a', endless), sourceOf('b', searching(titles('x', 30)).adapter)])
  t.equal((await searchTracks('x', 0, 100)).items.length, 31)
  t.match(await searchTracks('x', 29, 2), { items: [{ id: 'b:28' }, { id: 'b:29' }], hasMore: false })
  t.match(await searchTracks('x', 200, 2), { items: [], hasMore: false })
})

t.test('suggestions are the best of each source in turns, as many as the one with most gives', async t => {
  const suggesting = (...names: string[]) => ({
    searchSuggest: () => ({
      songs: names.map(name => trackOf(name)),
      artists: [],
      albums: names.slice(0, 1).map(name => ({ id: name, name, coverUrl: '' }))
    })
  })
  const { searchSuggest } = combined([sourceOf('a', suggesting('1', '2', 'x')), sourceOf('b', suggesting('3'))])
  const { songs, artists, albums } = await searchSuggest('X')
  t.strictSame(songs.map(({ id }: { id: string }) => id), ['a:x', 'a:1', 'b:3'])
  t.strictSame([artists, albums.length], [[], 1])
})

t.test('items without a name are items, and what cannot be read fails the page', async t => {
  const of = (...items: unknown[]) => ({ searchTracks: () => pageOf(items, 0, 20) })
  const { searchTracks } = combined([sourceOf('a', of(null, { id: '1' })), sourceOf('b', of({ id: '2', name: 'x' }))])
  t.strictSame((await searchTracks('x', 0, 20)).items, [{ id: 'b:2', name: 'x' }, null, { id: 'a:1' }])
  const odd = { id: '1', title: { toString () { throw new Error('odd') } } }
  const { searchTracks: broken } = combined([sourceOf('a', of(odd)), sourceOf('b', of())])
  await t.rejects(broken('x', 0, 20), { message: 'odd' })
})
