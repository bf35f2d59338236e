import t from 'tap'
import { NotFoundError, type PlaylistEdit } from 'fastify-source-origin'
import { combineSources, isExternalId, type CombineOptions } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { partialOf } from '../../lib/contract/partial.ts'
import { mergedId, storedId } from '../../lib/combine/combined-ids.ts'
import { combined, sourceOf, trackOf } from './helper.ts'

interface Shown { readonly id: string, readonly title: string }

/** A source with one playlist, whose ids it keeps as they come. */
function holder () {
  const kept: string[] = []
  const playlist = () => ({ id: 'p', name: 'Mixed', trackCount: kept.length })
  return {
    kept,
    adapter: {
      getPlaylistDetail: () => ({ ...playlist(), tracks: kept.map(id => trackOf(id, isExternalId(id) ? '' : `Home ${id}`)) }),
      addTrackToPlaylist: (_playlist: string, id: string) => { kept.push(id); return { success: true } },
      removeTrack: (_playlist: string, id: string) => { kept.splice(kept.indexOf(id), 1); return { success: true } },
      editPlaylist: ({ tracks = kept, add = [] }: PlaylistEdit) => {
        kept.splice(0, Infinity, ...tracks, ...add)
        return playlist()
      }
    }
  }
}

const gone = (id: string) => { throw new NotFoundError(`No ${id}`) }
const nav = { getTrackDetail: (id: string) => id === 'gone' ? gone(id) : trackOf(id, `Nav ${id}`) }
const listed = { library: createLibrary({ artists: [], albums: [], tracks: [trackOf('1', 'Listed 1')] }) }

/** A combination with a playlist in `home`, and what it shows of it. */
function mixed (others: Record<string, object> = { nav, listed }, options: CombineOptions = {}) {
  const home = holder()
  const { editPlaylist, ...both } = combineSources([
    sourceOf('home', home.adapter), ...Object.entries(others).map(([id, adapter]) => sourceOf(id, adapter))
  ], { playlistSource: 'home', ...options }).adapter as ReturnType<typeof combined> & {
    editPlaylist (edit: PlaylistEdit): Promise<object>
  }
  const show = async () => both.getPlaylistDetail('home:p', -1)
  const titles = async () => (await show()).tracks.map(({ title }: Shown) => title)
  return { kept: home.kept, both, editPlaylist, show, titles }
}

t.test('a playlist of the chosen source has tracks of others, which are as these tell them now', async t => {
  const { kept, both, show } = mixed()
  for (const id of ['home:1', 'nav:2 é:3', 'listed:1']) await both.addTrackToPlaylist('home:p', id)
  t.strictSame(kept, ['1', 'combined:nav%3A2%20%C3%A9%3A3', 'combined:listed%3A1'])
  t.strictSame((await show()).tracks.map(({ id, title }: Shown) => [id, title]), [
    ['home:1', 'Home 1'], ['nav:2 é:3', 'Nav 2 é:3'], ['listed:1', 'Listed 1']
  ])
  await both.removeTrack('home:p', 'nav:2 é:3')
  t.strictSame(kept, ['1', 'combined:listed%3A1'])
})

t.test('a playlist that its source cuts can be reordered, also with a track that does not exist any more', async t => {
  const home = holder()
  home.kept.push('1', '2', storedId('nav:gone'), '3')
  const { getPlaylistDetail } = home.adapter
  const { editPlaylist } = combineSources([
    sourceOf('home', {
      ...home.adapter,
      getPlaylistDetail: (_id: string, trackLimit: number) => {
        const whole = getPlaylistDetail()
        return { ...whole, tracks: whole.tracks.slice(0, trackLimit === -1 ? 2 : trackLimit) }
      }
    }),
    sourceOf('nav', nav)
  ], { playlistSource: 'home' }).adapter as { editPlaylist (edit: PlaylistEdit): Promise<object> }
  await editPlaylist({ id: 'home:p', tracks: ['nav:gone', 'home:3', 'home:2', 'home:1'] })
  t.strictSame(home.kept, [storedId('nav:gone'), '3', '2', '1'])
})

t.test('a track that cannot be shown keeps its place, and says why', async t => {
  const { kept, show, titles } = mixed({ nav, away: { getTrackDetail: () => { throw new Error('away') } }, none: {} })
  kept.push(...['nav:1', 'nav:gone', 'away:1', 'former:1', 'none:1'].map(storedId), 'combined:%')
  t.strictSame(await titles(), [
    'Nav 1', 'Gone from NAV', 'AWAY is not responding', 'Not available here', 'NONE is not responding',
    'Home combined:%'
  ])
  t.strictSame(partialOf(await show()), ['away'])
})

