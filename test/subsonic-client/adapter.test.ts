import fastify from 'fastify'
import { extras } from 'fastify-source-origin'
import { createSigner, mediaProxy } from 'fastify-source-origin/media'
import t from 'tap'
import { createHash } from 'node:crypto'
import { createSubsonicAdapter } from 'fastify-source-origin/subsonic'
import { failed, fakeServer, type Asked } from './fake-server.ts'
import { replace } from '../replace.ts'

const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const song = {
  id: '1',
  title: 'One',
  artist: 'Ada',
  artistId: 'a',
  album: 'Al',
  albumId: 'b',
  coverArt: 'c',
  duration: 61,
  bitRate: 900,
  suffix: 'flac',
  size: 1000,
  created: '2026-01-02T03:04:05'
}

t.test('a token with a fresh salt each time, and never the password', async t => {
  const { adapter, asked } = await fakeServer(t, { getSong: { song }, getUser: { user: { username: 'Ada' } } })
  await adapter.getTrackDetail('1')
  await adapter.getUserMe()
  const salts = asked.map(({ s, t: token }) => {
    t.equal(token, md5(`sésame${s}`))
    return s
  })
  t.equal(new Set(salts).size, asked.length)
  t.match(asked.at(-1), { u: 'ada', f: 'json', c: 'fastify-source-origin', v: '1.16.1', p: undefined })
})

for (const code of [10, 41, 42]) {
  t.test(`a server that answers ${code} to a token gets the password, from then on`, async t => {
    const { adapter, asked } =
      await fakeServer(t, { ping: ({ p }: Asked) => p === undefined ? failed(code) : {}, getSong: { song } })
    await adapter.getTrackDetail('1')
    await adapter.getTrackDetail('2')
    t.strictSame(asked.map(({ p }) => p), [undefined, ...Array(3).fill(`enc:${Buffer.from('sésame').toString('hex')}`)])
  })
}

t.test('a source of this package that rejects a digest gets the password, since it may be a token', async t => {
  const rejected = { ...failed(40), type: 'fastify-source-origin' }
  const { adapter, asked } =
    await fakeServer(t, { ping: ({ p }: Asked) => p === undefined ? rejected : {}, getSong: { song } })
  await adapter.getTrackDetail('1')
  t.strictSame(asked.map(({ p }) => p), [undefined, ...Array(2).fill(`enc:${Buffer.from('sésame').toString('hex')}`)])
})

t.test('a server that wants the password gets it after it has rejected the login for a while', async t => {
  let isDown = false
  const { adapter, asked } = await fakeServer(t, {
    ping: ({ p }: Asked) => isDown ? failed(40) : p === undefined ? failed(41) : {},
    getSong: ({ p }: Asked) => isDown ? failed(40) : p === undefined ? failed(10) : { song }
  })
  await adapter.getTrackDetail('1')
  isDown = true
  await t.rejects(Promise.resolve(adapter.getTrackDetail('2')))
  isDown = false
  t.equal((await adapter.getTrackDetail('2')).id, '1')
  t.notOk(asked.at(-1)!.t)
})

t.test('a source of this package gets a wrong password once for each digest, other servers never', async t => {
  for (const [type, passwords] of [['fastify-source-origin', 1], ['navidrome', 0]] as const) {
    const { adapter, asked } = await fakeServer(t, { ping: { ...failed(40), type } })
    for (let times = 1; times <= 2; times++) {
      await t.rejects(Promise.resolve(adapter.getTrackDetail('1')))
      t.equal(asked.filter(({ p }) => p !== undefined).length, times * passwords)
    }
  }
})

t.test('a password over http to a public address is warned of, to a private one not', async t => {
  const warnings: string[] = []
  const log = { warn: (_details: object, event: string) => warnings.push(event), debug: () => {} }
  const server = (url: string) => ({
    url,
    username: 'a',
    password: 'b',
    upstream: {
      for: () => ({
        response: async (path: string) => {
          const body = JSON.stringify({
            'subsonic-response': path.includes('p=enc') ? { status: 'ok' } : { status: 'failed', error: { code: 41 } }
          })
          return { status: 200, headers: {}, body: Buffer.from(body) }
        }
      }),
      close: async () => {}
    } as any
  })
  for (const [url, count] of [['http://192.168.1.2', 0], ['http://nas', 0], ['http://nas.local', 0], [
    'https://music.example.com', 0
  ], ['http://music.example.com', 1], ['http://8.8.8.8', 1], ['http://[::1]', 0]] as const) {
    await createSubsonicAdapter({ ...server(url), media: () => '', log: log as any }).getUserMe!()
    t.equal(warnings.splice(0).length, count, url)
  }
})

t.test('an API key goes alone', async t => {
  const { adapter, asked } =
    await fakeServer(t, { getSong: { song } }, { username: undefined, password: undefined, apiKey: 'key' } as any)
  await adapter.getTrackDetail('1')
  t.not(asked.length, 0)
  for (const { apiKey, u, t: token, p } of asked) {
    t.strictSame([apiKey, u, token, p], ['key', undefined, undefined, undefined])
  }
})

t.test('fixed ways to log in are kept to', async t => {
  const token = await fakeServer(t, { ping: failed(41) }, { auth: 'token' })
  await t.rejects(async () => token.adapter.getTrackDetail('1'), {
    name: 'UpstreamError', cause: { name: 'UnauthorizedError' }
  })
  t.equal(token.asked.length, 1)
  const password = await fakeServer(t, { getSong: { song } }, { auth: 'password' })
  await password.adapter.getTrackDetail('1')
  t.not(password.asked.length, 0)
  t.ok(password.asked.every(({ p }) => p !== undefined))
})

t.test('a server of an older version is asked in its own', async t => {
  const { adapter, asked } = await fakeServer(t, {
    ping: ({ v }: Asked) => v === '1.15.0' ? {} : { ...failed(30), version: '1.15.0' }, getSong: { song }
  })
  await adapter.getTrackDetail('1')
  t.strictSame(asked.map(({ v }) => v), ['1.16.1', '1.15.0', '1.15.0'])
  const stuck = await fakeServer(t, { ping: failed(30) })
  await t.rejects(async () => stuck.adapter.getTrackDetail('1'), { name: 'UpstreamError' })
})

t.test('extensions are asked for once, and forms are sent where the server takes them', async t => {
  const { adapter, asked, methods } = await fakeServer(
    t,
    { getOpenSubsonicExtensions: { openSubsonicExtensions: [{ name: 'formPost', versions: [1] }] }, getSong: { song } },
    {}, { openSubsonic: true }
  )
  await adapter.getTrackDetail('1')
  await adapter.getTrackDetail('2')
  t.strictSame(methods(), ['ping', 'getOpenSubsonicExtensions', 'getSong', 'getSong'])
  t.strictSame(asked.map(({ verb }) => verb), ['GET', 'GET', 'POST', 'POST'])
})

