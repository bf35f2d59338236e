import type { Test } from 'tap'
import type { Found } from './find.ts'
import { isIn, titles } from './items.ts'
import type { Home } from './house.ts'
import { idOf } from './prepare.ts'
import { until } from './until.ts'

const q = encodeURIComponent

/** What one does with items of all sources at once. */
export function together (t: Test, house: Home, all: readonly Found[]): void {
  const { owner, api } = house
  const ids = all.map(({ track }) => track.id)
  const entries = all.map(({ entry }) => entry.id)
  const expected = all.map(({ song }) => song.title)

  t.test('a playlist of all sources by /v1, the page and /rest', async t => {
    const { id } = await owner.data('/v1/playlist/create', { name: 'Hearth medley' })
    for (const trackId of ids) {
      t.strictSame(await owner.data('/v1/playlist/addTrack', { playlistId: id, trackId }), { success: true })
    }
    t.strictSame(titles((await owner.data(`/v1/playlist/detail?id=${q(id)}`)).tracks), expected)
    t.strictSame(titles((await owner.data(`/page/playlist?id=${q(id)}`)).tracks), expected)
    const { playlists } = await owner.rest('getPlaylists')
    const restId = playlists.playlist.find(({ name }: any) => name === 'Hearth medley').id
    t.strictSame(titles((await owner.rest('getPlaylist', { id: restId })).playlist.entry), expected)
    await owner.data('/page/playlist', { id, seen: ids, tracks: ids.toReversed() })
    t.strictSame(titles((await owner.rest('getPlaylist', { id: restId })).playlist.entry), expected.toReversed())
    await owner.rest('updatePlaylist', { playlistId: restId, songIndexToRemove: 0 })
    t.strictSame(titles((await owner.data(`/page/playlist?id=${q(id)}`)).tracks), expected.toReversed().slice(1))
  })

  t.test('a playlist of all sources by a client of apps', async t => {
    const made: any = await api.createPlaylist({ name: 'Hearth of an app', songId: entries })
    t.strictSame(titles(made.playlist.entry), expected)
    await api.deletePlaylist({ id: made.playlist.id })
    const { playlists }: any = await api.getPlaylists()
    t.notOk(playlists.playlist.some(({ name }: any) => name === 'Hearth of an app'))
  })

  t.test('a play queue and bookmarks of all sources', async t => {
    await api.savePlayQueue({ id: entries as never, current: entries[2], position: 1000 })
    const { playQueue }: any = await api.getPlayQueue()
    t.strictSame([titles(playQueue.entry), playQueue.current], [expected, entries[2]])
    for (const id of entries) await api.createBookmark({ id, position: 1000 })
    const { bookmarks }: any = await api.getBookmarks()
    t.strictSame(bookmarks.bookmark.map(({ entry }: any) => entry.title).sort(), [...expected].sort())
  })

  t.test('favourites of all sources', async t => {
    await owner.rest('star', { id: entries })
    t.strictSame(titles(await owner.data('/v1/user/favorite/tracks')).filter(title => expected.includes(title)).sort(),
      [...expected].sort())
    const { starred2 }: any = await api.getStarred2()
    t.strictSame(titles(starred2.song).filter(title => expected.includes(title)).sort(), [...expected].sort())
  })

  t.test('playlists at another server are changed there', async t => {
    for (const name of ['Harbour private', 'Attic private', 'Meadow private']) {
      const found = all.find(({ song }) => song.title.startsWith(name.split(' ')[0]!))!
      const lists = await owner.data('/v1/user/playlist/list')
      const { id } = lists.find((list: any) => list.name === name)
      await owner.data('/v1/playlist/addTrack', { playlistId: id, trackId: found.track.id })
      const before = (await owner.data(`/v1/playlist/detail?id=${q(id)}`)).tracks
      t.ok(isIn(before, found), name)
      await owner.data('/v1/playlist/removeTrack', { playlistId: id, trackId: found.track.id })
      t.notOk(isIn((await owner.data(`/v1/playlist/detail?id=${q(id)}`)).tracks, found), name)
    }
  })

  t.test('a play reaches the server of its song', async t => {
    const found = all.find(({ source }) => source === 'attic')!
    const id = await idOf(house.there.attic, found.song.title)
    const count = async () => (await house.there.attic.rest('getSong', { id })).song.playCount ?? 0
    const before = await count()
    await owner.rest('scrobble', { id: found.entry.id, time: Date.now() - 3_600_000 })
    await until(async () => await count() > before, 3000)
    t.equal(await count(), before + 1)
  })
}
