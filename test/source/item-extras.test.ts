import t from 'tap'
import type { AdapterMethod } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import * as schemas from '../../schemas/index.ts'
import { etagOf } from '../../lib/cache/etag-of.ts'
import { readEntry, writeEntry } from '../../lib/cache/redis/stored-entry.ts'
import { Question } from '../../lib/source/question.ts'
import { Source } from '../../lib/source/source.ts'
import { TimedCall } from '../../lib/async/timed-call.ts'

const { extras } = schemas

const artist = { id: 'ar', name: 'Someone', [extras]: { sortName: 'One, Some' } }
const album = { id: 'al', name: 'Album', coverUrl: '', [extras]: { version: 'Remastered', isCompilation: true } }
const track = {
  id: '1',
  title: 'Song',
  durationMs: 1000,
  artists: [{ id: '', name: 'Nobody' }, artist],
  album,
  [extras]: { discNumber: 2, replayGain: { trackGain: -7.5 }, explicitStatus: 'clean' as const }
}
const { [extras]: _none, ...plain } = track
const detail = { ...album, tracks: [plain, track, { ...track, id: '3' }] }
/** As it is read from the bytes of `/v1`, with the extras. */
const whole = { ...detail, tracks: detail.tracks.map(one => ({ ...one, qualities: [] })) }

const lines: any[][] = []
const log: any = { warn: (...line: any[]) => lines.push(line), error () {} }
const sourceOf = (validateResponses: boolean, cache?: ReturnType<typeof createSourceCache>) =>
  new Source({ cache, validateResponses, log })

const caller = (): any => Object.assign(new TimedCall({ on () {}, off () {} } as any, 0), { log, secrets: [] })

async function ask (source: Source, method: AdapterMethod, adapter: object, account?: string): Promise<any> {
  const context: any = source.contextOf({ adapter, account, stateless: false })
  return source.ask(new Question(source, source.operation(method), ['1'], context, caller(), false))
}

t.test('bodies of /v1 have no extras, and who asks for data gets them, out of the cache too', async t => {
  for (const given of [detail, { ...detail, more: 1 }]) {
    let calls = 0
    const source = sourceOf(false, createSourceCache())
    const adapter = { getAlbumDetail: () => { calls++; return given } }
    for (let turn = 0; turn < 2; turn++) t.same(await ask(source, 'getAlbumDetail', adapter, 'ada'), whole)
    t.equal(calls, 1)
    // Without an account nothing is kept.
    t.same(await ask(source, 'getAlbumDetail', adapter), whole)
    t.match(await ask(sourceOf(false), 'getAlbumDetail', adapter), detail)
    await source.close()
  }
  const operation = sourceOf(true).operation('getAlbumDetail')
  t.notMatch(operation.write(detail).body, /discNumber|Remastered|sortName/)
  t.equal(operation.write({ ...detail, [extras]: undefined, tracks: [] }).extras, undefined)
})

const wrong = {
  discNumber: 0, track: 7, bpm: '120', explicitStatus: 'no', genres: ['Pop', 1], mood: 'sad', comment: undefined
}

t.test('production leaves wrong extras out, logs that, and does not change what the adapter has', async t => {
  lines.length = 0
  const given = [wrong, 'text', Promise.reject(new Error('late'))].map(extra => ({ ...track, [extras]: extra }))
  const data = await ask(sourceOf(false), 'getSimilarTracks', { getSimilarTracks: () => given })
  t.same(data.map((one: any) => one[extras]), [{ track: 7 }, {}, {}])
  t.equal(data[0].album, album)
  const partly = { ...track, [extras]: { explicitStatus: 'clean', bpm: -1 } }
  const adapter = { getAlbumDetail: () => ({ ...detail, tracks: [...given, partly] }) }
  const { tracks } = await ask(sourceOf(false), 'getAlbumDetail', adapter)
  t.same(tracks.map((one: any) => one[extras]), [{ track: 7 }, {}, {}, { explicitStatus: 'clean' }])
  t.equal(given[0]![extras], wrong)
  t.same(lines.slice(0, 6).map(([{ path }]) => path.replace('/*/[extras]', '')).sort(),
    ['/discNumber', '/explicitStatus', '/bpm', '/genres/*', '/mood', ''].sort())
})

t.test('development refuses wrong extras, and says where they are and what was meant', async t => {
  const operation = sourceOf(true).operation('getSimilarTracks')
  const cases = [
    [{ discNumber: 0 }, '/0/[extras]/discNumber Expected integer to be greater or equal to 1, got 0'],
    [{ explicitStatus: 1 }, '/0/[extras]/explicitStatus Expected "explicit" or "clean" or "", got 1'],
    [{ genre: ['Pop'] }, '/0/[extras]/genre Unexpected property: did you mean "genres"?'],
    [7, '/0/[extras] Expected object, got 7']
  ] as const
  for (const [given, message] of cases) {
    for (const write of [operation.write, operation.conform]) {
      const refuses = new RegExp(message.replace(/[[\]?]/g, '\\$&'))
      t.throws(() => write.call(operation, [{ ...track, [extras]: given }]), { message: refuses })
    }
  }
  // Class instances, of which members are read by name.
  class Known { discNumber = 2 }
  t.same((operation.conform([{ ...track, [extras]: new Known() }]) as any)[0][extras], { discNumber: 2 })
})

t.test('extras are stored in Redis beside the body; damaged ones are none of ours', async t => {
  const times = { createdAt: 0, freshUntil: 1, staleUntil: 1, staleIfErrorUntil: 1, retryFrom: 0 }
  const key: any = { text: 'key', operation: 'getTrackDetail', args: [], account: undefined }
  const { body, extras } = sourceOf(false).operation('getTrackDetail').write(track)
  const entry: any = { ...key, body, extras, etag: etagOf(body), error: undefined, ...times }
  const clocks = { shared: 0, own: 0 }
  const stored = writeEntry(entry, 'key', [], clocks)
  t.equal(readEntry(stored, key, clocks)!.entry.extras, extras)
  const damaged = Buffer.from(stored.toString().replace('Remastered', 'Remastere_'))
  t.equal(readEntry(damaged, key, clocks), undefined)
  const without = writeEntry({ ...entry, extras: undefined }, 'key', [], clocks)
  t.equal(readEntry(without, key, clocks)!.entry.extras, undefined)
})