for (const [title, answer, name] of [
  ['40', failed(40), 'UpstreamError'],
  ['44', failed(44), 'UpstreamError'],
  ['HTTP 401', { raw: 'x', http: 401 }, 'UpstreamError'],
  ['50', failed(50), 'UpstreamError'],
  ['HTTP 403', { raw: 'x', http: 403 }, 'UpstreamError'],
  ['70', failed(70), 'NotFoundError'],
  ['0 with "not found"', failed(0, 'Song not found', 404), 'NotFoundError'],
  ['0 with a bad id', failed(0, 'badly formed hexadecimal UUID string', 500), 'NotFoundError'],
  ['HTTP 404', undefined, 'UnsupportedFeatureError'],
  ['HTTP 501', { raw: 'x', http: 501 }, 'UnsupportedFeatureError'],
  ['0 with HTTP 404', failed(0, 'Unknown method', 404), 'UnsupportedFeatureError'],
  ['HTTP 405', { raw: 'x', http: 405 }, 'UnsupportedFeatureError'],
  ['HTTP 410', { raw: 'x', http: 410 }, 'UnsupportedFeatureError'],
  ['HTTP 400', { raw: 'x', http: 400 }, 'UpstreamError'],
  ['0 with HTTP 400', failed(0, 'no', 400), 'UnsupportedFeatureError'],
  ['0 with HTTP 499', failed(0, 'no', 499), 'UnsupportedFeatureError'],
  ['0 with HTTP 501', failed(0, 'no', 501), 'UnsupportedFeatureError'],
  ['0 with HTTP 500', failed(0, 'no', 500), 'UpstreamError'],
  ['10 with HTTP 403', failed(10, 'no', 403), 'UpstreamError'],
  ['0 with "type"', failed(0, 'unknown type'), 'UpstreamError'],
  ['HTTP 429', { raw: 'x', http: 429 }, 'UpstreamError'],
  ['0', failed(0), 'UpstreamError'],
  ['0 with "unknown method"', failed(0, 'Unknown method getSong'), 'UnsupportedFeatureError'],
  ['0 with "not implemented"', failed(0, 'This is not implemented'), 'UnsupportedFeatureError'],
  ['30', failed(30), 'UnsupportedFeatureError'],
  ['60', failed(60), 'UpstreamError'],
  ['HTTP 500', { raw: 'x', http: 500 }, 'UpstreamError'],
  ['a page with HTTP 200', { raw: '<html>' }, 'UnsupportedFeatureError'],
  ['no envelope', { raw: '{}' }, 'UnsupportedFeatureError'],
  ['a list', { raw: '[]' }, 'UnsupportedFeatureError']
] as const) {
  t.test(`an answer with ${title} is ${name}`, async t => {
    const { adapter } = await fakeServer(t, { getSong: answer as any }, { upstream: undefined as never })
    await t.rejects(async () => adapter.getTrackDetail('1'), { name })
  })
}

for (const [title, raw, message] of [
  ['a page', { raw: '<!doctype html>' }, 'This is not a Subsonic server; is the address right?'],
  ['XML', { raw: ' <?xml version="1.0"?><subsonic-response/>' },
    'The server answers ping with XML, and was asked for JSON (f=json)'],
  ['a redirect to a login', { raw: '', http: 302 }, 'The server leads elsewhere instead of answering ping: ' +
    'is the address right, with no login before it?']
] as const) {
  t.test(`a server that answers with ${title} is told as what it is`, async t => {
    const { adapter } = await fakeServer(t, { ping: raw, getSong: { song } })
    await t.rejects(async () => adapter.getTrackDetail('1'), { message })
  })
}

t.test('ids that are larger numbers than JavaScript has keep their digits', async t => {
  const songs = ['9007199254740993', '9007199254740992'].map(id => `{ "id":${id},"title":"\\"1: 9007199254740993,","size": 12 }`)
  const { adapter, asked } = await fakeServer(t, {
    search3: { raw: `{"subsonic-response":{"status":"ok","searchResult3":{"song":[${songs.join(', ')}]}}}` },
    getSong: { song }
  })
  const { items } = await adapter.searchTracks('x', 0, 2)
  t.strictSame(items.map(({ id, title }) => [id, title]), [
    ['9007199254740993', '"1: 9007199254740993,'], ['9007199254740992', '"1: 9007199254740993,']
  ])
  await adapter.getTrackDetail(items[0]!.id)
  t.equal(asked.at(-1)!.id, '9007199254740993')
})

t.test('what is no Subsonic server is told so, and is asked again the next time', async t => {
  let isThere = false
  const { adapter } = await fakeServer(t, { ping: () => isThere ? {} : { raw: 'Welcome' }, getSong: { song } })
  await t.rejects(async () => adapter.getTrackDetail('1'), {
    message: 'This is not a Subsonic server; is the address right?'
  })
  isThere = true
  await t.resolves(async () => adapter.getTrackDetail('1'))
})

t.test('errors name no secret and nothing of the server\'s message', async t => {
  const { adapter, url } = await fakeServer(t, { getSong: failed(0, 'https://x.example/?p=sésame') })
  const error: Error = await Promise.resolve(adapter.getTrackDetail('1')).then(() => t.fail() as never, error => error)
  t.notMatch(error.message, /sésame|example/)
  t.notMatch(String(error.stack), md5('sésame'))
  t.ok(url)
})

t.test('a method that is missing is asked for once in an hour', async t => {
  const { adapter, methods } = await fakeServer(t, {
    getSong: { song: { ...song, genre: 'Rock' } },
    getSongsByGenre: { songsByGenre: { song: [song, { ...song, id: '2' }] } }
  })
  t.strictSame((await adapter.getSimilarTracks('1')).map(({ id }) => id), ['2'])
  await adapter.getSimilarTracks('1')
  t.equal(methods().filter(method => method === 'getSimilarSongs').length, 1)
})

t.test('what old servers write otherwise is understood', async t => {
  const odd = {
    id: 17,
    title: 'T',
    isDir: 'false',
    artist: 'Ada',
    duration: '61',
    bitRate: 320_000,
    size: '10',
    suffix: 'MP3',
    starred: '2020-01-01T00:00:00',
    year: 1999,
    albumId: 5,
    album: 7
  }
  const { adapter } = await fakeServer(t, {
    getSong: { song: odd },
    getAlbum: { album: { id: 5, title: 'By title', song: odd, songCount: '1', year: '2001' } },
    getArtists: { artists: { index: { name: 'A', artist: { id: 3, name: 'Ada', albumCount: 1 } } } },
    getStarred2: { starred2: {} },
    getPlaylists: { playlists: '' },
    getGenres: { genres: { genre: { value: 'Rock' } } },
    search3: { searchResult3: null }
  })
  const track = await adapter.getTrackDetail('17')
  t.match(track, {
    id: '17',
    artists: [{ id: 'name:Ada', name: 'Ada' }],
    durationMs: 61_000,
    favorite: true,
    album: { id: '5', name: '7', publishTime: Date.UTC(1999, 0, 1) },
    qualities: [{ key: 'high', bitrate: 320_000, format: 'mp3', size: 10 }]
  })
  t.match(await adapter.getAlbumDetail('5', -1), { id: '5', name: 'By title', trackCount: 1, tracks: [{ id: '17' }] })
  t.match(await adapter.getTopArtists(), [{ id: '3', name: 'Ada', favorite: false }])
  t.strictSame(await adapter.userAlbums(), [])
  t.strictSame(await adapter.getUserPlaylist(), [])
  t.strictSame(await adapter.searchSuggest('x'), { songs: [], artists: [], albums: [] })
  t.strictSame(await adapter.getPlaylistCategories(), [
    { key: 'playlists', label: 'Playlists' }, { key: 'genre:Rock', label: 'Rock' }
  ])
})

