import fastify from 'fastify'
import t from 'tap'
import { MusicFolder } from '../../example/index/music-folder.ts'
import { as, command, folder, hear, put, scan, start, tokenIn, write, pathOf, mp3 } from './helper.ts'
import { id3File } from './make-tags.ts'

const tags = (title: string, artist: string, album: string, genre: string) =>
  [['TIT2', title], ['TPE1', artist], ['TALB', album], ['TCON', genre]] as const
const files = {
  'Kids/1.mp3': id3File(4, tags('Frog', 'Ada', 'Pond', 'Children')),
  'Kids/2.mp3': id3File(4, [...tags('Curse', 'Ada', 'Pond', 'Children'), ['TXXX:ITUNESADVISORY', '1']]),
  'Kids/3.mp3': id3File(4, tags('Newt', 'Ada', 'Pond', 'Children')),
  'Rock/1.mp3': id3File(4, tags('Storm', 'Bea', 'Loud', 'Metal')),
  'Rock/2.mp3': id3File(4, tags('Thunder', 'Ada', 'Loud', 'Metal')),
  'Mixed.m3u8': '#PLAYLIST:Mixed\nRock/1.mp3\nKids/1.mp3\nKids/2.mp3\n',
  'Noise.m3u8': '#PLAYLIST:Noise\nRock/1.mp3\n'
}
/** Only what the child must not see has these in it. */
const words = ['Curse', 'Storm', 'Bea', 'Loud', 'Metal', 'Noise', 'Thunder']

const [MUSIC_DIR, DATA_DIR] = [folder(t, files), folder(t)]
const owner = await start(t, { MUSIC_DIR, DATA_DIR, PAGE: 'true' })
const run = (...args: string[]) => command(DATA_DIR, args)

/** An account that had everything before it got its limits, instead of the one of the test before. */
async function family (...settings: string[][]) {
  if ((await run('list')).includes('kim')) await run('remove', 'kim', 'kim')
  const token = tokenIn(await run('add', 'kim'))
  const kim = as(owner, token)
  const find = async (kind: string, name: string) => (await owner.data(`/v1/search/${kind}?keyword=${name}`)).items[0].id
  const ids: Record<string, string> = {}
  for (const name of ['Frog', 'Curse', 'Storm']) ids[name] = await find('tracks', name)
  for (const name of ['Pond', 'Loud']) ids[name] = await find('albums', name)
  for (const name of ['Ada', 'Bea']) ids[name] = await find('artists', name)
  for (const name of ['Mixed', 'Noise']) ids[name] = await find('playlists', name)
  const { id: own } = await write(kim, 'playlist/create', { name: 'Of Kim' })
  for (const name of ['Storm', 'Frog', 'Curse']) {
    await write(kim, 'playlist/addTrack', { playlistId: own, trackId: ids[name] })
    await write(kim, 'track/favorite', { id: ids[name], status: true })
    await hear(owner, token, ids[name]!)
  }
  await write(kim, 'album/favorite', { id: ids.Loud, status: true })
  await write(kim, 'artist/favorite', { id: ids.Bea, status: true })
  await write(kim, 'playlist/favorite', { id: ids.Noise, status: true })
  for (const setting of settings) await run('allow', 'kim', ...setting)
  const rest = async (p: string, method: string, more: object = {}) =>
    (await owner.call(`/rest/${method}?${new URLSearchParams({ u: 'x', p, c: 'app', f: 'json', ...more })}`))
  ids.own = own
  return { kim, token, ids, rest }
}

