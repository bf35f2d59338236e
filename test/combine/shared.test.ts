import t from 'tap'
import { extras, operations, type LibraryQuery, type SourceAdapter, type SourceLibrary } from 'fastify-source-origin'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { completeAdapter } from '../helper.ts'
import { wholeList } from '../whole-list.ts'
import { combined, pageOf, sourceOf, trackOf } from './helper.ts'

const personal = {
  favorite: true,
  [extras]: { starred: '2026-01-01T00:00:00Z', played: '2026-01-02T00:00:00Z', playCount: 7, year: 1999 }
}
const track = {
  ...trackOf('1', 'Song', personal),
  album: { id: 'a', name: 'Album', coverUrl: '', ...personal },
  artists: [{ id: 'b', name: 'Artist', ...personal }]
}
const playlists = [
  { id: 'private', name: 'Private' }, { id: 'closed', name: 'Closed', [extras]: { public: false } },
  { id: 'public', name: 'Public', playCount: 7, [extras]: { public: true } }
]
const others = ['1', '2', '3'].map(id => ({ id, name: id, [extras]: { public: true } }))
const hidden = { id: 'hidden', name: 'Hidden', [extras]: { public: false } }

/** A server as the login of its owner sees it. */
const server = {
  getTrackDetail: () => track,
  getNewTracks: () => [track],
  searchTracks: () => pageOf([track], 0, 20),
  userFavoriteTracks: () => [track],
  getUserPlaylist: () => playlists,
  getPlaylists: (offset: number, limit: number) => pageOf([...others, hidden], offset, limit),
  searchPlaylists: (_keyword: string, offset: number, limit: number) =>
    pageOf([...playlists, ...others, hidden], offset, limit),
  getRecommendedPlaylist: (offset: number, limit: number) =>
    pageOf([...playlists, ...others, hidden], offset, limit),
  getPlaylistDetail: (id: string) =>
    ({ ...[...playlists, ...others, hidden].find(one => one.id === id)!, tracks: [track] }),
  getToplist: () => [{ name: 'My plays', list: [] }],
  library: Object.assign(
    createLibrary({ artists: [], albums: [], tracks: [] }), { items: () => [track] }
  ) as SourceLibrary
}

const libraryCall = { signal: new AbortController().signal }
const home = sourceOf('home', { getNewTracks: () => [] })
const shared = (adapter: object) => combined([home, sourceOf('nav', adapter, { shared: true })])

for (const [name, call] of Object.entries({
  details: async (): Promise<any> => shared(server).getTrackDetail('nav:1'),
  lists: async () => (await shared(server).getNewTracks())[0],
  searches: async () => (await shared(server).searchTracks('x', 0, 20)).items[0],
  playlists: async () => (await shared(server).getPlaylistDetail('nav:public', -1)).tracks[0],
  'the library': async () => {
    const { library } = combineSources([home, sourceOf('nav', server, { shared: true })]).adapter
    return (await library!.items('tracks', ['nav:1'], libraryCall))[0]
  }
})) {
  t.test(`${name} of a shared login say nothing of its favourites and plays`, async t => {
    const found = await call() as any
    for (const item of [found, found.album, found.artists[0]] as any[]) {
      t.notOk('favorite' in item)
      t.match(item[extras], { year: 1999, starred: undefined, played: undefined, playCount: undefined })
    }
  })
}

t.test('what the source itself returned is not changed', async t => {
  await shared(server).getTrackDetail('nav:1')
  t.equal((track as object as typeof personal)[extras].playCount, 7)
})

t.test('a shared login shows its playlists that are public, and what others show to it', async t => {
  const { getPlaylists, getRecommendedPlaylist, searchPlaylists, getPlaylistDetail } = shared(server)
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)
  t.strictSame(idsOf(await getPlaylists(0, 20)), ['nav:public', 'nav:1', 'nav:2', 'nav:3'])
  const paged = await Promise.all([0, 1, 2, 3, 4].map(async offset => idsOf(await getPlaylists(offset, 1))))
  t.strictSame(paged.flat(), ['nav:public', 'nav:1', 'nav:2', 'nav:3'])
  t.notOk('playCount' in (await getPlaylists(0, 1)).items[0])
  t.strictSame(idsOf(await getRecommendedPlaylist(0, 20)), ['nav:public', 'nav:1', 'nav:2', 'nav:3'])
  t.strictSame(idsOf(await searchPlaylists('x', 0, 20)), ['nav:public', 'nav:1', 'nav:2', 'nav:3'])
  for (const id of ['private', 'closed', 'hidden']) {
    await t.rejects(getPlaylistDetail(`nav:${id}`, -1), { status: 404, message: 'Playlist not found' })
  }
  t.strictSame(idsOf(await getPlaylists(0, 20, 'nav:all')), ['nav:1', 'nav:2', 'nav:3'])
  t.strictSame(idsOf(await shared({ searchPlaylists: server.searchPlaylists }).searchPlaylists('x', 0, 1)),
    ['nav:private'], 'without a list of its own nothing is known of them')
})

t.test('the library of a shared login has no order by plays', async t => {
  const played = {
    library: {
      revision: '1',
      changedAt: 0,
      items: async (_kind: string, ids: readonly string[]) => ids.map(id => trackOf(id)),
      ids: async ({ sort }: LibraryQuery) => sort === 'plays' ? ['1'] : ['1', '2'],
      facets: async () => ({ ...await server.library.facets('tracks', libraryCall), sorts: ['name', 'plays'] as const })
    }
  }
  const libraryOf = (more: object) => combineSources([sourceOf('nav', played, more)]).adapter.library!
  const idsOf = async (more: object, sort: 'plays' | 'album') =>
    wholeList(libraryOf(more).ids({ kind: 'tracks', sort }, libraryCall))
  t.strictSame((await libraryOf({}).facets('tracks', libraryCall)).sorts, ['name', 'plays'])
  t.strictSame((await libraryOf({ shared: true }).facets('tracks', libraryCall)).sorts, ['name'])
  t.equal((await idsOf({}, 'plays')).length, 1)
  t.strictSame(await idsOf({ shared: true }, 'plays'), [])
})

t.test('what is of the account is not offered by a shared login', async t => {
  const extra = Object.fromEntries(
    ['onPlay', 'getPlays', 'startScan', 'getScanStatus', 'editPlaylist'].map(name => [name, () => ({})]))
  const all = { ...completeAdapter().adapter, ...extra } as object as SourceAdapter
  const { adapter } = combineSources([sourceOf('nav', all, { shared: true })])
  const lists = ['getToplist', 'getToplistTracks']
  const expected = operations.filter(({ stateful, adapterMethod }) => !stateful && !lists.includes(adapterMethod))
  const { library, getScanStatus, ...methods } = adapter
  t.type(getScanStatus, 'function')
  t.strictSame(Object.keys(methods).sort(), expected.map(({ adapterMethod }) => adapterMethod).sort())
})

t.test('items of a source without favourites do not say that they are none', async t => {
  const { getTrackDetail } = combined([
    sourceOf('home', { favoriteTrack: () => ({ success: true, status: true }), getTrackDetail: () => track }),
    sourceOf('friend', { getTrackDetail: () => track }, { stateless: true })
  ])
  const [own, other] = [await getTrackDetail('home:1'), await getTrackDetail('friend:1')]
  t.equal(own.favorite, true)
  t.notOk('favorite' in own.album)
  t.notOk('favorite' in other)
  t.equal(other[extras].playCount, 7)
})