t.test('what OpenSubsonic knows more is used', async t => {
  const { adapter } = await fakeServer(t, {
    getSong: {
      song: { ...song, artists: [{ id: 'a', name: 'Ada' }, { id: 'o', name: 'Bo' }], displayAlbumArtist: 'Both' }
    },
    getAlbum: {
      album: {
        id: 'b',
        name: 'Al',
        artist: 'Ada',
        artistId: 'a',
        genre: 'Pop',
        coverArt: 'c',
        releaseDate: {
          year: 2001, month: 2, day: 3
        },
        song: [song]
      }
    },
    getAlbumInfo2: { albumInfo: { notes: 'Words' } }
  })
  t.match(await adapter.getTrackDetail('1'), {
    artists: [{ id: 'a' }, { id: 'o' }], album: { artistName: 'Both', coverUrl: 'cover/c-600.jpg' }
  })
  t.match(await adapter.getAlbumDetail('b', 0), {
    publishTime: Date.UTC(2001, 1, 3),
    genre: 'Pop',
    description: 'Words',
    artist: { id: 'a', name: 'Ada' },
    trackCount: 1,
    tracks: []
  })
})

t.test('searches ask for one more than the page', async t => {
  const { adapter, asked } = await fakeServer(t, {
    search3: ({ songCount, artistCount, albumCount }: Asked) => ({
      searchResult3: {
        song: Array.from({ length: Number(songCount) }, (_empty, id) => ({ ...song, id })),
        artist: Array.from({ length: Number(artistCount) }, (_empty, id) => ({ id, name: 'A' })),
        album: Array.from({ length: Math.min(2, Number(albumCount)) }, (_empty, id) => ({ id, name: 'A' }))
      }
    })
  })
  t.match(await adapter.searchTracks('x', 3, 2), { items: { length: 2 }, offset: 3, limit: 2, hasMore: true })
  t.match(asked.at(-1), { query: 'x', songCount: '3', songOffset: '3', artistCount: '0', albumCount: '0' })
  t.match(await adapter.searchArtists('x', 0, 2), { items: { length: 2 }, hasMore: true })
  t.match(await adapter.searchAlbums('x', 0, 2), { items: { length: 2 }, hasMore: false })
})

const album = (id: string, songCount: number, year = 2000) => ({ id, name: id, songCount, year })
const songs = (album: string, count: number) =>
  Array.from({ length: count }, (_empty, index) => ({ ...song, id: `${album}${index}` }))

t.test('songs of an artist are those of their own albums, and those of other albums that name the artist', async t => {
  const credits = [
    { artistId: 'b', artist: 'Bo' }, { artistId: 'a', artist: 'Ada' }, { artist: 'Bo feat. ADA' },
    { artistId: 'c', artist: 'Cy', artists: [{ id: 'c', name: 'Cy' }, { id: 'a', name: 'Ada' }] }, { artist: 'Bo' }
  ]
  const own = { ...album('x', 2, 1990), artistId: 'a', artist: 'Ada' }
  const compilation = { ...album('y', 5, 2010), artistId: 'v', artist: 'Various Artists' }
  const { adapter } = await fakeServer(t, {
    getArtist: { artist: { id: 'a', name: 'Ada', album: [own, compilation] } },
    getAlbum: ({ id }: Asked) => ({
      album: id === 'x'
        ? { ...own, song: songs('x', 2).map(song => ({ ...song, artistId: 'b', artist: 'Bo' })) }
        : {
            ...compilation,
            song: songs('y', 5).map((song, at) => ({ ...song, artistId: '', artist: '', ...credits[at] }))
          }
    })
  })
  const page = async (offset: number) => {
    const { items, hasMore } = await adapter.getArtistTracks('a', 'hot', offset, 3)
    return [items.map(({ id }) => id).join(' '), hasMore]
  }
  t.strictSame(await page(0), ['y1 y2 y3', true])
  t.strictSame(await page(3), ['x0 x1', false])
})

t.test('an artist: the best songs, else those of the albums, the newest first', async t => {
  const albums = [album('x', 2, 1990), album('y', 3, 2010)]
  const answers = {
    getArtist: { artist: { id: 'a', name: 'Ada', coverArt: 'p', album: albums } },
    getAlbum: ({ id }: Asked) =>
      ({ album: { ...albums.find(album => album.id === id), song: songs(String(id), id === 'x' ? 2 : 3) } }),
    getArtistInfo2: { artistInfo2: { biography: 'Born', largeImageUrl: 'https://x.example/i' } },
    search3: { searchResult3: { artist: [{ id: 'a', name: 'ADA' }] } }
  }
  const { adapter, methods } = await fakeServer(t, answers)
  t.match(await adapter.getArtistDetail('a', 4), {
    id: 'a', coverUrl: 'cover/p-600.jpg', description: 'Born', avatarUrl: 'https://x.example/i', tracks: { length: 4 }
  })
  t.match(await adapter.getArtistDetail('name:ada', 0), { id: 'a', tracks: [] })
  const before = methods().length
  t.match(await adapter.getArtistTracks('a', 'hot', 3, 5), { items: [{ id: 'x0' }, { id: 'x1' }], hasMore: false })
  t.strictSame(methods().slice(before), ['getArtist', 'getAlbum'], 'the album before the page is counted, not read')
  t.match(await adapter.getArtistTracks('a', 'new', 0, 1), { items: [{ id: 'y0' }], hasMore: true })
  t.match(await adapter.getArtistAlbums('a', 1, 5), { items: [{ id: 'y' }], offset: 1, hasMore: false })
  const other = await fakeServer(t, {
    ...answers, getTopSongs: { topSongs: { song: songs('t', 3) } }, getArtistInfo2: { failed: { code: 0 } }, search3: {}
  })
  t.match(await other.adapter.getArtistTracks('a', 'hot', 1, 1), { items: [{ id: 't1' }], hasMore: true })
  t.notOk('description' in await other.adapter.getArtistDetail('a', -1))
  await t.rejects(async () => other.adapter.getArtistDetail('name:Nobody', 1), { name: 'NotFoundError' })
})

t.test('lists: new, of the day, of chance, and toplists that the server has', async t => {
  let day = 0
  const { adapter, methods } = await fakeServer(t, {
    getAlbumList2: ({ type }: Asked) => type === 'highest'
      ? failed(0, 'Unknown type', 400)
      : {
          albumList2: { album: [{ ...album('x', 2), artist: 'Ada', coverArt: 'c' }, album('y', 3)] }
        },
    getAlbum: ({ id }: Asked) => ({ album: { song: songs(String(id), id === 'x' ? 2 : 3) } }),
    getRandomSongs: () => ({ randomSongs: { song: songs(`r${day++}`, 2) } })
  })
  t.equal((await adapter.getNewTracks()).length, 5)
  t.strictSame(await adapter.getDailyTracks(), await adapter.getDailyTracks())
  t.notSame(await adapter.getRoamTracks(), await adapter.getRoamTracks())
  t.match(await adapter.getToplist(), [{
    name: 'Albums',
    list: [
      {
        id: 'frequent',
        name: 'Most played',
        coverUrl: 'cover/c-600.jpg',
        tracks: [{ name: 'x', artistName: 'Ada' }, { name: 'y', artistName: '' }]
      },
      { id: 'recent' }, { id: 'newest' }
    ]
  }])
  const before = methods().length
  t.match(await adapter.getToplistTracks('newest', 2, 2), {
    name: 'New', trackCount: 5, tracks: [{ id: 'y0' }, { id: 'y1' }]
  })
  t.strictSame(methods().slice(before), ['getAlbumList2', 'getAlbum'])
  await t.rejects(async () => adapter.getToplistTracks('other', 0, 1), { name: 'NotFoundError' })
  const none = await fakeServer(t, {})
  await t.rejects(async () => none.adapter.getToplist(), { name: 'UnsupportedFeatureError' })
  const unlike = await fakeServer(t, { getSong: { song } })
  t.strictSame(await unlike.adapter.getSimilarTracks('1'), [])
})

