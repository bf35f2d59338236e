import { NotFoundError, TimeoutError, UnsupportedFeatureError, UpstreamError } from 'fastify-source-origin'
import { createSubsonicAdapter } from 'fastify-source-origin/subsonic'
import { createUpstream } from 'fastify-source-origin/upstream'
import { Readable } from 'node:stream'
import t from 'tap'
import { deferred } from '../helper.ts'
import { failed, fakeServer, type Asked } from './fake-server.ts'
import { replace } from '../replace.ts'

// What goes wrong with a server, or is odd about it.

const song = { id: '1', title: 'One', artist: 'Ada', artistId: 'a', album: 'Al', albumId: 'b', suffix: 'flac' }
const media = () => ''

t.test('a server that asks for another version each time is given up', async t => {
  let minor = 1
  const { adapter, methods } = await fakeServer(t, { ping: () => ({ ...failed(30), version: `1.${minor++}.0` }) })
  await t.rejects(async () => adapter.getTrackDetail('1'), UpstreamError)
  t.equal(methods().length, 3)
})

t.test('a server that takes no tokens any longer gets the password', async t => {
  const { adapter, asked } = await fakeServer(t, { getSong: ({ p }: Asked) => p === undefined ? failed(41) : { song } })
  t.match(await adapter.getTrackDetail('1'), { id: '1' })
  t.strictSame(asked.map(({ p }) => p !== undefined), [false, false, true])
})

t.test('what a method misses is no reason to send the password', async t => {
  const { adapter, asked } = await fakeServer(t, { getSong: failed(10) })
  await t.rejects(async () => adapter.getTrackDetail('1'), UpstreamError)
  t.strictSame(asked.map(({ p }) => p), asked.map(() => undefined))
  t.not(asked.length, 0)
})

t.test('tokens that are refused with HTTP 401 are replaced by the password, too', async t => {
  const { adapter } =
    await fakeServer(t, { ping: ({ p }: Asked) => p === undefined ? failed(41, 'no', 401) : {}, getSong: { song } })
  t.match(await adapter.getTrackDetail('1'), { id: '1' })
})

for (const [title, ping] of [
  ['nothing', undefined], ['a page', { raw: '<html>', http: 404 }],
  ['an unknown method', failed(0, 'Unknown method', 404)]
] as const) {
  t.test(`an address where ${title} answers is no Subsonic server, and nothing looks missing there`, async t => {
    const { adapter } = await fakeServer(t, { ping: ping as any })
    for (const call of [() => adapter.userAlbums(), () => adapter.getUserMe(), () => adapter.getToplist()]) {
      await t.rejects(async () => call(), { name: 'UpstreamError', message: /not a Subsonic server/ })
    }
  })
}

t.test('while something else answers for a server that is down, nothing counts as missing', async t => {
  let isDown = true
  const gone = { raw: '404 page not found', http: 404 }
  const { adapter, client } = await fakeServer(t, {
    ping: () => isDown ? gone : {},
    getStarred2: () => isDown ? gone : { starred2: { song: [song] } }
  })
  isDown = false
  await adapter.getUserMe()
  isDown = true
  await t.rejects(async () => adapter.userFavoriteTracks(), UpstreamError)
  isDown = false
  t.match(await adapter.userFavoriteTracks(), [{ id: '1' }])
  t.ok(client)
})

t.test('a method that has worked is not missing, whatever it answers once', async t => {
  const { adapter } = await fakeServer(t, {
    getSong: ({ id }: Asked) =>
      id === 'odd' ? failed(0, 'boom', 400) : { song }
  })
  await adapter.getTrackDetail('1')
  await t.rejects(async () => adapter.getTrackDetail('odd'), UpstreamError)
  t.match(await adapter.getTrackDetail('1'), { id: '1' })
})

t.test('OpenSubsonic in text, and without a list of extensions', async t => {
  const { adapter, methods } = await fakeServer(t, { getSong: { song } }, {}, { openSubsonic: 'true' })
  t.match(await adapter.getTrackDetail('1'), { id: '1' })
  t.ok(methods().includes('getOpenSubsonicExtensions'))
})

const refusals = [failed(0), failed(70), failed(30), failed(40), { raw: '<html>' }, { raw: 'x', http: 500 },
  { raw: 'x', http: 403 }]
