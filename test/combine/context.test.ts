import t from 'tap'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { build, authorized, token } from '../helper.ts'
import { combined, sourceOf, trackOf } from './helper.ts'

const key = (...keys: string[]) => keys.map(key => ({ key, label: key.toUpperCase() }))

t.test('a combination offers what any of its sources does, and each what it has', async t => {
  const sources = [
    sourceOf('home', { getTrackDetail: () => trackOf('1'), favoriteTrack: () => {} }),
    sourceOf('radio', { getRoamTracks: () => [trackOf('2')], userArtists: () => [] }, { stateless: undefined })
  ]
  const app = await build(t, {
    resolveContext: ({ authorization }) => authorization === token ? combineSources(sources) : null
  })
  const { data } = (await app.inject({ url: '/v1/status', headers: authorized })).json()
  // A source without an account has no favourites.
  t.strictSame(data.capabilities, ['songDetail', 'trackFavorite', 'roamTracks'])
  t.equal(data.stateless, false)
  const { data: track } = (await app.inject({ url: '/v1/track?id=home:1', headers: authorized })).json()
  t.match(track, { id: 'home:1', title: '1' })
})

t.test('a source without an adapter is left out for this account', t => {
  const { adapter, account, varyBy } = combineSources([
    sourceOf('home', { getNewTracks: () => [] }, { account: 'a' }), { id: 'away', name: 'Away', adapter: undefined }
  ])
  t.strictSame(Object.keys(adapter), ['getNewTracks', 'library'])
  t.equal(adapter.library, undefined)
  t.equal(account, '[["home","a"]]')
  t.equal(varyBy, '[["home",null]]')
  t.strictSame(Object.keys(combineSources([{ id: 'away', name: 'Away', adapter: null }]).adapter), ['library'])
  t.equal(combineSources([]).account, undefined)
  t.end()
})

for (const [what, source] of [
  ['a function', { adapter: () => ({}) }], ['a promise', { adapter: Promise.resolve({}) }],
  ['a misspelt member', { adaptor: {} }]
] as const) {
  t.test(`${what} in place of the adapter of a source is refused`, t => {
    t.throws(() => combineSources([{ id: 'home', name: 'Home', ...source } as never]), {
      code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION',
      message: 'Option "adapter" must be an object, or undefined for an account without the source'
    })
    t.end()
  })
}

t.test('an adapter can be taken apart and spread, with its library', async t => {
  const library = createLibrary({ artists: [], albums: [], tracks: [trackOf('1')] })
  const { adapter } = combineSources([sourceOf('home', { getTrackDetail: () => trackOf('1'), library })])
  const { getTrackDetail, library: own } = adapter
  t.match(await getTrackDetail!('home:1'), { id: 'home:1' })
  for (const { library } of [{ library: own }, { ...adapter }, Object.create(adapter)]) {
    t.match(await library.facets('tracks'), { total: 1 })
  }
})

t.test('the account, varyBy and revision are those of all sources; without one account there is none', t => {
  const of = (account?: string) => combineSources([
    sourceOf('a', {}, { account, varyBy: 'x', revision: '1' }), sourceOf('b', {}, { account: 'b' })
  ])
  t.match(of('a'), {
    account: '[["a","a"],["b","b"]]', varyBy: '[["a","x"],["b",null]]', revision: '[["a","1"],["b",null]]'
  })
  t.equal(of().account, undefined)
  t.end()
})

t.test('qualities and orders of playlists are those of all sources, each once', t => {
  const { qualityMap, playlistSortOptions } = combineSources([
    sourceOf('a', {}, { qualityMap: key('high', 'low') }),
    sourceOf('b', {}, { qualityMap: key('low', 'best') }),
    sourceOf('c', {})
  ])
  t.strictSame(qualityMap, key('high', 'low', 'best'))
  t.equal(playlistSortOptions, undefined)
  t.end()
})

t.test('a source is not asked for a quality or an order that it does not offer', async t => {
  const calls: unknown[][] = []
  const adapter = {
    getTrackUrl: (...args: unknown[]) => { calls.push(args); return { url: 'https://a.test', quality: 'x' } },
    getPlaylistDetail: (...args: unknown[]) => { calls.push(args); return { id: '1', name: '', tracks: [] } }
  }
  const { getTrackUrl, getPlaylistDetail } = combined([
    sourceOf('a', adapter, { qualityMap: key('high'), playlistSortOptions: key('title') }), sourceOf('b', adapter)
  ])
  await getTrackUrl('a:1', 'high')
  await getTrackUrl('a:1', 'best')
  await getTrackUrl('b:1', 'best')
  await getPlaylistDetail('a:1', -1, 'title', 'desc')
  await getPlaylistDetail('a:1', -1, 'year', 'desc')
  t.strictSame(calls, [
    ['1', 'high'], ['1', undefined], ['1', 'best'], ['1', -1, 'title', 'desc'], ['1', -1, undefined, undefined]
  ])
})

t.test('wrong options and sources are refused by name', t => {
  const refuses = (run: () => unknown, message: RegExp) => t.throws(run, { code: /^SOURCE_ORIGIN_ERR_/, message })
  refuses(() => combineSources('a' as never), /sources/)
  for (const id of ['', 'a:b', '+a', 'x'.repeat(33), undefined]) {
    refuses(() => combineSources([sourceOf('a', {}), { id: id as string, name: '' }]), /id.*32/)
  }
  refuses(() => combineSources([undefined as never]), /id/)
  refuses(() => combineSources([sourceOf('a', {}), sourceOf('a', {})]), /another one/)
  refuses(() => combineSources([sourceOf('a', {}, { name: undefined as never })]), /name/)
  for (const timeout of [-1, Number.NaN, 1e12, '3000']) {
    refuses(() => combineSources([], { timeout: timeout as number }), /timeout/)
    refuses(() => combineSources([sourceOf('a', {}, { timeout: timeout as number })]), /timeout/)
  }
  refuses(() => combineSources([sourceOf('a', {})], { playlistSource: 'b' }), /playlistSource.*one of the sources/)
  refuses(() => combineSources([], { playlistSorce: 'a' } as never), /playlistSource/)
  refuses(() => combineSources([], { log: 1, onPartial: 2 } as never), /log/)
  t.end()
})
