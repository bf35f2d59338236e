import t, { type Test } from 'tap'
import { NotFoundError, operations, type AdapterMethod } from 'fastify-source-origin'
import subsonic from 'fastify-source-origin/subsonic'
import { mock } from 'node:test'
import { callOf, dataOf, deferred, held, logged, parametersOf } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'
import { effects } from '../../lib/cache/invalidation.ts'
import { roomy } from '../subsonic-server/helper.ts'
import { until } from '../example/helper.ts'
import { serve, track } from './helper.ts'

/** URL of an operation, asked for an id. */
const urlOf = (method: AdapterMethod, id = 'other') => {
  const operation = operationOf(method)
  const parameters = parametersOf(operation)
  return String(callOf(operation, 'id' in parameters ? { ...parameters, id } : parameters).url)
}
const change = (method: AdapterMethod, parameters: object = {}) =>
  ({ method: 'POST' as const, payload: { ...parametersOf(operationOf(method)), ...parameters } })
const pathOf = (method: AdapterMethod) => operationOf(method).path

/** Reads that the test asks again after a mutation, and which of them reach the adapter then. */
async function callsAfter (
  t: Test, mutation: AdapterMethod, parameters: object, { options = {}, account = 'ada', adapter = {} } = {}
) {
  const seen: string[] = []
  const recorded = Object.fromEntries(operations.map(({ adapterMethod }) =>
    [adapterMethod, async (...args: unknown[]) => {
      seen.push(`${adapterMethod} ${args[0] ?? ''}`.trim())
      const given = (adapter as Record<string, (...args: unknown[]) => unknown>)[adapterMethod]
      return given === undefined ? dataOf(adapterMethod, 'required') : given(...args)
    }]))
  const { ask } = await serve(t, { adapter: recorded, options })
  const reads = [
    'getUserPlaylist', 'userFavoriteTracks', 'userAlbums', 'userArtists', 'getUserMe', 'getNewTracks', 'getToplist'
  ] as const
  const urls = [
    ...reads.map(method => urlOf(method)), urlOf('getTrackDetail', 'x'), urlOf('getTrackDetail', 'y'),
    urlOf('getPlaylistDetail', 'x'), urlOf('getPlaylistDetail', 'y')
  ]
  for (const account of ['ada', 'bob']) for (const url of urls) await ask(url, { account })
  t.equal((await ask(pathOf(mutation), { account, ...change(mutation, parameters) })).statusCode, 200)
  seen.length = 0
  for (const url of urls) await ask(url, { account: 'bob' })
  const ofOthers = [...seen]
  seen.length = 0
  for (const url of urls) await ask(url)
  return { seen, ofOthers }
}

for (const [mutation, parameters, forgotten] of [
  ['favoriteTrack', { id: 'x' }, ['getUserPlaylist', 'userFavoriteTracks', 'getTrackDetail x', 'getPlaylistDetail x']],
  ['favoriteAlbum', { id: 'none' }, ['getUserPlaylist', 'userAlbums']],
  ['favoriteArtist', { id: 'none' }, ['getUserPlaylist', 'userArtists']],
  ['favoritePlaylist', { id: 'x' }, ['getUserPlaylist', 'getTrackDetail x', 'getPlaylistDetail x']],
  ['updatePlaylist', { id: 'x' }, ['getUserPlaylist', 'getTrackDetail x', 'getPlaylistDetail x']],
  ['deletePlaylist', { id: 'x' }, ['getUserPlaylist', 'getTrackDetail x', 'getPlaylistDetail x']],
  ['addTrackToPlaylist', { playlistId: 'x', trackId: 'y' },
    ['getUserPlaylist', 'getTrackDetail x', 'getPlaylistDetail x']],
  ['removeTrack', { playlistId: 'x', trackId: 'y' }, ['getUserPlaylist', 'getTrackDetail x', 'getPlaylistDetail x']],
  ['createPlaylist', {}, ['getUserPlaylist', 'getPlaylistDetail x']]
] as const) {
  t.test(`${mutation} forgets what it changed for its account, and no more`, async t => {
    const created = { id: 'x', name: 'new' }
    const { seen, ofOthers } = await callsAfter(t, mutation, parameters, mutation === 'createPlaylist'
      ? { adapter: { createPlaylist: () => created, getTrackDetail: () => track } }
      : {})
    if (mutation === 'createPlaylist') t.strictSame(seen.filter(name => name !== 'getTrackDetail x'), forgotten)
    else t.strictSame(seen, forgotten)
    t.strictSame(ofOthers, [])
  })
}

