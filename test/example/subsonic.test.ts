import fastify from 'fastify'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { SubsonicAPI } from 'subsonic-api'
import t from 'tap'
import app, { options } from '../../example/app.ts'
import { openDatabase } from '../../example/database/open-database.ts'
import source from '../../example/subsonic/app.ts'
import { alike } from '../names-alike.ts'
import { fakeServer } from '../subsonic-client/fake-server.ts'
import { command, folder, mp3, scan, start, startWith, token as ownersToken, tokenIn, until } from './helper.ts'

const token = 'a-token-of-some-length'
/** The demo, where each test has an account of its own. */
const DATA_DIR = folder(t)
const demo = await start(t, { DATA_DIR })
/** Adds an account and returns how an app of it calls a method. */
async function askAs (account: string) {
  const p = tokenIn(await command(DATA_DIR, ['add', account]))
  return async (method: string, query: Record<string, string> = {}) =>
    (await demo.app.inject(`/rest/${method}?${new URLSearchParams({ f: 'json', u: account, p, ...query })}`))
      .json()['subsonic-response']
}
const names = alike.flat()
const ofAlike = await startWith(t, {
  ...Object.fromEntries(names.map((artist, at) =>
    [`${at}/a.mp3`, mp3({ title: 'Home', artist, album: `Of ${at}`, lyrics: `la ${at}` })])),
  'long.m3u8': '0/a.mp3\n'.repeat(1300)
})
const oneTrack = { 'a.mp3': mp3({ title: 'One', artist: 'Ada' }) }

