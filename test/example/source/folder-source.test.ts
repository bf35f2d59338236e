import { capabilities, operations } from 'fastify-source-origin'
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { FolderSource } from '../../../example/source/folder-source.ts'
import { MusicFolder } from '../../../example/index/music-folder.ts'
import { replace } from '../../replace.ts'
import { demo, folder, mp3, put, start, startWith, token, until, wav } from '../helper.ts'

/** A demo file whose audio is said to be of another codec. */
function inCodec (codec: string): Buffer {
  const file = readFileSync(join(demo, 'Various Artists/Songs from Everywhere/02 茉莉花.m4a'))
  file.write(codec, file.indexOf('mp4a'))
  return file
}

/** The demo, which no test here changes. */
const source = await start(t)
const { call, data } = source
const stateless = await start(t, { STATELESS: 'true' })
const ofAlbum = { artist: 'One', album: 'Album' }
const ofBoth = { album: 'Together', artist: 'Ann feat. Bob', albumArtist: 'Ann feat. Bob' }
/** Each test has names of its own. */
const made = await startWith(t, {
  'both/a.m4a': inCodec('alac'),
  'both/b.mp3': mp3({
    title: '茉莉花', artist: '纸灯笼', album: 'Songs from Everywhere', track: '2', compilation: '1'
  }, { seconds: 21.5 }),
  'album/a.mp3': mp3({ ...ofAlbum, title: 'Third', disc: '2', track: '1' }),
  'album/b.mp3': mp3({ ...ofAlbum, title: 'Zero' }),
  'album/c.mp3': mp3({ ...ofAlbum, title: 'And none' }),
  'album/d.mp3': mp3({ ...ofAlbum, title: 'Second', disc: '1', track: '10' }),
  'album/e.mp3': mp3({ ...ofAlbum, title: 'First', track: '2' }),
  'album/f.mp3': mp3({ ...ofAlbum, title: 'First', track: '2', artist: 'Two', albumArtist: 'One' }),
  'two artists/a.mp3': mp3({ ...ofBoth, title: 'Duet' }),
  'two artists/b.mp3': mp3({ artist: 'Bob' }),
  'sorted.mp3': mp3({
    title: '花',
    artist: '宇多田ヒカル',
    album: '初恋',
    more: { ARTISTSORT: 'Utada, Hikaru', ALBUMSORT: 'Hatsukoi', TITLESORT: 'Hana' }
  }),
  'roses 1.mp3': mp3({ title: 'One', artist: 'Guns N’ Roses' }),
  'roses 2.mp3': mp3({ title: 'Two', artist: "Guns N' Roses" }),
  'jay 1.mp3': mp3({ title: 'Three', artist: 'Jay‐Z' }),
  'jay 2.mp3': mp3({ title: 'Four', artist: 'JAY-Z' }),
  ...Object.fromEntries(Array.from({ length: 7 }, (_, at) =>
    [`pages/${at}.mp3`, mp3({ title: `Paged ${at}`, artist: 'Pia' })])),
  'broken.flac': 'no audio',
  'empty.mp3': ''
})

const offered = operations.filter(({ adapterMethod }) => adapterMethod in FolderSource.prototype)

/** A call of every operation that the example has, with parameters that the demo library knows. */
async function calls (data: (url: string) => Promise<any>) {
  const [track] = (await data('/v1/search/tracks?keyword=prelude')).items
  const [list] = (await data('/v1/playlist/list')).items
  const ids: Record<string,
  string> = { track: track.id, artist: track.artists[0].id, album: track.album.id, playlist: list.id }
  return offered.map(({ path, tag, parameters }) => {
    const query = new URLSearchParams()
    if (parameters.includes('id')) query.set('id', ids[tag]!)
    if (parameters.includes('keyword')) query.set('keyword', path.endsWith('playlists') ? 'c' : 'a')
    return `${path}?${query}`
  })
}

t.test('every operation that is declared answers 200 with data of the files', async t => {
  for (const url of await calls(data)) {
    const answer = await call(url)
    t.equal(answer.statusCode, 200, url)
    const { data } = answer.json()
    t.ok((data.items ?? data.songs ?? [data]).length > 0, url)
  }
})

