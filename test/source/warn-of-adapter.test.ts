import t, { type Test } from 'tap'
import { authorized, build, completeAdapter, contextOf, logged } from '../helper.ts'

/** The warnings of as many requests as there are adapters. */
async function warningsOf (t: Test, ...adapters: object[]): Promise<string[]> {
  const { lines, logger } = logged()
  const left = [...adapters]
  const app = await build(t, { resolveContext: call => contextOf(left.shift()!)(call) }, { logger })
  while (left.length > 0) await app.inject({ url: '/v1/status', headers: authorized })
  const warnings = lines.filter(({ level }) => level === 40)
  for (const { msg } of warnings) t.ok(['adapter method ignored', 'capability incomplete'].includes(msg), msg)
  return warnings.map(({ hint }) => hint)
}

const method = () => { throw new Error('Never called') }

for (const [old, now] of [
  ['getTrackRoam', 'getRoamTracks'], ['getTrackLyric', 'getTrackLyrics'], ['getPersonalFM', 'getRoamTracks']
] as const) {
  t.test(`${old}: the warning names ${now}`, async t => {
    t.strictSame(await warningsOf(t, { [old]: method }), [
      `Adapter method ${old} was renamed to ${now} and is never called`
    ])
  })
}

t.test('stateless that is no boolean is told', async t => {
  const { lines, logger } = logged()
  const app = await build(t, { resolveContext: () => ({ adapter: {}, stateless: 'false' as never }) }, { logger })
  await app.inject({ url: '/v1/status', headers: authorized })
  t.match(lines.filter(({ level }) => level === 40), [
    {
      msg: 'context property ignored',
      hint: 'stateless of the context is a string, and stands for true: give true or false'
    }
  ])
})

t.test('a method that looks like ours: did you mean', async t => {
  t.strictSame(await warningsOf(t, { getTrackDetails: method }), [
    'Adapter method getTrackDetails is never called: did you mean getTrackDetail?'
  ])
  t.strictSame(await warningsOf(t, { searchtrack: method }), [
    'Adapter method searchtrack is never called: did you mean searchTracks?'
  ])
})

t.test('a helper beside the method it looks like is no slip', async t => {
  t.strictSame(await warningsOf(t, { getTrackDetail: method, getTrackDetails: method }), [])
})

t.test('what looks like none of ours is the author\'s business', async t => {
  t.strictSame(await warningsOf(t, { getTrackUrl: method, login: method, cache: {}, getTrackDetails: 'none' }), [])
})

t.test('a member with the name of a method that is no function is named', async t => {
  const adapter = { getTopArtists: [], getTrackDetail: undefined, getTrackUrl: null, getNewTracks: 'x' }
  t.strictSame(await warningsOf(t, adapter), [
    'Adapter member getNewTracks is never called: it is not a function',
    'Adapter member getTopArtists is never called: it is not a function'
  ])
})

t.test('methods for accounts are named where the context does not say whether it has some', async t => {
  const adapter = { getUserMe: method, favoriteTrack: method, getNewTracks: method }
  const warnings = async (context: object) => {
    const { lines, logger } = logged()
    const app = await build(t, { resolveContext: () => ({ adapter: { ...adapter }, ...context }) as never }, { logger })
    for (let i = 0; i < 2; i++) await app.inject({ url: '/v1/status', headers: authorized })
    return lines.filter(({ level }) => level === 40).map(({ hint }) => hint)
  }
  t.strictSame(await warnings({}), [
    'Adapter methods for accounts are never called (favoriteTrack, getUserMe): the context lacks stateless: false'
  ])
  t.strictSame(await warnings({ stateless: true }), [])
  t.strictSame(await warnings({ stateless: false }), [])
})

t.test('a group that is partly there is named with what it lacks', async t => {
  const { adapter } = completeAdapter()
  delete adapter.removeTrack
  t.strictSame(await warningsOf(t, adapter), [
    'Capability playlistMutation is not declared: the adapter lacks removeTrack'
  ])
})

t.test('all methods that are missing are named', async t => {
  const { adapter } = completeAdapter()
  delete adapter.removeTrack
  delete adapter.createPlaylist
  t.strictSame(await warningsOf(t, adapter), [
    'Capability playlistMutation is not declared: the adapter lacks createPlaylist, removeTrack'
  ])
})

t.test('methods of the contract, the constructor of a class and what every object has are no slips', async t => {
  class Source {
    constructor () { this.getTrackDetail = method }
    getTrackDetail: () => void
    getTrackUrl () {}
    getTrackLyrics () {}
  }
  t.strictSame(await warningsOf(t, new Source()), [])
})

t.test('once for each class, whatever the number of its objects', async t => {
  class Source { getTrackRoam () {} }
  class Better extends Source { getTrackUrls () {} }
  const warnings = await warningsOf(t, new Source(), new Source(), new Better(), new Better(), new Source())
  t.equal(warnings.length, 3)
})