const keywords = words.map(word => word.toLowerCase())
/** Everything that reads; `:` is followed by the name of an id. */
const questions = [
  ...['list', 'category', 'recommended'].map(path => `/v1/playlist/${path}`),
  ...['own', 'Mixed', 'Noise'].flatMap(id => ['', '&sort=title', '&sort=artist&order=desc'].map(
    more => `/v1/playlist/detail?id=:${id}${more}`)),
  '/v1/toplist/list', ...['week', 'ever', 'recent', 'added'].map(id => `/v1/toplist/detail?id=${id}`),
  ...['Frog', 'Curse', 'Storm'].flatMap(id =>
    ['', '/similar', '/url', '/lyrics'].map(path => `/v1/track${path}?id=:${id}`)),
  ...['new', 'daily', 'roam'].map(path => `/v1/track/${path}`),
  ...[...keywords, 'stomr', 'a', 'ada'].flatMap(keyword =>
    ['suggest', 'tracks', 'artists', 'albums', 'playlists', 'tracks?offset=1&'].map(
      path => `/v1/search/${path}${path.includes('?') ? '' : '?'}keyword=${keyword}`)),
  '/v1/artist/top',
  ...['Ada', 'Bea'].flatMap(id => [
    `/v1/artist/detail?id=:${id}`, `/v1/artist/albums?id=:${id}`,
    ...['hot', 'new', 'title'].map(order => `/v1/artist/tracks?id=:${id}&order=${order}`)
  ]),
  ...['Pond', 'Loud'].map(id => `/v1/album/detail?id=:${id}`),
  ...['playlist/list', 'favorite/tracks', 'artist/list', 'album/list'].map(path => `/v1/user/${path}`),
  ...['kind=albums', 'kind=artists', 'kind=albums&sort=year', 'genre=Metal', 'letter=L'].map(
    query => `/page/browse?${query}`),
  '/page/playlist?id=:own', '/page/playlist?id=:Mixed', '/page/plays', '/page/extras?album=:Loud',
  '/page/extras?track=:Storm&track=:Frog', '/page/extras?album=:Pond',
  ...['track&id=:Storm', 'album&id=:Loud', 'artist&id=:Bea', 'playlist&id=:Noise'].map(
    query => `/page/download?kind=${query}`)
]
const restQuestions: [method: string, more?: object][] = [
  ...['Indexes', 'Artists', 'Genres', 'Playlists', 'Starred', 'Starred2', 'NowPlaying', 'Bookmarks', 'PlayQueue'].map(
    (what): [string] => [`get${what}`]),
  ['getRandomSongs', { size: '50' }],
  ...['ar-:Ada', 'ar-:Bea'].flatMap((id): [string, object][] => [
    ['getArtist', { id }], ['getMusicDirectory', { id }], ['getArtistInfo2', { id }], ['getSimilarSongs2', { id }]]),
  ...['al-:Pond', 'al-:Loud'].flatMap((id): [string, object][] => [
    ['getAlbum', { id }], ['getMusicDirectory', { id }]]),
  ...['tr-:Frog', 'tr-:Storm', 'tr-:Curse'].flatMap((id): [string, object][] => [
    ['getSong', { id }], ['getSimilarSongs', { id }], ['getLyricsBySongId', { id }]]),
  ...['pl-:own', 'pl-:Mixed', 'pl-:Noise'].map((id): [string, object] => ['getPlaylist', { id }]),
  ...['newest', 'random', 'frequent', 'recent', 'starred', 'alphabeticalByName'].map(
    (type): [string, object] => ['getAlbumList2', { type, size: '50' }]),
  ['getAlbumList2', { type: 'byGenre', genre: 'Metal' }], ['getSongsByGenre', { genre: 'Metal' }],
  ...['', ...keywords].map((query): [string, object] => ['search3', { query }]),
  ['getTopSongs', { artist: 'Bea' }]
]

