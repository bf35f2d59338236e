import t, { type Test } from 'tap'
import fastify from 'fastify'
import { capabilities, createSourceRouter, operations, sdkVersion, type SourceAdapter } from 'fastify-source-origin'
import { createSourceClient } from 'fastify-source-origin/client'
import { statusPath } from '../../lib/contract/operations.ts'
import { build, completeAdapter, dataOf } from '../helper.ts'
import { buildReference, playlistSortOptions, qualityMap, token } from '../reference-source.ts'
import { argumentsOf, callMethod, listen, serve, thrownBy } from './helper.ts'

/** A client of an app whose adapter has every method, and the calls that reached it. */
async function clientOfCompleteApp (t: Test) {
  const { adapter, calls } = completeAdapter()
  const app = await build(t, { adapter })
  return { client: createSourceClient({ baseUrl: await listen(t, app), authorization: token }), calls }
}

t.test('every operation: arguments reach the adapter as they are, its value comes back', async t => {
  const { client, calls } = await clientOfCompleteApp(t)
  for (const { adapterMethod } of operations) {
    const args = argumentsOf(adapterMethod)
    t.strictSame(await callMethod(client, adapterMethod, args), dataOf(adapterMethod))
    t.match(calls.pop(), { method: adapterMethod, args })
  }
})

t.test('arguments that are left out get the defaults of the contract', async t => {
  const { client, calls } = await clientOfCompleteApp(t)
  await callMethod(client, 'getPlaylists', [])
  await client.getTrackUrl('1')
  await callMethod(client, 'updatePlaylist', ['1', 'Name'])
  t.strictSame(calls.map(({ args }) => args), [[0, 20, undefined], ['1', undefined], ['1', 'Name', '']])
})

t.test('an empty description is not left out', async t => {
  const { client, calls } = await clientOfCompleteApp(t)
  await client.updatePlaylist('1', 'Name', '')
  t.strictSame(calls[0]!.args, ['1', 'Name', ''])
})

t.test('serviceStatus needs no authorization, status tells what this caller may', async t => {
  const baseUrl = await listen(t, await buildReference())
  t.strictSame(await createSourceClient({ baseUrl }).serviceStatus(), { status: 'online', version: sdkVersion })
  t.strictSame(await createSourceClient({ baseUrl, authorization: token }).status(), {
    type: 'wow',
    version: sdkVersion,
    stateless: false,
    capabilities: capabilities.map(({ name }) => name),
    qualityMap,
    playlistSortOptions
  })
})

t.test('the prefix of the routes belongs to baseUrl, with or without a slash at its end', async t => {
  const app = fastify()
  await app.register(createSourceRouter({
    resolveContext: () => ({ adapter: { getNewTracks: () => [] } }), prefix: '/music'
  }))
  const origin = await listen(t, app)
  for (const baseUrl of [`${origin}/music`, `${origin}/music/`]) {
    t.strictSame(await createSourceClient({ baseUrl }).getNewTracks(), [])
  }
})

t.test('methods need no this, and the client cannot be changed', async t => {
  const { getNewTracks, ...client } =
    createSourceClient({ baseUrl: await listen(t, await buildReference()), authorization: token })
  t.equal((await getNewTracks()).length, 4)
  t.ok(client.getTrackDetail)
  t.ok(Object.isFrozen(createSourceClient({ baseUrl: 'http://localhost' })))
})

t.test('offered has the methods behind declared capabilities and those without one', async t => {
  const reference = createSourceClient({ baseUrl: await listen(t, await buildReference()), authorization: token })
  t.strictSame(
    Object.keys((await reference.offered()).adapter).sort(), operations.map(({ adapterMethod }) => adapterMethod).sort()
  )

  const app = fastify()
  const adapter: SourceAdapter =
    { getTrackUrl: () => ({ url: 'http://x/', quality: 'high' }), createPlaylist: () => ({ id: '1', name: 'One' }) }
  await app.register(createSourceRouter({ resolveContext: () => ({ adapter, stateless: false }) }))
  const { adapter: offered } = await createSourceClient({ baseUrl: await listen(t, app) }).offered()
  const withCapability = new Set(capabilities.flatMap(({ methods }) => methods))
  const always = operations.map(({ adapterMethod }) => adapterMethod).filter(method => !withCapability.has(method))
  t.strictSame(Object.keys(offered).sort(), [...always, 'getTrackUrl'].sort())
  t.match(await offered.getTrackUrl?.('1'), { quality: 'high' })
  t.match(await thrownBy(callMethod(offered, 'getPlaylistDetail', ['1'])), { status: 501 })
})