t.test('a source that is late has what it told in its time', async t => {
  const asked: string[] = []
  const slow = {
    getTrackDetail: (id: string) => {
      asked.push(id)
      return id === '1' ? trackOf(id, 'Soon') : new Promise(() => {})
    }
  }
  const home = holder()
  home.kept.push(storedId('slow:1'), storedId('slow:2'))
  const titles = async () => {
    const sources = [['home', home.adapter], ['slow', slow]] as const
    const { getPlaylistDetail } = combined(sources.map(([id, adapter]) =>
      sourceOf(id, adapter, { account: 'slow', timeout: 5 })), { playlistSource: 'home' })
    return (await getPlaylistDetail('home:p', -1)).tracks.map(({ title }: Shown) => title)
  }
  t.strictSame(await titles(), ['Soon', 'SLOW is not responding'])
  t.strictSame(await titles(), ['SLOW is not responding', 'SLOW is not responding'], 'it owes an answer')
  t.strictSame(asked, ['1', '2'])
})

t.test('a source that keeps no tracks of others cannot name them, in playlists or elsewhere', async t => {
  const stolen = storedId('home:1')
  const friend = {
    getNewTracks: () => [trackOf(stolen, 'Stolen')],
    getPlaylistDetail: () => ({ id: 'p', name: 'Theirs', tracks: [trackOf(stolen, 'Stolen'), trackOf('', 'No id')] }),
    library: createLibrary({ artists: [], albums: [], tracks: [trackOf(stolen, 'Stolen')] })
  }
  const home = { ...holder().adapter, getTrackUrl: () => t.fail('the folder is asked for what is not its own') }
  for (const options of [{ playlistSource: 'home' }, {}]) {
    const both = combined([sourceOf('home', home), sourceOf('friend', friend)], options)
    const { tracks } = await both.getPlaylistDetail('friend:p', -1)
    t.strictSame(tracks.map(({ id, title }: Shown) => [id, title]), [[`friend:${stolen}`, 'Stolen'], ['', 'No id']])
    t.strictSame((await both.getNewTracks()).map(({ id }: Shown) => id), [`friend:${stolen}`])
  }
})

t.test('the source that keeps tracks of others names them in its playlists only', async t => {
  const home = { ...holder().adapter, getNewTracks: () => [trackOf(storedId('nav:1'), 'Not there')] }
  const both = combined([sourceOf('home', home), sourceOf('nav', nav)], { playlistSource: 'home' })
  t.strictSame((await both.getNewTracks()).map(({ id }: Shown) => id), [`home:${storedId('nav:1')}`])
})

t.test('what is no playlist is left to who asks for it', async t => {
  const { getPlaylistDetail } = combined(
    [sourceOf('home', { getPlaylistDetail: () => null })], { playlistSource: 'home' }
  )
  t.equal(await getPlaylistDetail('home:p', -1), null)
})

t.test('only what is there is added; what a playlist has may be gone', async t => {
  const { kept, both, editPlaylist } = mixed({ nav, away: { getTrackDetail: () => { throw new Error('away') } } })
  await t.rejects(both.addTrackToPlaylist('home:p', 'nav:gone'), NotFoundError)
  await t.rejects(both.addTrackToPlaylist('home:p', 'former:1'), NotFoundError)
  await t.rejects(both.addTrackToPlaylist('home:p', '+x'), NotFoundError)
  await t.rejects(editPlaylist({ id: 'home:p', add: ['nav:1', 'nav:gone'] }), NotFoundError)
  await t.rejects(editPlaylist({ name: 'New', tracks: ['nav:gone'] }), NotFoundError)
  t.strictSame(kept, [])
  await editPlaylist({ id: 'home:p', add: ['home:1', 'away:1'] })
  kept.push(storedId('nav:gone'), storedId('former:1'))
  await editPlaylist({ id: 'home:p', tracks: ['former:1', 'nav:gone', 'away:1', 'home:1'] })
  t.strictSame(kept, [...['former:1', 'nav:gone', 'away:1'].map(storedId), '1'])
  await both.removeTrack('home:p', 'former:1')
  t.equal(kept.length, 3)
})

t.test('of a track that several sources have, the playlist keeps one', async t => {
  const { kept, both } = mixed()
  await both.addTrackToPlaylist('home:p', mergedId(['nav:1', 'listed:1']))
  t.strictSame(kept, [storedId('listed:1')])
  await both.addTrackToPlaylist('home:p', mergedId(['nav:1', 'home:5']))
  t.strictSame(kept, [storedId('listed:1'), '5'])
})

t.test('the chosen source may be a combination itself', async t => {
  const home = holder()
  const inner = combineSources([sourceOf('folder', home.adapter)], { playlistSource: 'folder' })
  const both = combined([sourceOf('home', inner.adapter), sourceOf('nav', nav)], { playlistSource: 'home' })
  await both.addTrackToPlaylist('home:folder:p', 'nav:1')
  await both.addTrackToPlaylist('home:folder:p', 'home:folder:2')
  t.equal(home.kept.length, 2)
  const { tracks } = await both.getPlaylistDetail('home:folder:p', -1)
  t.strictSame(tracks.map(({ id, title }: Shown) => [id, title]), [
    ['nav:1', 'Nav 1'], ['home:folder:2', 'Home 2']
  ])
})