t.test('playlists: whose they are, their orders, genres', async t => {
  const entry = [
    { ...song, id: '1', title: 'b', artist: 'z', album: 'm', duration: 3, created: '2020-01-01T00:00:00Z' },
    { ...song, id: '2', title: 'a', artist: 'y', album: 'n', duration: 1, created: '2021-01-01T00:00:00Z' },
    {
      ...song, id: '3', title: 'c', artist: undefined, artistId: undefined, album: 'l', duration: 2, created: undefined
    }
  ]
  const playlists = [
    {
      id: 'm',
      name: 'Mine',
      owner: 'ADA',
      songCount: 2,
      comment: 'words',
      created: '2020-01-01T00:00:00.000Z',
      changed: '2020-01-02T00:00:00'
    },
    { id: 'o', name: 'Öthers', owner: 'eve', changed: '2022-01-01T00:00:00+01:00' }, { id: 'n', name: 'Nobody\'s' },
    { name: 'no id' }
  ]
  const { adapter, asked } = await fakeServer(t, {
    getPlaylists: { playlists: { playlist: playlists } },
    getPlaylist: ({ id }: Asked) => id === 'none' ? {} : ({ playlist: { ...playlists[0], entry } }),
    getSongsByGenre: { songsByGenre: { song: entry } },
    updatePlaylist: {}
  })
  t.match(await adapter.getUserPlaylist(), [
    {
      id: 'm',
      creator: { name: 'ADA' },
      description: 'words',
      trackCount: 2,
      createdAt: Date.UTC(2020, 0, 1),
      updatedAt: Date.UTC(2020, 0, 2)
    },
    { id: 'n' }
  ])
  t.match(await adapter.getPlaylists(0, 5), { items: [{ id: 'o' }], hasMore: false })
  t.strictSame((await adapter.getRecommendedPlaylist(0, 2)).items.map(({ id }) => id), ['o', 'm'])
  for (const keyword of ['other', 'ÖTHER']) {
    t.match(await adapter.searchPlaylists(keyword, 0, 5), { items: [{ id: 'o' }] })
  }
  for (const [sort, order, expected] of [
    [undefined, undefined, '123'], ['title', 'asc', '213'], ['title', 'desc', '312'], ['artist', 'asc', '321'],
    ['album', 'asc', '312'], ['duration', 'asc', '231'], ['added', 'desc', '213'], ['other', 'asc', '123']
  ] as const) {
    t.equal(
      (await adapter.getPlaylistDetail('m', -1, sort, order)).tracks.map(({ id }) => id).join(''), expected,
      String(sort)
    )
  }
  t.equal((await adapter.getPlaylistDetail('m', 1)).tracks.length, 1)
  t.match(await adapter.getPlaylists(0, 5, 'genre:Rock'), { items: [{ id: 'genre:Rock', name: 'Rock' }] })
  t.match(await adapter.getPlaylistDetail('genre:Rock', -1), { name: 'Rock', trackCount: 3 })
  t.equal(asked.at(-1)!.genre, 'Rock')
  await t.rejects(async () => adapter.getPlaylistDetail('none', -1), { name: 'NotFoundError' })
})

t.test('playlists are changed by position, in one call', async t => {
  const entry = ['1', '2', '1'].map(id => ({ ...song, id }))
  let made = [{ id: 'old', name: 'New', created: '2020-01-01T00:00:00Z' }, {
    id: 'new', name: 'New', created: '2026-01-01T00:00:00Z'
  }]
  const { adapter, asked } = await fakeServer(t, {
    getPlaylist: { playlist: { id: 'p', name: 'P', entry } },
    getPlaylists: () => ({ playlists: { playlist: made } }),
    createPlaylist: ({ name }: Asked) => name === 'Now' ? { playlist: { id: 'now', name } } : {},
    updatePlaylist: ({ playlistId }: Asked) => playlistId === 'locked' ? failed(50) : {},
    deletePlaylist: ({ id }: Asked) => id === 'locked' ? failed(50) : {}
  })
  t.match(await adapter.createPlaylist('Now'), { id: 'now' })
  t.match(await adapter.createPlaylist('New'), { id: 'new' })
  made = []
  await t.rejects(async () => adapter.createPlaylist('New'), { name: 'UpstreamError' })
  t.match(await adapter.updatePlaylist('p', 'Other', 'words'), { id: 'p', trackCount: 3 })
  t.match(asked.find(({ method }) => method === 'updatePlaylist'), { playlistId: 'p', name: 'Other', comment: 'words' })
  t.strictSame(await adapter.removeTrack('p', '1'), { success: true })
  t.strictSame(asked.at(-1)!.songIndexToRemove, ['0', '2'])
  await t.rejects(async () => adapter.removeTrack('p', '9'), { name: 'NotFoundError' })
  t.strictSame(await adapter.addTrackToPlaylist('p', '9'), { success: true })
  t.strictSame(asked.at(-1)!.songIdToAdd, '9')
  t.strictSame(await adapter.addTrackToPlaylist('locked', '9'), { success: false })
  t.strictSame(await adapter.deletePlaylist('locked'), { success: false })
  t.strictSame(await adapter.deletePlaylist('p'), { success: true })
})

t.test('a playlist is edited in one call, after all ids were found', async t => {
  const entry = ['1', '2', '1', '3'].map(id => ({ ...song, id }))
  let refused = ''
  const lines: object[] = []
  const { adapter, asked, methods } = await fakeServer(t, {
    getPlaylist: { playlist: { id: 'p', name: 'P', entry: [{ ...song, id: 'film', isVideo: true }, ...entry] } },
    getSong: ({ id }: Asked) => id === 'gone' ? failed(70) : id === 'bad' ? failed(0) : { song: { ...song, id } },
    createPlaylist: ({ name }: Asked) => ({ playlist: { id: 'new', name } }),
    updatePlaylist: () => refused === 'updatePlaylist' ? failed(0) : {},
    deletePlaylist: () => failed(0)
  }, {}, { log: { debug () {}, warn: (line: object) => lines.push(line) } })
  const edit = adapter.editPlaylist!
  for (const [given, sent, trackCount] of [
    [
      { remove: [1], add: ['4', '3', '4'], name: 'Q' },
      { songIndexToRemove: '2', songIdToAdd: ['4', '3', '4'], name: 'Q' }, 6
    ],
    [{ tracks: ['1', '3', '2'], description: '' }, { songIndexToRemove: ['2', '3'], songIdToAdd: '2' }, 3],
    [{ tracks: [] }, { songIndexToRemove: ['1', '2', '3', '4'], songIdToAdd: undefined }, 0],
    [{ add: Array.from({ length: 1001 }, (_empty, index) => `n${index}`) }, { verb: 'POST' }, 1005]
  ] as const) {
    t.match(await edit({ id: 'p', ...given }), { id: 'p', trackCount })
    t.match(asked.at(-1), { method: 'updatePlaylist', playlistId: 'p', ...sent })
  }
  t.match(await edit({ name: 'New', tracks: ['1', '1', '2'] }), { id: 'new', trackCount: 3, description: '' })
  t.strictSame(asked.at(-1)!.songId, ['1', '1', '2'])
  t.match(await edit({ description: 'D' }), { id: 'new', trackCount: 0, description: 'D' })
  refused = 'updatePlaylist'
  await t.rejects(async () => edit({ name: 'New', description: 'D' }), { name: 'UpstreamError' })
  t.equal(methods().at(-1), 'deletePlaylist', 'a new list does not stay behind half made')
  t.equal(lines.length, 1)
  const before = asked.length
  await t.rejects(async () => edit({ id: 'p', add: ['gone'] }), { message: 'Track not found: gone' })
  await t.rejects(async () => edit({ name: 'New', add: ['bad'] }), { name: 'UpstreamError' })
  await t.rejects(async () => edit({ id: 'p', remove: [4] }), { name: 'BadRequestError' })
  t.notOk(asked.slice(before).some(({ method }) => /^(create|update)/.test(method)))
})

