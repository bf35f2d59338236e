import t from 'tap'
import { NotFoundError, type LibraryCall, type SourceAdapter } from 'fastify-source-origin'
import { checkSource, type RuleId } from 'fastify-source-origin/check'
import { buildOnce, token } from '../../helper.ts'
import { albums, artists, faulty, sound, tracks } from '../library-faults.ts'

const app = await buildOnce(t)

function find<T extends { id: string }> (list: readonly T[], id: string): T {
  const item = list.find(item => item.id === id)
  if (item === undefined) throw new NotFoundError(`Not found: ${id}`)
  return item
}

const cut = <T>(list: T[], limit: number) => limit === -1 ? list : list.slice(0, limit)
const albumWith = (change: (list: typeof tracks) => typeof tracks): SourceAdapter => ({
  getAlbumDetail: (id, limit) => {
    const album = adapter.getAlbumDetail(id)
    return { ...album, tracks: cut(change(album.tracks), limit) }
  }
})

/** A source whose lists are its library: no operation lists anything. */
const adapter = {
  library: sound,
  getTrackDetail: (id: string) => find(tracks, id),
  getTrackUrl: (id: string) => ({ url: `https://audio.example/${find(tracks, id).id}.mp3`, quality: '' }),
  getTrackLyrics: (id: string) => ({ lyrics: find(tracks, id).title }),
  getArtistDetail: (id: string, limit = -1) => ({
    ...find(artists, id), tracks: cut(tracks.filter(({ artists }) => artists.some(artist => artist.id === id)), limit)
  }),
  getAlbumDetail: (id: string, limit = -1) => ({
    ...find(albums, id), trackCount: 2, tracks: cut(tracks.filter(({ album }) => album.id === id), limit)
  })
} satisfies SourceAdapter

const check = (change: SourceAdapter) =>
  checkSource({ app: app({ ...adapter, ...change }, { stateless: true }), authorization: token })

t.test('a source that lists its music by its library only is checked completely', async t => {
  const { findings, operations, sampled, notLoaded } = await check({})
  t.strictSame(findings, [])
  const checked = operations.filter(({ outcome }) => outcome === 'ok').map(({ operation }) => operation)
  t.strictSame(checked, [
    'serviceStatus', 'status', 'getTrackDetail', 'getTrackUrl', 'getTrackLyrics', 'getArtistDetail', 'getAlbumDetail'
  ])
  t.strictSame(sampled.track, { asked: 3, known: 10 })
  t.equal(notLoaded.length, 3)
})

t.test('an operation is checked with the ids of the library if only it is wanted', async t => {
  const { findings, operations } =
    await checkSource({ app: app(adapter, { stateless: true }), authorization: token, only: ['getAlbumDetail'] })
  t.strictSame(findings, [])
  t.match(operations.at(-1), { operation: 'getAlbumDetail', outcome: 'ok' })
})

t.test('a sample has an item that only the library has', async t => {
  const { findings } = await check({
    getNewTracks: () => tracks.slice(0, 4),
    getTrackDetail: id => id === 't41' ? find([], id) : find(tracks, id)
  })
  t.match(findings, [{ rule: 'id-unresolved', request: 'GET /v1/track?id=t41' }])
})

const faults: [rule: RuleId, operation: string, title: string, change: SourceAdapter][] = [
  ['id-unresolved', 'getTrackDetail', 'tracks that have no detail', { getTrackDetail: id => find([], id) }],
  ['id-unresolved', 'getAlbumDetail', 'albums by another id', { getAlbumDetail: id => find([], id) }],
  ['detail-differs', 'getTrackDetail', 'another title in the detail',
    { getTrackDetail: id => ({ ...find(tracks, id), title: `${id} of a file` }) }],
  ['tracks-unstable', 'getAlbumDetail', 'the tracks of an album in reverse',
    albumWith(tracks => tracks.toReversed())],
  ['nothing-found', 'getTrackLyrics', 'no track has lyrics', { getTrackLyrics: id => find([], id) }]
]
for (const [rule, operation, title, change] of faults) {
  t.test(`${rule}: ${title}`, async t => {
    const { findings } = await check(change)
    t.strictSame(
      [...new Set(findings.map(({ rule, operation }) => `${rule} ${operation}`))], [`${rule} ${operation}`],
      JSON.stringify(findings, null, 1)
    )
  })
}

t.test('a cover of the library is loaded, and its names and units are checked', async t => {
  const library = faulty({
    items: async (kind: 'albums', ids: string[], call: LibraryCall) => (await sound.items(kind, ids, call)).map(item =>
      item && { ...item, ...kind === 'albums' ? { coverUrl: '/cover.jpg' } : {} })
  })
  const { findings } = await check({ library })
  t.match(findings, [{ rule: 'cover-url', operation: 'status', request: "library.items('albums') of 200 ids" }])
  t.equal(findings.length, 1)
})

t.test('an album that has a part of its tracks has another number than in the library', async t => {
  const { findings } = await check({
    getAlbumDetail: (id, limit) => {
      const album = adapter.getAlbumDetail(id)
      return { ...album, trackCount: 1, tracks: cut(album.tracks.slice(0, 1), limit) }
    }
  })
  t.strictSame(findings.map(({ rule, operation }) => [rule, operation]), [['track-count', 'getAlbumDetail']])
})
