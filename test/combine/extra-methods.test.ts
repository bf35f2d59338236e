import t from 'tap'
import { NotFoundError, type PlayEvent, type SourceExtras } from 'fastify-source-origin'
import { combineSources, type CombinedSource, type CombineOptions } from 'fastify-source-origin/combine'
import { keepsPlaysOf } from '../../lib/contract/keeps-plays.ts'
import { mergedId } from '../../lib/combine/combined-ids.ts'
import { combined, sourceOf } from './helper.ts'

const extrasOf = (sources: readonly CombinedSource[], options?: CombineOptions) =>
  combineSources(sources, options).adapter as Required<SourceExtras>

const event: PlayEvent = {
  id: 'e', track: 'b:1', account: 'all', client: 'app', startedAt: 1, position: 0, state: 'playing', counted: false
}

t.test('the source of a track is told of its plays, as its own account', async t => {
  const heard: PlayEvent[] = []
  const { onPlay } = extrasOf([
    sourceOf('a', {}), sourceOf('b', { onPlay: (event: PlayEvent) => { heard.push(event) } }, { account: 'bo' })
  ])
  await onPlay(event)
  await onPlay({ ...event, track: mergedId(['a:1', 'b:2']) })
  await onPlay({ ...event, track: 'a:1' })
  t.strictSame(heard, [{ ...event, track: '1', account: 'bo' }, { ...event, track: '2', account: 'bo' }])
})

t.test('plays are those of the sources that keep some', async t => {
  const plays = { getPlays: (since?: number) => [{ id: '1', plays: 2, last: since ?? 0 }] }
  const { getPlays } = extrasOf([sourceOf('a', plays), sourceOf('b', plays)])
  t.strictSame(await getPlays(7), [{ id: 'a:1', plays: 2, last: 7 }, { id: 'b:1', plays: 2, last: 7 }])
  const some = combineSources([sourceOf('a', plays), sourceOf('b', {})]).adapter
  t.strictSame(await some.getPlays!(7), [{ id: 'a:1', plays: 2, last: 7 }])
  const nested = combineSources([sourceOf('x', some), sourceOf('y', plays)]).adapter
  t.strictSame(['x:a:1', 'x:b:1', 'y:1', 'z:1'].map(id => keepsPlaysOf(nested, id)), [true, false, true, false])
  t.notOk('getPlays' in extrasOf([]))
})

t.test('a playlist is edited at once where each source with playlists can', async t => {
  const edits: object[] = []
  const adapter = {
    addTrackToPlaylist: () => {}, editPlaylist: (edit: object) => { edits.push(edit); return { id: 'p', name: '' } }
  }
  const sources = [sourceOf('a', adapter), sourceOf('b', adapter), sourceOf('c', {})]
  const { editPlaylist } = extrasOf(sources, { playlistSource: 'b' })
  t.strictSame(await editPlaylist({ id: 'a:p', tracks: ['a:1'], base: ['a:2'] }), { id: 'a:p', name: '' })
  t.strictSame(await editPlaylist({ name: 'New', add: ['a:1', 'b:1'] }), { id: 'b:p', name: '' })
  t.strictSame(edits, [
    { id: 'p', tracks: ['1'], base: ['2'], add: undefined },
    { name: 'New', id: undefined, tracks: undefined, base: undefined, add: ['combined:a%3A1', '1'] }
  ])
  await t.rejects(async () => editPlaylist({ id: 'a:p', add: ['b:1'] }), { message: /^This playlist is in A/ })
  await t.rejects(async () => editPlaylist({ id: 'gone:p' }), NotFoundError)
  t.notOk('editPlaylist' in extrasOf([...sources, sourceOf('d', { addTrackToPlaylist: () => {} })]))
})

t.test('nobody changes playlists by the login of somebody else', async t => {
  const never = () => { throw new Error('It was asked') }
  const shared = sourceOf('a', { editPlaylist: never, sharePlaylist: never, getPlaylistSharing: never }, {
    stateless: true
  })
  const can = { addTrackToPlaylist: never, editPlaylist: never, sharePlaylist: never, getPlaylistSharing: never }
  const { editPlaylist, sharePlaylist, getPlaylistSharing } = extrasOf([shared, sourceOf('b', can)])
  const refused = { message: 'A does not offer this' }
  await t.rejects(async () => editPlaylist({ id: 'a:p', name: 'Mine' }), refused)
  await t.rejects(async () => sharePlaylist('a:p', {}), refused)
  await t.rejects(async () => getPlaylistSharing('a:p'), refused)
  t.notOk('sharePlaylist' in extrasOf([shared]))
})

t.test('a playlist is shared by its source', async t => {
  const adapter = {
    sharePlaylist: (...args: unknown[]) => ({ success: true, args }),
    getPlaylistSharing: (id: string) => ({ people: { id } })
  }
  const { sharePlaylist, getPlaylistSharing } = extrasOf([sourceOf('a', adapter), sourceOf('b', {})])
  t.strictSame(await sharePlaylist('a:p', { everyone: 'hear' }), { success: true, args: ['p', { everyone: 'hear' }] })
  t.strictSame(await getPlaylistSharing('a:p'), { people: { id: 'p' } })
  await t.rejects(async () => sharePlaylist('b:p', {}), { message: 'B does not offer this' })
})

t.test('all sources that can look for changes do, and it is over when all are done', async t => {
  const scan = (scanning: boolean) => ({
    startScan: () => ({ scanning: true, count: 1 }), getScanStatus: () => ({ scanning, count: 2 })
  })
  const { startScan, getScanStatus } = extrasOf([
    sourceOf('a', scan(true)), sourceOf('b', scan(false)), sourceOf('c', {})
  ])
  t.strictSame(await startScan(), { scanning: true, count: 2 })
  t.strictSame(await getScanStatus(), { scanning: true, count: 4 })
  t.notOk('startScan' in extrasOf([sourceOf('c', {})]))
})

t.test('own playlists of several sources have no creator, since the account is another person in each', async t => {
  const me = (name: string) => ({ getUserMe: () => ({ userId: name, nickname: name, avatar: '', platform: '' }) })
  const list = (name: string) => ({ id: name, name, creator: { id: name, name, avatarUrl: '' } })
  const lists = (...names: string[]) => ({ getUserPlaylist: () => names.map(list) })
  const { getUserPlaylist } = combined([
    sourceOf('a', { ...me('ada'), ...lists('ada', 'bo') }),
    sourceOf('b', { ...lists('ada') }),
    sourceOf('c', { ...me('x'), getUserPlaylist: () => [{ id: '1', name: '1' }] }),
    sourceOf('d', { ...lists('ada'), getUserMe: () => { throw new Error('away') } })
  ])
  t.strictSame((await getUserPlaylist()).map(({ id, creator }: any) => `${id} ${creator?.id ?? 'own'}`), [
    'a:ada own', 'a:bo a:bo', 'b:ada b:ada', 'c:1 own', 'd:ada d:ada'
  ])
})
