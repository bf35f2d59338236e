import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import tls from 'node:tls'
import fastify from 'fastify'
import sourceOrigin, { type Track } from 'fastify-source-origin'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createSigner, mediaProxy, withoutQueries } from 'fastify-source-origin/media'
import { upstreamWith } from '../upstream/helper.ts'
import type { Test } from 'tap'
import { answer, startFaultyUpstream, type Behaviour } from '../faulty-upstream.ts'
import { logged } from '../helper.ts'
import { load, song } from '../media/helper.ts'

/** Of the upstream; nothing of it may leave. */
export const secret = 'secret-of-the-upstream'

/** What the source promises its upstream, and its clients: milliseconds. */
export const limits = {
  concurrency: 3, accountConcurrency: 2, retries: 2, timeout: 3000, budget: 9000, answered: 10_000
}

export const audio = song(200)

/** As one account sees it. */
export const track = (id: string, account: unknown): Track => ({
  id,
  title: `Song ${id} for ${account}`,
  artists: [],
  album: { id: 'a', name: 'A', coverUrl: '' },
  durationMs: 1000,
  qualities: []
})

/** An upstream that does everything right. */
export const goodApi: Behaviour = (response, arrival) => {
  const { pathname, searchParams } = new URL(arrival.url, 'http://upstream')
  const id = searchParams.get('id') ?? ''
  const bodies: Record<string, unknown> = {
    '/login': { cookie: `sid=${secret}` },
    '/songs': track(id, arrival.headers['x-account']),
    '/places': { url: `https://cdn.example/${id}?token=${secret}` },
    '/favorites': { done: true }
  }
  return answer(bodies[pathname])(response, arrival)
}

/** A host of media that does everything right, also for the rest of a song. */
export const goodCdn: Behaviour = (response, { headers }) => {
  const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
  const isPart = headers.range !== undefined
  response.writeHead(isPart ? 206 : 200, {
    'content-type': 'audio/mpeg',
    etag: '"1"',
    'content-length': audio.length - start,
    'set-cookie': `sid=${secret}`,
    ...isPart && { 'content-range': `bytes ${start}-${audio.length - 1}/${audio.length}` }
  })
  response.end(audio.subarray(start))
}

/** Lets `https://cdn.example` be a public host: it leads to a server of the test, without TLS. */
function publish (t: Test, url: string): void {
  const connect = tls.connect
  t.capture(tls, 'connect', ((options: tls.ConnectionOptions) => {
    if (options.host !== 'cdn.example') return connect(options)
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
    return socket.once('connect', () => socket.emit('secureConnect'))
  }) as typeof tls.connect)
}

/** A server in a private network, which no request may reach. */
async function startPrivate (t: Test) {
  let connections = 0
  const server = net.createServer(socket => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** A source with two accounts that uses all parts of the package, before an upstream that may fail. */
export async function startSource (t: Test) {
  const [api, cdn, inside] = [await startFaultyUpstream(t), await startFaultyUpstream(t), await startPrivate(t)]
  api.always(goodApi)
  cdn.always(goodCdn)
  publish(t, cdn.url)

  const { lines, logger } = logged()
  const app = fastify({ logger: { ...logger, level: 'trace' }, forceCloseConnections: true })
  const { answered, ...ofUpstream } = limits
  const upstream = upstreamWith({ baseUrl: api.url, ...ofUpstream, queue: 10, maxBody: 1000 })
  t.teardown(async () => {
    await app.close()
    await upstream.close()
  })
  withoutQueries(app)

  const accounts = createAccounts({ store: memoryAccountStore(), secret: `${secret}-of-32-bytes-or-more` })
  const tokens = { ann: await accounts.issue('ann'), bob: await accounts.issue('bob') }
  const clientOf = (account: string, signal: AbortSignal, log: typeof app.log) => {
    const api = upstream.for({ account, signal, log, headers: { 'x-account': account, 'x-key': secret } })
    const session = accounts.session<{ cookie: string }>(account, {
      refresh: (_old, { signal }) => upstream.for({ account, signal, log, headers: { 'x-account': account } })
        .json('/login', { form: { password: secret }, idempotent: true })
    })
    return <T>(path: string, query: Record<string, string>, method = 'GET') =>
      session.use(headers => api.json<T>(path, { method, query: { ...query, key: secret }, headers }))
  }

  await app.register(mediaProxy, {
    signer: createSigner({ keys: [Buffer.alloc(32, 1)], ttl: 3_600_000 }),
    kinds: {
      audio: {
        hosts: ['cdn.example', `localhost:${inside.port}`, `127.0.0.1:${inside.port}`],
        timeout: limits.timeout,
        async resolve ({ account = '', id = '' }, { signal, log }) {
          const { url } = await clientOf(account, signal, log)<{ url: string }>('/places', { id })
          return { url, headers: { cookie: secret } }
        }
      }
    }
  })
  await app.register(sourceOrigin, {
    cache: createSourceCache({
      operations: { getTrackDetail: { ttl: 60_000, staleWhileRevalidate: 0, staleIfError: 3_600_000 } }
    }),
    adapterTimeout: answered,
    validateResponses: false,
    async resolveContext ({ authorization, signal, request }) {
      const account = await accounts.find(authorization)
      if (account === null) return null
      const ask = clientOf(account.id, signal, request.log)
      return {
        account: account.id,
        varyBy: app.listeningOrigin,
        stateless: false,
        adapter: {
          getTrackDetail: id => ask<Track>('/songs', { id }),
          getTrackUrl: id => {
            const path = app.mediaUrl('audio', { account: account.id, id }, { extension: 'mp3' })
            return { url: app.listeningOrigin + path, quality: '' }
          },
          async favoriteTrack (id, status) {
            await ask('/favorites', { id }, 'POST')
            return { success: true, status }
          }
        }
      }
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })

  const ask = (account: 'ann' | 'bob', url: string, more: object = {}) =>
    Promise.resolve(app.inject({ url, headers: { authorization: `Bearer ${tokens[account]}` }, ...more }))
  return {
    api,
    cdn,
    inside,
    /** What must not be seen in what leaves; signatures may be in bodies, and tokens in nothing. */
    secrets: [secret, 'body of the upstream', ...Object.values(tokens)],
    lines,
    ask,
    track: (account: 'ann' | 'bob', id: string) => ask(account, `/v1/track?id=${id}`),
    favorite: (account: 'ann' | 'bob', id: string) =>
      ask(account, '/v1/track/favorite', { method: 'POST', payload: { id, status: true } }),
    /** Loads the audio of a track as a player does. */
    async play (account: 'ann' | 'bob', id: string) {
      const { data: { url } } = (await ask(account, `/v1/track/url?id=${id}`)).json()
      return load(url)
    }
  }
}
