import t from 'tap'
import { mergedId } from '../../lib/combine/combined-ids.ts'
import { combined, pageOf, sourceOf, trackOf } from './helper.ts'

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)
const tracks = (...ids: string[]) => ids.map(id => trackOf(id))

t.test('new tracks and top artists come in turns, what an account has one source behind the other', async t => {
  const of = (...ids: string[]) =>
    ({ getNewTracks: () => tracks(...ids), userFavoriteTracks: () => tracks(...ids) })
  const { getNewTracks, userFavoriteTracks } = combined([sourceOf('a', of('1', '2')), sourceOf('b', of('3'))])
  t.strictSame(idsOf(await getNewTracks()), ['a:1', 'b:3', 'a:2'])
  t.strictSame(idsOf(await userFavoriteTracks()), ['a:1', 'a:2', 'b:3'])
})

t.test('categories and groups of charts say whose they are where several sources have some', async t => {
  const adapter = {
    getPlaylistCategories: () => [{ key: 'rock', label: 'Rock' }], getToplist: () => [{ name: 'Charts', list: [] }]
  }
  const both = combined([sourceOf('a', adapter), sourceOf('b', { ...adapter, getToplist: undefined })])
  t.strictSame(await both.getPlaylistCategories(), [
    { key: 'a:rock', label: 'Rock · A' }, { key: 'b:rock', label: 'Rock · B' }
  ])
  t.strictSame(await both.getToplist(), [{ name: 'Charts', list: [] }])
  const odd = combined([sourceOf('a', adapter), sourceOf('b', { getToplist: () => [null, { list: [] }, 'x'] })])
  t.strictSame(await odd.getToplist(), [{ name: 'Charts · A', list: [] }, null, { list: [] }, 'x'])
  const none = combined([sourceOf('a', adapter), sourceOf('b', { getToplist: () => null })])
  t.match(await none.getToplist(), [{ name: 'Charts' }])
})

t.test('playlists of all sources are paged, those of a category of one source alone', async t => {
  const of = (...ids: string[]) => ({
    getPlaylists: (offset: number, limit: number, category?: string) =>
      pageOf(ids.map(id => ({ id, name: category ?? id })), offset, limit)
  })
  const { getPlaylists } = combined([sourceOf('a', of('1', '2')), sourceOf('b', of('3'))])
  t.match(await getPlaylists(1, 1), { items: [{ id: 'b:3' }], offset: 1, limit: 1, hasMore: true })
  t.match(await getPlaylists(9, 20), { items: [], hasMore: false })
  t.match(await getPlaylists(0, 20, 'b:rock'), { items: [{ id: 'b:3', name: 'rock' }], hasMore: false })
})

t.test('the profile is that of the first source that gives one', async t => {
  const away = () => { throw new Error('away') }
  const me = (userId: string) => ({ userId, nickname: userId, avatar: '', platform: 'x' })
  const { getUserMe } = combined([
    sourceOf('a', { getUserMe: away }), sourceOf('b', { getUserMe: () => me('bo') }), sourceOf('c', { getUserMe: away })
  ])
  t.equal((await getUserMe()).userId, 'b:bo')
})

t.test('a track of several sources is played by the first that gives a URL', async t => {
  const url = (url: string) => ({ getTrackUrl: (id: string) => ({ url: `${url}/${id}`, quality: 'x' }) })
  const away = (message: string) => ({ getTrackUrl: () => { throw new Error(message) } })
  const id = mergedId(['b:2', 'a:1'])
  const { getTrackUrl } = combined([sourceOf('a', away('Not here')), sourceOf('b', url('https://b.test'))])
  t.equal((await getTrackUrl(id)).url, 'https://b.test/2')
  const { getTrackUrl: none } = combined([sourceOf('a', away('Not here')), sourceOf('b', away('Nor here'))])
  await t.rejects(none(id), { message: 'Not here' })
})

t.test('a track of several sources is played by the next one where one does not answer in its time', async t => {
  const { getTrackUrl, getTrackLyrics } = combined([
    sourceOf('a', { getTrackUrl: () => new Promise(() => {}), getTrackLyrics: () => new Promise(() => {}) }, {
      timeout: 1
    }),
    sourceOf('b', { getTrackUrl: () => ({ url: 'https://b.test' }), getTrackLyrics: () => ({ lyrics: 'la' }) })
  ])
  t.strictSame(await getTrackUrl(mergedId(['b:2', 'a:1'])), { url: 'https://b.test' })
  t.strictSame(await getTrackLyrics(mergedId(['b:2', 'a:1'])), { lyrics: 'la' })
})

t.test('an album of several sources is answered by the first that does', async t => {
  const album = (id: string) => ({ id, name: id, coverUrl: '', tracks: [trackOf('1')] })
  const away = { getAlbumDetail: () => { throw new Error('away') } }
  const { getAlbumDetail } = combined([sourceOf('a', away), sourceOf('b', { getAlbumDetail: album })])
  t.match(await getAlbumDetail(mergedId(['a:1', 'b:2']), -1), { id: 'b:2', tracks: [{ id: 'b:1' }] })
})