t.test('a client plays the folder', async t => {
  t.intercept(process, 'env', {
    value: {
      ...process.env,
      SOURCE_API_TOKEN: token,
      // Goes after the source is closed, which a folder of testdir does not.
      DATA_DIR: folder(t),
      NODE_ENV: 'production',
      // Nobody in the house gets there.
      PUBLIC_URL: 'https://music.invalid/folder'
    }
  })
  const server = fastify(options)
  t.teardown(() => server.close())
  await server.register(app)
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  // It waits for its first scan only for a while.
  const isThere = new SubsonicAPI({ url, auth: { username: 'anybody', password: token } })
  await until(async () => (await isThere.search3({ query: '', songCount: 500 })).searchResult3.song?.length === 9)
  for (const post of [false, true]) {
    const api = new SubsonicAPI({ url, auth: { username: 'anybody', password: token }, post })
    t.equal((await api.ping()).status, 'ok')
    const { song, album, artist }: any =
      (await api.search3({ query: '', songCount: 500, albumCount: 500, artistCount: 500 })).searchResult3
    t.equal(song.length, 9)
    t.ok(album.length >= 3 && artist.length >= 3)
    t.ok(song.every(({ track, size, suffix }: any) => track > 0 && size > 0 && suffix !== ''))
    const audio = await api.stream({ id: song[0].id })
    t.match(audio.headers.get('content-type'), /^audio\//)
    t.equal((await audio.arrayBuffer()).byteLength, song[0].size)
    t.match((await api.getCoverArt({ id: song[0].coverArt })).headers.get('content-type'), /^image\//)
  }
  t.equal((await new SubsonicAPI({ url, auth: { username: 'anybody', password: 'wrong' } }).ping()).status, 'failed')
})

t.test('songs and albums are created when they came to the folder, whenever they were published', async t => {
  const before = Date.now()
  const { app } = await startWith(t, { 'a.mp3': mp3({ title: 'One', album: 'B', date: '1999' }) })
  const ask = async (method: string) =>
    (await app.inject(`/rest/${method}?${new URLSearchParams({ f: 'json', u: 'a', p: ownersToken, query: '' })}`))
      .json()['subsonic-response']
  t.match((await ask('getScanStatus')).scanStatus, { scanning: false, count: 1 }, 'nothing else was asked for yet')
  const { searchResult3: { song, album } } = await ask('search3')
  for (const [{ created }] of [song, album]) t.ok(Date.parse(created) >= before - 3_700_000, created)
})

t.test('an app that pages through the folder is shown all that stays while files go', async t => {
  const files = Object.fromEntries([1, 2, 3, 4, 5, 6].map(track =>
    [`${track}.mp3`, mp3({ title: `Song ${track}`, artist: 'A', album: 'B', track: `${track}` })]))
  const MUSIC_DIR = folder(t, files)
  const { app } = await start(t, { MUSIC_DIR })
  const songs = async (songOffset: number, query = '') => (await app.inject(`/rest/search3?${new URLSearchParams({
    f: 'json', u: 'a', p: ownersToken, query, songCount: '2', songOffset: `${songOffset}`
  })}`)).json()['subsonic-response'].searchResult3.song.map(({ title }: any) => title)
  t.strictSame(await songs(0), ['Song 1', 'Song 2'])
  for (const gone of ['1', '4']) {
    rmSync(join(MUSIC_DIR, `${gone}.mp3`))
    await scan({ app })
    t.strictSame(await songs(0, `Song ${gone}`), [])
  }
  t.strictSame(await songs(2), ['Song 3', 'Song 5'])
  t.strictSame(await songs(4), ['Song 6'])
})

t.test('songs have their own disc, number, year and genres, also in folders of discs without such tags', async t => {
  const { app } = await startWith(t, {
    'A/B/CD1/1.mp3': mp3({ title: 'One', artist: 'A', album: 'B', track: '1', date: '2001', genre: 'Pop' }),
    'A/B/Disc 2/1.mp3': mp3({ title: 'Two', artist: 'A', album: 'B', track: '1', date: '2002', genre: 'Jazz; Rock' }),
    'A/B/Disc 2/x.mp3': mp3({ title: 'Bare', artist: 'A', album: 'B', date: '2004' })
  })
  const ask = async (method: string, query: Record<string, string> = {}) =>
    (await app.inject(`/rest/${method}?${new URLSearchParams({ f: 'json', u: 'a', p: ownersToken, ...query })}`))
      .json()['subsonic-response']
  const { album: [{ id }] } = (await ask('getAlbumList2', { type: 'byGenre', genre: 'rock' })).albumList2
  const { song } = (await ask('getAlbum', { id })).album
  t.match(song, [
    { title: 'One', discNumber: 1, track: 1, year: 2001, genre: 'Pop', genres: [{ name: 'Pop' }] },
    { title: 'Two', discNumber: 2, track: 1, year: 2002, genre: 'Jazz', genres: [{ name: 'Jazz' }, { name: 'Rock' }] },
    { title: 'Bare', discNumber: 2, track: 3, year: 2004, genres: [] }
  ])
  t.strictSame((await ask('getGenres')).genres.genre.map(({ value, songCount }: any) => [value, songCount]),
    [['Jazz', 1], ['Pop', 1], ['Rock', 1]])
  const ofGenre = (await ask('getSongsByGenre', { genre: 'Rock' })).songsByGenre
  t.match(ofGenre.song, [{ title: 'Two' }])
  const { song: ofYear } = (await ask('getRandomSongs', { fromYear: '2002', toYear: '2003' })).randomSongs
  t.strictSame(ofYear.map(({ title }: any) => title), ['Two'])
})

t.test('a list of the folder is whole, however long it is', async t => {
  const { app, data } = ofAlike
  const [{ id }] = (await data('/v1/playlist/list')).items
  t.equal((await data(`/v1/playlist/detail?id=${id}`)).tracks.length, 1300)
  const query = new URLSearchParams({ f: 'json', u: 'a', p: ownersToken, id: `pl-${id}` })
  const { songCount, entry } = (await app.inject(`/rest/getPlaylist?${query}`)).json()['subsonic-response'].playlist
  t.strictSame([songCount, entry.length], [1300, 1300])
})

t.test('artists whose names are nearly alike have their own albums and songs', async t => {
  const { app } = ofAlike
  const ask = async (method: string, query: Record<string, string> = {}) =>
    (await app.inject(`/rest/${method}?${new URLSearchParams({ f: 'json', u: 'a', p: ownersToken, ...query })}`))
      .json()['subsonic-response']
  const { artists } = await ask('getArtists')
  const shown = new Map<string, any>(artists.index.flatMap(({ artist }: any) =>
    artist.map((one: any) => [one.name, one])))
  t.equal(shown.size, names.length)
  for (const [at, name] of names.entries()) {
    const { id, albumCount } = shown.get(name)
    t.equal(albumCount, 1, name)
    const { artist } = await ask('getArtist', { id })
    t.match(artist.album, [{ name: `Of ${at}`, artistId: id }], name)
    const { topSongs } = await ask('getTopSongs', { artist: name })
    t.match(topSongs.song, [{ album: `Of ${at}`, artistId: id }], name)
    t.equal((await ask('getLyrics', { artist: name, title: 'Home' })).lyrics.value, `la ${at}`)
  }
})

t.test('a playlist without tracks has no picture', async t => {
  const ask = await askAs('ann')
  t.notOk('coverArt' in (await ask('createPlaylist', { name: 'Empty' })).playlist)
})

t.test('a change of an account forgets nothing of the library', async t => {
  const ask = await askAs('bob')
  const { song: songs } = (await ask('search3', { query: '' })).searchResult3
  const [{ id, track }] = songs
  t.ok(track > 0)
  await ask('star', { id })
  t.match((await ask('getSong', { id })).song, { track, starred: /^\d/ }, 'its place in the album is known')
  const page = async (songOffset: number) =>
    (await ask('search3', { query: '', songCount: '3', songOffset: `${songOffset}` })).searchResult3.song
  const first = await page(0)
  await ask('star', { id: songs[1].id })
  const pages = [...first, ...await page(3), ...await page(6)]
  t.strictSame(pages.map(song => song.id), songs.map((song: { id: string }) => song.id))
})

t.test('another account of the name of a removed one has none of its ratings', async t => {
  const removed = await askAs('eve')
  const { song: [{ id }] } = (await removed('search3', { query: '' })).searchResult3
  await removed('setRating', { id, rating: '5' })
  t.equal((await removed('getSong', { id })).song.userRating, 5)
  await command(DATA_DIR, ['remove', 'eve', 'eve'])
  t.equal((await (await askAs('eve'))('getSong', { id })).song.userRating, undefined)
})

t.test('what apps keep for an account is there after a restart, and gone with the account', async t => {
  const DATA_DIR = folder(t)
  const first = await startWith(t, oneTrack, { DATA_DIR })
  const p = tokenIn(await command(DATA_DIR, ['add', 'ann']))
  const session = ({ app }: typeof first, p: string) => async (method: string, query: Record<string, string> = {}) =>
    (await app.inject(`/rest/${method}?${new URLSearchParams({ f: 'json', u: 'ann', p, ...query })}`))
      .json()['subsonic-response']
  const ask = session(first, p)
  const { song: [{ id }] } = (await ask('search3', { query: '' })).searchResult3
  for (const [method, query] of [['createBookmark', {
    id, position: '7'
  }], ['setRating', { id, rating: '4' }], ['savePlayQueue', { id, current: id, position: '3' }]] as const) {
    t.equal((await ask(method, query)).status, 'ok', method)
  }
  await first.app.close()
  const second = await startWith(t, oneTrack, { DATA_DIR })
  const again = session(second, p)
  t.match((await again('getBookmarks')).bookmarks.bookmark, [{ position: 7, entry: { id } }])
  t.equal((await again('getSong', { id })).song.userRating, 4)
  t.match((await again('getPlayQueue')).playQueue, { current: id, position: 3, entry: [{ id }] })
  t.strictSame((await session(second, ownersToken)('getBookmarks')).bookmarks.bookmark, [], 'others have none of it')
  await again('savePlayQueue')
  t.strictSame((await again('getPlayQueue')).playQueue.entry, [])
  await command(DATA_DIR, ['remove', 'ann', 'ann'])
  await second.app.close()
  const db = await openDatabase(DATA_DIR, '', second.app.log)
  t.teardown(() => db.destroy())
  t.strictSame(await db.selectFrom('subsonic').select('name').execute(), [])
})

for (const STATELESS of ['false', 'true']) {
  t.test(`STATELESS=${STATELESS}: two addresses that change the same at once lose nothing that was acknowledged`, async t => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_empty, index) =>
      [`${index}.mp3`, mp3({ title: `Song ${index}`, artist: 'One', album: 'Two' })]))
    const { app } = await startWith(t, files, { STATELESS })
    const hosts = ['home.example', 'away.example']
    const ask = async (host: string, method: string, query: Record<string, string> = {}) => {
      const search = new URLSearchParams({ f: 'json', u: 'a', p: ownersToken, ...query })
      return (await app.inject({ url: `/rest/${method}?${search}`, headers: { host } })).json()['subsonic-response']
    }
    const { song } = (await ask(hosts[0]!, 'search3', { query: '', songCount: '20' })).searchResult3
    const changes = song.flatMap(({ id }: { id: string }, index: number) => {
      const host = hosts[index % 2]!
      return [
        ask(host, 'createBookmark', { id, position: '1' }), ask(host, 'setRating', { id, rating: '5' }),
        ...STATELESS === 'false' ? [ask(host, 'star', { id })] : []
      ]
    })
    for (const { status } of await Promise.all(changes)) t.equal(status, 'ok')
    for (const [host, id] of [[hosts[0], song[0].id], [hosts[1], song[1].id]]) {
      t.equal((await ask(host, 'savePlayQueue', { id })).status, 'ok')
    }
    for (const host of hosts) {
      t.equal((await ask(host, 'getBookmarks')).bookmarks.bookmark.length, 20)
      const rated = (await ask(host, 'search3', { query: '', songCount: '20' })).searchResult3.song
      t.ok(rated.every(({ userRating }: { userRating: number }) => userRating === 5))
      t.strictSame((await ask(host, 'getPlayQueue')).playQueue.entry.map(({ id }: any) => id), [song[1].id])
      if (STATELESS === 'false') t.equal((await ask(host, 'getStarred2')).starred2.song.length, 20)
    }
  })
}

