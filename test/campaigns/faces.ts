import fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify'
import sourceOrigin, { NotFoundError, type SourceAdapter } from 'fastify-source-origin'
import { createSourceCache, redisStore } from 'fastify-source-origin/cache'
import sourcePage from 'fastify-source-origin/page'
import subsonic, { type SubsonicStore } from 'fastify-source-origin/subsonic'
import { Redis } from 'ioredis'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRedis } from '../redis.ts'
import { storeIn } from '../subsonic-server/helper.ts'
import type { Service } from '../service.ts'
import { albumOf, trackOf } from '../subsonic-server/library.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 10_000

const accounts = ['ada', 'eve']
/** Clients of each account, each with items of its own. */
const clients = 3
const steps = 12
/** Milliseconds of an adapter call that may hang. Others take a while on a busy machine, and do not fail. */
const adapterTimeout = 300
/** Milliseconds after which a request has no answer. */
const longest = 20_000

/** What an account has at the source. */
interface Kept { albums: Set<string>, playlists: Map<string, { name: string, tracks: string[] }>, revision: number }

interface Round {
  random: Random
  world: Map<string, Kept>
  /** The adapter, the context and the store fail and hang. */
  breaks: boolean
  hasRevision: boolean
  /** Redis dies and comes back, or is too slow on a busy machine. */
  hasOutage: boolean
  /** How often a replica has given up Redis for a while. */
  pauses: number
}

/** Looks at the other replica, 20 ms apart, until it has seen a change: after an outage it has to find Redis first. */
const mostLooks = { inTime: 100, withOutage: 750 }

/** Counts looks, those since Redis was last given up: what was changed is told when it is used again. */
function countLooks (round: Round): () => number {
  let [looks, pauses] = [0, round.pauses]
  return () => {
    if (pauses !== round.pauses) looks = 0
    pauses = round.pauses
    return ++looks
  }
}

/** The number is that of the item in `albumOf`; the letters are of the account, so that answers tell whose they are. */
const albumIn = (id: string) => ({ ...albumOf(1), id, name: id, artistName: `artist of ${id}` })
const trackIn = (id: string) => ({ ...trackOf(1, 0), id, title: id, album: albumIn(`album-${id}`) })

/** The adapter of one account. It is slow, and in some rounds fails or hangs, before or after its work. */
function adapterOf ({ random, breaks, world }: Round, account: string): SourceAdapter {
  const kept = world.get(account)!
  const works = async <T>(work: () => T): Promise<T> => {
    const fate = breaks ? random.below(60) : 60
    await sleep(random.below(4))
    if (fate === 0) throw new Error('down')
    if (fate === 1) await new Promise(() => {})
    const result = work()
    await sleep(random.below(4))
    if (fate === 2) throw new Error('down')
    if (fate === 3) await new Promise(() => {})
    return result
  }
  const changes = async <T>(work: () => T): Promise<T> => works(() => { kept.revision++; return work() })
  const playlist = (id: string) => {
    const found = kept.playlists.get(id)
    if (found === undefined) throw new NotFoundError()
    return found
  }
  return {
    getTrackDetail: async id => works(() => trackIn(id)),
    getAlbumDetail: async id => works(() => ({ ...albumIn(id), tracks: [] })),
    userAlbums: async () => works(() => [...kept.albums].map(albumIn)),
    favoriteAlbum: async (id, status) => changes(() => {
      if (status) kept.albums.add(id)
      else kept.albums.delete(id)
      return { success: true, status }
    }),
    getUserPlaylist: async () => works(() => [...kept.playlists].map(([id, { name }]) => ({ id, name }))),
    getPlaylistDetail: async id =>
      works(() => ({ id, name: playlist(id).name, tracks: playlist(id).tracks.map(trackIn) })),
    createPlaylist: async name => changes(() => {
      const id = `${account}-list-${name}-${kept.revision}`
      kept.playlists.set(id, { name, tracks: [] })
      return { id, name }
    }),
    updatePlaylist: async (id, name) => changes(() => { playlist(id).name = name; return { id, name } }),
    addTrackToPlaylist: async (id, track) =>
      changes(() => { playlist(id).tracks.push(track); return { success: true } })
  }
}

