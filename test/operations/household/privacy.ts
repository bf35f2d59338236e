import type { Test } from 'tap'
import { find, isOfOthers, itemsIn, nameOf, type Found } from './find.ts'
import type { House } from './house.ts'
import { lists, wholes } from './lists.ts'
import { personal, seen } from './seen.ts'
import { idOf } from './prepare.ts'

const q = encodeURIComponent

/** What an item tells of an account. */
const tells = ['favorite', 'starred', 'userRating', 'playCount', 'played'] as const

/** Names of playlists that are nobody else's. */
const isPrivate = (name: string) => /\b(?:private|secret)$/.test(name)

const mustNotSee = /most played|recently played|top rated/i

/** Nothing of the owner is seen by an account that uses the owner's login at the other servers. */
export function checkPrivacy (t: Test, house: House, songs: readonly Found[]): void {
  const { owner, adult, there } = house
  const others = songs.filter(({ source }) => source !== 'home')

  for (const path of [...lists, ...wholes, ...personal]) {
    let items: Awaited<ReturnType<typeof seen>> = []
    t.test(`${path} has no private playlist of the owner`, async t => {
      items = await seen(adult, path)
      t.strictSame(items.map(nameOf).filter(isPrivate), [])
    })

    t.test(`${path} tells neither favourites nor plays of the owner`, async t => {
      const told = items.filter(isOfOthers).flatMap(item =>
        tells.filter(name => item[name]).map(name => `${nameOf(item)}: ${name}`))
      t.strictSame([...new Set(told)], [])
    })
  }

  t.test('an item of another source tells neither favourites nor plays of the owner', async t => {
    for (const { source, song } of others) {
      const { track, entry } = await find(adult, source, song)
      const answers = [
        await adult.ask(`/v1/track?id=${q(track.id)}`),
        await adult.ask(`/v1/album/detail?id=${q(track.album.id)}`),
        await adult.ask(`/v1/artist/detail?id=${q(track.artists[0].id)}`),
        await adult.askRest('getSong', { id: entry.id }),
        await adult.askRest('getAlbum', { id: entry.albumId }),
        await adult.askRest('getArtist', { id: entry.artistId }),
        await adult.askRest('getMusicDirectory', { id: entry.albumId })
      ]
      for (const { body } of answers) {
        const items = itemsIn(JSON.parse(String(body))).filter(isOfOthers)
        t.ok(items.length > 0, String(body))
        t.strictSame(items.flatMap(item => tells.filter(name => item[name])), [], nameOf(items[0]!))
      }
    }
  })

  t.test('items of a source without favourites of the account do not say that they are none', async t => {
    for (const { source, song } of others) {
      const { track } = await find(adult, source, song)
      t.notOk('favorite' in track, song.title)
      t.notOk('favorite' in track.album, song.album)
    }
  })

  t.test('private playlists of the owner are not opened by their ids', async t => {
    const own = (await owner.data('/v1/user/playlist/list')).filter(({ name }: any) => isPrivate(name))
    t.equal(own.length, 4)
    for (const { id, name } of own) {
      for (const path of [`/v1/playlist/detail?id=${q(id)}`, `/page/playlist?id=${q(id)}`]) {
        t.equal((await adult.ask(path)).status, 404, `${name}: ${path}`)
      }
    }
    const { playlists } = await owner.rest('getPlaylists')
    for (const { id, name } of playlists.playlist.filter(({ name }: any) => isPrivate(name))) {
      await t.rejects(adult.rest('getPlaylist', { id }), /"code":70/, name)
    }
  })

  t.test('playlists that the servers call public are listed and opened by /v1', async t => {
    const { items } = await adult.data('/v1/playlist/list?limit=50')
    for (const name of ['Harbour public', 'Attic public']) {
      const open = items.find((list: any) => nameOf(list) === name)
      t.ok(open, name)
      if (open) t.equal((await adult.data(`/v1/playlist/detail?id=${q(open.id)}`)).tracks.length, 1)
    }
  })

  t.test('playlists that the servers call public are listed and opened by /rest', async t => {
    const { playlists } = await adult.rest('getPlaylists')
    for (const name of ['Hearth public', 'Harbour public', 'Attic public']) {
      const open = playlists.playlist.find((list: any) => nameOf(list) === name)
      t.ok(open, name)
      if (open) t.equal((await adult.rest('getPlaylist', { id: open.id })).playlist.entry.length, 1)
    }
  })

  t.test('lists of what the owner has played or rated are not there', async t => {
    const groups = await adult.data('/v1/toplist/list')
    const all = groups.flatMap(({ list }: any) => list).filter(({ id }: any) => /^(subsonic|source)/.test(id))
    t.strictSame(all.map(nameOf).filter((name: string) => mustNotSee.test(name)), [])
    const { playlists } = await adult.rest('getPlaylists')
    t.strictSame(playlists.playlist.map(nameOf).filter((name: string) => mustNotSee.test(name)), [])
    for (const list of ['subsonic:frequent', 'subsonic_2:frequent', 'subsonic_2:recent', 'subsonic_2:highest']) {
      t.not((await adult.ask(`/v1/toplist/detail?id=${list}`)).status, 200, list)
    }
  })

  t.test('an account changes nothing of the owner at other servers', async t => {
    const before = JSON.stringify((await there.subsonic.rest('getStarred2')).starred2)
    for (const { track, source } of others) {
      const answer = await adult.ask('/v1/track/favorite', { id: track.id, status: false })
      t.not(answer.status, 500, source)
      t.notMatch(String(answer.body), /"success":true/, source)
    }
    t.equal(JSON.stringify((await there.subsonic.rest('getStarred2')).starred2), before)
    const { playlists } = await owner.rest('getPlaylists')
    for (const name of ['Harbour public', 'Attic public', 'Harbour private']) {
      const { id } = playlists.playlist.find((list: any) => nameOf(list) === name)
      await t.rejects(adult.rest('updatePlaylist', { playlistId: id, name: 'stolen' }), name)
      await t.rejects(adult.rest('deletePlaylist', { id }), name)
    }
    const after = (await there.subsonic.rest('getPlaylists')).playlists.playlist.map(nameOf)
    t.ok(after.includes('Harbour public') && after.includes('Harbour private'))
  })

  t.test('a play of an account is its own, and not one of the owner', async t => {
    const { song } = others.find(({ source }) => source === 'attic')!
    const { entry } = await find(adult, 'attic', song)
    const id = await idOf(there.attic, song.title)
    const count = async () => (await there.attic.rest('getSong', { id })).song.playCount
    const before = await count()
    await adult.rest('scrobble', { id: entry.id, time: Date.now() - 7_200_000 })
    const { albumList2 } = await adult.rest('getAlbumList2', { type: 'recent', size: 500 })
    t.ok(albumList2.album.some((album: any) => nameOf(album) === song.album))
    t.equal(await count(), before)
  })

  t.test('ratings, bookmarks and queues of an account are its own', async t => {
    for (const { source, song } of others) {
      const { entry } = await find(adult, source, song)
      await adult.rest('setRating', { id: entry.id, rating: 2 })
      t.not((await owner.rest('getSong', { id: entry.id })).song.userRating, 2)
      await adult.rest('setRating', { id: entry.id, rating: 0 })
      await adult.rest('createBookmark', { id: entry.id, position: 7 })
      await adult.rest('savePlayQueue', { id: entry.id, current: entry.id, position: 7 })
      const { bookmark } = (await adult.rest('getBookmarks')).bookmarks
      t.ok(bookmark.some((one: any) => one.entry.title === song.title), song.title)
      t.equal((await adult.rest('getPlayQueue')).playQueue.entry[0]?.title, song.title)
      t.notOk((await owner.rest('getBookmarks')).bookmarks.bookmark.some(({ position }: any) => position === 7))
    }
  })

  t.test('a playlist of an account takes songs of all sources', async t => {
    const { id } = await adult.data('/v1/playlist/create', { name: 'Hearth of all' })
    for (const { track } of others) await adult.data('/v1/playlist/addTrack', { playlistId: id, trackId: track.id })
    const { tracks } = await adult.data(`/v1/playlist/detail?id=${q(id)}`)
    t.strictSame(tracks.map(nameOf), others.map(({ song }) => song.title))
  })

  t.test('what one plays is not seen by others', async t => {
    await owner.rest('scrobble', { id: others[0]!.entry.id, submission: 'false' })
    const { entry } = (await adult.rest('getNowPlaying')).nowPlaying
    t.strictSame(entry.filter(({ username }: any) => username !== 'adult'), [])
  })

  t.test('what only the owner may see is not seen', async t => {
    t.strictSame(await adult.data('/page/files'), {})
    t.equal((await adult.data('/page/app-passwords')).user ?? 'adult', 'adult')
  })
}