t.test('favourites are set in one call, and taken back when it fails', async t => {
  let answer: object = {}
  const { adapter, asked } = await fakeServer(t, {
    getStarred2: { starred2: { song: [{ ...song, id: '1' }] } },
    getSong: ({ id }: Asked) => id === 'gone' ? failed(70) : { song: { ...song, id } },
    getAlbum: { album: album('b', 1) },
    getArtist: { artist: { id: 'a', name: 'Ada' } },
    star: () => answer,
    unstar: ({ id }: Asked) => id === '1' ? answer : {}
  })
  const set = adapter.setFavorites!
  const items = [
    ...['1', '2', '2'].map(id => ({ kind: 'track', id }) as const),
    { kind: 'album', id: 'b' } as const, { kind: 'artist', id: 'a' } as const
  ]
  const sent = { id: '2', albumId: 'b', artistId: 'a' }
  t.strictSame(await set(items, true), { success: true })
  t.match(asked.at(-1), { method: 'star', ...sent })
  t.strictSame(await set([{ kind: 'track', id: '1' }], false), { success: true })
  t.match(asked.at(-1), { method: 'unstar', id: '1' })
  answer = failed(0)
  await t.rejects(async () => set([{ kind: 'track', id: '1' }], false), { name: 'UpstreamError' })
  t.match(asked.at(-1), { method: 'star', id: '1' })
  await t.rejects(async () => set(items, true), { name: 'UpstreamError' })
  t.match(asked.at(-1), { method: 'unstar', ...sent }, 'what was a favourite before stays one')
  const changes = () => asked.filter(({ method }) => method.endsWith('star')).length
  const before = changes()
  t.strictSame(await set([{ kind: 'track', id: '9' }], false), { success: true }, 'it is none')
  await t.rejects(async () => set([{ kind: 'track', id: '3' }, { kind: 'track', id: 'gone' }], true),
    { message: 'Track not found: gone' })
  await t.rejects(async () => set([{ kind: 'playlist', id: 'p' }], true), { name: 'UnsupportedFeatureError' })
  t.equal(changes(), before)
})

t.test('a change is never sent twice, reads are sent once more', async t => {
  const { adapter, methods } = await fakeServer(t, {
    star: { raw: 'x', http: 503 }, getStarred2: { starred2: {} }, getSong: { raw: 'x', http: 503 }
  })
  await t.rejects(async () => adapter.favoriteTrack('1', true), { name: 'UpstreamError' })
  t.equal(methods().filter(method => method === 'star').length, 1)
  await t.rejects(async () => adapter.getTrackDetail('1'), { name: 'UpstreamError' })
  t.equal(methods().filter(method => method === 'getSong').length, 2)
})

t.test('favourites: one call for the three lists, anew after a change', async t => {
  let starred: object = { song, album: [album('b', 1)], artist: [{ id: 'a', name: 'Ada' }] }
  const { adapter, asked, methods } = await fakeServer(t, {
    getStarred: () => ({ starred }),
    star: ({ id }: Asked) =>
      id === 'locked' ? failed(50) : id === 'twice' ? failed(0, 'already') : id === 'gone' ? failed(70) : {},
    unstar: {}
  })
  const all = await Promise.all([adapter.userFavoriteTracks(), adapter.userAlbums(), adapter.userArtists()])
  t.strictSame(all.map(([{ id }]: any) => id), ['1', 'b', 'a'])
  t.equal(methods().filter(method => method === 'getStarred').length, 1)
  t.strictSame(await adapter.favoriteAlbum('b', true), { success: true, status: true })
  t.equal(asked.at(-1)!.albumId, 'b')
  t.strictSame(await adapter.favoriteArtist('a', false), { success: true, status: false })
  t.equal(asked.at(-1)!.artistId, 'a')
  starred = { song: [{ ...song, id: 'twice' }] }
  t.match(await adapter.userFavoriteTracks(), [{ id: 'twice' }])
  t.strictSame(await adapter.favoriteTrack('locked', true), { success: false, status: false })
  t.strictSame(await adapter.favoriteTrack('twice', true), { success: true, status: true })
  await t.rejects(async () => adapter.favoriteTrack('gone', true), { name: 'NotFoundError' })
})

t.test('the user, with or without the method for it', async t => {
  t.match(await (await fakeServer(t, { getUser: { user: { username: 'Ada' } } })).adapter.getUserMe(), {
    userId: 'Ada', nickname: 'Ada', platform: 'fake'
  })
  t.match(await (await fakeServer(t, {})).adapter.getUserMe(), { userId: 'ada' })
})

t.test('lyrics of OpenSubsonic: lines, words and translation, shifted as they say', async t => {
  const structuredLyrics = [
    { lang: 'de', synced: false, line: [{ value: 'plain' }] },
    {
      lang: 'de',
      synced: true,
      offset: 500,
      line: [{ start: 1000, value: 'Grün & blau' }, { start: 61_500, value: '' }],
      cueLine: [
        {
          index: 0,
          start: 1000,
          value: 'Grün & blau',
          cue: [
            { start: 1000, value: 'Grün', byteStart: 0, byteEnd: 4 },
            { start: 1250, value: '&', byteStart: 6, byteEnd: 6 },
            { start: 2000, value: 'blau', byteStart: 8, byteEnd: 11 }
          ]
        },
        { index: 1, start: 3000, value: 'x' },
        { index: 2, value: 'ab', cue: [{ start: 4000, value: 'ab' }] }
      ]
    },
    { lang: 'en', kind: 'translation', synced: false, line: { value: 'green' } }
  ]
  const answers = {
    getOpenSubsonicExtensions: { openSubsonicExtensions: [{ name: 'songLyrics' }] },
    getLyricsBySongId: { lyricsList: { structuredLyrics } },
    getSong: { song },
    getLyrics: { lyrics: { value: 'old' } }
  }
  const { adapter } = await fakeServer(t, answers, {}, { openSubsonic: true })
  t.strictSame(await adapter.getTrackLyrics('1'), {
    lyrics: '[00:00.50]Grün & blau\n[01:01.00]',
    wordLyrics: '[00:00.50]<00:00.50>Grün <00:00.75>& <00:01.50>blau\n[00:03.50]<00:03.50>ab',
    translatedLyrics: 'green'
  })
  const empty = await fakeServer(t, { ...answers, getLyricsBySongId: { lyricsList: {} } }, {}, { openSubsonic: true })
  t.strictSame(await empty.adapter.getTrackLyrics('1'), { lyrics: 'old' })
  const old = await fakeServer(t, { getSong: { song } })
  t.strictSame(await old.adapter.getTrackLyrics('1'), { lyrics: '' })
})

t.test('qualities: the file, and below it what the server converts to', async t => {
  const keys = async (given: object, options: object = {
    transcoding: { high: 320, standard: 128, format: 'mp3' }
  }) => {
    const { adapter } = await fakeServer(t, { getSong: { song: { ...song, ...given } } }, options)
    return (await adapter.getTrackDetail('1')).qualities!.map(({ key, bitrate, size, format }) =>
      [key, bitrate, size, format])
  }
  t.strictSame(await keys({}), [
    ['lossless', 900_000, 1000, 'flac'], ['high', 320_000, 0, 'mp3'], ['standard', 128_000, 0, 'mp3']
  ])
  t.strictSame(await keys({ suffix: 'mp3', bitRate: 320 }), [
    ['high', 320_000, 1000, 'mp3'], ['standard', 128_000, 0, 'mp3']
  ])
  t.strictSame(await keys({ suffix: 'opus', bitRate: 96 }), [['standard', 96_000, 1000, 'opus']])
  t.strictSame(await keys({ suffix: undefined, bitRate: undefined, size: undefined }), [
    ['standard', null, 0, undefined]
  ])
  t.strictSame(await keys({}, { transcoding: false }), [['lossless', 900_000, 1000, 'flac']])
})

