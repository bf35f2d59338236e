import type { Test } from 'tap'
import { find, isOfOthers, nameOf, type Found } from './find.ts'
import type { House } from './house.ts'
import { lists, wholes } from './lists.ts'
import { music, words } from './music.ts'
import { mix } from './prepare.ts'
import { personal, seen } from './seen.ts'

const q = encodeURIComponent

/** An account that sees a part of the folder sees that, and nothing of other sources. */
export function checkChild (t: Test, house: House, songs: readonly Found[]): void {
  const { owner, child } = house
  const allowed = music.home.filter(({ album }) => album === 'Hearth Nursery')
  const nursery = allowed.map(({ title }) => title)

  for (const path of [...lists, ...wholes, ...personal]) {
    t.test(`${path} has what the child may see`, async t => {
      const names = (await seen(child, path)).filter(item => isOfOthers(item) || /tune \d/.test(nameOf(item))).map(nameOf)
      t.strictSame(names.filter(name => !nursery.includes(name)), [])
    })
  }

  for (const { song, track, entry } of songs) {
    t.test(`${song.title} does not exist for the child`, async t => {
      for (const path of [
        `/v1/track?id=${q(track.id)}`, `/v1/track/url?id=${q(track.id)}`, `/v1/album/detail?id=${q(track.album.id)}`,
        `/v1/track/lyrics?id=${q(track.id)}`, `/page/download?kind=track&id=${q(track.id)}`
      ]) t.ok([404, 422, 501].includes((await child.ask(path)).status), path)
      for (const [method, id] of [
        ['getSong', entry.id], ['getAlbum', entry.albumId], ['stream', entry.id], ['download', entry.id],
        ['getCoverArt', entry.albumId], ['getLyricsBySongId', entry.id]
      ]) await t.rejects(child.rest(method, { id }), /"code":(70|50)/, method)
    })
  }

  t.test('a shared playlist hides songs of other sources from the child', async t => {
    const { playlists } = await owner.rest('getPlaylists')
    const { id } = playlists.playlist.find((list: any) => nameOf(list) === mix)
    await owner.rest('updatePlaylist', { playlistId: id, public: 'true' })
    const shared = (await child.rest('getPlaylists')).playlists.playlist
    const there = shared.find((list: any) => nameOf(list) === mix)
    const { playlist } = await child.rest('getPlaylist', { id: there.id })
    t.ok(playlist.entry.length > 0)
    t.strictSame(playlist.entry.map(nameOf).filter((name: string) => name.includes(' tune ')), [])
    await owner.rest('updatePlaylist', { playlistId: id, public: 'false' })
  })

  t.test('the child gets no more than its bitrate, and saves and deletes nothing', async t => {
    const { entry, track, song } = await find(child, 'home', allowed[0]!)
    const { url } = await child.data(`/v1/track/url?id=${q(track.id)}`)
    const byV1 = Buffer.from(await (await fetch(url)).arrayBuffer())
    const byRest = await child.askRest('stream', { id: entry.id, format: 'raw' })
    for (const { length } of [byV1, byRest.body]) t.ok(length * 8 / song.seconds < 110_000, `${length} bytes`)
    await t.rejects(child.rest('download', { id: entry.id }), /"code":50/)
    t.not((await child.ask(`/page/download?kind=track&id=${q(track.id)}`)).status, 200)
    const { id } = await child.data('/v1/playlist/create', { name: 'Hearth of the child' })
    const deleted = await child.ask('/v1/playlist/delete', { id })
    t.notMatch(String(deleted.body), /"success":true/)
    t.strictSame((await child.data('/v1/user/playlist/list')).map(nameOf).includes('Hearth of the child'), true)
  })

  t.test(`nothing of ${Object.values(words).slice(1).join(', ')} is found by the child`, async t => {
    for (const { song } of songs.filter(({ source }) => source !== 'home')) {
      await t.rejects(find(child, 'home', song), { message: `${song.title} is not found` })
    }
  })
}