/** `undefined` for an answer that is an error of the source, which says nothing of the account. */
type Answer = any

/** Two replicas of one source, over one Redis and one store. */
class Replicas {
  readonly #round: Round
  readonly #start: () => Promise<FastifyInstance>
  readonly #apps: FastifyInstance[] = []
  readonly #closing: Promise<unknown>[] = []
  /** What is being answered. A server that closes ends it first; `inject` does not make it wait. */
  readonly #asked = new Map<FastifyInstance, Promise<unknown>[]>()

  constructor (round: Round, start: () => Promise<FastifyInstance>) {
    this.#round = round
    this.#start = start
  }

  async open (): Promise<void> {
    this.#apps.push(await this.#start(), await this.#start())
  }

  /** Another process takes the place of one. */
  async restart (): Promise<void> {
    const place = this.#round.random.below(2)
    const before = this.#apps[place]!
    this.#apps[place] = await this.#start()
    this.#closing.push(Promise.allSettled(this.#asked.get(before) ?? []).then(() => before.close()))
  }

  ask (app: FastifyInstance, request: InjectOptions): Promise<LightMyRequestResponse | undefined> {
    const asked = Promise.resolve(app.inject(request)).catch(() => undefined)
    this.#asked.set(app, [...this.#asked.get(app) ?? [], asked])
    return asked
  }