t.test('an item with the id in the body is forgotten too, however its id is written', async t => {
  for (const id of ['7', 'a"b', 'ü\n1', '\u0000', '🎵']) {
    const { ask, calls } = await serve(t, {
      adapter: { getNewTracks: () => [{ ...track, id }], favoriteTrack: () => ({ success: true, status: true }) }
    })
    await ask('/v1/track/new')
    await ask(pathOf('favoriteTrack'), change('favoriteTrack', { id: 'not this' }))
    await ask('/v1/track/new')
    t.equal(calls(), 2)
    await ask(pathOf('favoriteTrack'), change('favoriteTrack', { id }))
    await ask('/v1/track/new')
    t.equal(calls(), 4, JSON.stringify(id))
  }
})

t.test('playlists are forgotten in public answers too, for every account', async t => {
  const options = {
    operations: { getPlaylistDetail: { scope: 'public' as const }, getTrackDetail: { scope: 'public' as const } }
  }
  t.strictSame((await callsAfter(t, 'updatePlaylist', { id: 'y' }, { options })).ofOthers, [
    'getTrackDetail y', 'getPlaylistDetail y'
  ])
  t.strictSame((await callsAfter(t, 'favoriteTrack', { id: 'y' }, { options })).seen, [
    'getUserPlaylist', 'userFavoriteTracks'
  ])
})

t.test('affects says what else is old, of the account and of the public', async t => {
  const asked: unknown[] = []
  const options = {
    operations: { getToplist: { scope: 'public' as const } },
    affects: (change: any, answer: any) => {
      asked.push([change, answer])
      return answer.operation === 'getToplist' || answer.operation === 'getUserMe'
    }
  }
  const { seen, ofOthers } = await callsAfter(t, 'favoriteTrack', { id: 'none', status: true }, { options })
  t.strictSame(ofOthers, ['getToplist'])
  t.strictSame(seen, ['getUserPlaylist', 'userFavoriteTracks', 'getUserMe'])
  t.match(asked[0], [{ operation: 'favoriteTrack', args: ['none', true] }, { operation: String, args: Array }])
})

for (const [what, affects, reason] of [
  ['throws', () => { throw new Error('oops') }, /oops/],
  ['returns a promise', (async () => { throw new Error('late') }) as unknown as () => boolean,
    /"affects" must be a function that does not return a promise/]
] as const) {
  t.test(`affects that ${what} forgets, and is logged once`, async t => {
    const { lines, logger } = logged()
    const { ask, calls } = await serve(t, {
      host: { logger }, adapter: { createPlaylist: () => ({ id: 'n', name: 'n' }) }, options: { affects }
    })
    for (const id of ['1', '2']) await ask(`/v1/track?id=${id}`)
    await ask(pathOf('createPlaylist'), change('createPlaylist'))
    for (const id of ['1', '2']) await ask(`/v1/track?id=${id}`)
    t.equal(calls(), 5)
    t.equal(lines.filter(({ msg, reason: why }) => msg === 'affects callback failed' && reason.test(why)).length, 1)
  })
}