t.test('an account that sees a genre, nothing explicit, finds nothing else by any protocol', async t => {
  for (const part of [['genres', 'children'], ['folders', './Kids/']]) {
    const { kim, token, ids, rest } = await family(part, ['explicit', 'off'])
    const found = new Set<string>()
    const fill = (text: string) => text.replace(/:(\w+)/g, (_all, name: string) => ids[name]!)
    let frogs = 0
    for (const question of questions) {
      const all = (await owner.call(fill(question))).body
      for (const word of words) if (all.includes(word)) found.add(word)
      const { body } = await kim.call(fill(question))
      const bare = body.replaceAll(/"message":"[^"]*"/g, '')
      t.same(words.filter(word => bare.includes(word)), [], question)
      if (body.includes('Frog')) frogs++
    }
    t.same([...found].sort(), [...words].sort(), 'the questions find all of it')
    t.ok(frogs > 20, 'what it may see is there')
    for (const [method, more = {}] of restQuestions) {
      const given = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, fill(String(value))]))
      const { body } = await rest(token, method, given)
      t.same(words.filter(word => body.includes(word)), [], `${method} ${JSON.stringify(more)}`)
    }
    for (const method of ['stream', 'download', 'getCoverArt']) {
      for (const id of [`tr-${ids.Storm}`, `al-${ids.Loud}`, `ar-${ids.Bea}`]) {
        const answer = await rest(token, method, { id })
        t.match(answer.body, /"status":"failed"/, `${method} of ${id}`)
      }
    }
  }
})

t.test('counts, lengths, covers and genres are those of what the account sees', async t => {
  const { kim, ids, rest, token } = await family(['genres', 'Children'], ['explicit', 'off'])
  const detail = await kim.data(`/v1/album/detail?id=${ids.Pond}`)
  t.match(detail, { trackCount: 2, genre: 'Children' })
  const album = (await rest(token, 'getAlbum', { id: `al-${ids.Pond}` })).json()['subsonic-response'].album
  t.match(album, { songCount: 2, duration: Math.round(detail.tracks[0].durationMs * 2 / 1000) })
  t.notOk(album.explicitStatus)
  const [ada, ...others] = await kim.data('/v1/artist/top')
  t.same(others, [])
  t.match(ada.coverUrl, `/media/cover/${ids.Pond}`)
  const mixed = await kim.data(`/v1/playlist/detail?id=${ids.Mixed}`)
  t.match(mixed, { trackCount: 1, tags: ['Children'], tracks: [{ title: 'Frog' }], coverUrl: detail.coverUrl })
  t.match((await kim.data('/page/browse?kind=albums')), { total: 1, genres: [{ name: 'Children', tracks: 2 }] })
  const { genre } = (await rest(token, 'getGenres')).json()['subsonic-response'].genres
  t.match(genre, [{ value: 'Children', songCount: 2, albumCount: 1 }])
})

t.test('lists of its own keep their places, and an edit of one keeps what is not seen', async t => {
  const { kim, ids } = await family(['genres', 'Children'], ['explicit', 'off'])
  const titles = async () => (await kim.data(`/v1/playlist/detail?id=${ids.own}`)).tracks.map(({ title }: any) => title)
  t.same(await titles(), ['Not for this account', 'Frog', 'Not for this account'])
  await t.rejects(write(kim, 'playlist/addTrack', { playlistId: ids.own, trackId: ids.Curse }), { message: /^404/ })
  await t.rejects(write(kim, 'track/favorite', { id: ids.Curse, status: true }), { message: /^404/ })
  await write(kim, 'playlist/removeTrack', { playlistId: ids.own, trackId: ids.Frog })
  await run('allow', 'kim', 'genres', 'all')
  await run('allow', 'kim', 'explicit', 'on')
  t.same(await titles(), ['Storm', 'Curse'], 'it comes back with the limits gone')
  t.same((await kim.data('/v1/user/favorite/tracks')).length, 3)
})

