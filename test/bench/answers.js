// What is asked for and answered: the same for every server.

const words = {
  ascii: ['Morning', 'Frost', 'over', 'the', 'Quiet', 'Harbour', 'Lights', 'of', 'June'],
  cjk: ['夜空', '中の', '最も明', 'るい星', '海と', '静かな', '港の灯', '六月', 'の歌']
}

const title = (script, seed, length) =>
  Array.from({ length }, (_, i) => words[script][(seed * 7 + i * 5) % 9]).join(script === 'cjk' ? '' : ' ')

const quality = (key, label, bitrate, format, seed) => ({ key, label, size: bitrate * 26 + seed, bitrate, format })

/** A track as sources answer it: most optional members there, one quality map of three. */
const track = (script, seed) => ({
  id: `track-${100_000 + seed}`,
  title: title(script, seed, 4),
  artists: [{ id: `artist-${2000 + seed % 50}`, name: title(script, seed + 1, 2) }],
  album: {
    id: `album-${3000 + seed % 90}`,
    name: title(script, seed + 2, 3),
    coverUrl: `https://img.example.com/covers/${3000 + seed % 90}/large.jpg`,
    publishTime: 1_400_000_000_000 + seed * 86_400_000,
    artistName: title(script, seed + 1, 2)
  },
  durationMs: 180_000 + seed * 37,
  qualities: [
    quality('standard', 'Standard', 128_000, 'mp3', seed),
    quality('high', 'High', 320_000, 'mp3', seed),
    quality('lossless', 'Lossless', 911_000, 'flac', seed)
  ],
  mvId: null,
  favorite: seed % 3 === 0,
  fee: seed % 5 === 0
})

const tracks = (script, count) => Array.from({ length: count }, (_, seed) => track(script, seed))

const page = (script, limit) => ({ items: tracks(script, limit), offset: 0, limit, hasMore: true })

const playlist = script => ({
  id: 'playlist-1',
  name: title(script, 1, 3),
  description: title(script, 3, 9),
  coverUrl: 'https://img.example.com/playlists/1.jpg',
  trackCount: 1000,
  tracks: tracks(script, 1000)
})

class Track {
  constructor (members) { Object.assign(this, members) }
}

const paths = {
  getTrackDetail: '/v1/track?id=',
  searchTracks: '/v1/search/tracks?limit=20&keyword=',
  getPlaylistDetail: '/v1/playlist/detail?id='
}
const answer = (row, method, make, without = []) =>
  ({ row, method, make, without, path: paths[method] + encodeURIComponent(row) })
const ofTracks = (list, change) =>
  ({ ...list, [list.items ? 'items' : 'tracks']: (list.items ?? list.tracks).map(change) })

/**
 * The rows of the table: the path asked for, the adapter method behind it and what makes its data (`undefined`: the
 * status), and the servers that refuse such data.
 */
export const rows = [
  { row: 'status', path: '/v1/status', method: 'status', make: () => undefined, without: [] },
  ...['ascii', 'cjk'].flatMap(script => [
    answer(`one track, ${script}`, 'getTrackDetail', () => track(script, 1)),
    answer(`page of 20, ${script}`, 'searchTracks', () => page(script, 20)),
    answer(`page of 100, ${script}`, 'searchTracks', () => page(script, 100)),
    answer(`playlist of 1000, ${script}`, 'getPlaylistDetail', () => playlist(script))
  ]),
  answer('page of 20 without qualities', 'searchTracks', () =>
    ofTracks(page('ascii', 20), ({ qualities, ...rest }) => rest)),
  answer('playlist of 1000 without qualities', 'getPlaylistDetail', () =>
    ofTracks(playlist('ascii'), ({ qualities, ...rest }) => rest)),
  answer('page of 20, class instances', 'searchTracks', () =>
    ofTracks(page('ascii', 20), members => new Track(members))),
  answer('playlist of 1000, class instances', 'getPlaylistDetail', () =>
    ofTracks(playlist('ascii'), members => new Track(members))),
  answer('page of 20, mended', 'searchTracks', () => ofTracks(page('ascii', 20), members => ({
    ...members, durationMs: String(members.durationMs), raw: 1
  })),
  ['development', 'Express 5, Value.Check'])
]
