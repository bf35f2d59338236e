import t from 'tap'
import { mp3, startWith, token, until } from './helper.ts'

const albums = ['Part 10', 'Part 2', 'Part 1']
const files = {
  ...Object.fromEntries(albums.flatMap((album, at) => ['1/1', '2/1', '1/10', '1/2'].map((place, index) => {
    const [disc, track] = place.split('/') as [string, string]
    return [`${at}-${index}.mp3`, mp3({ title: `${album}, ${place}`, artist: 'A', album, disc, track, genre: 'Rock' })]
  }))),
  'List 10.m3u8': '0-0.mp3\n0-1.mp3',
  'List 9.m3u8': '0-0.mp3',
  'list 1.m3u8': '0-0.mp3'
}
const inOrder = ['Part 1', 'Part 2', 'Part 10'].flatMap(album =>
  ['1/1', '1/2', '1/10', '2/1'].map(place => `${album}, ${place}`))

for (const GENRE_PLAYLISTS of ['', 'true']) {
  t.test(`GENRE_PLAYLISTS=${GENRE_PLAYLISTS}: Subsonic apps see lists of the folder, of genres if it says so`, async t => {
    const { app, data } = await startWith(t, files, { GENRE_PLAYLISTS, PAGE_TITLE: 'Home' })
    const rest = async (path: string) =>
      JSON.parse((await app.inject(`/rest/${path}f=json&u=x&p=${encodeURIComponent(token)}`)).body)['subsonic-response']
    t.match((await rest('getScanStatus?')).scanStatus, { scanning: false, count: 12 }, 'before any list')
    t.match((await rest('startScan?')).scanStatus, { scanning: true, count: 12, folderCount: 1 })
    await until(async () => !(await rest('getScanStatus?')).scanStatus.scanning)
    const { playlist } = (await rest('getPlaylists?')).playlists
    const isOfGenre = ({ comment = '' }) => comment.startsWith('Every track of the genre')
    t.equal(playlist.some(isOfGenre), GENRE_PLAYLISTS === 'true')
    const { coverArt } = playlist.find(({ id }: { id: string }) => id === 'sp-daily')
    t.equal(coverArt, 'sp-daily')
    const cover = await app.inject(`/rest/getCoverArt?id=${coverArt}&u=x&p=${encodeURIComponent(token)}`)
    t.equal(cover.statusCode, 302)
    const ofFolder = playlist.filter(({ name }: { name: string }) => /^list/i.test(name))
    t.strictSame(ofFolder.map(({ name }: { name: string }) => name), ['list 1', 'List 9', 'List 10'])
    const titles = (tracks: { title: string }[]) => tracks.map(({ title }) => title)
    t.strictSame(titles((await rest('search3?query=&songCount=50&')).searchResult3.song), inOrder)
    t.strictSame(titles((await rest('getSongsByGenre?genre=Rock&count=50&')).songsByGenre.song), inOrder)
    const { id } = (await data('/v1/playlist/list')).items.find(({ name }: { name: string }) => name === 'Rock')
    t.strictSame(titles((await data(`/v1/playlist/detail?id=${id}`)).tracks), inOrder)
  })
}