t.test('where a track is: a route of ours, with what it is', async t => {
  const { adapter } = await fakeServer(
    t,
    { getSong: ({ id }: Asked) => ({ song: id === 'none' ? {} : { ...song, suffix: id === 'odd' ? 'a/b' : 'flac' } }) },
    { transcoding: { high: 320, standard: 128, format: 'ogg' } }
  )
  t.strictSame(await adapter.getTrackUrl('1'), {
    url: 'audio/1.flac', quality: 'lossless', format: 'flac', bitrate: 900_000, size: 1000
  })
  t.match(await adapter.getTrackUrl('1', 'high'), { url: 'audio/1-320-ogg.ogg', quality: 'high', format: 'ogg' })
  t.match(await adapter.getTrackUrl('1', 'better'), { quality: 'lossless' })
  t.match(await adapter.getTrackUrl('odd'), { url: 'audio/odd.mp3' })
  await t.rejects(async () => adapter.getTrackUrl('none'), { name: 'NotFoundError' })
  await t.rejects(async () => adapter.getTrackDetail('none'), { name: 'NotFoundError' })
})

t.test('media of the server are asked for with its login, the file as it is or converted', async t => {
  const { client, url } = await fakeServer(t, {})
  const { audio, cover } = client.mediaKinds
  const call = {} as any
  const query = async (location: any) => Object.fromEntries(new URL((await location).url).searchParams)
  const raw = await audio.resolve({ id: 'a/b' }, call)
  t.ok(raw.url.startsWith(`${url}/rest/stream.view?`))
  t.match(await query(raw), { u: 'ada', id: 'a/b', format: 'raw' })
  t.match(await query(audio.resolve({ id: '1', limit: '320', format: 'mp3' }, call)), {
    maxBitRate: '320', format: 'mp3'
  })
  t.match(await query(cover.resolve({ id: '1', size: '600' }, call)), { id: '1', size: '600' })
  t.match(await query(cover.resolve({}, call)), { id: '' })
  t.match(await query(audio.resolve({}, call)), { id: '' })
  t.strictSame([...audio.hosts], [new URL(url).host])
})

const gone = '<subsonic-response status="failed" xmlns="x"><error code="70" message="gone"/></subsonic-response>'
for (const [title, answer, status] of [
  ['error 70 in JSON', failed(70), 404],
  ['error 70 in XML', { raw: gone, type: 'text/xml' }, 404],
  ['another error in JSON', failed(0, 'no code 70'), 502],
  ['another error in XML', { raw: gone.replace('70', '50'), type: 'text/xml' }, 502],
  ['a page', { raw: '<html>70</html>' }, 502]
] as const) {
  t.test(`media for which the server answers ${title} are a ${status}`, async t => {
    const { client } = await fakeServer(t, { getCoverArt: answer, stream: answer })
    const app = fastify()
    t.teardown(() => app.close())
    await app.register(mediaProxy, {
      signer: createSigner({ keys: [Buffer.alloc(32, 1)], ttl: 60_000 }), kinds: client.mediaKinds
    })
    for (const kind of ['audio', 'cover']) {
      t.equal((await app.inject(app.mediaUrl(kind, { id: '1' }, { extension: 'jpg' }))).statusCode, status, kind)
    }
  })
}

for (const [title, answer, converts] of [
  ['MP3', { raw: 'x', type: 'audio/mpeg' }, true],
  ['the file', { raw: 'x', type: 'audio/flac' }, false],
  ['nothing', undefined, false]
] as const) {
  t.test(`a server that gives ${title} for a lossless song ${converts ? 'converts' : 'does not convert'}, and is asked once`, async t => {
    const { adapter, methods } =
      await fakeServer(t, { getSong: { song }, stream: answer as any }, { transcoding: 'auto' })
    t.equal((await adapter.getTrackDetail('1')).qualities!.length, converts ? 3 : 1)
    await adapter.getTrackDetail('2')
    t.equal(methods().filter(method => method === 'stream').length, 1)
  })
}

t.test('a track, an album, an artist and a playlist with all and with next to nothing', async t => {
  const { adapter } = await fakeServer(t, {
    getSong: ({ id }: Asked) => ({
      song: id === 'bare'
        ? { id, title: 'T' }
        : {
            ...song, genre: 'Pop', year: 2001, starred: '2020-01-01T00:00:00Z', displayAlbumArtist: 'Both'
          }
    }),
    getStarred2: {
      starred2: {
        album: [{ id: 'bare', name: 'B' }, {
          id: 'x', name: 'X', artist: 'Ada', coverArt: 'c', genre: 'Pop', year: 2001, songCount: 2.4, starred: 'x'
        }],
        artist: [{ id: 'bare', name: 'B' }, { id: 'a', name: 'A', coverArt: 'c', starred: 'x' }]
      }
    },
    getPlaylists: {
      playlists: {
        playlist: [
          { id: 'bare', name: 'B' },
          {
            id: 'p',
            name: 'P',
            owner: 'ada',
            comment: 'C',
            coverArt: 'c',
            songCount: 2.4,
            created: '2020-01-01T00:00:00Z'
          },
          { id: 'q', name: 'Q', entry: [song, song] }
        ]
      }
    }
  }, { transcoding: false })
  t.strictSame(await adapter.getTrackDetail('1'), {
    id: '1',
    title: 'One',
    artists: [{ id: 'a', name: 'Ada' }],
    album: {
      id: 'b',
      name: 'Al',
      coverUrl: 'cover/c-600.jpg',
      publishTime: Date.UTC(2001, 0, 1),
      genre: 'Pop',
      artistName: 'Both'
    },
    durationMs: 61_000,
    favorite: true,
    qualities: [{ key: 'lossless', label: 'Lossless', size: 1000, bitrate: 900_000, format: 'flac' }],
    [extras]: { year: 2001, genres: ['Pop'], created: '2026-01-02T03:04:05', displayAlbumArtist: 'Both' }
  })
  t.strictSame(await adapter.getTrackDetail('bare'), {
    id: 'bare',
    title: 'T',
    artists: [],
    album: { id: '', name: '', coverUrl: '' },
    durationMs: 0,
    favorite: false,
    qualities: [{ key: 'standard', label: 'Standard', size: 0, bitrate: null }]
  })
  t.strictSame(await adapter.userAlbums(), [
    { id: 'bare', name: 'B', coverUrl: '', favorite: false },
    {
      id: 'x',
      name: 'X',
      coverUrl: 'cover/c-600.jpg',
      publishTime: Date.UTC(
        2001, 0, 1
      ),
      genre: 'Pop',
      trackCount: 2,
      artistName: 'Ada',
      favorite: true,
      [extras]: { year: 2001, genres: ['Pop'] }
    }
  ])
  t.strictSame(await adapter.userArtists(), [
    { id: 'bare', name: 'B', favorite: false }, { id: 'a', name: 'A', coverUrl: 'cover/c-600.jpg', favorite: true }
  ])
  t.strictSame(await adapter.getUserPlaylist(), [
    { id: 'bare', name: 'B', description: '', coverUrl: '', trackCount: 0, createdAt: null, updatedAt: null },
    {
      id: 'p',
      name: 'P',
      description: 'C',
      coverUrl: 'cover/c-600.jpg',
      trackCount: 2,
      creator: {
        id: 'ada', name: 'ada', avatarUrl: ''
      },
      createdAt: Date.UTC(2020, 0, 1),
      updatedAt: Date.UTC(2020, 0, 1)
    },
    { id: 'q', name: 'Q', description: '', coverUrl: '', trackCount: 2, createdAt: null, updatedAt: null }
  ])
})

