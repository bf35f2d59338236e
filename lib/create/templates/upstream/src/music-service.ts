// Stands for the service that you write a source for, so that the source runs and is tested without it. Delete this
// file, and `music`, when SERVICE_URL is the address of a real one.

import fastifyStatic from '@fastify/static'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createHmac, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'

/** The fault of a request: its session has ended, it is one too many, or the service fails. */
export type Fault = 'session ended' | 'rate limit' | 'broken'

const artists = [{ id: 1, name: 'The Scales' }, { id: 2, name: 'Steps' }]
const albums = [11, 12, 13].map(id =>
  ({ id, title: `Album ${id - 10}`, artist: artists[id % 2]!, released: `200${id - 10}-03-01` }))
const songs = Array.from({ length: 24 }, (_, index) => {
  const { id, title, artist } = albums[index % 3]!
  const kind = index % 2 === 0 ? 'Rising' : 'Falling'
  return { id: 101 + index, title: `${kind} Scale ${index + 1}`, seconds: 3.2, artist, album: { id, title }, kind }
})
const pageSize = 5

declare module 'fastify' {
  interface FastifyInstance {
    /** The faults of the next requests, one for each. */
    faults: Fault[]
  }
}

/** The service, which does not listen yet. A session lasts a minute. */
async function buildMusicService (): Promise<FastifyInstance> {
  const app = fastify()
  const sessions = new Map<string, { user: string, ends: number }>()
  const favorites = new Map<string, Set<number>>()
  const secret = randomUUID()
  const signatureOf = (id: string, expires: string) =>
    createHmac('sha256', secret).update(`${id} ${expires}`).digest('hex')

  app.decorate('faults', [])
  app.addHook('onRequest', async (request, reply) => {
    const fault = app.faults.shift()
    if (fault === 'broken') return reply.code(503).send({ error: 'broken' })
    if (fault === 'rate limit') {
      return reply.code(429).header('retry-after', '1').send({ error: 'too many requests' })
    }
    if (request.url === '/login' || request.url.startsWith('/audio/')) return
    if (fault === 'session ended') sessions.delete(tokenOf(request))
    if ((sessions.get(tokenOf(request))?.ends ?? 0) < Date.now()) return reply.code(401).send({ error: 'log in' })
  })

  app.post<{ Body: { user: string, password: string } }>('/login', async ({ body }, reply) => {
    if (body.password !== `password of ${body.user}`) return reply.code(401).send({ error: 'wrong password' })
    const token = randomUUID()
    sessions.set(token, { user: body.user, ends: Date.now() + 60_000 })
    return { token }
  })

  type List = { Querystring: { q?: string, cursor?: string } }
  const page = (found: typeof songs, cursor = '0') => {
    const end = Number(cursor) + pageSize
    return { songs: found.slice(Number(cursor), end), ...end < found.length && { next: String(end) } }
  }
  app.get<List>('/search', async ({ query: { q = '', cursor } }) =>
    page(songs.filter(({ title }) => title.toLowerCase().includes(q.toLowerCase())), cursor))
  app.get('/new', async () => page(songs.toReversed()))

  type ById = { Params: { id: string } }
  const byId = <T extends { id: number }>(list: T[], id: string, reply: FastifyReply) =>
    list.find(item => item.id === Number(id)) ?? reply.code(404).send({ error: 'not found' })
  app.get<ById>('/songs/:id', async ({ params: { id } }, reply) => byId(songs, id, reply))
  app.get<ById>('/albums/:id', async ({ params: { id } }, reply) => byId(albums, id, reply))
  app.get<ById>('/albums/:id/songs', async ({ params: { id } }) => songs.filter(({ album }) => album.id === Number(id)))
  app.get<ById>('/artists/:id', async ({ params: { id } }, reply) => byId(artists, id, reply))
  app.get<ById & List>('/artists/:id/songs', async ({ params: { id }, query: { cursor } }) =>
    page(songs.filter(({ artist }) => artist.id === Number(id)), cursor))

  const favoritesOf = (request: FastifyRequest) => {
    const { user } = sessions.get(tokenOf(request))!
    return favorites.get(user) ?? favorites.set(user, new Set()).get(user)!
  }
  app.get('/favorites', async request => songs.filter(({ id }) => favoritesOf(request).has(id)))
  app.put<ById>('/favorites/:id', async request => { favoritesOf(request).add(Number(request.params.id)) })
  app.delete<ById>('/favorites/:id', async request => { favoritesOf(request).delete(Number(request.params.id)) })

  // The URL of a song is valid for a minute.
  app.get<ById>('/songs/:id/url', async ({ params: { id }, protocol, host }) => {
    const expires = Date.now() + 60_000
    const signature = signatureOf(id, String(expires))
    return { url: `${protocol}://${host}/audio/${id}?expires=${expires}&signature=${signature}`, expiresAt: expires }
  })
  await app.register(fastifyStatic, { root: resolve('music'), serve: false })
  app.get<ById & { Querystring: { expires: string, signature: string } }>('/audio/:id', async (request, reply) => {
    const { params: { id }, query: { expires, signature } } = request
    if (signature !== signatureOf(id, expires) || Number(expires) < Date.now()) return reply.code(403).send()
    const song = songs.find(song => song.id === Number(id))
    return reply.sendFile(`The Scales - ${song?.kind} Scale.wav`)
  })
  return app
}

const tokenOf = ({ headers }: FastifyRequest) => headers.authorization?.replace('Bearer ', '') ?? ''

/** Starts it. It does not keep its process running. */
export async function startMusicService ({ host = '127.0.0.1', port = 0 } = {}) {
  const app = await buildMusicService()
  await app.listen({ host, port })
  app.server.unref()
  return app
}
