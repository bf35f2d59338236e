import fastify from 'fastify'
import t, { type Test } from 'tap'
import sourceOrigin, { operations } from 'fastify-source-origin'
import { build, callOf, contextOf, dataOf, logged } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'

async function warningsOf (
  t: Test,
  operation: typeof operations[number],
  data: unknown,
  qualityMap: object[] | undefined,
  validateResponses = true
) {
  const { lines, logger } = logged()
  const adapter = { [operation.adapterMethod]: () => data }
  const app = await build(t, { resolveContext: contextOf(adapter, { qualityMap }), validateResponses }, { logger })
  t.equal((await app.inject(callOf(operation))).statusCode, 200)
  return lines.filter(({ key }) => key !== undefined).map(({ track, key }) => [track, key])
}

const track = {
  ...dataOf('getTrackDetail'), id: 't1', qualities: ['hq', 'odd'].map(key => ({ key, label: '', size: 1 }))
}
const qualityMap = [{ key: 'hq', label: '' }]

const answers = {
  getTrackDetail: track,
  getNewTracks: [track],
  searchTracks: { items: [track], offset: 0, limit: 1, hasMore: false },
  getPlaylistDetail: { id: '1', name: '', tracks: [track] },
  searchSuggest: { songs: [track], artists: [], albums: [] }
} as const

for (const [method, data] of Object.entries(answers)) {
  const operation = operationOf(method as keyof typeof answers)
  t.test(`${method}: a quality outside the map is warned about with track and key`, async t => {
    t.strictSame(await warningsOf(t, operation, data, qualityMap), [['t1', 'odd']])
  })
  t.test(`${method}: no warning in production or without a map`, async t => {
    t.strictSame(await warningsOf(t, operation, data, qualityMap, false), [])
    t.strictSame(await warningsOf(t, operation, data, undefined), [])
  })
}

t.test('getTrackUrl: the quality that is given counts, the track is the one asked for', async t => {
  const operation = operationOf('getTrackUrl')
  const given = (quality: string) => ({ url: 'https://example.org/a', quality })
  const id = (callOf(operation).url as string).split('=')[1]!
  t.strictSame(await warningsOf(t, operation, given('odd'), qualityMap), [
    [decodeURIComponent(id.replaceAll('+', ' ')), 'odd']
  ])
  t.strictSame(await warningsOf(t, operation, given('hq'), qualityMap), [])
})

t.test('the warning says which quality of which track', async t => {
  const { lines, logger } = logged()
  const app = await build(
    t, { resolveContext: contextOf({ getTrackDetail: () => track }, { qualityMap }), validateResponses: true },
    { logger }
  )
  await app.inject(callOf(operationOf('getTrackDetail')))
  t.match(lines.filter(({ key }) => key !== undefined), [{ key: 'odd', track: 't1', msg: 'quality not declared' }])
})

t.test('a qualityMap with an entry that is none changes no answer, even one that the host is slow to send', async t => {
  const host = fastify()
  t.teardown(() => host.close())
  host.addHook('onSend', async (_request, _reply, payload) => payload)
  await host.register(sourceOrigin, {
    resolveContext: contextOf({ getTrackDetail: () => track }, { qualityMap: [null] }), validateResponses: true
  })
  t.equal((await host.inject(callOf(operationOf('getTrackDetail')))).statusCode, 200)
})

t.test('a value that breaks the contract is refused before its qualities are looked at', async t => {
  const cyclic: Record<string, unknown> = { ...track }
  cyclic.album = cyclic
  for (const data of [cyclic, { ...track, qualities: 7 }, { ...track, qualities: [null] }]) {
    const app = await build(t, {
      resolveContext: contextOf({ getTrackDetail: () => data }, { qualityMap }), validateResponses: true
    })
    const response = await app.inject(callOf(operationOf('getTrackDetail')))
    t.equal(response.statusCode, 500)
    t.match(response.json().message, 'does not match Track')
  }
})

t.test('what toJSON gives and what is inherited is looked at, not the object, which may hold itself', async t => {
  const page = { items: [track], offset: 0, limit: 1, hasMore: false }
  const document = { toJSON: () => page, self: {}, qualities: 7 }
  document.self = document
  for (const data of [document, Object.create(page)]) {
    t.strictSame(await warningsOf(t, operationOf('searchTracks'), data, qualityMap), [['t1', 'odd']])
  }
})
