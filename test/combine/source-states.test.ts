import t from 'tap'
import { SourceError, UpstreamError, type SourceAdapter } from 'fastify-source-origin'
import { combineSources, SourceStates, type CombinedSource } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { fakeTime } from '../fake-time.ts'
import { authorized, build, held, logged, settled } from '../helper.ts'
import { combined, sourceOf, trackOf } from './helper.ts'

const one = { getNewTracks: () => [trackOf('1')] }

t.test('a source that hangs is waited for once, until it answers that', async t => {
  const time = fakeTime(t)
  const calls: ReturnType<typeof held>[] = []
  const hanging = { getNewTracks: () => { calls.push(held()); return calls.at(-1)!.method() } }
  /** A combination as each request makes one. */
  const lists = (account: string | undefined) =>
    combined([sourceOf('a', one, { account: 'x' }), sourceOf('b', hanging, { account })]).getNewTracks()
  const passing = async (asked: Promise<unknown[]>) => {
    const began = time.now()
    await time.passUntil(asked)
    t.equal((await asked).length, 1)
    return time.now() - began
  }
  t.equal(await passing(lists('hangs')), 3000)
  t.equal(await passing(lists('hangs')), 0)
  t.equal(await passing(lists('other')), 3000, 'another account is another source')
  t.equal(calls.length, 2)

  calls[0]!.answer.resolve([trackOf('2')])
  await settled()
  t.equal(await passing(lists('hangs')), 3000, 'it answers again')
  calls[2]!.answer.reject(new Error('away'))
  await settled()
  t.equal(await passing(lists('hangs')), 3000, 'whatever it answers')
  time.advance(30_001)
  t.equal(await passing(lists('hangs')), 3000, 'what never answers is asked again after 30 s')

  t.equal(await passing(lists(undefined)), 3000)
  t.equal(await passing(lists(undefined)), 3000, 'without an account nothing is known of it')
})

/** A source that works or not, requests to a combination with it, and what is logged of it. */
function failing () {
  const nav = { calls: 0, error: undefined as Error | undefined }
  const answer = <T>(value: T): T => {
    nav.calls++
    if (nav.error !== undefined) throw nav.error
    return value
  }
  const lines: unknown[][] = []
  const log = { warn: (...line: unknown[]) => { lines.push(line) }, info: (...line: unknown[]) => { lines.push(line) } }
  const states = new SourceStates()
  const adapter = {
    getNewTracks: () => answer([trackOf('2')]),
    getTrackDetail: (id: string) => answer(trackOf(id)),
    library: {
      ...createLibrary({ artists: [], albums: [], tracks: [] }),
      facets: async () => answer({ total: 0, sorts: [], letters: [], years: [], genres: [] }),
      async * ids () { yield answer(['1']) }
    }
  }
  const request = (more: Partial<CombinedSource> = {}, home: object = one) => combineSources(
    [sourceOf('home', home, { account: 'x' }), sourceOf('nav', adapter, { account: 'y', ...more })],
    { log, states }
  ).adapter as ReturnType<typeof combined> & { library: { facets: Function, ids: Function } }
  return { nav, lines, states, request }
}

t.test('a source that fails is called again after a while only, and is logged when that changes', async t => {
  const time = fakeTime(t)
  const { nav, lines, states, request } = failing()
  const since = time.now()
  nav.error = new UpstreamError('The server is away')
  for (let at = 0; at < 10; at++) t.equal((await request().getNewTracks()).length, 1)
  t.equal(nav.calls, 1)
  await t.rejects(request().getTrackDetail('nav:1'), { status: 502, message: 'NAV is not responding' })
  t.equal(nav.calls, 1, 'nothing else is asked either')
  t.strictSame(lines, [[{ source: 'nav', reason: 'The server is away' }, 'source unavailable']])
  t.strictSame(states.list(), [
    { id: 'home', name: 'HOME', available: true, since },
    { id: 'nav', name: 'NAV', available: false, since, reason: 'The server is away' }
  ])

  for (const pause of [5000, 10_000, 20_000, 30_000, 30_000]) {
    const { calls } = nav
    time.advance(pause - 1)
    await request().getNewTracks()
    t.equal(nav.calls, calls, `not before ${pause} ms`)
    time.advance(1)
    await Promise.all([request().getNewTracks(), request().getNewTracks()])
    t.equal(nav.calls, calls + 1, 'by one of those that come then')
  }
  nav.error = undefined
  time.advance(30_000)
  t.equal((await request().getNewTracks()).length, 2)
  t.equal((await request().getTrackDetail('nav:1')).id, 'nav:1')
  t.strictSame(lines[1], [{ source: 'nav' }, 'source available'])
  t.equal(lines.length, 2)
  t.match(states.list()[1], { available: true, since: time.now(), reason: undefined })
})

