import t from 'tap'
import { capabilities } from 'fastify-source-origin'
import { createSourceClient, type Status } from 'fastify-source-origin/client'
import { buildReference, playlistSortOptions, qualityMap, token } from '../reference-source.ts'
import { callMethod, listen, thrownBy } from './helper.ts'

/** A status that declares all. */
const everything: Status = {
  type: 'wow',
  version: '1',
  stateless: false,
  capabilities: capabilities.map(({ name }) => name),
  qualityMap: [],
  playlistSortOptions: []
}

for (const [status, message] of [
  [401, 'music.example refused the login'], [403, 'music.example does not allow this'],
  [429, 'music.example is asked too often'], [500, 'music.example failed'], [503, 'music.example failed']
] as const) {
  t.test(`what an origin answers with ${status} is a 502 of what it offers, which names it`, async t => {
    const { adapter } = await createSourceClient({
      baseUrl: 'https://music.example/prefix',
      fetch: async () => Response.json({ code: status, message: 'Theirs', data: null },
        { status, headers: { 'retry-after': '7' } })
    }).offered({ status: everything })
    t.match(await thrownBy(callMethod(adapter, 'getTrackDetail', ['1'])), {
      name: 'UpstreamError',
      status: 502,
      code: undefined,
      message,
      retryAfterSeconds: 7,
      cause: {
        status,
        message: 'Theirs'
      }
    })
  })
}

for (const [status, sent] of [[400, 400], [402, 422], [404, 404], [410, 404], [422, 422], [451, 422], [502, 502],
  [504, 504]] as const) {
  t.test(`what an origin answers with ${status} is ${sent} of what it offers, with its message`, async t => {
    const { adapter } = await createSourceClient({
      baseUrl: 'https://music.example',
      fetch: async () => Response.json({ code: status, message: 'Theirs', data: null }, { status })
    }).offered({ status: everything })
    t.match(await thrownBy(callMethod(adapter, 'getTrackDetail', ['1'])), { status: sent, message: 'Theirs' })
  })
}

t.test('what fails on the way is told to listeners by the name of the origin', async t => {
  const of = (fetch: typeof globalThis.fetch) =>
    createSourceClient({ baseUrl: 'https://music.example', fetch, timeout: 5 }).offered({ status: everything })
  for (const [name, message, fetch] of [
    ['UpstreamError', 'music.example failed', async () => { throw new Error('no route') }],
    ['UpstreamError', 'music.example failed', async () => new Response('<html>')],
    ['TimeoutError', 'music.example did not answer in time', () => new Promise<never>(() => {})]
  ] as const) {
    const { adapter } = await of(fetch)
    t.match(await thrownBy(callMethod(adapter, 'getNewTracks', [])), {
      name, message, cause: { message: /GET \/v1\/track\/new/ }
    })
  }
  const signal = AbortSignal.abort(new Error('No longer wanted'))
  const { adapter } = await createSourceClient({ baseUrl: 'http://x', signal }).offered({ status: everything })
  t.match(await thrownBy(callMethod(adapter, 'getNewTracks', [])), { message: 'No longer wanted' })
})

t.test('what an origin offers is a context, made of the status that is given, or of what it says now', async t => {
  const client = createSourceClient({ baseUrl: await listen(t, await buildReference()), authorization: token })
  const { adapter, ...context } = await client.offered()
  t.strictSame(context, { stateless: false, qualityMap, playlistSortOptions, varyBy: undefined })
  const away = createSourceClient({ baseUrl: 'http://127.0.0.1:1' })
  const status = { ...await client.status(), stateless: true, qualityMap: [], playlistSortOptions: [] }
  const { adapter: same, ...other } = await away.offered({ status })
  t.strictSame(other, {
    stateless: true, qualityMap: undefined, playlistSortOptions: undefined, varyBy: undefined
  })
  t.strictSame(Object.keys(same), Object.keys(adapter))
  t.match(await thrownBy(away.offered()), { name: 'UpstreamError' })
})

t.test('what is offered on a path of several sources is a variant', async t => {
  const client = createSourceClient({ baseUrl: 'http://x' })
  const variantOn = async (path: string[]) => (await client.offered({ status: everything, path })).varyBy
  t.strictSame([await variantOn(['me']), await variantOn(['a', 'me'])], [undefined, 'a me'])
})

t.test('the path of a request is sent where there is one', async t => {
  const seen: unknown[] = []
  const client = createSourceClient({
    baseUrl: 'http://x',
    fetch: async (_url, init) => {
      seen.push(init?.headers)
      return Response.json({ code: 200, data: [] })
    }
  })
  for (const path of [['a', 'b'], [], undefined]) {
    await callMethod((await client.offered({ status: everything, path })).adapter, 'getNewTracks', [])
  }
  const accept = 'application/json'
  t.strictSame(seen, [{ accept, 'source-path': 'a, b' }, { accept }, { accept }])
})