  async close (): Promise<void> {
    await Promise.all([...this.#closing, ...this.#apps.map(app => app.close())])
  }

  /** Both, when nobody restarts them any more. */
  get all (): readonly FastifyInstance[] {
    return this.#apps
  }

  any (): FastifyInstance {
    return this.#round.random.pick(this.#apps)
  }
}

/** One client of the replicas, which asks any of them. */
class Client {
  readonly account: string
  readonly name: string
  readonly round: Round
  readonly #replicas: Replicas
  /** Asks this one only. */
  at: FastifyInstance | undefined
  /** Which one it asked last. */
  #asked: FastifyInstance | undefined

  constructor (account: string, name: string, replicas: Replicas, round: Round) {
    this.account = account
    this.name = name
    this.round = round
    this.#replicas = replicas
  }

  /**
   * Looks, after a change, until it is seen: at once where it was made, and soon at the other replica, which is told by
   * a message.
   */
  async sees (what: string, expected: unknown, look: () => Promise<unknown>): Promise<void> {
    const changedAt = this.#asked
    const looks = countLooks(this.round)
    for (;;) {
      const seen = await look().catch((error: Error) => error)
      if (seen === undefined || JSON.stringify(seen) === JSON.stringify(expected)) return
      const most = this.round.hasOutage ? mostLooks.withOutage : mostLooks.inTime
      const isLate = this.#asked === changedAt || looks() >= most
      if (isLate) {
        throw new Error(
        `${what}: ${seen instanceof Error ? seen.message : JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`
        )
      }
      await sleep(20)
    }
  }

  async #ask (url: string, options: object): Promise<any> {
    const app = this.#asked = this.at ?? this.#replicas.any()
    const timer = new AbortController()
    const late = sleep(longest, undefined, { signal: timer.signal })
      .then(() => { throw new Error(`no answer to ${url}`) })
    late.catch(() => {})
    const asked = this.#replicas.ask(app, { url, ...options })
    try {
      return await Promise.race([asked, late])
    } finally {
      timer.abort()
    }
  }

  /** Asks and hangs up before the answer, or in the middle of it. */
  async leave (url: string, payload?: object): Promise<void> {
    const { server } = this.#replicas.any()
    const address = server.address()
    // One that closes listens no more.
    if (address === null || typeof address === 'string') return
    const headers = { authorization: this.account, 'content-type': 'application/json' }
    const method = payload === undefined ? 'GET' : 'POST'
    const leaving = request({ port: address.port, host: '127.0.0.1', path: url, method, headers, agent: false })
    leaving.on('error', () => {})
    leaving.end(payload && JSON.stringify(payload))
    await sleep(this.round.random.below(20))
    leaving.destroy()
  }

  restUrl (method: string, query: Record<string, string | string[]> = {}): string {
    const { u = this.account, ...others } = query
    const search = new URLSearchParams({ u: String(u), p: this.account, c: 'campaign', v: '1.16.1', f: 'json' })
    for (const [name, value] of Object.entries(others)) for (const one of [value].flat()) search.append(name, one)
    return `/rest/${method}?${search}`
  }

  async v1 (url: string, payload?: object): Promise<Answer> {
    const response = await this.#ask(url, {
      headers: { authorization: this.account },
      method: payload === undefined ? 'GET' : 'POST',
      ...payload && { payload }
    })
    if (response === undefined || response.statusCode >= 500) return undefined
    if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode}: ${response.body}`)
    return response.json().data
  }

  async rest (method: string, query: Record<string, string | string[]> = {}): Promise<Answer> {
    const response = await this.#ask(this.restUrl(method, query), {})
    if (response === undefined || response.statusCode === 503) return undefined
    const answer = response.json()['subsonic-response']
    if (answer.status === 'ok') return answer
    if (answer.error.code === 0) return undefined
    throw new Error(`${method} answers ${JSON.stringify(answer.error)}`)
  }
}

const same = (what: string, seen: unknown, expected: unknown) => {
  if (JSON.stringify(seen) !== JSON.stringify(expected)) {
    throw new Error(`${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`)
  }
}

/** Items of other accounts are in no answer. */
function owned (account: string, answer: Answer): Answer {
  const other = accounts.find(name => name !== account)!
  if (JSON.stringify(answer)?.includes(`${other}-`)) throw new Error(`an answer to ${account} has items of ${other}`)
  return answer
}

/** Stars an album by one face, and looks at it by others. */
async function favourite (client: Client): Promise<void> {
  const { account, name, round: { random, breaks } } = client
  const [id, status] = [`${account}-album-${name}`, random.chance(0.5)]
  const isDone = random.chance(0.5)
    ? await client.v1('/v1/album/favorite', { id, status })
    : await client.rest(status ? 'star' : 'unstar', { albumId: `al-${id}` })
  if (isDone === undefined) return
  const lists = (albums: { id: string }[] = []) => albums.some(album => album.id.endsWith(id))
  const looks = [
    async () => {
      const albums = owned(account, await client.v1('/v1/user/album/list'))
      return albums && lists(albums)
    },
    async () => {
      const album = (await client.rest('getAlbum', { id: `al-${id}` }))?.album
      return album && album.starred !== undefined
    },
    // Of a source that fails apps get the last library that was complete.
    async () => {
      const answer = breaks ? undefined : owned(account, await client.rest('getStarred2'))
      return answer && lists(answer.starred2.album)
    },
    async () => {
      const query = { type: 'alphabeticalByName', size: '500' }
      const answer = breaks ? undefined : owned(account, await client.rest('getAlbumList2', query))
      return answer && lists(answer.albumList2.album)
    }
  ]
  const look = random.pick(looks)
  await client.sees(`${id} as a favourite, look ${looks.indexOf(look)}`, status, look)
}

async function playlist (client: Client): Promise<void> {
  const { account, name, round: { random } } = client
  const tracks = [`${account}-one`, `${account}-two`]
  const byV1 = random.chance(0.5)
  const made = byV1
    ? await client.v1('/v1/playlist/create', { name })
    : (await client.rest('createPlaylist', { name, songId: tracks.map(id => `tr-${id}`) }))?.playlist
  if (made === undefined) return
  const id: string = byV1 ? made.id : made.id.slice(3)
  if (byV1) {
    for (const trackId of tracks) {
      if (await client.v1('/v1/playlist/addTrack', { playlistId: id, trackId }) === undefined) return
    }
  } else {
    same('a playlist that was created', made.entry?.map(({ id }: { id: string }) => id), tracks.map(id => `tr-${id}`))
  }
  const looks = [
    async () => {
      const detail = owned(account, await client.v1(`/v1/playlist/detail?id=${id}`))
      return detail && [detail.name, detail.tracks.length]
    },
    async () => {
      const shown = owned(account, await client.rest('getPlaylist', { id: `pl-${id}` }))?.playlist
      return shown && [shown.name, shown.songCount]
    }
  ]
  await client.sees(`the new ${id}`, [name, 2], random.pick(looks))
  const renamed = `${name} again`
  if (await client.v1('/v1/playlist/update', { id, name: renamed, description: '' }) === undefined) return
  await client.sees(`the renamed ${id}`, [renamed, 2], random.pick(looks))
}

async function bookmark (client: Client): Promise<void> {
  const { account, name, round: { random } } = client
  const [id, position] = [`tr-${account}-track-${name}`, 1 + random.below(1000)]
  if (await client.rest('createBookmark', { id, position: `${position}` }) === undefined) return
  const seen = owned(account, await client.rest('getBookmarks'))?.bookmarks.bookmark
  if (seen !== undefined) {
    same(`the bookmark of ${id}`, seen.find(({ entry }: any) => entry.id === id)?.position, position)
  }
}

async function rating (client: Client): Promise<void> {
  const { account, name, round: { random } } = client
  const [id, rating] = [`tr-${account}-track-${name}`, 1 + random.below(5)]
  if (await client.rest('setRating', { id, rating: `${rating}` }) === undefined) return
  const song = (await client.rest('getSong', { id }))?.song
  if (song !== undefined) same(`the rating of ${id}`, song.userRating, rating)
}

async function queue (client: Client): Promise<void> {
  const { account, name, round: { random } } = client
  // An account has one queue, whatever the user names of its apps are: one client alone knows what is in it.
  if (name !== '0') return
  const u = `${account}${random.below(2)}`
  const ids = random.some(5, () => `tr-${account}-track-${random.below(20)}`)
  if (await client.rest('savePlayQueue', { u, id: ids }) === undefined) return
  const seen = owned(account, await client.rest('getPlayQueue', { u }))?.playQueue
  if (seen !== undefined) same(`the queue of ${u}`, (seen.entry ?? []).map(({ id }: { id: string }) => id), ids)
}

async function page (client: Client): Promise<void> {
  const { account, round: { random } } = client
  const id = `${account}-album-${random.below(5)}`
  const told = owned(account, await client.v1(`/page/extras?album=${id}`))
  if (told !== undefined) same('what the page tells of an album', told.tracks, {})
}

/** Changes and reads whose client does not wait: nobody knows whether they are done, and nobody else may notice. */
async function leave (client: Client): Promise<void> {
  const { account, round: { random } } = client
  const id = `${account}-album-left`
  await random.pick([
    () => client.leave('/v1/album/favorite', { id, status: random.chance(0.5) }),
    () => client.leave('/v1/playlist/create', { name: 'left' }),
    () => client.leave('/v1/user/album/list'),
    () => client.leave(client.restUrl('star', { albumId: `al-${id}` })),
    () => client.leave(client.restUrl('createPlaylist', { name: 'left', songId: [`tr-${account}-one`] })),
    () => client.leave(client.restUrl('getAlbumList2', { type: 'alphabeticalByName', size: '500' })),
    () => client.leave(client.restUrl('getStarred2')),
    () => client.leave('/page/browse?kind=albums')
  ])()
}

/** In the end every replica has what the source has, by both faces. */
async function settle (client: Client, at: FastifyInstance): Promise<void> {
  const { account, round: { world } } = client
  client.at = at
  const expected = () => [...world.get(account)!.albums].sort()
  const ids = (albums: { id: string }[] = []) => JSON.stringify(albums.map(({ id }) => id.replace(/^al-/, '')).sort())
  const looks = [
    async () => {
      const albums = await client.v1('/v1/user/album/list')
      return albums && ids(albums)
    },
    async () => {
      const answer = await client.rest('getStarred2')
      return answer && ids(answer.starred2.album)
    }
  ]
  for (const [face, look] of looks.entries()) {
    const tries = countLooks(client.round)
    for (;;) {
      const seen = await look()
      if (seen === JSON.stringify(expected())) break
      if (tries() >= mostLooks.withOutage) {
        throw new Error(`in the end face ${face} shows ${account} ${seen} instead of ${JSON.stringify(expected())}`)
      }
      await sleep(20)
    }
  }
}

const deeds = [favourite, favourite, playlist, bookmark, rating, queue, page, leave]

/**
 * `/v1`, `/rest` and the page at once, over two replicas with one Redis that may die, one store, clients that hang up,
 * and an adapter that is slow, fails and hangs: what an account has changed is in its next answer, by every face, and
 * in no answer of another one.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const teardowns: (() => unknown)[] = []
  try {
    const redis = await startRedis({ teardown: (end: () => unknown) => { teardowns.unshift(end) } } as never)
    for (const seed of rounds) {
      const random = new Random(seed)
      const world = new Map(accounts.map(name =>
        [name, { albums: new Set<string>(), playlists: new Map(), revision: 0 }]))
      const [breaks, hasRevision, hasOutage] = [random.chance(0.5), random.chance(0.5), random.chance(0.2)]
      try {
        await play({ random, world, breaks, hasRevision, hasOutage, pauses: 0 }, redis, `${seed}-${Date.now()}:`)
      } catch (error) {
        find(String(error))
      }
    }
  } finally {
    for (const end of teardowns) await end()
  }
}

/** A store that fails and hangs before it has kept something, or after that. */
function storeOf ({ random, breaks }: Round): SubsonicStore {
  const store = storeIn(new Map())
  if (!breaks) return store
  return {
    ...store,
    async change (key, update) {
      const fate = random.below(60)
      if (fate === 0) throw new Error('down')
      if (fate === 1) await new Promise(() => {})
      await store.change(key, update)
      if (fate === 2) throw new Error('down')
      if (fate === 3) await new Promise(() => {})
    }
  }
}

async function outage (random: Random, service: Service): Promise<void> {
  await sleep(random.below(100))
  await service.stop()
  await sleep(random.below(200))
  await service.start()
}

async function play (round: Round, service: Service, prefix: string): Promise<void> {
  const { random, world, breaks, hasRevision, hasOutage } = round
  const store = storeOf(round)
  const connections: Redis[] = []
  const log = {
    write: (line: string) => {
      if (!line.includes('cache store ')) return
      round.hasOutage = true
      round.pauses++
    }
  }
  const replicas = new Replicas(round, async () => {
    const app = fastify({ http: { maxHeaderSize: 262_144 }, logger: { level: 'warn', stream: log } })
    const redis = new Redis(service.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0 })
    redis.on('error', () => {})
    connections.push(redis)
    await app.register(sourceOrigin, {
      adapterTimeout: breaks ? adapterTimeout : longest,
      cache: createSourceCache({ store: redisStore(redis, { prefix }) }),
      resolveContext: async ({ authorization = '' }) => {
        const account = authorization
        const kept = world.get(account)
        if (kept === undefined) return null
        const revision = `${kept.revision}`
        await sleep(random.below(2))
        const fate = breaks ? random.below(100) : 100
        if (fate === 0) throw new Error('down')
        if (fate === 1) await new Promise(() => {})
        return { adapter: adapterOf(round, account), stateless: false, account, ...hasRevision && { revision } }
      }
    })
    await app.register(subsonic, { store })
    await app.register(sourcePage)
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app
  })
  await replicas.open()
  try {
    const working = accounts.flatMap(account => Array.from({ length: clients }, async (_empty, index) => {
      const client = new Client(account, `${index}`, replicas, round)
      for (let step = 0; step < steps; step++) await random.pick(deeds)(client)
    }))
    const restarting = random.chance(0.3) ? sleep(random.below(100)).then(() => replicas.restart()) : undefined
    const ended = await Promise.allSettled([...working, restarting, hasOutage ? outage(random, service) : undefined])
    const failed = ended.find(one => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    await Promise.all(accounts.flatMap(account => replicas.all.map(app =>
      settle(new Client(account, 'last', replicas, round), app))))
  } finally {
    await replicas.close()
    for (const connection of connections) connection.disconnect()
  }
}