t.test('the capabilities are those of the methods, and nothing that needs an account', async t => {
  const status = await stateless.data('/v1/status')
  const has = (method: string) => method in FolderSource.prototype
  t.same(status.capabilities, capabilities.filter(({ methods }) => methods.every(has)).map(({ name }) => name))
  t.equal(status.stateless, true)
  t.same(status.qualityMap, [{ key: 'lossless', label: 'Lossless' }, { key: 'standard', label: 'Standard' }])
})

t.test('playlist files are found by their names, without accounts too', async t => {
  for (const { data } of [source, stateless]) {
    const { items, hasMore } = await data('/v1/search/playlists?keyword=favou')
    t.same(items.map(({ name }: any) => name), ['Favourites'])
    t.equal(hasMore, false)
    t.same((await data('/v1/search/playlists?keyword=evening')).items, [])
  }
})

t.test('new tracks are those of the newest album first, in the order of the album', async t => {
  const root = folder(t)
  for (const [album, at] of [['Old', 1000], ['Newest', 3000], ['New', 2000]] as const) {
    for (const place of [1, 2, 3]) {
      put(root, `${album}/${place}.mp3`, mp3({ title: `${album} ${place}`, album, track: String(place) }), at + place)
    }
  }
  const { data } = await start(t, { MUSIC_DIR: root, STATELESS: 'true' })
  t.same((await data('/v1/track/new')).map(({ title }: any) => title), ['Newest', 'New', 'Old'].flatMap(album =>
    [1, 2, 3].map(place => `${album} ${place}`)))
})

t.test('similar tracks share an artist or a genre, and the daily ones stay the same for a day', async t => {
  const { data } = stateless
  const { items: [track] } = await data('/v1/search/tracks?keyword=prelude')
  const similar = await data(`/v1/track/similar?id=${track.id}`)
  t.ok(similar.length > 0)
  t.notOk(similar.some(({ id }: any) => id === track.id))
  const daily = await data('/v1/track/daily')
  t.ok(daily.length > 0)
  t.same(await data('/v1/track/daily'), daily)
})

t.test('without accounts too, hot tracks are those in most playlist files', async t => {
  const song = (title: string) => mp3({ title, artist: 'One' })
  const { data } =
    await startWith(t, { 'a.mp3': song('A'), 'b.mp3': song('B'), 'list.m3u': 'b.mp3' }, { STATELESS: 'true' })
  const { items: [{ id }] } = await data('/v1/search/artists?keyword=one')
  t.same((await data(`/v1/artist/tracks?id=${id}`)).items.map(({ title }: any) => title), ['B', 'A'])
})

t.test('what a folder cannot answer is 501', async t => {
  t.equal((await stateless.call('/v1/toplist/list')).statusCode, 501)
  t.equal((await stateless.call('/v1/user/me')).statusCode, 501)
})

t.test('an id that nothing has is a 404', async t => {
  for (const { path } of offered.filter(({ parameters }) => parameters.includes('id'))) {
    t.equal((await call(`${path}?id=nothing`)).statusCode, 404, path)
  }
})

t.test('a recording in two files is one track with two qualities, best first', async t => {
  const { items: [track], hasMore } = await data('/v1/search/tracks?keyword=prelude')
  t.equal(hasMore, false)
  t.same(track.qualities.map(({ key, format }: any) => [key, format]), [['lossless', 'flac'], ['standard', 'mp3']])
  t.match(await data(`/v1/track/url?id=${track.id}`), { quality: 'lossless', format: 'flac', size: 925496 })
  t.match(await data(`/v1/track/url?id=${track.id}&quality=standard`), {
    quality: 'standard', format: 'mp3', bitrate: 96000
  })
})

