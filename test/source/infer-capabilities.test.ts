import t from 'tap'
import { capabilities, inferCapabilities, operations, type SourceAdapter } from 'fastify-source-origin'
import { authorized, build, completeAdapter, contextOf } from '../helper.ts'

const all = capabilities.map(({ name }) => name)
const stateless = capabilities.filter(({ stateful }) => !stateful).map(({ name }) => name)

/** An adapter whose methods must not be called to find out what it can do. */
const uncallable = (methods: readonly string[]): SourceAdapter =>
  Object.fromEntries(methods.map(name => [name, () => { throw new Error('Called') }]))

t.test('a complete stateful adapter has all capabilities, in the order of the table', async t => {
  t.strictSame(
    inferCapabilities(uncallable(operations.map(({ adapterMethod }) => adapterMethod)), { stateless: false }), all
  )
})

for (const options of [undefined, {}, { stateless: true }, { stateless: undefined }]) {
  t.test(`${JSON.stringify(options)} is stateless`, async t => {
    t.strictSame(inferCapabilities(completeAdapter().adapter, options), stateless)
  })
}

for (const { name, methods } of capabilities) {
  t.test(`${name} needs all its methods, and nothing else`, async t => {
    t.ok(inferCapabilities(uncallable(methods), { stateless: false }).includes(name))
    for (const method of methods) {
      t.notOk(
        inferCapabilities(uncallable(methods.filter(other => other !== method)), { stateless: false }).includes(name)
      )
      t.notOk(inferCapabilities({ ...uncallable(methods), [method]: 'text' }, { stateless: false }).includes(name))
    }
  })
}

t.test('inherited methods count', async t => {
  class Source { getTrackDetail () {} }
  class Better extends Source { getTrackUrl () {} }
  t.strictSame(inferCapabilities(new Better()), ['songDetail', 'songUrl', 'streaming'])
})

t.test('an adapter without methods has none', async t => {
  t.strictSame(inferCapabilities({}), [])
})

t.test('the status is what the context of that request offers', async t => {
  const qualityMap = Object.freeze([Object.freeze({ key: 'a', label: 'A' })])
  const playlistSortOptions = Object.freeze([Object.freeze({ key: 'b', label: 'B' })])
  const app = await build(t, {
    resolveContext: contextOf(uncallable(['getTrackUrl', 'getUserMe']), { qualityMap, playlistSortOptions })
  })
  const { data } = (await app.inject({ url: '/v1/status', headers: authorized })).json()
  t.match(data, {
    type: 'wow',
    stateless: false,
    capabilities: ['songUrl', 'streaming', 'userProfile'],
    qualityMap,
    playlistSortOptions
  })
})

t.test('the status of two callers differs as their adapters do', async t => {
  const app = await build(t, {
    resolveContext: ({ authorization }) => ({ adapter: authorization === 'a' ? uncallable(['getTrackUrl']) : {} })
  })
  const ask = async (authorization: string) =>
    (await app.inject({ url: '/v1/status', headers: { authorization } })).json().data
  t.match(await ask('a'), {
    stateless: true, capabilities: ['songUrl', 'streaming'], qualityMap: [], playlistSortOptions: []
  })
  t.strictSame((await ask('b')).capabilities, [])
})