t.test('an archive has what the account sees when it is saved, and none is saved that may not', async t => {
  const { kim, ids, rest, token } = await family(['genres', 'Children'], ['explicit', 'off'])
  const { url } = await kim.data(`/page/download?kind=album&id=${ids.Pond}`)
  const archive = await owner.app.inject(pathOf(url))
  t.ok(archive.body.includes('Frog'))
  t.notOk(archive.body.includes('Curse'))
  const whole = await owner.app.inject(pathOf((await owner.data(`/page/download?kind=album&id=${ids.Pond}`)).url))
  t.ok(whole.body.includes('Curse'))
  const { url: list } = await kim.data(`/page/download?kind=playlist&id=${ids.own}`)
  t.notOk((await owner.app.inject(pathOf(list))).body.includes('Storm'))
  await run('allow', 'kim', 'download', 'off')
  t.equal((await owner.app.inject(pathOf(url))).statusCode, 404, 'a URL from before is of no use')
  t.match((await kim.call(`/page/download?kind=album&id=${ids.Pond}`)).json(), { code: 422 })
  t.match((await rest(token, 'download', { id: `tr-${ids.Frog}` })).body, /may not save files/)
  t.equal((await kim.call(`/v1/track/url?id=${ids.Frog}`)).statusCode, 200)
  await run('allow', 'kim', 'download', 'on')
  t.equal((await owner.app.inject(pathOf(url))).statusCode, 200)
  await run('remove', 'kim', 'kim')
  t.equal((await owner.app.inject(pathOf(url))).statusCode, 404, 'nor is one of an account that is gone')
})

t.test('an account that may not deletes no playlist', async t => {
  const { kim, ids, rest, token } = await family(['delete', 'off'])
  await t.rejects(write(kim, 'playlist/delete', { id: ids.own }), { message: /^403/ })
  t.match((await rest(token, 'deletePlaylist', { id: `pl-${ids.own}` })).body, /"status":"failed"/)
  await run('allow', 'kim', 'delete', 'on')
  t.match(await write(kim, 'playlist/delete', { id: ids.own }), { success: true })
})

t.test('an account with a bitrate gets the best file that fits, or the smallest', async t => {
  const song = { title: 'One', artist: 'Ada', album: 'Disc' }
  const [MUSIC_DIR, DATA_DIR] = [folder(t, {
    'one.mp3': mp3(song, { high: true }),
    'two.mp3': mp3(song)
  }), folder(t)]
  const owner = await start(t, { MUSIC_DIR, DATA_DIR })
  const kim = as(owner, tokenIn(await command(DATA_DIR, ['add', 'kim'])))
  const [{ id }] = await owner.data('/v1/track/new')
  const qualities = async () => (await kim.data(`/v1/track?id=${id}`)).qualities.map(({ key }: any) => key)
  t.same(await qualities(), ['high', 'standard'])
  for (const [cap, keys] of [['330', ['high', 'standard']], ['200', ['standard']], ['1', ['standard']]] as const) {
    await command(DATA_DIR, ['allow', 'kim', 'bitrate', cap])
    t.same(await qualities(), keys, cap)
    const { quality, url } = await kim.data(`/v1/track/url?id=${id}&quality=high`)
    t.equal((await owner.app.inject(pathOf(url))).statusCode, 200)
    t.equal(quality, keys[0])
  }
  await command(DATA_DIR, ['allow', 'kim', 'bitrate', 'all'])
  t.same(await qualities(), ['high', 'standard'])
})

t.test('apps are told what an account may do', async t => {
  const { token, rest } = await family(['download', 'off'], ['bitrate', '128'])
  const userOf = async () => (await rest(token, 'getUser')).json()['subsonic-response'].user
  t.match(await userOf(), { downloadRole: false, maxBitRate: 128, playlistRole: true, streamRole: true })
  for (const [name, value] of [['download', 'on'], ['bitrate', 'all']] as const) await run('allow', 'kim', name, value)
  const { downloadRole, maxBitRate } = await userOf()
  t.strictSame([downloadRole, maxBitRate], [true, undefined])
})