t.test('what browsers do not play is told by its codec, and is chosen where it is asked for', async t => {
  const { data, call, lines } = made
  const { items: [track, ...more] } = await data('/v1/search/tracks?keyword=茉莉花')
  t.same(more, [])
  t.same(track.qualities.map(({ key, format }: any) => [key, format]), [['lossless', 'alac'], ['standard', 'mp3']])
  t.match(await data(`/v1/track/url?id=${track.id}`), { quality: 'standard', format: 'mp3' })
  const lossless = await data(`/v1/track/url?id=${track.id}&quality=lossless`)
  t.match(lossless, { quality: 'lossless', format: 'alac' })
  const alone = await startWith(t, { 'a.m4a': inCodec('alac') })
  t.match(await alone.data(`/v1/track/url?id=${track.id}`), { quality: 'lossless', format: 'alac' })
  t.equal((await call(lossless.url.replace(/^https?:..[^/]+/, ''))).headers['content-type'], 'audio/mp4')
  t.same(lines.filter(({ msg }) => msg === 'codecs unknown to browsers').map(({ files }) => files), ['1 alac'])
})

t.test('a quality that the track does not have falls back, and the answer says to which', async t => {
  const { items: [track] } = await data('/v1/search/tracks?keyword=greensleeves')
  t.match(await data(`/v1/track/url?id=${track.id}&quality=lossless`), { quality: 'standard', format: 'm4a' })
})

t.test('a quality that the folder does not have is a 400', async t => {
  const { items: [track] } = await data('/v1/search/tracks?keyword=greensleeves')
  t.equal((await call(`/v1/track/url?id=${track.id}&quality=high`)).statusCode, 400)
})

t.test('a track has its artists, its album and its duration', async t => {
  const { items: [track] } = await data('/v1/search/tracks?keyword=morning frost')
  t.match(track, {
    title: 'Morning Frost',
    artists: [{ name: 'Ada Plume' }, { name: 'Nils Öhlin' }],
    durationMs: 13740,
    album: { name: 'Plucked at Dawn', artistName: 'Ada Plume', trackCount: 3, publishTime: Date.UTC(2021, 0) }
  })
  t.same(await data(`/v1/track?id=${track.id}`), track)
})

t.test('an album has its tracks in disc and track order, those without a number last', async t => {
  const { data } = made
  const { items: [album] } = await data('/v1/search/albums?keyword=album')
  const detail = await data(`/v1/album/detail?id=${album.id}`)
  t.same(detail.tracks.map(({ title }: any) => title), ['First', 'First', 'Second', 'And none', 'Zero', 'Third'])
  t.match(detail, { artist: { name: 'One' }, trackCount: 6 })
  t.equal((await data(`/v1/album/detail?id=${album.id}&trackLimit=2`)).tracks.length, 2)
})

t.test('an album of two artists is in the lists of both, and has the name of its tag', async t => {
  const { data } = made
  const [album] = (await data('/v1/search/albums?keyword=Together')).items
  t.equal(album.artistName, 'Ann feat. Bob')
  for (const name of ['Ann', 'Bob']) {
    const [artist] = (await data(`/v1/search/artists?keyword=${name}`)).items
    const { items } = await data(`/v1/artist/albums?id=${artist.id}`)
    t.equal(items[0].id, album.id, name)
  }
})

t.test('an artist has all tracks, those of compilations and those with others too', async t => {
  const { items: [artist] } = await data('/v1/search/artists?keyword=ada plume')
  const { tracks } = await data(`/v1/artist/detail?id=${artist.id}`)
  t.same(tracks.map(({ title }: any) => title).sort(), [
    'Ah ! vous dirai-je, maman', 'Greensleeves', 'Morning Frost', 'Prelude in C'
  ])
})

t.test('names for the order of lists are found too, and names with other apostrophes and hyphens are one', async t => {
  const found = async (kind: string, keyword: string) =>
    (await made.data(`/v1/search/${kind}?keyword=${keyword}`)).items.length
  for (const [kind, keyword, count] of [
    ['artists', 'utada', 1], ['tracks', 'hikaru', 1], ['tracks', 'hana', 1], ['albums', 'hatsukoi', 1],
    ['artists', 'roses', 1], ['artists', 'jay', 1]
  ] as const) t.equal(await found(kind, keyword), count, keyword)
})

t.test('pages follow each other without a gap or a double, and the last says so', async t => {
  const pages = await Promise.all([0, 3, 6, 9].map(offset =>
    made.data(`/v1/search/tracks?keyword=paged&limit=3&offset=${offset}`)))
  t.same(pages.map(({ hasMore }) => hasMore), [true, true, false, false])
  t.equal(new Set(pages.flatMap(({ items }) => items.map(({ id }: any) => id))).size, 7)
})