t.test('without accounts a play queue is in memory', async t => {
  const { app } = await startWith(t, oneTrack, { STATELESS: 'true' })
  const ask = async (method: string, query: Record<string, string> = {}) =>
    (await app.inject(`/rest/${method}?${new URLSearchParams({ f: 'json', u: 'ann', p: ownersToken, ...query })}`))
      .json()['subsonic-response']
  const { song: [{ id }] } = (await ask('search3', { query: '' })).searchResult3
  await ask('savePlayQueue', { id })
  t.match((await ask('getPlayQueue')).playQueue.entry, [{ id }])
})

t.test('the Subsonic source starts by the command in its comment', async t => {
  const { url } = await fakeServer(t, {})
  const text = readFileSync('example/subsonic/app.ts', 'utf8')
  const [, file = ''] = /`fastify start dist\/(\S+)\.js`/.exec(text)!
  const cli = createRequire(import.meta.url).resolve('fastify-cli/cli.js')
  // Tests run the file that the compiled one is made of.
  const child = spawn(process.execPath, [
    ...process.execArgv, cli, 'start', `${file}.ts`, '--log-level', 'info', '--address', '127.0.0.1'
  ], {
    env: {
      ...process.env,
      PORT: '0',
      SUBSONIC_URL: url,
      SUBSONIC_USER: 'ada',
      SUBSONIC_PASSWORD: 'secret',
      SOURCE_API_TOKEN: token
    }
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => { output += data })
  const ended = once(child, 'close')
  t.teardown(() => {
    child.kill()
    return ended
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => { if (/listening at http/.test(output)) resolve() })
    child.once('close', () => reject(new Error(output)))
  })
  const [, baseUrl] = /listening at (http:[^"]+)/.exec(output)!
  t.equal((await fetch(`${baseUrl}/v1/status`, { headers: { authorization: token } })).status, 200)
})

t.test('a Subsonic server is a source in a few lines', async t => {
  const song = { id: '1', title: 'One', suffix: 'mp3', bitRate: 320, duration: 1, size: 5 }
  const { url } = await fakeServer(t, { getSong: { song }, stream: { raw: 'audio', type: 'audio/mpeg' } })
  t.intercept(process, 'env', {
    value: {
      ...process.env, SUBSONIC_URL: url, SUBSONIC_USER: 'ada', SUBSONIC_PASSWORD: 'secret', SOURCE_API_TOKEN: token
    }
  })
  const origin = fastify()
  t.teardown(() => origin.close())
  await origin.register(source)
  const baseUrl = await origin.listen({ port: 0, host: '127.0.0.1' })
  const get = async (path: string) =>
    (await fetch(baseUrl + path, { headers: { authorization: token } })).json() as Promise<any>
  t.match((await get('/v1/track?id=1')).data, { title: 'One' })
  const { url: audio } = (await get('/v1/track/url?id=1')).data
  t.ok(audio.startsWith(baseUrl))
  t.equal(await (await fetch(audio)).text(), 'audio')
  t.equal((await fetch(`${baseUrl}/v1/status`)).status, 401)
})

for (const [PUBLIC_URL, beginning] of [
  ['', 'http://localhost/media/'], ['https://music.example/', 'https://music.example/media/']
] as const) {
  t.test(`a Subsonic server as a source with PUBLIC_URL=${PUBLIC_URL}`, async t => {
    const { url } = await fakeServer(t, {
      getSong: { song: { id: '1', title: 'One', suffix: 'mp3', bitRate: 320, duration: 1, size: 5 } }
    })
    t.intercept(process, 'env', {
      value: {
        ...process.env,
        SUBSONIC_URL: url,
        SUBSONIC_USER: 'ada',
        SUBSONIC_PASSWORD: 'secret',
        SOURCE_API_TOKEN: token,
        PUBLIC_URL
      }
    })
    const origin = fastify()
    t.teardown(() => origin.close())
    await origin.register(source)
    const { data } =
      (await origin.inject({ url: '/v1/track/url?id=1', headers: { authorization: token, host: 'localhost' } })).json()
    t.ok(data.url.startsWith(beginning), data.url)
  })
}