for (const [what, created] of [
  ['its own', { id: 'n', name: 'n' }], ['that its toJSON gives', { toJSON: () => ({ id: 'n', name: 'n' }) }]
] as const) {
  t.test(`a new playlist is found by the id ${what}, although it was not there a moment before`, async t => {
    let isThere = false
    const { ask } = await serve(t, {
      adapter: {
        createPlaylist: () => { isThere = true; return created },
        getPlaylistDetail: (id: string) => {
          if (!isThere) { throw new NotFoundError() } return { id, name: 'n', tracks: [] }
        }
      }
    })
    t.equal((await ask('/v1/playlist/detail?id=n')).statusCode, 404)
    await ask(pathOf('createPlaylist'), change('createPlaylist'))
    t.equal((await ask('/v1/playlist/detail?id=n')).statusCode, 200)
  })
}

t.test('a 404 of a call from before a playlist was made is not kept', async t => {
  const called = deferred<void>()
  const answer = deferred<void>()
  let isThere = false
  const { ask } = await serve(t, {
    adapter: {
      createPlaylist: () => { isThere = true; return { id: 'n', name: 'n' } },
      getPlaylistDetail: async (id: string) => {
        if (isThere) return { id, name: 'n', tracks: [] }
        called.resolve()
        await answer.promise
        throw new NotFoundError()
      }
    }
  })
  const before = ask('/v1/playlist/detail?id=n')
  await called.promise
  await ask(pathOf('createPlaylist'), change('createPlaylist'))
  answer.resolve()
  t.equal((await before).statusCode, 404)
  t.equal((await ask('/v1/playlist/detail?id=n')).statusCode, 200)
})

for (const [what, outcome] of [
  ['fails', async () => { throw new Error('maybe it worked') }],
  ['throws at once', () => { throw new Error('maybe it worked') }],
  ['answers what breaks the contract', () => ({ success: 'maybe' })],
  ['answers what cannot be read', () => Proxy.revocable({}, {}).proxy]
] as const) {
  t.test(`a mutation that ${what} forgets too`, async t => {
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const { ask, calls } = await serve(t, {
      adapter: {
        createPlaylist: what === 'answers what cannot be read'
          ? () => ({ get id () { throw new Error('no') } })
          : outcome
      }
    })
    await ask('/v1/user/playlist/list')
    t.equal((await ask(pathOf('createPlaylist'), change('createPlaylist'))).statusCode, 500)
    await ask('/v1/user/playlist/list')
    t.equal(calls(), 3)
  })
}

t.test('a mutation forgets at its time limit, and again when it settles after that', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const started = deferred<void>()
  const settled = deferred<object>()
  const { ask, calls } = await serve(t, {
    plugin: { adapterTimeout: 1000 }, adapter: { favoriteTrack: () => { started.resolve(); return settled.promise } }
  })
  const read = () => ask('/v1/user/favorite/tracks')
  await read()
  const mutation = ask(pathOf('favoriteTrack'), change('favoriteTrack', { id: 'x' }))
  await started.promise
  mock.timers.tick(1000)
  t.equal((await mutation).statusCode, 504)
  await read()
  t.equal(calls(), 3)
  settled.resolve({ success: true, status: true })
  await new Promise(setImmediate)
  await read()
  t.equal(calls(), 4)
})

t.test('who reads after a change joins no call from before it, and the answer of that call is not kept', async t => {
  const answers: ReturnType<typeof deferred<any>>[] = []
  const called: (() => void)[] = []
  const next = () => new Promise<void>(resolve => called.push(resolve))
  const { ask } = await serve(t, {
    adapter: {
      getUserPlaylist: () => {
        const answer = deferred<any>()
        answers.push(answer)
        called.shift()!()
        return answer.promise
      },
      createPlaylist: () => ({ id: 'n', name: 'new' })
    }
  })
  const read = () => ask('/v1/user/playlist/list')
  const list = (name: string) => [{ ...dataOf('getUserPlaylist', 'required')[0], name }]
  const nameOf = (response: { json: () => any }) => response.json().data[0].name
  const isFirst = next()
  const before = read()
  await isFirst
  await ask(pathOf('createPlaylist'), change('createPlaylist'))
  const isSecond = next()
  const after = read()
  await isSecond
  answers[1]!.resolve(list('after'))
  t.equal(nameOf(await after), 'after')
  answers[0]!.resolve(list('before'))
  t.equal(nameOf(await before), 'before')
  t.equal(nameOf(await read()), 'after')
})