t.test('what changes in the folder is seen, or not, from then on', async t => {
  const { kim } = await family(['genres', 'Children'])
  const titles = async () => (await kim.data('/v1/track/new')).map(({ title }: any) => title).sort()
  t.same(await titles(), ['Curse', 'Frog', 'Newt'])
  put(MUSIC_DIR, 'Rock/3.mp3', id3File(4, tags('Toad', 'Bea', 'Loud', 'Children')), Date.now() / 1000)
  put(MUSIC_DIR, 'Rock/4.mp3', id3File(4, tags('Hail', 'Bea', 'Loud', 'Metal')), Date.now() / 1000)
  await scan(owner)
  t.equal((await owner.data('/v1/search/tracks?keyword=hail')).items.length, 1)
  t.same(await titles(), ['Curse', 'Frog', 'Newt', 'Toad'])
  const [bea] = (await kim.data('/v1/search/artists?keyword=bea')).items
  t.match(await kim.data(`/v1/artist/detail?id=${bea.id}`), { tracks: [{ title: 'Toad' }] })
})

t.test('settings that are none, and values that cannot be, change nothing', async t => {
  await family()
  const refused: [args: string[], why: RegExp][] = [
    [['nobody', 'explicit', 'off'], /Account not found: nobody/],
    [['kim', 'everything', 'off'], /SETTING must be one of genres, /],
    [['kim', 'toString', 'off'], /SETTING must be one of genres, /],
    [['kim', ''], /SETTING must be one of genres, /],
    [['kim', 'explicit'], /Say what explicit is to be/],
    [['kim', 'explicit', 'no'], /Say on or off/], [['kim', 'share', 'on', 'off'], /Say on or off/],
    [['kim', 'genres', 'Children', 'Polka'], /No track has the genre Polka/],
    [['kim', 'genres', 'all', 'Children'], /No track has the genre all/],
    [['kim', 'folders', 'Kid'], /No track is in the folder Kid of the music/],
    [['kim', 'folders', '../etc'], /No track is in the folder/], [['kim', 'folders', ''], /No track is in the folder/],
    [['kim', 'bitrate', '0'], /kbit/], [['kim', 'bitrate', '12.5'], /kbit/], [['kim', 'bitrate', '128', '2'], /kbit/],
    [['kim', 'bitrate', 'all', '2'], /kbit/], [['kim', 'bitrate', '-1'], /kbit/], [['kim', 'bitrate', '1e9'], /kbit/]
  ]
  for (const [args, why] of refused) await t.rejects(run('allow', ...args), { message: why }, args.join(' '))
  t.equal(await run('allow', 'kim'), 'kim')
})

t.test('the list of accounts says what is limited', async t => {
  await family(['genres', 'METAL', 'children'], ['folders', 'Kids'], ['explicit', 'off'],
    ['bitrate', '128'], ['download', 'off'], ['delete', 'off'], ['share', 'off'])
  const lines = [
    'kim', '  sees genres: Metal, Children', '  sees folders: Kids', '  sees nothing explicit',
    '  gets 128 kbit/s at most', '  saves no files', '  deletes no playlists', '  shares no playlists'
  ]
  t.equal(await run('allow', 'KIM '), lines.join('\n'))
  t.match(await run('list'), lines.slice(1).join('\n'))
  await run('allow', 'kim', 'folders', 'all')
  t.notMatch(await run('list'), /folders/)
})

t.test('two settings at once are both kept', async t => {
  await family()
  await Promise.all([run('allow', 'kim', 'explicit', 'off'), run('allow', 'kim', 'delete', 'off')])
  t.equal(await run('allow', 'kim'), 'kim\n  sees nothing explicit\n  deletes no playlists')
})

t.test('a view that gave way to others is there again when it is asked', async t => {
  const [root, dataDir] = [folder(t, files), folder(t)]
  const music = await MusicFolder.open(root, dataDir, fastify().log)
  t.teardown(() => music.close())
  await music.scan()
  const part = music.catalogue.within({ folders: ['Kids'] })
  t.equal(part.tracks.size, 3)
  t.equal(music.catalogue.within({ folders: ['Kids'] }), part)
  for (let bitrate = 1; bitrate <= 100; bitrate++) music.catalogue.within({ bitrate })
  t.not(music.catalogue.within({ folders: ['Kids'] }), part)
  t.equal(part.tracks.size, 3)
  t.equal(music.catalogue.within({ download: false }), music.catalogue)
})