t.test('suggestions have songs, artists and albums', async t => {
  t.match(await data('/v1/search/suggest?keyword=nacht'), {
    songs: [{}, {}, {}], artists: [], albums: [{ name: 'Nachtorgel' }]
  })
})

t.test('ids stay when files are moved and renamed', async t => {
  const MUSIC_DIR = folder(t, { 'a.mp3': mp3({ title: 'One', artist: 'Two', album: 'Three' }), 'b.wav': wav({}) })
  const idsOf = async () => {
    const { data } = await start(t, { MUSIC_DIR })
    return (await data('/v1/search/tracks?keyword=one')).items.map(({ id }: any) => id)
  }
  const before = await idsOf()
  mkdirSync(join(MUSIC_DIR, 'some/where'), { recursive: true })
  renameSync(join(MUSIC_DIR, 'a.mp3'), join(MUSIC_DIR, 'some/where/else.mp3'))
  t.same(await idsOf(), before)
})

t.test('a broken file is left out with one warning that names it', async t => {
  t.equal((await made.data('/v1/search/tracks?keyword=duet')).items.length, 1)
  t.same(
    made.lines.filter(({ level, msg }) => level === 40 && msg === 'file skipped').map(({ path }) => path).sort(),
    ['broken.flac', 'empty.mp3']
  )
})

t.test('lyrics of a track are read', async t => {
  const { items: [track] } = await data('/v1/search/tracks?keyword=ode')
  t.match(await data(`/v1/track/lyrics?id=${track.id}`), { lyrics: /Freude/, translatedLyrics: /Joy/ })
})

t.test('an empty folder is a source without anything', async t => {
  const { data } = await startWith(t, {})
  t.same((await data('/v1/search/tracks?keyword=a')).items, [])
  t.same((await data('/v1/status')).qualityMap, [])
})

t.test('the folder may be reached by a link', async t => {
  const link = join(folder(t), 'music')
  symlinkSync(folder(t, { 'a.mp3': mp3({ title: 'Linked' }) }), link)
  const { data } = await start(t, { MUSIC_DIR: link })
  t.equal((await data('/v1/search/tracks?keyword=linked')).items.length, 1)
})

t.test('where nothing is watched or scanned at an interval, startScan finds a new file', async t => {
  replace(t, MusicFolder.prototype, 'watch', function (this: MusicFolder) { return this.scan() })
  const MUSIC_DIR = folder(t)
  writeFileSync(join(MUSIC_DIR, 'old.mp3'), mp3({ title: 'Old', artist: 'A' }))
  const { app, data } = await start(t, { MUSIC_DIR, SCAN_INTERVAL: '0' })
  const rest = async (path: string) => (await app.inject(
    `/rest/${path}&f=json&u=x&p=${encodeURIComponent(token)}&v=1.16.1&c=test`)).json()['subsonic-response']
  const titles = async () => (await rest('search3?query=&songCount=9')).searchResult3.song.map(
    ({ title }: { title: string }) => title)
  t.strictSame(await titles(), ['Old'])
  writeFileSync(join(MUSIC_DIR, 'new.mp3'), mp3({ title: 'New', artist: 'A' }))
  t.match((await rest('startScan?')).scanStatus, { scanning: true })
  await until(async () => !(await rest('getScanStatus?')).scanStatus.scanning)
  t.strictSame(await titles(), ['New', 'Old'])
  t.match((await data('/v1/search/tracks?keyword=new')).items, [{ title: 'New' }])
})

for (const [interval, expected] of [[{}, 900], [{ SCAN_INTERVAL: '60' }, 60], [{ SCAN_INTERVAL: '0' }, 0]] as const) {
  t.test(`SCAN_INTERVAL ${JSON.stringify(interval)} scans the folder every ${expected} seconds, 0 never`, async t => {
    const everies: number[] = []
    const { watch } = MusicFolder.prototype
    replace(t, MusicFolder.prototype, 'watch', function (this: MusicFolder, every?: number) {
      everies.push(every!)
      return watch.call(this, every)
    })
    await startWith(t, {}, interval)
    t.same(everies, [expected * 1000])
  })
}