t.test('a call from before a change is not kept, although none came after it', async t => {
  const { answer, started, method } = held<any>()
  const { ask, calls } = await serve(t, {
    adapter: {
      getUserPlaylist: method,
      createPlaylist: () => ({ id: 'n', name: 'new' })
    }
  })
  const before = ask('/v1/user/playlist/list')
  await started.promise
  await ask(pathOf('createPlaylist'), change('createPlaylist'))
  answer.resolve(dataOf('getUserPlaylist', 'required'))
  await before
  await ask('/v1/user/playlist/list')
  t.equal(calls(), 3)
})

t.test('an answer that comes after the time limit of its call is not kept: changes since then are unknown', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  for (const end of ['resolve', 'reject'] as const) {
    const { answer, started, method } = held<any>()
    const { ask, calls } = await serve(t, {
      plugin: { adapterTimeout: 1000 },
      adapter: {
        getPlaylistDetail: method,
        updatePlaylist: () => ({ id: '1', name: 'new' })
      }
    })
    const read = () => ask(urlOf('getPlaylistDetail', '1'))
    const late = read()
    await started.promise
    mock.timers.tick(1000)
    t.equal((await late).statusCode, 504)
    t.equal((await ask(pathOf('updatePlaylist'), change('updatePlaylist', { id: '1' }))).statusCode, 200)
    answer[end](end === 'resolve' ? dataOf('getPlaylistDetail', 'required') : new NotFoundError())
    await new Promise(setImmediate)
    await read()
    t.equal(calls(), 3)
  }
})

t.test('a change of one account leaves the calls of others and public ones shared', async t => {
  for (const scope of ['account', 'public'] as const) {
    const { answer, started, method } = held<any>()
    const { ask, calls } = await serve(t, {
      options: { operations: { getTrackDetail: { scope } } },
      adapter: {
        getTrackDetail: method,
        favoriteTrack: () => ({ success: true, status: true })
      }
    })
    const first = ask('/v1/track?id=1', { account: 'bob' })
    await started.promise
    await ask(pathOf('favoriteTrack'), change('favoriteTrack', { id: '1' }))
    const second = ask('/v1/track?id=1', { account: 'bob' })
    await new Promise(setImmediate)
    answer.resolve(track)
    await Promise.all([first, second])
    t.equal(calls(), 2)
    await ask('/v1/track?id=1', { account: 'bob' })
    t.equal(calls(), 2)
  }
})

for (const [what, forget, left] of [
  ['everything', {}, []],
  ['an account', { account: 'bob' }, ['ada 1', 'ada 2', 'ada list']],
  ['an operation', { operation: 'getTrackDetail' }, ['ada list', 'bob list']],
  ['an id', { id: '1' }, ['ada 2', 'bob 2']],
  ['all of them together', { account: 'ada', operation: 'getTrackDetail', id: '1' },
    ['ada 2', 'ada list', 'bob 1', 'bob 2', 'bob list']]
] as const) {
  t.test(`forget: ${what}`, async t => {
    const { ask, calls, cache } =
      await serve(t, { adapter: { getTrackDetail: (id: string) => ({ ...track, id }), getNewTracks: () => [track] } })
    const urls = { 1: '/v1/track?id=1', 2: '/v1/track?id=2', list: '/v1/track/new' }
    const asked = ['ada', 'bob'].flatMap(account =>
      Object.entries(urls).map(([name, url]) => ({ account, url, name: `${account} ${name}` })))
    for (const { account, url } of asked) await ask(url, { account })
    await cache.invalidate(forget)
    const kept = []
    for (const { account, url, name } of asked) {
      const before = calls()
      await ask(url, { account })
      if (calls() === before) kept.push(name)
    }
    t.strictSame(kept.sort(), [...left].sort())
  })
}

