import t from 'tap'
import { NotFoundError } from 'fastify-source-origin'
import { mergedId } from '../../lib/combine/combined-ids.ts'
import { combined, sourceOf } from './helper.ts'

/** A source with playlists and favourites, which notes what it is asked for. */
function stateful () {
  const calls: unknown[][] = []
  const note = (name: string, answer: object) => (...args: unknown[]) => { calls.push([name, ...args]); return answer }
  const adapter = {
    createPlaylist: note('create', { id: 'p', name: 'New' }),
    addTrackToPlaylist: note('add', { success: true }),
    removeTrack: note('remove', { success: true }),
    favoriteTrack: note('favorite', { success: true, status: true })
  }
  return { adapter, calls }
}

const two = (options = {}) => {
  const [home, away] = [stateful(), stateful()]
  return { home, away, both: combined([sourceOf('home', home.adapter), sourceOf('away', away.adapter)], options) }
}

t.test('a favourite is set where the item is', async t => {
  const { home, away, both } = two()
  t.strictSame(await both.favoriteTrack('away:1', true), { success: true, status: true })
  t.strictSame([home.calls, away.calls], [[], [['favorite', '1', true]]])
})

t.test('what several sources have is a favourite in each: one has to take it, and none may keep it', async t => {
  const { home, away, both } = two()
  const id = mergedId(['away:2', 'home:1'])
  await both.favoriteTrack(id, true)
  await both.favoriteTrack(id, false)
  t.strictSame(home.calls, [['favorite', '1', true], ['favorite', '1', false]])
  t.strictSame(away.calls, [['favorite', '2', true], ['favorite', '2', false]])
  away.adapter.favoriteTrack = () => ({ success: false, status: true })
  t.match(await both.favoriteTrack(id, true), { success: true })
  t.strictSame(await both.favoriteTrack(id, false), { success: false, status: true }, 'one that refuses is told')
  away.adapter.favoriteTrack = () => { throw new Error('away') }
  t.match(await both.favoriteTrack(id, true), { success: true })
  await t.rejects(both.favoriteTrack(id, false), { message: 'away' })
})

t.test('a new playlist is made in the first source, or in the one that is chosen', async t => {
  const { both } = two()
  t.equal((await both.createPlaylist('New')).id, 'home:p')
  t.equal((await two({ playlistSource: 'away' }).both.createPlaylist('New')).id, 'away:p')
})

t.test('a track of another source is refused with a sentence', async t => {
  const { home, both } = two()
  await both.addTrackToPlaylist('home:p', 'home:1')
  await both.addTrackToPlaylist('home:p', mergedId(['away:2', 'home:1']))
  t.strictSame(home.calls, [['add', 'p', '1'], ['add', 'p', '1']])
  await t.rejects(both.addTrackToPlaylist('home:p', 'away:2'), {
    status: 400, message: 'This playlist is in HOME, which does not keep tracks of AWAY'
  })
  await t.rejects(both.addTrackToPlaylist('home:p', 'gone:2'), NotFoundError)
})

t.test('a playlist is that of one source, whatever its id says', async t => {
  const of = (name: string) => ({
    getPlaylistDetail: () => ({ id: '1', name, tracks: [] }),
    getToplistTracks: () => ({ id: '1', name, tracks: [], offset: 0, limit: 20, hasMore: false }),
    favoritePlaylist: () => ({ success: true, status: name === 'a' })
  })
  const { getPlaylistDetail, getToplistTracks, favoritePlaylist } =
    combined([sourceOf('a', of('a')), sourceOf('b', of('b'))])
  const id = mergedId(['b:1', 'a:1'])
  t.match(await getPlaylistDetail(id, -1), { id: 'a:1', name: 'a' })
  t.match(await getToplistTracks(id, 0, 20), { id: 'a:1', name: 'a' })
  t.match(await favoritePlaylist(id, false), { status: true })
})