t.test('when an album came out: the release, else the first one, else the year', async t => {
  const dates = [
    [{ releaseDate: { year: 2001, month: 2, day: 3 }, originalReleaseDate: { year: 1990 }, year: 1980 },
      Date.UTC(2001, 1, 3)],
    [{ releaseDate: {}, originalReleaseDate: { year: 1990, month: 12 }, year: 1980 }, Date.UTC(1990, 11, 1)],
    [{ releaseDate: { month: 2 }, year: '1980' }, Date.UTC(1980, 0, 1)],
    [{ year: 0 }, undefined], [{ year: -5 }, undefined], [{ year: 'x' }, undefined], [{}, undefined]
  ] as const
  const { adapter } = await fakeServer(t, {
    getStarred2: { starred2: { album: dates.map(([given], id) => ({ id, name: 'A', ...given })) } }
  })
  t.strictSame((await adapter.userAlbums()).map(({ publishTime }) => publishTime), dates.map(([, time]) => time))
})

t.test('suggestions are five of each kind, and lists of albums have the lengths that they need', async t => {
  const { adapter, asked } = await fakeServer(t, {
    search3: { searchResult3: { artist: { id: 'a', name: 'A' }, album: [{ id: 'b', name: 'B' }], song: [song] } },
    getAlbumList2: { albumList2: { album: [] } },
    getRandomSongs: { randomSongs: {} },
    getSongsByGenre: { songsByGenre: {} },
    getSimilarSongs: { similarSongs: {} },
    getSong: { song: { ...song, genre: 'Pop' } },
    getArtist: { artist: { id: 'a', name: 'Ada' } },
    getTopSongs: { topSongs: {} }
  })
  const query = async (call: () => unknown, method: string) => {
    await call()
    const { u, t: token, s, v, c, f, verb, ...rest } = asked.filter(call => call.method === method).at(-1)!
    return rest
  }
  t.match(await adapter.searchSuggest('x'), { artists: [{ id: 'a' }], albums: [{ id: 'b' }], songs: [{ id: '1' }] })
  t.strictSame(await query(() => adapter.searchSuggest('x'), 'search3'), {
    method: 'search3', query: 'x', artistCount: '5', albumCount: '5', songCount: '5'
  })
  t.strictSame(await query(() => adapter.searchAlbums('x', 7, 20), 'search3'), {
    method: 'search3', query: 'x', artistCount: '0', albumCount: '21', songCount: '0', albumOffset: '7'
  })
  t.strictSame(await query(() => adapter.getNewTracks(), 'getAlbumList2'), {
    method: 'getAlbumList2', type: 'newest', size: '10'
  })
  t.strictSame(await query(() => adapter.getToplistTracks('recent', 0, 1), 'getAlbumList2'), {
    method: 'getAlbumList2', type: 'recent', size: '50'
  })
  await adapter.getToplist()
  t.strictSame(asked.filter(({ size }) => size === '3').map(({ type }) => type).sort(), [
    'frequent', 'highest', 'newest', 'recent'
  ])
  t.strictSame(await query(() => adapter.getRoamTracks(), 'getRandomSongs'), { method: 'getRandomSongs', size: '30' })
  t.strictSame(await query(() => adapter.getSimilarTracks('1'), 'getSimilarSongs'), {
    method: 'getSimilarSongs', id: '1', count: '50'
  })
  t.strictSame(await query(() => adapter.getSimilarTracks('1'), 'getSongsByGenre'), {
    method: 'getSongsByGenre', genre: 'Pop', count: '50'
  })
  t.strictSame(await query(() => adapter.getPlaylistDetail('genre:Pop', -1), 'getSongsByGenre'), {
    method: 'getSongsByGenre', genre: 'Pop', count: '500'
  })
  t.strictSame(await query(() => adapter.getArtistTracks('a', 'hot', 5, 10), 'getTopSongs'), {
    method: 'getTopSongs', artist: 'Ada', count: '16'
  })
  t.strictSame(await query(() => adapter.getArtistDetail('a', -1), 'getTopSongs'), {
    method: 'getTopSongs', artist: 'Ada', count: '50'
  })
})

t.test('toplists have their names, first cover and albums', async t => {
  const { adapter } = await fakeServer(t, {
    getAlbumList2: {
      albumList2: {
        album: [{ id: 'x', name: 'X', artist: 'Ada', coverArt: 'c', songCount: 2 }, {
          id: 'y', name: 'Y', coverArt: 'd', songCount: '3'
        }]
      }
    },
    getAlbum: ({ id }: Asked) => ({ album: { song: songs(String(id), id === 'x' ? 2 : 3) } })
  })
  const list = ['Most played', 'Top rated', 'Recently played', 'New'].map((name, index) => (
    {
      id: ['frequent', 'highest', 'recent', 'newest'][index],
      name,
      coverUrl: 'cover/c-600.jpg',
      updateFrequency: '',
      tracks: [{ name: 'X', artistName: 'Ada' }, { name: 'Y', artistName: '' }]
    }
  ))
  t.strictSame(await adapter.getToplist(), [{ name: 'Albums', list }])
  const { tracks, ...rest } = await adapter.getToplistTracks('highest', 1, 3)
  t.strictSame(rest, { id: 'highest', name: 'Top rated', coverUrl: 'cover/c-600.jpg', trackCount: 5 })
  t.strictSame(tracks.map(({ id }) => id), ['x1', 'y0', 'y1'])
})

t.test('a page at the exact end of a list says that there is no more', async t => {
  const albums = ['x', 'y', 'z'].map(id => album(id, 1))
  const { adapter } = await fakeServer(t, {
    getArtist: { artist: { id: 'a', name: 'A', album: albums } },
    getAlbum: ({ id }: Asked) => ({ album: { song: songs(String(id), 1) } })
  })
  for (const [offset, limit, found, hasMore] of [
    [0, 2, 2, true], [0, 3, 3, false], [1, 2, 2, false], [2, 2, 1, false], [3, 2, 0, false]
  ] as const) {
    for (const page of [
      await adapter.getArtistAlbums('a', offset, limit), await adapter.getArtistTracks('a', 'new', offset, limit)
    ]) {
      t.strictSame([page.items.length, page.offset, page.limit, page.hasMore], [found, offset, limit, hasMore])
    }
  }
})

t.test('no album is read before or after those of a page', async t => {
  const { adapter, asked } = await fakeServer(t, {
    getAlbumList2: { albumList2: { album: [album('x', 2), album('y', 2), album('z', 2)] } },
    getAlbum: ({ id }: Asked) => ({ album: { song: songs(String(id), 2) } })
  })
  for (const [offset, limit, read, found] of [[0, 2, 'x', 'x0 x1'], [0, 3, 'xy', 'x0 x1 y0'], [
    1, 1, 'x', 'x1'
  ], [1, 2, 'xy', 'x1 y0'], [2, 2, 'y', 'y0 y1'], [3, 1, 'y', 'y1'], [4, 9, 'z', 'z0 z1'], [6, 1, '', '']] as const) {
    const before = asked.length
    const { tracks } = await adapter.getToplistTracks('recent', offset, limit)
    t.equal(
      asked.slice(before).filter(({ method }) => method === 'getAlbum').map(({ id }) => id).join(''), read,
      `${offset} ${limit}`
    )
    t.equal(tracks.map(({ id }) => id).join(' '), found)
  }
})