t.test('every mutation has an effect', async t => {
  t.strictSame(
    Object.keys(effects).sort(),
    operations.filter(({ method }) => method === 'POST').map(({ adapterMethod }) => adapterMethod).sort()
  )
})

for (const [what, query] of [['name', 'name=New'], ['description', 'comment=New']] as const) {
  t.test(`a playlist that gets another ${what} by a source's own editPlaylist is asked for anew`, async t => {
    const playlist = { id: '1', name: 'Old', description: 'Old' }
    const { ask } = await serve(t, {
      host: roomy,
      adapter: {
        getUserPlaylist: () => [playlist],
        getPlaylistDetail: () => ({ ...playlist, tracks: [] }),
        editPlaylist: ({ name = playlist.name, description = playlist.description }: Partial<typeof playlist>) =>
          Object.assign(playlist, { name, description })
      },
      register: async app => app.register(subsonic, { resolveLogin: () => 'a-token-of-some-length' })
    })
    const read = async () => (await ask('/v1/playlist/detail?id=1')).json().data[what]
    t.equal(await read(), 'Old')
    const edited = await ask(`/rest/updatePlaylist?u=ada&p=x&c=test&v=1.16.1&f=json&playlistId=pl-1&${query}`)
    t.match(edited.json()['subsonic-response'], { status: 'ok', error: undefined })
    t.equal(await read(), 'New')
  })
}

t.test('more changes of one call than are told one by one make all that the account has invalid', async t => {
  const star = (kind: 'favoriteTrack' | 'favoritePlaylist', count: number, account = 'ada') =>
    Array.from({ length: count }, (_empty, at) => ({ operation: kind, args: [], account, id: `other ${at}` }))
  for (const [changes, options, left] of [
    [star('favoriteTrack', 500), {}, 2], [star('favoriteTrack', 501), {}, 1],
    [star('favoritePlaylist', 501), {}, 0], [star('favoriteTrack', 501), { affects: () => false }, 0]
  ] as const) {
    const { cache, ask } = await serve(t, { options })
    await ask('/v1/track?id=1')
    await ask('/v1/track?id=1', { account: 'bob' })
    await cache.change(changes)
    t.equal(cache.stats().entries, left, `${changes.length} of ${changes[0]!.operation}`)
  }
})

t.test('a change without a time limit is forgotten when it has ended', async t => {
  const adapter = { favoriteTrack: () => ({ success: true, status: true }), getTrackDetail: () => track }
  const { cache, ask } = await serve(t, { adapter, plugin: { adapterTimeout: 0 } })
  await ask('/v1/track?id=1')
  await ask('/v1/track/favorite', change('favoriteTrack', { id: '1' }))
  t.equal(cache.stats().entries, 0)
})

t.test('a change that exceeds its time limit is forgotten when it ends, also after the others of its call', async t => {
  const { promise, resolve } = deferred<object>()
  const adapter = {
    favoriteTrack: (id: string) => id === 'slow' ? promise : { success: true, status: true },
    getTrackDetail: () => track
  }
  const { cache, ask } = await serve(t, {
    adapter, plugin: { adapterTimeout: 20 }, register: async app => { await app.register(subsonic) }
  })
  const url = '/rest/star?u=ada&p=secret&f=json&id=tr-1&id=tr-slow'
  t.equal((await ask(url)).json()['subsonic-response'].status, 'failed')
  await ask('/v1/track?id=slow')
  const { entries } = cache.stats()
  resolve({ success: true, status: true })
  await until(() => cache.stats().entries < entries)
  t.pass('it is forgotten')
})