t.test('lists of a library that fails make its source unavailable, and it is not called then', async t => {
  const { nav, request } = failing()
  nav.error = new UpstreamError('The server is away')
  const call = { signal: new AbortController().signal }
  await t.rejects(request().library.facets('tracks', call), { message: 'NAV is not responding' })
  const all = async () => {
    const parts: unknown[] = []
    for await (const part of request().library.ids({ kind: 'tracks' }, call)) parts.push(part)
  }
  await t.rejects(all(), { message: 'NAV is not responding' })
  t.equal(nav.calls, 1)
})

t.test('a list that only one source offers makes this source unavailable when it fails', async t => {
  const { nav, lines, states, request } = failing()
  nav.error = new UpstreamError('The server is down')
  const alone = () => request({}, {}).getNewTracks()
  await t.rejects(alone(), { status: 502, message: 'The server is down' })
  await t.rejects(alone(), { status: 502, message: 'NAV is not responding' })
  t.equal(nav.calls, 1)
  t.strictSame(lines, [[{ source: 'nav', reason: 'The server is down' }, 'source unavailable']])
  t.notOk(states.list().find(({ id }) => id === 'nav')!.available)
})

t.test('an item that fails, and an error that is not an outage, leave a source available', async t => {
  const { nav, lines, states, request } = failing()
  nav.error = new UpstreamError('This track is broken')
  await t.rejects(request().getTrackDetail('nav:1'), { message: 'This track is broken' })
  const denied = new UpstreamError('NAV does not allow this', { cause: new SourceError(403, 'Denied') })
  const faults = [new SourceError(400, 'Bad'), new SourceError(500, 'A fault'), new TypeError('A fault'), denied]
  for (const error of faults) {
    nav.error = error
    t.equal((await request().getNewTracks()).length, 1)
  }
  t.equal(nav.calls, 5)
  t.ok(states.list().every(({ available }) => available))
  t.equal(lines.filter(([, message]) => message === 'source skipped').length, 4)
})

t.test('a failure of an item is not logged again while its source is unavailable', async t => {
  const time = fakeTime(t)
  const { nav, request, states } = failing()
  const { lines, logger } = logged()
  const app = await build(t, {
    resolveContext: () => ({ adapter: request() as unknown as SourceAdapter, stateless: false, account: 'x' })
  }, { logger })
  nav.error = new UpstreamError('The server is away')
  await app.inject({ url: '/v1/track/new', headers: authorized })
  time.advance(5000)
  nav.error = new UpstreamError('The server is away')
  const { statusCode } = await app.inject({ url: '/v1/track?id=nav:1', headers: authorized })
  t.equal(statusCode, 502)
  t.equal(nav.calls, 2, 'it was called again')
  t.notOk(states.list()[1]!.available)
  t.strictSame(lines.filter(({ level }) => level >= 40), [])
})

t.test('each account at a source has a state of its own, and the first one is listed', async t => {
  const { nav, states, request } = failing()
  await request().getNewTracks()
  nav.error = new UpstreamError('NAV rejected the login')
  await request({ account: 'ann' }).getNewTracks()
  t.ok(states.list().every(({ available }) => available))
  nav.error = undefined
  t.equal((await request().getNewTracks()).length, 2)
  t.equal((await request({ account: 'ann' }).getNewTracks()).length, 1)
})

t.test('sources without accounts have a state too where the host keeps the states', async t => {
  const { nav, states, request } = failing()
  nav.error = new UpstreamError('The server is away')
  for (let at = 0; at < 3; at++) await request({ account: undefined }).getNewTracks()
  t.equal(nav.calls, 1)
  t.match(states.list(), [{ id: 'home' }, { id: 'nav', available: false }])
})

t.test('the states are those of this package', async t => {
  t.throws(() => combineSources([], { states: {} as SourceStates }), {
    message: 'Option "states" must be a SourceStates'
  })
})
