import { EventEmitter, once } from 'node:events'
import { get as request, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { extras, type SourceLibrary } from 'fastify-source-origin'
import type { SubsonicOptions } from 'fastify-source-origin/subsonic'
import t, { type Test } from 'tap'
import { logged } from '../helper.ts'
import { fakeTime } from '../fake-time.ts'
import { ask, callOnce, get, login, queryOf, roomy, serve, storeIn, token, type Query } from './helper.ts'
import { trackOf } from './library.ts'

// A long answer has a place of its account until it is sent, and an account has four.

const accounts = [token, 'the token of somebody else']
const others = { p: accounts[1] }

/** A source with an account for each token, whose tracks are read by their ids. */
async function start (t: Test, options: Partial<SubsonicOptions> & { adapter?: object }, host = roomy) {
  const { adapter = {}, ...rest } = options
  const resolveContext = ({ authorization = '' }) =>
    ({ adapter, stateless: false, account: `account ${accounts.indexOf(authorization)}` })
  const resolveLogin: SubsonicOptions['resolveLogin'] = ({ verify }) => accounts.find(verify) ?? null
  return serve(t, { resolveContext, resolveLogin, ...rest }, host)
}

const sourceOf = (tracks: number, title = 'song') => {
  const all = new Map(Array.from({ length: tracks }, (_, i) => trackOf(i, 0)).map(track => [track.id, track]))
  const library: SourceLibrary = {
    ids: ({ kind }) => kind === 'tracks' ? [...all.keys()] : [],
    items: ((_kind: string, ids: readonly string[]) => ids.map(id => ({ ...all.get(id)!, title }))) as never,
    facets: () => { throw new Error('is not asked') },
    revision: '1',
    changedAt: 1
  }
  return library
}

const whole = { query: '', songCount: 100_000 }

/** A source with four answers under way, whose tracks are read when it is told so. */
async function busySource (t: Test, { adapter = {}, host = roomy } = {}) {
  const library = sourceOf(101)
  const events = new EventEmitter().setMaxListeners(0)
  const ids = [...Array(101).keys()].map(i => trackOf(i, 0).id)
  const queue = JSON.stringify([['', { ids, position: 0, changed: '2026-01-01T00:00:00.000Z', changedBy: 'test' }]])
  const read: (readonly string[])[] = []
  const items: any = async (kind: 'tracks', ids: readonly string[], call: any) => {
    if (ids.length === 1) return library.items(kind, ids, call)
    read.push(ids)
    events.emit('read')
    await once(events, 'go')
    return library.items(kind, ids, call)
  }
  const app = await start(t, {
    adapter: { ...adapter, library: { ...library, items } },
    store: storeIn(new Map([['account%200/queues', queue]]))
  }, host)
  const isRead = async (times: number) => { while (read.length < times) await once(events, 'read') }
  const answers = [1, 2, 3, 4].map(() => ask(app, 'search3', whole))
  await isRead(4)
  return { app, answers, isRead, read, go: () => events.emit('go') }
}

const ofOther = (app: FastifyInstance) => ask(app, 'search3', { ...whole, ...others })

const longCalls: readonly (readonly [method: string, query: Query, readsTracks: boolean])[] = [
  ['search3', whole, true],
  ['getPlayQueue', {}, true],
  ['getStarred2', {}, false],
  ['getPlaylist', { id: 'pl-p' }, false]
]
for (const [method, query, readsTracks] of longCalls) {
  t.test(`${method} waits while four long answers of its account are made, and others do not`, async t => {
    const asked: string[] = []
    const adapter = {
      userFavoriteTracks () {
        asked.push('favourites')
        return []
      },
      getPlaylistDetail (id: string, limit: number) {
        if (limit > 0) asked.push('playlist')
        const tracks = [trackOf(0, 0), trackOf(1, 0)].map(track => ({ ...track, [extras]: { track: 1 } }))
        return { id, name: 'P', coverUrl: '', trackCount: 2000, tracks: tracks.slice(0, limit > 0 ? 2 : 1) }
      }
    }
    const { app, answers, isRead, go } = await busySource(t, { adapter })
    const waiting = ask(app, method, query)
    t.match(await ask(app, 'ping'), { status: 'ok' })
    const other = ofOther(app)
    await isRead(5)
    t.strictSame(asked, [])
    go()
    t.match((await Promise.all([...answers, other])).map(({ status }) => status), Array(5).fill('ok'))
    if (readsTracks) {
      await isRead(6)
      go()
    }
    t.match(await waiting, { status: 'ok' })
  })
}

t.test('a long answer waits for longer than Node.js needs to end four that nobody reads', async t => {
  const time = fakeTime(t)
  const { app, go, answers, isRead } = await busySource(t)
  const waiting = ask(app, 'search3', whole)
  await time.awaited(90_000)
  time.advance(2 * 30_000 + 5000)
  go()
  await Promise.all(answers)
  await isRead(5)
  go()
  t.match(await waiting, { status: 'ok' })
})

t.test('a long answer that waits for a minute and a half says that there are too many', async t => {
  const time = fakeTime(t)
  const { app, go, answers } = await busySource(t)
  const waiting = get(app, 'search3', { ...whole, f: 'json' })
  await time.pass(90_000)
  const { headers, json } = await waiting
  const message = 'Your account has too many long answers at a time'
  t.match(json(), { 'subsonic-response': { error: { code: 0, message } } })
  t.equal(headers['retry-after'], '10')
  go()
  await Promise.all(answers)
})

t.test('who leaves while a long answer waits is no failure, and nothing is read for them', async t => {
  const { logger, lines } = logged()
  const { app, go, answers, read } = await busySource(t, { host: { ...roomy, logger } as typeof roomy })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const leaving = callOnce(app, 'search3', whole)
  const [socket]: [Socket] = await once(app.server, 'connection') as [Socket]
  await once(app.server, 'request')
  t.match(await ask(app, 'ping'), { status: 'ok' })
  leaving.destroy()
  await once(socket, 'close')
  go()
  await Promise.all(answers)
  t.equal(read.length, 4)
  t.notMatch(lines.join(), 'request failed')
})

/** Clients that read no more than the head of an answer that is longer than what the system keeps for them. */
async function unreadAnswers (t: Test) {
  const app = await start(t, { adapter: { library: sourceOf(4000, 'a'.repeat(4000)) } })
  const sockets: Socket[] = []
  const timeouts: (number | undefined)[] = []
  app.addHook('onSend', async ({ raw: { socket } }) => {
    sockets.push(socket)
    timeouts.push(socket.timeout)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const open = (query: Query) => new Promise<IncomingMessage>((resolve, reject) => {
    const options = { agent: false, path: `/rest/search3?${queryOf({ ...login, ...query })}` }
    request(app.listeningOrigin, options, resolve).on('error', reject)
  })
  const unread = [await open(whole), await open(whole), await open(whole), await open(whole)]
  t.teardown(() => unread.forEach(answer => answer.destroy()))
  return { app, open, sockets, timeouts, unread }
}

const lengthOf = async (answer: IncomingMessage) => {
  let length = 0
  for await (const chunk of answer) length += chunk.length
  return length
}

t.test('a long answer waits until one of four is read', async t => {
  const { open, unread } = await unreadAnswers(t)
  let isThere = false
  const fifth = open(whole)
  fifth.then(() => { isThere = true })
  t.ok(await lengthOf(await open({ ...whole, ...others })) > 16_000_000)
  t.equal(isThere, false)
  const [first] = unread
  t.equal(await lengthOf(first!), await lengthOf(await fifth))
})

t.test('a long answer whose client reads nothing for half a minute ends, a short one does not', async t => {
  const { app, open, sockets, timeouts } = await unreadAnswers(t)
  const fifth = open(whole)
  sockets[0]!.emit('timeout')
  t.ok(await lengthOf(await fifth) > 16_000_000)
  await (await fetch(`${app.listeningOrigin}/rest/ping?${queryOf(login)}`)).text()
  t.strictSame(timeouts, [...Array(5).fill(30_000), undefined])
})

t.test('what comes behind a long answer on its connection has no limit of pauses', async t => {
  const app = await start(t, { adapter: { library: sourceOf(101) } })
  let socket: Socket | undefined
  app.server.on('connection', connection => { socket = connection })
  const behind = new EventEmitter()
  app.get('/behind', async () => {
    await once(behind, 'go')
    return 'behind'
  })
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  const client = connect(port)
  t.teardown(() => client.destroy())
  const paths = [`/rest/search3?${queryOf({ ...login, ...whole, f: 'json' })}`, '/behind']
  client.write(paths.map(path => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''))
  let said = ''
  for await (const data of client) {
    said += data
    if (said.includes('"status":"ok"')) break
  }
  t.equal(socket!.timeout, 0)
})