t.test('new tracks are fifty at most', async t => {
  const { adapter } = await fakeServer(t, {
    getAlbumList2: { albumList2: { album: [album('x', 40), album('y', 40)] } },
    getAlbum: ({ id }: Asked) => ({ album: { song: songs(String(id), 40) } })
  })
  t.equal((await adapter.getNewTracks()).length, 50)
})

for (const [timeZone, midnight] of [
  [undefined, Date.UTC(2026, 0, 2)], ['Etc/GMT-1', Date.UTC(2026, 0, 1, 23)], ['Etc/GMT+5', Date.UTC(2026, 0, 2, 5)]
] as const) {
  t.test(`the tracks of a day are others from midnight on, in the time zone ${timeZone ?? 'UTC'}`, async t => {
    let calls = 0
    const { adapter } = await fakeServer(
      t, { getRandomSongs: () => ({ randomSongs: { song: { ...song, id: calls++ } } }) },
      { ...(timeZone !== undefined && { timeZone }) }
    )
    let now = midnight - 1000
    replace(t, globalThis, 'Date', class extends Date {
      constructor (...given: any[]) { super(...(given.length === 0 ? [now] : given) as [any]) }
      static override now () { return now }
    } as any)
    const daily = async () => (await adapter.getDailyTracks()).map(({ id }) => id).join()
    t.equal(await daily(), '0')
    now = midnight - 1
    t.equal(await daily(), '0')
    now = midnight
    t.equal(await daily(), '1')
  })
}

t.test('a cover is one that the server names, and the artist of an album the one or the other', async t => {
  const { adapter } = await fakeServer(t, {
    getSong: { song: { ...song, coverArt: undefined } },
    getStarred2: {
      starred2: {
        album: [
          { id: 'x', name: 'X', displayArtist: 'Both' }, { id: 'y', name: 'Y', artist: 'Ada', displayArtist: 'Both' }
        ]
      }
    }
  })
  t.equal((await adapter.getTrackDetail('1')).album.coverUrl, '')
  t.strictSame((await adapter.userAlbums()).map(({ artistName }) => artistName), ['Both', 'Ada'])
})

t.test('an artist has the larger picture that has an address, and the details that are asked for', async t => {
  const artist = async (artistInfo2: object, limit = 0) => (
    await fakeServer(t, {
      getArtist: { artist: { id: 'a', name: 'Ada', album: [album('x', 60)] } },
      getArtistInfo2: { artistInfo2 },
      getAlbum: { album: { song: songs('x', 60) } }
    })
  ).adapter.getArtistDetail('a', limit)
  const [large, medium] = ['https://x.example/l', 'http://x.example/m']
  t.equal((await artist({ largeImageUrl: large, mediumImageUrl: medium })).avatarUrl, large)
  t.equal((await artist({ largeImageUrl: '', mediumImageUrl: medium })).avatarUrl, medium)
  t.equal(
    (await artist({ largeImageUrl: 'https://x.example/l?from=/rest/' })).avatarUrl, 'https://x.example/l?from=/rest/'
  )
  // As gonic does.
  t.equal((await artist(
    { largeImageUrl: 'https://x.example/music/rest/getCoverArt?id=ar-1&s=salt&t=digest&u=ada', mediumImageUrl: medium }
  )).avatarUrl, medium)
  t.strictSame(await artist({ largeImageUrl: '/l', biography: '' }), {
    id: 'a', name: 'Ada', favorite: false, tracks: []
  })
  t.strictSame([(await artist({}, -1)).tracks.length, (await artist({}, 7)).tracks.length], [50, 7])
})

t.test('an album whose artist is not named or has no id has none', async t => {
  const { adapter } = await fakeServer(t, {
    getAlbum: ({ id }: Asked) =>
      ({ album: { id, name: 'Al', song: [song], ...(id === 'named' ? { artist: 'Ada' } : { artistId: 'a' }) } })
  })
  for (const id of ['named', 'known']) t.notOk('artist' in await adapter.getAlbumDetail(id, 0), id)
})

t.test('kinds of qualities at their bounds', async t => {
  const { adapter } = await fakeServer(
    t, { getSong: ({ id }: Asked) => ({ song: { id, title: '', ...JSON.parse(String(id)) } }) },
    { transcoding: { high: 320, standard: 128, format: 'mp3' } }
  )
  for (const [given, expected] of [
    [{ suffix: 'mp3', bitRate: 256 }, 'high 256000, standard 128000'],
    [{ suffix: 'mp3', bitRate: 255 }, 'standard 255000'],
    [{ suffix: 'mp3', bitRate: 30_000 }, 'high 30000000, standard 128000'],
    [{ suffix: 'mp3', bitRate: 128_499 }, 'standard 128000'], [{ suffix: 'mp3', bitRate: 0 }, 'standard null'],
    [{ suffix: 'flac', bitRate: 320 }, 'lossless 320000, standard 128000'],
    [{ suffix: 'flac', bitRate: 321 }, 'lossless 321000, high 320000, standard 128000'],
    [{ suffix: 'FLAC' }, 'lossless null, high 320000, standard 128000'],
    [{ suffix: 'flac', bitRate: 128 }, 'lossless 128000']
  ] as const) {
    t.equal((await adapter.getTrackDetail(JSON.stringify(given))).qualities!.map(({ key, bitrate }) =>
      `${key} ${bitrate}`).join(', '), expected, JSON.stringify(given))
  }
})

t.test('the server is told what plays, once for each play, and what was heard, when that was', async t => {
  const { adapter, asked } = await fakeServer(t, { scrobble: ({ id }: Asked) => id === 'gone' ? failed(70) : {} })
  const event = { id: 'p', track: '1', account: 'ann', client: 'app', startedAt: Date.now(), position: 0 }
  const tell = (state: 'starting' | 'playing' | 'stopped', more: object = {}) =>
    adapter.onPlay({ ...event, state, counted: false, ...more })
  await tell('starting')
  for (let times = 0; times < 2; times++) await tell('playing')
  await tell('playing', { id: 'q', startedAt: 1_735_689_600_000 })
  await tell('playing', { counted: true, startedAt: 1_735_689_600_000 })
  await tell('stopped')
  await t.rejects(async () => tell('stopped', { track: 'gone', counted: true }), { name: 'NotFoundError' })
  const told = asked.filter(({ method }) => method === 'scrobble')
  t.match(told, [
    { id: '1', submission: 'false', time: undefined },
    { id: '1', submission: 'true', time: '1735689600000' },
    { id: 'gone', submission: 'true' }
  ])
  t.equal(told.length, 3)
})

t.test('what has no cover has the picture that the host makes', async t => {
  const { client } = await fakeServer(t, {
    getSong: ({ id }: Asked) => ({ song: { ...song, id, coverArt: '', ...id === '2' && { albumId: '' } } }),
    getStarred2: { starred2: { album: [{ id: 'b', name: 'B' }, { id: 'c', name: 'C', coverArt: 'c' }] } }
  })
  const { getTrackDetail, userAlbums } = createSubsonicAdapter(client, {
    media: kind => kind, placeholder: id => `drawn/${id}`
  })
  t.equal((await getTrackDetail!('1')).album.coverUrl, 'drawn/b')
  t.equal((await getTrackDetail!('2')).album.coverUrl, 'drawn/2')
  t.strictSame((await userAlbums!()).map(({ coverUrl }) => coverUrl), ['drawn/b', 'cover'])
})