t.test('once for each object that has no class', async t => {
  const bare = Object.assign(Object.create(null), { getTrackRoam: method })
  const plain = { getTrackRoam: method }
  t.equal((await warningsOf(t, plain, plain, bare, bare, plain)).length, 2)
})

t.test('an object is warned of again after another one, but not twice', async t => {
  const [one, other] = [{ getTrackRoam: method }, { getTrackLyric: method }]
  t.equal((await warningsOf(t, one, other, one, other)).length, 2)
})

t.test('objects of no class with the same names are warned of once, as those made for each request', async t => {
  t.equal((await warningsOf(t, { getTrackRoam: method }, { getTrackRoam: method })).length, 1)
})

t.test('a hundred sets of names are told apart at most', async t => {
  const adapters = Array.from({ length: 101 }, (_, index) => ({ getTrackRoam: method, [`other${index}`]: 1 }))
  t.equal((await warningsOf(t, ...adapters)).length, 100)
})

t.test('getters are not run to find out', async t => {
  t.strictSame(await warningsOf(t, { get getTrackDetails () { throw new Error('Run') } }), [])
})

t.test('a member that throws when it is read fails no request that does not need it, not even the first', async t => {
  const adapter = { getNewTracks: () => [], get removeTrack () { throw new Error('Not today') } }
  const app = await build(t, { adapter })
  t.equal((await app.inject({ url: '/v1/track/new', headers: authorized })).statusCode, 200)
})

t.test('a member of the context that looks like ours: did you mean', async t => {
  const { lines, logger } = logged()
  const resolveContext = () => ({ adapter: {}, stateles: false, tenant: 'a', variants: 1, variant: 'b' })
  const app = await build(t, { resolveContext: resolveContext as never }, { logger })
  await app.inject({ url: '/v1/status', headers: authorized })
  t.strictSame(lines.filter(({ level }) => level === 40).map(({ hint }) => hint), [
    'Member stateles of the context is never read: did you mean stateless?'
  ])
})

for (const [what, adapter, hint] of [
  ['other methods only', { login: method }, 'Adapter has no method of the contract and no library'],
  ['a context', { adapter: { getTrackUrl: method } }, 'adapter of the context has a member adapter: give this one'],
  ['a library that is a function', { library: method },
    'library of the adapter must be an object, got function: each list is an error'],
  ['a library that is a promise', { library: Promise.resolve() },
    'library of the adapter must be an object, got a Promise: await it: each list is an error'],
  ['a library that lacks methods', { library: { ids: method } },
    'library of the adapter lacks the method items, facets: each list is an error']
] as const) {
  t.test(`an adapter with ${what} is reported`, async t => {
    const { lines, logger } = logged()
    const app = await build(t, { adapter: adapter as never }, { logger })
    await app.inject({ url: '/v1/status', headers: authorized })
    t.match(lines.filter(({ level }) => level === 40), [{ msg: 'adapter unusable', hint }])
  })
}

t.test('one adapter, or one library, of two accounts is reported once, in development', async t => {
  const shared = { library: { ids: method, items: method, facets: method } }
  const hintsOf = async (options: object, context: (account: string) => object) => {
    const { lines, logger } = logged()
    const accounts = ['ada', 'ada', 'bob', 'cy']
    const resolveContext = () => ({ stateless: false, ...context(accounts.shift()!) }) as never
    const app = await build(t, { resolveContext, ...options }, { logger })
    while (accounts.length > 0) await app.inject({ url: '/v1/status', headers: authorized })
    return lines.filter(({ msg }) => msg === 'adapter shared').map(({ hint }) => hint.slice(0, 15))
  }
  const adapter = { ...shared, getTrackUrl: method }
  t.strictSame(await hintsOf({}, account => ({ adapter, account })), ['The adapter of ', 'The library of '])
  t.strictSame(await hintsOf({}, account => ({ adapter: { ...shared }, account })), ['The library of '])
  t.strictSame(await hintsOf({}, account => ({ adapter: { library: { ...shared.library } }, account })), [])
  t.strictSame(await hintsOf({}, account => ({ adapter, account, stateless: true })), [])
  t.strictSame(await hintsOf({}, () => ({ adapter })), [])
  t.strictSame(await hintsOf({ validateResponses: false }, account => ({ adapter, account })), [])
})

t.test('entries of the qualityMap that are strings are reported', async t => {
  const { lines, logger } = logged()
  const qualityMap = ['high', 'low'] as never
  const app = await build(t, { resolveContext: () => ({ adapter: {}, qualityMap }) }, { logger })
  await app.inject({ url: '/v1/status', headers: authorized })
  t.match(lines.filter(({ level }) => level === 40).map(({ hint }) => hint), [
    'qualityMap of the context has entries that are ignored: give objects with a key'
  ])
})