for (const getOpenSubsonicExtensions of refusals) {
  t.test(`a server that answers ${JSON.stringify(getOpenSubsonicExtensions)} has no extensions, and works`, async t => {
    const { adapter, methods } =
      await fakeServer(t, { getSong: { song }, getOpenSubsonicExtensions }, {}, { openSubsonic: true })
    t.match(await adapter.getTrackDetail('1'), { title: song.title })
    const before = methods().length
    t.match(await adapter.getTrackDetail('2'), { title: song.title })
    t.strictSame(methods().slice(before), ['getSong'])
  })
}

t.test('extensions of a server that is too slow now are asked for again', async t => {
  let isSlow = true
  const { url } = await fakeServer(t, {
    getSong: { song }, getOpenSubsonicExtensions: () => isSlow ? { raw: 'x', http: 408 } : {}
  }, {}, { openSubsonic: true })
  const upstream = createUpstream({ baseUrl: `${url}/rest`, retries: 0 })
  t.teardown(() => upstream.close())
  const adapter = createSubsonicAdapter({ url, username: 'ada', password: 'x', transcoding: false, upstream, media })
  await t.rejects(async () => adapter.getTrackDetail!('1'), TimeoutError)
  isSlow = false
  t.match(await adapter.getTrackDetail!('1'), { title: song.title })
})

for (const missing of [undefined, failed(0, 'Unknown method'), failed(30), failed(70), { raw: '<html>' }]) {
  t.test(`what an older server answers with ${JSON.stringify(missing)} is empty`, async t => {
    const methods = ['getLyrics', 'getLyricsBySongId', 'getSimilarSongs', 'getSongsByGenre', 'getTopSongs']
    const { adapter } = await fakeServer(t, {
      ...Object.fromEntries(methods.map(method => [method, missing])),
      getSong: { song: { ...song, genre: 'Folk' } },
      getArtist: { artist: { id: 'a', name: 'Ada', album: [] } }
    })
    t.strictSame(await adapter.getTrackLyrics('1'), { lyrics: '' })
    t.strictSame(await adapter.getSimilarTracks('1'), [])
    t.match(await adapter.getArtistTracks('a', 'hot', 0, 5), { items: [], hasMore: false })
  })
}

t.test('HTTP 403 means that it is not allowed, whatever the envelope says', async t => {
  const { adapter } = await fakeServer(t, { getSong: failed(0, 'no', 403), star: failed(0, 'no', 403) })
  await t.rejects(async () => adapter.getTrackDetail('1'), { name: 'UpstreamError', message: /does not allow/ })
  t.strictSame(await adapter.favoriteTrack('1', true), { success: false, status: false })
})

const list = { albumList2: { album: [{ id: 'x', name: 'X' }] } }
for (const [title, answer] of [
  ['fails', { raw: 'x', http: 500 }], ['says that it fails', failed(0, 'database is locked')]
] as const) {
  t.test(`toplists of which one ${title} are an error`, async t => {
    const { adapter } = await fakeServer(t, { getAlbumList2: ({ type }: Asked) => type === 'recent' ? answer : list })
    await t.rejects(async () => adapter.getToplist(), UpstreamError)
  })
}

for (const answer of [failed(10, 'unknown value "highest" for parameter "type"'), failed(0, 'Unknown type highest')]) {
  t.test(`a type of list that the server refuses with ${answer.failed.code} is left out, and asked for once`, async t => {
    const { adapter, asked } = await fakeServer(t, {
      getAlbumList2: ({ type }: Asked) =>
        type === 'highest' ? answer : list
    })
    for (let call = 0; call < 2; call++) t.match(await adapter.getToplist(), [{ list: { length: 3 } }])
    t.equal(asked.filter(({ type }) => type === 'highest').length, 1)
    await t.rejects(async () => adapter.getToplistTracks('highest', 0, 1), UnsupportedFeatureError)
  })
}

t.test('without lists of albums there are no new tracks', async t => {
  const { adapter } = await fakeServer(t, {})
  await t.rejects(async () => adapter.getNewTracks(), UnsupportedFeatureError)
})

t.test('a client that hangs up ends nothing that another one waits for', async t => {
  const { promise: arrived, resolve: arrive } = deferred<void>()
  const { promise: answered, resolve: answer } = deferred<void>()
  const { client } = await fakeServer(t, {
    getStarred2: async () => {
      arrive()
      await answered
      return { starred2: { song: [song] } }
    }
  })
  const controller = new AbortController()
  const leaving = createSubsonicAdapter(client, { media, signal: controller.signal }).userFavoriteTracks!()
  const staying = createSubsonicAdapter(client, { media }).userAlbums!()
  await arrived
  controller.abort(new Error('The client hung up'))
  answer()
  t.strictSame(await staying, [])
  await Promise.allSettled([leaving])
})

