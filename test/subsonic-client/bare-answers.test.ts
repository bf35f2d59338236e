import t from 'tap'
import { failed, fakeServer, type Asked } from './fake-server.ts'
import { replace } from '../replace.ts'

// Servers that say as little as they may.

const song = { id: '1', title: 'One' }

t.test('a server that says next to nothing', async t => {
  const { adapter } = await fakeServer(t, {
    getSong: { song: { id: '1', name: 'By name', duration: 'x' } },
    getAlbumList2: { albumList2: { album: [{ id: 'x' }, { id: 'y' }] } },
    getAlbum: ({ id }: Asked) => ({ album: { id, album: 'By album', song: [{ ...song, id: `${id}1` }] } }),
    getArtist: { artist: { id: 'a', name: 'A', album: [{ id: 'x' }, { id: 'y', year: 2000 }, { id: 'z' }] } },
    getArtists: {
      artists: {
        index: [{ artist: [{ id: 'a', name: 'A' }, { id: 'b', name: 'B', albumCount: 2 }, { id: 'c', name: 'C' }] }]
      }
    },
    getSimilarSongs: { similarSongs: { song: [song] } },
    getGenres: { genres: { genre: [{ name: 'Old' }, {}] } },
    getPlaylists: {
      playlists: {
        playlist: [
          { id: '1', name: 'New' }, { id: '2', name: 'New' }, { id: '3', name: 'Other', changed: '2020-01-01' }
        ]
      }
    },
    getPlaylist: {
      playlist: {
        id: 'p',
        name: 'P',
        entry: [
          song, { ...song, id: '2', isVideo: true }, { ...song, id: '3', created: '2020-01-01T00:00:00Z', artist: 'A' }
        ]
      }
    },
    createPlaylist: {}
  }, { username: 'ada' })
  t.match(await adapter.getTrackDetail('1'), {
    title: 'By name', durationMs: 0, artists: [], album: { id: '', coverUrl: '' }, qualities: [{ bitrate: null }]
  })
  t.match(await adapter.getTrackUrl('1'), { format: '', bitrate: null, url: 'audio/1.mp3' })
  t.match(await adapter.getToplist(), [{ list: [{ coverUrl: '' }, {}, {}, {}] }])
  t.match(await adapter.getToplistTracks('recent', 1, 1), { trackCount: 0, coverUrl: '', tracks: [{ id: 'y1' }] })
  t.match(await adapter.getAlbumDetail('x', -1), { name: 'By album', tracks: { length: 1 } })
  t.strictSame((await adapter.getArtistTracks('a', 'hot', 0, 3)).items.map(({ id }) => id), ['y1', 'x1', 'z1'])
  t.strictSame((await adapter.getTopArtists()).map(({ id }) => id), ['b', 'a', 'c'])
  t.match(await adapter.getSimilarTracks('1'), [{ id: '1' }])
  t.strictSame((await adapter.getPlaylistCategories()).map(({ label }) => label), ['Playlists', 'Old'])
  t.match(await adapter.createPlaylist('New'), { id: '1' })
  t.strictSame((await adapter.getRecommendedPlaylist(0, 5)).items.map(({ id }) => id), ['3', '1', '2'])
  for (const sort of ['added', 'artist']) {
    t.strictSame((await adapter.getPlaylistDetail('p', -1, sort, 'desc')).tracks.map(({ id }) => id), ['3', '1'])
  }
  t.match(await adapter.getToplistTracks('newest', 0, 200), { tracks: { length: 2 } })
})

t.test('a server without toplists, and one with empty ones', async t => {
  const { adapter } = await fakeServer(t, { getAlbumList2: { albumList2: {} } })
  t.match(await adapter.getToplist(), [{ list: { length: 4 } }])
  t.match(await adapter.getToplistTracks('newest', 0, 10), { coverUrl: '', trackCount: 0, tracks: [] })
})

t.test('an error without a code, and one with HTTP 500', async t => {
  const bare = await fakeServer(t, { getSong: () => ({ failed: {} }) })
  await t.rejects(async () => bare.adapter.getTrackDetail('1'), { name: 'UpstreamError', message: /error 0/ })
  const broken = await fakeServer(t, { getSong: failed(0, 'boom', 500), getAlbum: failed(0, 'no', 501) })
  await t.rejects(async () => broken.adapter.getTrackDetail('1'), { name: 'UpstreamError' })
  await t.rejects(async () => broken.adapter.getAlbumDetail('1', -1), { name: 'UnsupportedFeatureError' })
})

t.test('the user of an API key, and qualities of songs that do not say how long they are', async t => {
  const { adapter, asked } = await fakeServer(t, {
    getUser: { user: {} },
    getPlaylists: { playlists: { playlist: [{ id: '1', name: 'P', owner: 'x' }] } },
    getSong: { song: { ...song, suffix: 'flac' } }
  },
  {
    username: undefined, password: undefined, apiKey: 'key', transcoding: { high: 320, standard: 128, format: 'mp3' }
  } as any)
  t.match(await adapter.getUserMe(), { userId: '', platform: 'fake' })
  t.equal(asked.at(-1)!.username, undefined)
  t.strictSame(await adapter.getUserPlaylist(), [])
  t.match((await adapter.getTrackDetail('1')).qualities, [
    { key: 'lossless', bitrate: null }, { key: 'high', size: 0 }, { key: 'standard', size: 0 }
  ])
})

t.test('words whose places and times are not told', async t => {
  const lyricsList = {
    structuredLyrics: [
      {
        synced: true,
        line: [{ start: 1, value: 'ab' }],
        cueLine: [{ value: 'ab', cue: [{ value: 'a' }, { value: 'b' }] }]
      },
      { synced: false, line: [] }
    ]
  }
  const { adapter } = await fakeServer(t, {
    getOpenSubsonicExtensions: { openSubsonicExtensions: [{ name: 'songLyrics' }] }, getLyricsBySongId: { lyricsList }
  }, {}, { openSubsonic: true })
  t.match(await adapter.getTrackLyrics('1'), { wordLyrics: '[00:00.00]<00:00.00>a<00:00.00>b', translatedLyrics: '' })
})

t.test('what was kept of a server is forgotten in time', async t => {
  let later = 0
  const now = Date.now()
  replace(t, Date, 'now', () => now + later)
  const { adapter, methods } = await fakeServer(t, { getSong: ({ id }: Asked) => ({ song: { ...song, id } }) })
  await adapter.getTrackUrl('1')
  await adapter.getTrackUrl('1')
  later = 300_001
  await adapter.getTrackUrl('1')
  t.equal(methods().filter(method => method === 'getSong').length, 2)
  later = 3_600_001
  await adapter.getTrackUrl('1')
  t.equal(methods().filter(method => method === 'ping').length, 2, 'an hour later it is asked what it can do')
})
