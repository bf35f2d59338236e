import t from 'tap'
import type { AdapterMethod } from 'fastify-source-origin'
import { developmentPath, operationOf } from '../../lib/contract/operations.ts'
import { authorized, build, callOf, dataOf, logged, parametersOf } from '../helper.ts'

const track = (more: object = {}) => ({ ...dataOf('getTrackDetail', 'required'), durationMs: 215_000, ...more })
const page = (more: object = {}) => ({ items: [track()], offset: 0, limit: 2, hasMore: false, ...more })
const time = 1_700_000_000
const events = new Set(['page limit exceeded', 'page mismatched', 'url not absolute', 'unit mistaken'])

/** What an adapter answers, asked for the page of two tracks, and what the log says of it. */
const rows: [AdapterMethod, unknown, string | undefined][] = [
  ['searchTracks', page(), undefined],
  ['searchTracks', page({ items: [track(), track(), track()] }),
    'searchTracks: returned 3 items for a limit of 2: clients show too many, or some twice'],
  ['searchTracks', page({ offset: 20 }),
    'searchTracks: returned offset 20 for offset 0: a page contains the requested offset'],
  ['searchTracks', page({ limit: 50 }),
    'searchTracks: returned limit 50 for limit 2: a page contains the requested limit'],
  ['getToplistTracks', { ...dataOf('getPlaylistDetail', 'required'), tracks: [track(), track(), track()] },
    'getToplistTracks: returned 3 items for a limit of 2: clients show too many, or some twice'],
  ['getNewTracks', [track({ durationMs: 215 })],
    'getNewTracks: durationMs 215 looks like seconds, and is in milliseconds'],
  ['getNewTracks', [track({ durationMs: 0 }), track({ durationMs: 1000 })], undefined],
  ['getTrackUrl', { url: 'https://a.test/1', quality: 'high', bitrate: 320 },
    'getTrackUrl: bitrate 320 looks like kbit/s, and is in bit/s'],
  // A click of 50 ms, and silence in FLAC.
  ['getNewTracks', [track({
    durationMs: 50, qualities: [{ key: 'original', label: 'FLAC', size: 4400, bitrate: 704_000 }]
  })], undefined],
  ['getNewTracks', [track({
    durationMs: 215, qualities: [{ key: 'high', label: 'MP3', size: 8_600_000, bitrate: 320_000 }]
  })], 'getNewTracks: durationMs 215 looks like seconds, and is in milliseconds'],
  ['getTrackUrl', { url: 'https://a.test/1', quality: 'original', bitrate: 1200, size: 45_000 }, undefined],
  ['getTrackUrl', { url: 'https://a.test/1', quality: 'original', bitrate: 900, size: 27_000_000 },
    'getTrackUrl: bitrate 900 looks like kbit/s, and is in bit/s'],
  ['getTrackUrl', { url: 'https://a.test/1', quality: 'high', bitrate: null }, undefined],
  ['getAlbumDetail', { ...dataOf('getAlbumDetail', 'required'), publishTime: time, tracks: [] },
    `getAlbumDetail: publishTime ${time} looks like seconds, and is a Unix time in milliseconds`],
  ...([
    ['', undefined], ['HTTPS://a.test/1', undefined], ['/music/1.mp3', 'is a path without a host'],
    ['music.example/1.mp3', 'has no scheme'], ['ftp://a.test/1', 'has another scheme'],
    ['file:///music/1.mp3', 'names a file of this machine'], ['C:\\music\\1.mp3', 'names a file of this machine'],
    ['\\\\nas\\music\\1.mp3', 'names a file of this machine']
  ] as const).map(([coverUrl, wrong]): typeof rows[number] => ['getAlbumDetail',
    { ...dataOf('getAlbumDetail', 'required'), publishTime: null, coverUrl, tracks: [] },
    wrong && `getAlbumDetail: coverUrl ${wrong}: clients open absolute http and https URLs only`])
]

for (const [method, data, warning] of rows) {
  t.test(`${warning ?? `nothing is told of ${method}`}, once, and in production never`, async t => {
    const operation = operationOf(method)
    const isPaged = operation.parameters.includes('limit')
    const parameters = { ...parametersOf(operation), ...isPaged && { offset: 0, limit: 2 } }
    const told = warning === undefined ? [] : [warning]
    for (const [validateResponses, expected] of [[true, told], [false, []]] as const) {
      const { lines, logger } = logged()
      const app = await build(t, { adapter: { [method]: () => data }, validateResponses }, { logger })
      const { statusCode } = await app.inject(callOf(operation, parameters))
      t.equal(statusCode, 200)
      await app.inject(callOf(operation, parameters))
      const warnings = lines.filter(({ level }) => level === 40)
      t.strictSame(warnings.map(({ operation, hint }) => `${operation}: ${hint}`), expected)
      for (const { msg } of warnings) t.ok(events.has(msg), msg)
      const development = await app.inject({ url: developmentPath, headers: authorized })
      t.strictSame(development.json().data.mistakes, expected, 'the check has them too')
    }
  })
}