t.test('an adapter works for longer than a request takes', async t => {
  const now = performance.now.bind(performance)
  let later = 0
  replace(t, performance, 'now', () => now() + later)
  const { adapter } = await fakeServer(t, { getSong: { song } })
  await adapter.getTrackDetail('1')
  later = 600_000
  t.match(await adapter.getTrackDetail('2'), { id: '1' })
})

t.test('favourites of 12 MB are read', async t => {
  const many = Array.from({ length: 3000 }, (_empty, index) =>
    ({ ...song, id: String(index), path: 'x'.repeat(4000) }))
  const { adapter } = await fakeServer(t, { getStarred2: { starred2: { song: many } } })
  t.equal((await adapter.userFavoriteTracks()).length, 3000)
})

t.test('times with a space and without a zone are UTC', async t => {
  const zone = process.env.TZ
  t.teardown(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  process.env.TZ = 'America/New_York'
  const created = [
    '2020-01-01 00:00:00', '2020-01-01T00:00:00', '2020-01-01T00:00:00.000', '2020-01-01T01:00:00+01:00', '2020-01-01'
  ]
  const playlist = created.map((created, id) => ({ id, name: 'P', created }))
  const { adapter } = await fakeServer(t, { getPlaylists: { playlists: { playlist } } })
  t.strictSame((await adapter.getUserPlaylist()).map(({ createdAt }) => createdAt), created.map(() =>
    Date.UTC(2020, 0, 1)))
})

t.test('what is starred "false" is no favourite', async t => {
  const { adapter } = await fakeServer(t, {
    getSong: ({ id }: Asked) =>
      ({ song: { ...song, id, starred: id === '1' ? false : 'false' } })
  })
  for (const id of ['1', '2']) t.equal((await adapter.getTrackDetail(id)).favorite, false)
})

t.test('a page that something is left out of does not look like the last one', async t => {
  const videos = [song, { ...song, id: '2', isVideo: true }, { ...song, id: '3' }]
  const { adapter } = await fakeServer(t, {
    search3: { searchResult3: { song: videos } },
    getArtist: { artist: { id: 'a', name: 'A' } },
    getTopSongs: { topSongs: { song: videos } }
  })
  t.match(await adapter.searchTracks('x', 0, 2), { items: { length: 1 }, hasMore: true })
  t.match(await adapter.getArtistTracks('a', 'hot', 0, 2), { items: { length: 1 }, hasMore: true })
})

t.test('an answer without the item is that there is none', async t => {
  const { adapter } = await fakeServer(t, { getAlbum: {}, getArtist: { artist: null } })
  await t.rejects(async () => adapter.getAlbumDetail('b', -1), NotFoundError)
  await t.rejects(async () => adapter.getArtistDetail('a', -1), NotFoundError)
  await t.rejects(async () => adapter.getArtistAlbums('a', 0, 10), NotFoundError)
})

t.test('an artist whom songs only name can be a favourite', async t => {
  const { adapter, asked } =
    await fakeServer(t, { search3: { searchResult3: { artist: { id: 'a', name: 'Ada' } } }, star: {} })
  t.strictSame(await adapter.favoriteArtist('name:Ada', true), { success: true, status: true })
  t.equal(asked.at(-1)!.artistId, 'a')
})

t.test('the songs of an album have one order, whichever the server gives them in', async t => {
  const numbered = [['b', 1, 1], ['a', 1, 1], ['c', 2, 1], ['d', 1, 2], ['e', 1, undefined]]
    .map(([id, track, discNumber]) => ({ ...song, id, track, discNumber }))
  let given: object[] = numbered
  const { adapter } =
    await fakeServer(t, { getAlbum: () => ({ album: { id: 'x', song: given } }), getAlbumList2: list })
  const order = async () => (await adapter.getAlbumDetail('x', -1)).tracks.map(({ id }) => id).join('')
  t.equal(await order(), 'abecd')
  given = numbered.toReversed()
  t.equal(await order(), 'abecd')
  t.equal((await adapter.getNewTracks()).map(({ id }) => id).join(''), 'abecd')
  given = [...numbered, { ...song, id: '0' }]
  t.equal(await order(), 'bacde0', 'without numbers it is the server\'s')
})

t.test('the pages of a toplist are of one list, whatever is played meanwhile', async t => {
  let plays = 0
  const { adapter } = await fakeServer(t, {
    getAlbumList2: () => {
      const album = ['x', 'y', 'z'].map(id => ({ id, name: id, songCount: 1 }))
      return { albumList2: { album: plays++ % 2 ? album.reverse() : album } }
    },
    getAlbum: ({ id }: Asked) => ({ album: { id, song: [{ ...song, id }] } })
  })
  const ids = []
  for (const offset of [0, 1, 2]) {
    ids.push(...(await adapter.getToplistTracks('frequent', offset, 1)).tracks.map(({ id }) => id))
  }
  t.strictSame(ids, ['x', 'y', 'z'])
})

t.test('an album that is gone does not end a list of songs, one that fails does', async t => {
  let answer = failed(70)
  const { adapter } = await fakeServer(t, {
    getAlbumList2: { albumList2: { album: [{ id: 'gone' }, { id: 'x' }] } },
    getAlbum: ({ id }: Asked) => id === 'gone' ? answer : { album: { song: [song] } }
  })
  t.match(await adapter.getNewTracks(), [{ id: '1' }])
  answer = failed(0)
  await t.rejects(async () => adapter.getNewTracks(), UpstreamError)
})

t.test('an artist of whom the server knows no top songs has those of the albums', async t => {
  const { adapter } = await fakeServer(t, {
    getTopSongs: failed(70),
    getArtist: { artist: { id: 'a', name: 'A', album: [{ id: 'b', name: 'Al' }] } },
    getAlbum: { album: { song: [song] } }
  })
  t.match(await adapter.getArtistTracks('a', 'hot', 0, 5), { items: [{ id: '1' }] })
})

t.test('a track without lyrics and without similar ones is not gone, one that is gone is', async t => {
  let isGone = false
  const { adapter } = await fakeServer(t, {
    getOpenSubsonicExtensions: { openSubsonicExtensions: [{ name: 'songLyrics', versions: [1] }] },
    getLyricsBySongId: failed(70),
    getLyrics: failed(70),
    getSimilarSongs: failed(70),
    getSong: () => isGone ? failed(70) : { song }
  }, {}, { openSubsonic: true })
  t.strictSame(await adapter.getTrackLyrics('1'), { lyrics: '' })
  t.strictSame(await adapter.getSimilarTracks('1'), [])
  isGone = true
  await t.rejects(async () => adapter.getTrackLyrics('2'), NotFoundError)
  await t.rejects(async () => adapter.getSimilarTracks('2'), NotFoundError)
})

t.test('the details of a track are those of now, and its URL follows from them', async t => {
  let title = 'Old'
  const { adapter, methods } = await fakeServer(t, { getSong: () => ({ song: { ...song, title } }) })
  t.match(await adapter.getTrackDetail('1'), { title: 'Old' })
  title = 'New'
  t.match(await adapter.getTrackDetail('1'), { title: 'New' })
  const before = methods().length
  await adapter.getTrackUrl('1')
  t.equal(methods().length, before)
})

t.test('with an API key the server tells whose it is', async t => {
  const { adapter, asked } = await fakeServer(t, {
    tokenInfo: { tokenInfo: { username: 'Ada' } },
    getUser: { user: { username: 'Ada' } },
    getPlaylists: {
      playlists: { playlist: [{ id: '1', name: 'Mine', owner: 'ada' }, { id: '2', name: 'Other', owner: 'eve' }] }
    }
  }, { username: undefined, password: undefined, apiKey: 'key' } as any)
  t.match(await adapter.getUserPlaylist(), [{ id: '1' }])
  t.match(await adapter.getPlaylists(0, 10), { items: [{ id: '2' }] })
  t.match(await adapter.getUserMe(), { userId: 'Ada' })
  t.equal(asked.at(-1)!.username, 'Ada')
  t.equal(asked.filter(({ method }) => method === 'tokenInfo').length, 1)
})

for (const [versions, enhanced] of [
  [[1], undefined], [[1, 2], 'true'], [[0], undefined], [undefined, undefined], [['new'], undefined]
] as const) {
  t.test(`lyrics by word are asked for from version 2 on: ${String(versions)}`, async t => {
    const { adapter, asked } = await fakeServer(t, {
      getOpenSubsonicExtensions: { openSubsonicExtensions: [{ name: 'songLyrics', versions }] },
      getLyricsBySongId: { lyricsList: { structuredLyrics: { line: [{ value: 'La' }] } } }
    }, {}, { openSubsonic: true })
    t.match(await adapter.getTrackLyrics('1'), { lyrics: 'La' })
    t.equal(asked.at(-1)!.enhanced, enhanced)
  })
}

t.test('whether a server converts is told by the beginning of what it sends', async t => {
  const endless = () => ({ raw: new Readable({ read () { this.push(Buffer.alloc(1000)) } }), type: 'audio/mpeg' })
  const { adapter } = await fakeServer(t, { getSong: { song }, stream: endless as any }, { transcoding: 'auto' })
  t.equal((await adapter.getTrackDetail('1')).qualities!.length, 3)
})

t.test('a quality that a list offers is had, also of a song that could not tell of it', async t => {
  const lossy = { id: '2', title: 'B', suffix: 'mp3', bitRate: 320 }
  const { adapter } = await fakeServer(t, {
    getSong: { song: lossy },
    getRandomSongs: { randomSongs: { song: [lossy, song] } },
    stream: { raw: 'ID3', type: 'audio/mpeg' }
  }, { transcoding: 'auto' })
  t.match(await adapter.getTrackUrl('2', 'standard'), { quality: 'high' })
  t.strictSame((await adapter.getRoamTracks())[0]!.qualities!.map(({ key }) => key), ['high', 'standard'])
  t.match(await adapter.getTrackUrl('2', 'standard'), { quality: 'standard', url: 'audio/2-128-mp3.mp3' })
})

t.test('a server that cannot be asked whether it converts does not', async t => {
  const { client } = await fakeServer(t, { ping: failed(0) })
  t.equal(await client.transcoding('1'), false)
})

t.test('the password over a public http address is warned of by who asks for audio first, too', async t => {
  const warnings: string[] = []
  const { client } = await fakeServer(t, { ping: ({ p }: Asked) => p === undefined ? failed(41) : {} })
  Object.assign(client.options, { url: 'http://music.example.com' })
  await client.mediaKinds.audio.resolve(
    { id: '1' }, { log: { warn: ({ hint }: { hint: string }) => warnings.push(hint), debug: () => {} } } as any
  )
  t.match(warnings, [/^Use https/])
})

t.test('a misspelt option of an adapter is refused', async t => {
  const { client, url } = await fakeServer(t, {})
  t.throws(() => createSubsonicAdapter(client, { media, sgnal: 1 } as any), {
    message: /"sgnal": did you mean "signal"/
  })
  t.throws(() => createSubsonicAdapter({ url, username: 'a', password: 'b', media, sgnal: 1 } as any), {
    message: /"sgnal"/
  })
  t.throws(() => createSubsonicAdapter(client, { media, signal: 1 } as any), {
    message: /"signal" must be an AbortSignal/
  })
})

for (const [title, answers, call, name, message, id = '1'] of [
  ['a refused login', { getSong: failed(40) }, 'getTrackDetail', 'UpstreamError',
    '127.0.0.1 refused the login'],
  ['the least code of a login', { getSong: failed(39) }, 'getTrackDetail', 'UpstreamError',
    'The server answered getSong with error 39'],
  ['the last code of a login', { getSong: failed(44) }, 'getTrackDetail', 'UpstreamError',
    '127.0.0.1 refused the login'],
  ['a code after those of a login', { getSong: failed(45) }, 'getTrackDetail', 'UpstreamError',
    'The server answered getSong with error 45'],
  ['what is not allowed', { getSong: failed(50) }, 'getTrackDetail', 'UpstreamError',
    '127.0.0.1 does not allow this'],
  ['a method that is missing', {}, 'getTrackDetail', 'UnsupportedFeatureError', 'The server has no getSong'],
  ['an error without an envelope', { getSong: { raw: 'x', http: 500 } }, 'getTrackDetail', 'UpstreamError',
    'The server answered getSong with HTTP 500'],
  ['a page with HTTP 200', { getSong: { raw: 'x' } }, 'getTrackDetail', 'UnsupportedFeatureError',
    'The server has no getSong'],
  ['an answer without a track', { getSong: {} }, 'getTrackDetail', 'NotFoundError', 'Track not found'],
  ['an answer without an album', { getAlbum: {} }, 'getAlbumDetail', 'NotFoundError', 'Album not found'],
  ['an answer without an artist', { getArtist: {} }, 'getArtistDetail', 'NotFoundError', 'Artist not found'],
  ['an answer without a playlist', { getPlaylist: {} }, 'getPlaylistDetail', 'NotFoundError',
    'Playlist not found'],
  ['an artist of a name that nobody has', { search3: {} }, 'getArtistDetail', 'NotFoundError',
    'Artist not found', 'name:x'],
  ['a track that is not in the playlist', { getPlaylist: { playlist: { id: '1' } } }, 'removeTrack', 'NotFoundError',
    'The track is not in this playlist'],
  ['a playlist that is not shown after it was made', { createPlaylist: {}, getPlaylists: {} }, 'createPlaylist',
    'UpstreamError', 'The server does not show the new playlist'],
  ['a toplist that there is none of', {}, 'getToplistTracks', 'NotFoundError', 'List not found'],
  ['a server without lists', {}, 'getToplist', 'UnsupportedFeatureError', 'The server has no such list']
] as [string, object, string, string, string, string?][]) {
  t.test(`${title}: ${message}`, async t => {
    const { adapter } = await fakeServer(t, answers as any)
    const error = await Promise.resolve((adapter as any)[call](id, '1')).then(() => t.fail() as never, error => error)
    t.strictSame([error.name, error.message], [name, message])
  })
}

t.test('a wrong password is reported with a hint at app passwords, another rejected login without it', async t => {
  for (const [code, hint] of [[40, ': is the password right? Some servers need an app password'], [44, '']] as const) {
    const { adapter } = await fakeServer(t, { getSong: failed(code) })
    await t.rejects(async () => adapter.getTrackDetail('1'),
      { cause: { message: `The server refused the login of getSong${hint}` } })
  }
})

t.test('a method that has worked and is gone is an error that says so', async t => {
  let isGone = false
  const { adapter } = await fakeServer(t, {
    getStarred2: () => isGone ? { raw: 'x', http: 404 } : { starred2: {} },
    getSong: () => isGone ? { raw: 'x', http: 404 } : { song }
  })
  await adapter.getTrackDetail('1')
  isGone = true
  await t.rejects(async () => adapter.getTrackDetail('1'), {
    name: 'UpstreamError', message: /^The server no longer answers getSong$/
  })
})

for (const message of ['Song not found', 'No such song', 'Invalid id', 'malformed', 'badly formed', 'not a UUID']) {
  t.test(`a change that fails with "${message}" names what does not exist`, async t => {
    const { adapter } = await fakeServer(t, {
      star: failed(0, message),
      getStarred2: { starred2: {} },
      updatePlaylist: failed(0, message),
      deletePlaylist: failed(0, message)
    })
    await t.rejects(async () => adapter.favoriteTrack('1', true), { name: 'NotFoundError' })
    await t.rejects(async () => adapter.addTrackToPlaylist('1', '2'), { name: 'NotFoundError' })
    await t.rejects(async () => adapter.deletePlaylist('1'), { name: 'NotFoundError' })
  })
}

t.test('a method that is missing says so as often as it is asked for', async t => {
  const { adapter, methods } = await fakeServer(t, {})
  for (let call = 0; call < 2; call++) {
    await t.rejects(async () => adapter.getTrackDetail('1'), {
      name: 'UnsupportedFeatureError', message: /^The server has no getSong$/
    })
  }
  t.equal(methods().filter(method => method === 'getSong').length, 1)
})

t.test('a missing method is asked for again after an hour, a song after five minutes', async t => {
  const start = Date.now()
  let later = 0
  replace(t, Date, 'now', () => start + later)
  const { adapter, methods } = await fakeServer(t, { getSong: { song } })
  const count = (name: string) => methods().filter(method => method === name).length
  await t.rejects(async () => adapter.userFavoriteTracks(), { name: 'UnsupportedFeatureError' })
  await adapter.getTrackUrl('1')
  later = 299_999
  await adapter.getTrackUrl('1')
  t.equal(count('getSong'), 1)
  later = 300_001
  await adapter.getTrackUrl('1')
  t.equal(count('getSong'), 2)
  later = 3_599_999
  await t.rejects(async () => adapter.userFavoriteTracks(), { name: 'UnsupportedFeatureError' })
  t.equal(count('getStarred2'), 1)
  later = 3_600_000
  await t.rejects(async () => adapter.userFavoriteTracks(), { name: 'UnsupportedFeatureError' })
  t.equal(count('getStarred2'), 2)
})