t.test('the client is an adapter: one origin in front of another', async t => {
  const client = createSourceClient({ baseUrl: await listen(t, await buildReference()), authorization: token })
  const app = fastify()
  await app.register(createSourceRouter({
    resolveContext: () =>
      ({ adapter: client, stateless: false, qualityMap, playlistSortOptions })
  }))
  const proxied = createSourceClient({ baseUrl: await listen(t, app) })
  t.strictSame(await proxied.status(), await client.status())
  t.strictSame(await proxied.searchTracks('song', 2, 3), await client.searchTracks('song', 2, 3))
  const error = await thrownBy(proxied.getTrackDetail('nowhere'))
  t.match(error, { status: 404, code: 404, message: 'There is no nowhere' })
})

t.test('a redirect is followed, within the origin with the token', async t => {
  const target = await listen(t, await buildReference())
  let path = '/v1/track/lyric'
  const client = createSourceClient({
    baseUrl: target,
    authorization: token,
    fetch: (url, init) => {
      const asked = String(url).replace('/v1/track/lyrics', path)
      path = '/v1/track/lyrics'
      return fetch(asked, init)
    }
  })
  t.match(await client.getTrackLyrics('t1'), { lyrics: /Noon/ })
})

t.test('a redirect to another origin is not followed, and the error names it', async t => {
  const elsewhere = await serve(t, () => t.fail('the other origin is asked'))
  const baseUrl =
    await serve(t, (request, response) => { response.writeHead(308, { location: elsewhere + request.url }).end() })
  const client = createSourceClient({ baseUrl, authorization: token })
  for (const call of [client.getNewTracks(), client.favoriteTrack('1', true), client.serviceStatus()]) {
    t.match(await thrownBy(call), {
      name: 'UpstreamError', message: `${baseUrl} leads to ${elsewhere}, which is another origin`
    })
  }
})

t.test('where fetch does not say where a redirect leads, as in a browser, the answer of another origin is not used',
  async t => {
    const elsewhere = await serve(t, (_request, response) => { response.end('{"code":200,"data":[]}') })
    let leadsTo = '/here'
    const baseUrl = await serve(t, ({ url }, response) => {
      if (url === '/here') return response.end('{"code":200,"data":[]}')
      response.writeHead(308, { location: leadsTo }).end()
    })
    const opaque = { type: 'opaqueredirect' } as Response
    const client = createSourceClient({
      baseUrl, fetch: async (url, init) => init?.redirect === 'manual' ? opaque : fetch(url, init)
    })
    t.strictSame(await client.getNewTracks(), [])
    leadsTo = elsewhere
    t.match(await thrownBy(client.getNewTracks()), { message: `${baseUrl} leads to ${elsewhere}, which is another origin` })
  })

/** A source that redirects `/v1/track/new` and `/v1/track/favorite`, to a path that says how it is asked. */
const redirecting = (t: Test, status: number, locationOf: (url: string) => string | undefined) =>
  serve(t, (request, response) => {
    const location = locationOf(request.url!)
    if (location !== undefined) return response.writeHead(status, { location }).end()
    response.end(JSON.stringify({ code: 200, data: { method: request.method, url: request.url } }))
  })

for (const [status, isFollowed] of [[301, false], [302, false], [303, false], [307, true], [308, true]] as const) {
  t.test(`a change that gets ${status} is ${isFollowed ? 'sent again' : 'not made a request that reads'}`, async t => {
    const baseUrl = await redirecting(t, status, url => url === '/here' ? undefined : '/here')
    const client = createSourceClient({ baseUrl })
    t.match(await client.getNewTracks(), { method: 'GET', url: '/here' })
    const change = client.favoriteTrack('1', true) as Promise<object>
    if (isFollowed) t.match(await change, { method: 'POST', url: '/here' })
    else t.match(await thrownBy(change), { message: new RegExp(`answered ${status} .* instead of the envelope`) })
  })
}

for (const [title, locationOf, answered] of [
  ['that never end', () => '/again', 308], ['to what is no URL', () => 'http://[', 308]
] as const) {
  t.test(`redirects ${title} are an UpstreamError`, async t => {
    const client = createSourceClient({ baseUrl: await redirecting(t, answered, locationOf) })
    t.match(await thrownBy(client.getNewTracks()), { name: 'UpstreamError', message: /answered 308 / })
  })
}

for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'data:audio/wav;base64,', '/audio/1', '', null]) {
  t.test(`a track at ${url} is an UpstreamError`, async t => {
    const client = createSourceClient({
      baseUrl: 'http://x', fetch: async () => Response.json({ code: 200, data: { url, quality: 'high' } })
    })
    t.match(await thrownBy(client.getTrackUrl('1')), {
      name: 'UpstreamError', message: 'GET /v1/track/url answered with a URL that is not http or https'
    })
  })
}

t.test('the status is asked for without a body', async t => {
  const asked: unknown[] = []
  const client = createSourceClient({
    baseUrl: 'https://music.example',
    fetch: async (url, init) => {
      asked.push([String(url), init?.method, init?.body, init?.headers])
      return Response.json({ code: 200, data: {} })
    }
  })
  await client.status()
  t.strictSame(asked, [[`https://music.example${statusPath}`, 'GET', undefined, { accept: 'application/json' }]])
})
