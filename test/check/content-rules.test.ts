import t from 'tap'
import { checkContent } from '../../lib/check/checks/check-content.ts'
import { createProbe } from '../../lib/check/probe/create-probe.ts'
import { Inspection } from '../../lib/check/probe/inspection.ts'
import { validateConnection } from '../../lib/client/connection.ts'
import { dataOf } from '../helper.ts'

/** The rules that new tracks break, each with the place, of a source that has these qualities. */
function broken (tracks: object[], qualities: unknown[] = []): string[] {
  const inspection =
    new Inspection(createProbe(validateConnection({ baseUrl: 'http://a.example' })), 1, () => true, () => {}, 3)
  inspection.status = { qualityMap: qualities } as never
  inspection.seen.push({
    operation: 'getNewTracks',
    request: 'GET /v1/track/new',
    data: tracks.map((track, id) =>
      ({ ...dataOf('getTrackDetail'), id: `${id}`, durationMs: 180_000, qualities: [], ...track }))
  })
  checkContent(inspection)
  return inspection.findings.list.map(({ rule, path, message }) => `${rule} ${path ?? message}`)
}
const tracksOf = (member: string, values: unknown[]) => values.map(value => ({ [member]: value }))

const seconds = (count: number) => [`duration-in-seconds none of ${count} tracks is longer than 2000 ms`]
for (const [durations, expected] of [
  [[180, 181], []], [[180, 181, 182], seconds(3)], [[1, 1999, 1, 1], seconds(4)], [[180, 181, 2000], []],
  [[180, 181, 0], []], [[180, 181, 0, 182, 0], seconds(3)],
  [[180, 181, -1], []], [[180, 181, '182'], []], [[180, 181, null], []]
] as const) {
  t.test(`durations ${JSON.stringify(durations)}: ${expected.length === 0 ? 'nothing is found' : 'probably seconds'}`, async t => {
    t.strictSame(broken(tracksOf('durationMs', [...durations])), expected)
  })
}

t.test('durations of three clicks, whose files have their size: nothing is found', async t => {
  const click = { durationMs: 50, qualities: [{ key: 'high', label: 'FLAC', size: 4400, bitrate: 704_000 }] }
  t.strictSame(broken([click, click, click]), [])
})

t.test('a bitrate of silence, whose file has its size: nothing is found', async t => {
  t.strictSame(broken([{ qualities: [{ key: 'high', label: 'FLAC', size: 45_000, bitrate: 1200 }] }]), [])
})

const size = (key: string, size: number) => ({ key, label: key, size: size * 1e6, bitrate: 128_000, format: 'mp3' })
const both = [size('high', 9), size('low', 5)]
const copied = (count: number) => [`qualities-copied all ${count} tracks have the same qualities of the same sizes`]
const map = [{ key: 'high' }, { key: 'low' }]
const outside = (keys: string[]) => keys.map(key => `quality-outside-map /data/0/qualities/0/${key}`)
for (const [what, qualities, offered, expected] of [
  ['the same three times', [both, both, both], map, copied(3)],
  ['the same twice', [both, both], map, []],
  ['one of another size', [both, both, [size('high', 8), size('low', 5)]], map, []],
  ['one without any', [both, both, []], map, []],
  ['not all that the source has', [[both[0]], [both[0]], [both[0]]], map, []],
  ['the only one that the source has', [[both[0]], [both[0]], [both[0]]], [{ key: 'high' }], []],
  ['more than the source has', [both, both, both], [{ key: 'low' }, { key: 'low' }], outside(['key'])],
  ['no lists', [null, null, null], map, []],
  ['lists of nothing', [[null], [null], [null]], map, []],
  ['a source without qualities', [both, both, both], [], []]
] as const) {
  t.test(`qualities, ${what}: ${expected[0] ?? 'nothing is found'}`, async t => {
    t.strictSame(broken(tracksOf('qualities', [...qualities]), [...offered]), expected)
  })
}

t.test('qualities, the same of three streams without an end: nothing is found', async t => {
  const endless = { qualities: both, durationMs: 0 }
  t.strictSame(broken([endless, endless, endless], map), [])
})

for (const [member, value, isFound] of [
  ['publishTime', 49_999_999, false], ['publishTime', 50_000_000, true], ['publishTime', 4_000_000_000, true],
  ['publishTime', 4_000_000_001, false],
  ['publishTime', '1600000000', false], ['createdAt', 1_600_000_000, true], ['updatedAt', 1_600_000_000, true]
] as const) {
  t.test(`${member} ${JSON.stringify(value)}: ${isFound ? 'probably seconds' : 'nothing is found'}`, async t => {
    t.strictSame(broken([{ [member]: value }]), isFound ? [`time-in-seconds /data/0/${member}`] : [])
  })
}

for (const [bitrate, isFound] of [
  [0, false], [1, true], [3999, true], [4000, false], ['320', false], [null, false]
] as const) {
  t.test(`a bitrate of ${JSON.stringify(bitrate)}: ${isFound ? 'probably kbit/s' : 'nothing is found'}`, async t => {
    t.strictSame(
      broken([{ qualities: [{ ...both[0], bitrate }] }]), isFound ? ['bitrate-in-kbit /data/0/qualities/0/bitrate'] : []
    )
  })
}
