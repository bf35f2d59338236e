import type { Test } from 'tap'
import { nameOf, type Found } from './find.ts'
import type { House } from './house.ts'

const q = encodeURIComponent

/** What an account with a login of its own, and without saving and deleting, may do at other servers. */
export function checkLogin (t: Test, house: House, songs: readonly Found[]): void {
  const { teen, there, switches } = house
  const others = songs.filter(({ source }) => source !== 'home')
  const harbour = others.find(({ source }) => source === 'subsonic')!

  t.test('an account sees the playlists of its own login, and no others', async t => {
    const names = (await teen.data('/v1/user/playlist/list')).map(nameOf)
    t.ok(names.includes('Harbour tina private'))
    t.notOk(names.includes('Harbour private'))
    t.ok((await teen.data('/v1/playlist/list?limit=50')).items.some((list: any) => /Harbour public$/.test(nameOf(list))))
  })

  t.test('a favourite is one of its own login', async t => {
    await teen.data('/v1/track/favorite', { id: harbour.track.id, status: true })
    const { starred2 } = await there.tina.rest('getStarred2')
    t.strictSame(starred2.song.map(nameOf), [harbour.song.title])
    t.ok((await teen.data('/v1/user/favorite/tracks')).some((track: any) => nameOf(track) === harbour.song.title))
  })

  for (const [what, request] of Object.entries({
    'audio by /v1': async () => {
      const { url } = await teen.data(`/v1/track/url?id=${q(harbour.track.id)}`)
      await fetch(url).then(response => response.arrayBuffer())
    },
    'audio by /rest': () => teen.askRest('stream', { id: harbour.entry.id, format: 'raw' }),
    transcodings: () => teen.askRest('stream', { id: harbour.entry.id, maxBitRate: 40, format: 'mp3' }),
    'covers by /rest': () => teen.askRest('getCoverArt', { id: harbour.entry.coverArt, size: 77 })
  })) {
    t.test(`${what} use the login of the account`, async t => {
      const before = switches.subsonic.requests.length
      await request()
      const media = switches.subsonic.requests.slice(before).filter(line => /\/(stream|download|getCoverArt)/.test(line))
      t.ok(media.length > 0, 'the server is asked')
      t.strictSame(media.filter(line => !/[?&]u=tina\b/.test(line)), [])
    })
  }

  t.test('an account that deletes no playlists deletes none at another server', async t => {
    const lists = await teen.data('/v1/user/playlist/list')
    const { id } = lists.find((list: any) => nameOf(list) === 'Harbour tina public')
    const answer = await teen.ask('/v1/playlist/delete', { id })
    t.notMatch(String(answer.body), /"success":true/)
    const listed = (await teen.rest('getPlaylists')).playlists.playlist
    const there1 = listed.find((list: any) => nameOf(list) === 'Harbour tina private')
    await t.rejects(teen.rest('deletePlaylist', { id: there1?.id ?? 'none' }))
    const after = (await there.tina.rest('getPlaylists')).playlists.playlist.map(nameOf)
    t.ok(after.includes('Harbour tina public'), 'by /v1')
    t.ok(after.includes('Harbour tina private'), 'by /rest')
  })

  for (const { source, entry, track, song } of songs) {
    t.test(`an account that saves no files saves none: ${song.title} of ${source}`, async t => {
      await t.rejects(teen.rest('download', { id: entry.id }), /"code":50/)
      t.not((await teen.ask(`/page/download?kind=track&id=${q(track.id)}`)).status, 200)
    })
  }
}
