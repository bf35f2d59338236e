import { EventEmitter, once } from 'node:events'
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { createServer, get, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import fastify from 'fastify'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import t, { type Test } from 'tap'
import ts from 'typescript'
import sourceOrigin, { SourceError, type PlayEvent, type SourceAdapter } from 'fastify-source-origin'
import { kyselyStore } from 'fastify-source-origin/accounts/kysely'
import { createSourceCache, redisStore } from 'fastify-source-origin/cache'
import { checkSource } from 'fastify-source-origin/check'
import { createSourceClient } from 'fastify-source-origin/client'
import { bitrateOf, createSigner, createTranscoder, mediaProxy } from 'fastify-source-origin/media'
import serveSource, { serverOptions } from 'fastify-source-origin/serve'
import { createUpstream, type UpstreamOptions } from 'fastify-source-origin/upstream'
import { limits as keptCovers } from '../example/media/cover-cache.ts'
import { timeLimit } from '../example/scan/in-time.ts'
import { readSettings } from '../example/start/settings.ts'
import { refreshTimeout } from '../lib/accounts/refresh-timeout.ts'
import { defaultPolicies } from '../lib/cache/policies.ts'
import { CallLocks } from '../lib/cache/redis/call-locks.ts'
import { refreshable } from '../lib/cache/result-writer.ts'
import { maxEntries } from '../lib/protection/count-attempts.ts'
import { bounds } from '../lib/media/transcode/create-transcoder.ts'
import { checkedEvery } from '../lib/media/file-cache.ts'
import { idleAfter } from '../lib/media/transcode/listener.ts'
import { grace } from '../lib/media/transcode/run.ts'
import { retryAfterSeconds } from '../lib/media/transcode/scheduler.ts'
import { comfort } from '../lib/media/transcode/slot.ts'
import { limits } from '../lib/media/transcode/run-ffmpeg.ts'
import type { Listener } from '../lib/plays/index.ts'
import { OnPlayQueue } from '../lib/plays/on-play-queue.ts'
import { times } from '../lib/library/generated-library.ts'
import { mostItems, pace } from '../lib/library/parts-reader.ts'
import { maxIds } from '../lib/source/max-ids.ts'
import { RestAccounts } from '../lib/subsonic-server/account/rest-accounts.ts'
import { validateSubsonicOptions } from '../lib/subsonic-server/subsonic-options.ts'
import { fixed } from '../lib/upstream/upstream.ts'
import { readDocument } from './doc-blocks.ts'
import { fakeTime } from './fake-time.ts'
import { authorized, build, contextOf, token } from './helper.ts'
import { scalerWith } from './media/scaler-with.ts'
import { fake, folder } from './media/sound.ts'
import { createReferenceAdapter } from './reference-source.ts'

// What the documents say of defaults, limits and statuses is run here, as their code blocks are in docs.test.ts. A
// number is read from the document, so that one that is wrong there fails. What a test of its own runs already is not
// here again.

const accountsPage = 'docs/reference/accounts.md'
const adapterPage = 'docs/reference/adapter.md'
const contractPage = 'docs/reference/contract.md'
const subsonicPage = 'docs/reference/subsonic.md'
const cachePage = 'docs/reference/cache.md'
const checkPage = 'docs/reference/check.md'
const clientPage = 'docs/reference/client.md'
const folderFiles = 'docs/operations/folder-files.md'
const media = 'docs/reference/media.md'
const hardening = 'docs/operations/hardening.md'
const page = 'docs/reference/page.md'
const serve = 'docs/reference/serve.md'
const settings = 'docs/operations/folder-source.md'
const upstreamPage = 'docs/reference/upstream.md'

const units: Record<string, number> = { MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** `8 MiB`, `25000`, `30000 ms; 0 = no limit`, `` `prefix` `` and so on, as a value. */
function valueOf (cell: string): unknown {
  const [, number, unit = ''] = /^`?([\d,]+)`?(?: (\w+))?/.exec(cell) ?? []
  if (number !== undefined) return Number(number.replaceAll(',', '')) * (units[unit] ?? 1)
  return cell.replace(/^[`']+|[`'].*$/g, '')
}

/** The cells of the rows of a document whose first cell is an option, in code. */
async function rowsOf (document: string): Promise<Map<string, string[]>> {
  const rows = [...(await readDocument(document)).matchAll(/^\| `(\w+)`[^|]*\|(.*)\|$/gm)]
  return new Map(rows.map(([, name, rest]) =>
    [name!, rest!.replaceAll('\\|', '/').split('|').map(cell => cell.trim())]))
}

/** The default of an option, which is in the given column behind its name. */
async function defaultIn (document: string, option: string, column = 0): Promise<any> {
  return valueOf((await rowsOf(document)).get(option)![column]!)
}

const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** A sentence of a document, `#` for each of its numbers: the numbers. */
async function numbersIn (document: string, sentence: string): Promise<number[]> {
  const pattern = sentence.split('#').map(part => part.split(' ').map(word =>
    word.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('\\s+')).join(`(\\d[\\d,_.]*\\b|${words.join('|')})`)
  const found = new RegExp(pattern).exec(await readDocument(document))
  if (found === null) throw new Error(`${document} does not say: ${sentence}`)
  return found.slice(1).map(number =>
    words.includes(number) ? words.indexOf(number) : Number(number.replace(/[,_]/g, '')))
}

const numberIn = async (document: string, sentence: string) => (await numbersIn(document, sentence))[0]!

const withStatus = (status: number) => ({ status }) as unknown as Error

const never = () => new Promise<never>(() => {})

/** Milliseconds of a clock that only waits move, until a promise is settled. */
async function timeOf (t: Test, run: () => Promise<unknown>, time = fakeTime(t)): Promise<number> {
  const begun = time.now()
  await time.passUntil(run())
  return time.now() - begun
}

async function listen (t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  t.teardown(() => server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An upstream with its defaults, in front of a service. */
async function upstreamOf (t: Test, answer: RequestListener, options: Partial<UpstreamOptions> = {}) {
  const upstream = createUpstream({ baseUrl: await listen(t, answer), ...options })
  t.teardown(() => upstream.close())
  return upstream
}

t.test('adapterTimeout', async t => {
  const app = await build(t, { adapter: { getTopArtists: never } })
  const wanted = await defaultIn('docs/reference/source-origin.md', 'adapterTimeout')
  let status
  const passed = await timeOf(t, async () => {
    status = (await app.inject({ url: '/v1/artist/top', headers: authorized })).statusCode
  })
  t.strictSame([passed, status], [wanted, 504])
})

t.test('timeout of a client', async t => {
  const client = createSourceClient({ baseUrl: 'http://localhost', fetch: never })
  const passed = await timeOf(t, () => t.rejects(client.status(), { name: 'TimeoutError' }))
  t.equal(passed, await defaultIn(clientPage, 'timeout'))
})

t.test('timeout, concurrency and samples of the check', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  let [running, most] = [0, 0]
  app.addHook('onRequest', async () => {
    most = Math.max(most, ++running)
    for (let turn = 0; turn < 5; turn++) await setImmediate()
  })
  app.addHook('onResponse', async () => { running-- })
  await app.register(sourceOrigin, { resolveContext: contextOf(createReferenceAdapter(() => 'https://media.example')) })
  const { sampled } = await checkSource({ app, authorization: token })
  t.equal(most, await defaultIn(checkPage, 'concurrency', 1))
  t.equal(Math.max(...Object.values(sampled).map(({ asked }) => asked)), await defaultIn(checkPage, 'samples', 1))

  const slow = await build(t, { adapter: { getTopArtists: never }, adapterTimeout: 0 })
  const passed = await timeOf(t, async () => checkSource({ app: slow, authorization: token, only: ['getTopArtists'] }))
  t.equal(passed % await defaultIn(checkPage, 'timeout', 1), 0)
  t.ok(passed > 0)
})

t.test('concurrency, accountConcurrency and the queue of an upstream', async t => {
  const upstream = await upstreamOf(t, () => {})
  const calls: Promise<unknown>[] = []
  const call = (api: Pick<typeof upstream, 'json'>) => { calls.push(api.json('/').catch(error => error.status)) }
  const ofAccount = upstream.for({ account: 'ann' })
  for (let count = 0; count < 20; count++) call(ofAccount)
  await setImmediate()
  t.equal(upstream.stats().running, await defaultIn(upstreamPage, 'accountConcurrency'))
  for (let count = 0; count < 20; count++) call(upstream)
  await setImmediate()
  t.equal(upstream.stats().running, await defaultIn(upstreamPage, 'concurrency'))

  const most = await numberIn(upstreamPage, 'If # calls wait there, a RateLimitedError is thrown')
  while (upstream.stats().waiting < most) {
    call(upstream)
    await setImmediate()
  }
  await t.rejects(upstream.json('/'), withStatus(429))
  await upstream.close()
  await Promise.all(calls)
})

t.test('retries of an upstream', async t => {
  let attempts = 0
  const upstream = await upstreamOf(t, (_request, response) => {
    attempts++
    response.writeHead(503).end()
  })
  await timeOf(t, () => t.rejects(upstream.json('/')))
  t.equal(attempts - 1, await defaultIn(upstreamPage, 'retries'))
})

t.test('budget of an upstream', async t => {
  const upstream = await upstreamOf(t, () => {}, { retries: 9, timeout: 60_000 })
  const passed = await timeOf(t, () => t.rejects(upstream.json('/'), withStatus(504)))
  t.equal(passed, await defaultIn(upstreamPage, 'budget'))
})

t.test('maxBody of an upstream', async t => {
  const most = await defaultIn(upstreamPage, 'maxBody')
  const upstream = await upstreamOf(t, ({ url }, response) => { response.end(Buffer.alloc(Number(url!.slice(1)))) })
  t.equal((await upstream.bytes(`/${most}`)).length, most)
  await t.rejects(upstream.bytes(`/${most + 1}`), withStatus(502))
})

t.test('the statuses that an upstream becomes', async t => {
  const upstream = await upstreamOf(t, ({ url }, response) => {
    response.writeHead(Number(url!.slice(1)), { location: '/' }).end('{}')
  }, { retries: 0, breaker: false })
  const [, table = ''] = (await readDocument(upstreamPage)).split('| Upstream | Thrown |')
  const rows = [...table.matchAll(/^\| (\d{3}[^|]*) \| (\w+)[^|]*\| (\d+) \|$/gm)].flatMap(([, list, thrown, status]) =>
    list!.replace('other 4xx', '418').replace('3xx', '302').replace('other 5xx', '500').match(/\d{3}/g)!
      .map(answer => [answer, thrown!, Number(status)] as const))
  t.equal(rows.length, 12)
  for (const [answer, name, status] of rows) {
    await t.rejects(upstream.for({ account: answer }).json(`/${answer}`), { ...withStatus(status), name: name! }, answer!)
  }
})

t.test('timeout and prefix of mediaProxy', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const signer = createSigner({ keys: [Buffer.alloc(32)], ttl: 3_600_000 })
  await app.register(mediaProxy, { signer, kinds: { audio: { resolve: never, hosts: ['a.example'] } } })
  await app.ready()
  const url = app.mediaUrl('audio', {}, { extension: 'mp3' })
  t.ok(url.startsWith(`${await defaultIn(media, 'prefix', 1)}/audio/`))
  let status
  const passed = await timeOf(t, async () => { status = (await app.inject(url)).statusCode })
  t.strictSame([passed, status], [await defaultIn(media, 'timeout', 1), 504])
})

t.test('ttl of the media of serveSource, and its title', async t => {
  const app = fastify(serverOptions)
  t.teardown(() => app.close())
  const file = () => 'a.mp3'
  await app.register(serveSource, {
    resolveContext: ({ request }) => ({
      adapter: { getTrackUrl: () => ({ url: request.server.mediaUrl('audio', {}, { extension: 'mp3' }), quality: '' }) }
    }),
    media: { keys: [Buffer.alloc(32)], kinds: { audio: { root: '.', file } } }
  })
  const time = fakeTime(t)
  const { data } = (await app.inject('/v1/track/url?id=1')).json()
  const expires = Number(new URL(data.url, 'http://a').searchParams.get('expires'))
  const ttl = await numberIn(serve, '`keys` of the signer, and its `ttl`, # milliseconds by default')
  t.equal(expires * 1000 - time.now(), ttl)
  t.match((await app.inject('/')).body, `<title>${await defaultIn(serve, 'title')}</title>`)
})

t.test('pauses of an upstream that limits, and of one that fails', async t => {
  const time = fakeTime(t)
  const [first = 0, most] = await numbersIn(upstreamPage, 'for # s, doubling with each further 429 up to # s')
  const [inRow = 0, begin] = await numbersIn(upstreamPage, 'and # in a row stop all calls for # s')
  const longest = await numberIn(upstreamPage, 'The pause doubles up to # s as long as probes fail')
  for (const [status, failures, shortest, last] of [[429, 1, first, most], [500, inRow, begin, longest]] as const) {
    const upstream = await upstreamOf(t, (_request, response) => { response.writeHead(status).end() }, { retries: 0 })
    const call = async (): Promise<number> => {
      const refused = upstream.json('/').catch((error: SourceError) => error)
      await time.passUntil(refused)
      return (await refused as SourceError).retryAfterSeconds ?? 0
    }
    for (let failure = 0; failure < failures; failure++) {
      time.advance(250)
      await call()
    }
    const begun = time.now()
    let told = await call()
    t.equal(time.now() - begun, shortest! * 1000, 'short pauses are waited for')
    for (let pause = 0; pause < 12; pause++) {
      time.advance(told * 1000)
      told = await call()
    }
    t.equal(told, last)
  }
})

t.test('how long requests have when a server closes', async t => {
  const app = fastify(serverOptions)
  await app.register(serveSource, { resolveContext: () => null, shutdown: {} })
  app.get('/endless', (_request, reply) => reply.send(new Readable({ read () {} })))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const request = get(`${app.listeningOrigin}/endless`, { agent: false }, response => response.on('error', () => {}))
  request.on('error', () => {})
  await once(app.server, 'request')
  await setImmediate()
  t.equal(await timeOf(t, () => app.close()), await numberIn(serve, 'after `timeout`, # milliseconds by default'))
})

t.test('covers that a scaler keeps, and those that it does not scale', async t => {
  const [running, kept = 0, minutes = 0, mebibytes = 0, megapixels = 0] = await numbersIn(media,
    '# are scaled at a time, and # MiB of results are kept for # minutes, by key and pixels. Without `sharp` the ' +
    'cover is as `read` gave it, and so are covers of more than # MiB or # megapixels')
  const asked: number[] = []
  const scaler = await scalerWith({
    default (_bytes: Buffer, { limitInputPixels }: { limitInputPixels: number }) {
      asked.push(limitInputPixels)
      throw new Error('no picture')
    }
  })
  const leaving = new AbortController()
  const scale = (key: string, length: number) => {
    const cover = { bytes: Buffer.alloc(length), type: 'image/png' }
    return scaler.scaleWhole(key, 100, async () => cover, leaving.signal)
  }
  const isKept = (key: string) => scaler.find(key, 100) !== undefined
  const time = fakeTime(t)

  // Each counts as 1000 bytes more.
  const keys = Array.from({ length: 16 }, (_empty, index) => `${index}`)
  for (const key of keys) await scale(key, kept * units.MiB! / 16 - 1000)
  t.ok(keys.every(isKept))
  await scale('last', 1)
  t.strictSame(keys.filter(key => !isKept(key)), ['0'])
  time.advance(minutes * 60_000)
  t.ok(isKept('last'))
  time.advance(1)
  t.notOk(isKept('last'))

  asked.length = 0
  await scale('large', mebibytes * units.MiB!)
  await scale('too large', mebibytes * units.MiB! + 1)
  t.strictSame(asked, [megapixels * 1e6])

  let reads = 0
  for (const key of ['a', 'b', 'c']) {
    scaler.scaleWhole(key, 1, () => { reads++; return never() }, leaving.signal).catch(() => {})
  }
  await setImmediate()
  t.equal(reads, running)
  leaving.abort()
})

t.test('cacheSize of a transcoder', async t => {
  const [, cell = ''] = (await rowsOf(media)).get('cacheSize')!
  const most = await defaultIn(media, 'cacheSize', 1)
  t.match(cell, `(\`${most}\`)`)
  t.equal(await numberIn(folderFiles, '`DATA_DIR/transcoded`, # GiB at most') * units.GiB!, most)
  const name = `${'0'.repeat(64)}.opus`
  // A file counts as a block more.
  for (const [size, left] of [[most - 4096, [name]], [most - 4095, []]] as const) {
    const app = fastify()
    t.teardown(() => app.close())
    const cacheDir = folder(t)
    await writeFile(join(cacheDir, name), '')
    await truncate(join(cacheDir, name), size)
    const transcoder = await createTranscoder({ cacheDir, ffmpeg: fake(t, 'true'), log: app.log })
    app.get('/', (_request, reply) => transcoder.send(reply, { key: 'a', profile: { format: 'opus' }, open: never }))
    t.equal((await app.inject({ method: 'HEAD', url: '/' })).statusCode, 200)
    await transcoder.close()
    t.strictSame(await readdir(cacheDir), left)
  }
})

t.test('times of a Redis: of a command, of the pause after a failure, of a lock, of a store that closes', async t => {
  const time = fakeTime(t)
  let commands = 0
  const client = Object.assign(new EventEmitter(), {
    status: 'ready',
    info: async () => 'run_id:1',
    subscribe: async () => {},
    disconnect () {},
    duplicate: () => client,
    pipeline: () => { commands++; return { exec: never } }
  })
  const cache = createSourceCache({ store: redisStore(client as never, { prefix: 'test:' }) })
  const adapter = { getTrackLyrics: () => ({ lyrics: '' }) }
  const app = await build(t, { cache, adapter, context: { account: 'ann' } })
  await app.ready()
  client.emit('ready')
  await setImmediate()
  const ask = (id: number) => timeOf(t, async () => {
    t.equal((await app.inject({ url: `/v1/track/lyrics?id=${id}`, headers: authorized })).statusCode, 200)
  }, time)

  const [longest, pause = 0] = await numbersIn(cachePage,
    'A command may take # ms; after a failure Redis is not used for # s')
  t.equal(await ask(1), longest)
  t.equal(commands, 1)
  time.advance(pause * 1000 - 1)
  t.equal(await ask(2), 0)
  t.equal(commands, 1)
  time.advance(1)
  t.equal(await ask(3), longest)
  t.equal(commands, 2)

  await cache.invalidate({ account: 'ann' })
  const seconds = await timeOf(t, () => app.close(), time) / 1000
  t.equal(Math.ceil(seconds), await numberIn(cachePage, 'sends them again for up to # seconds'))

  const lock = new CallLocks({} as never, '').take('lock', 'holder')
  t.strictSame(lock.slice(3), ['PX', await numberIn(cachePage, 'its lock expires after # s') * 1000, 'NX'])
})

t.test('how long PostgreSQL lets a replica wait for the lock of another one', async t => {
  const asked: (readonly unknown[])[] = []
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: db => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler()
    },
    log: ({ query }) => { asked.push(query.parameters) }
  })
  await kyselyStore(db).withLock('ann', async () => {})
  const seconds = await numberIn(accountsPage, 'Waiting for the lock of another replica fails after # seconds')
  t.strictSame(asked[0]!.slice(0, 2), ['lock_timeout', `${seconds * 1000}`])
})

t.test('events that wait for onPlay, how long it may take, and how long a server that closes waits', async t => {
  const [longest = 0, most = 0, mostHeard = 0] = await numbersIn(adapterPage,
    'each call may take # seconds, and errors are logged. Up to # events are queued (# if they are `counted`)')
  const listener = {
    key: 'ann',
    context: { account: 'ann', adapter: { onPlay: never } },
    username: 'ann',
    client: 'app',
    log: { warn () {} },
    secrets: []
  } satisfies Listener
  const queue = new OnPlayQueue()
  const time = fakeTime(t)
  t.equal(await timeOf(t, () => queue.tell(listener, { counted: true } as PlayEvent), time), longest * 1000)

  let refused = 0
  const tell = async (events: number, heard: boolean) => {
    for (let event = 0; event < events; event++) {
      queue.tell(listener, { counted: heard } as PlayEvent).then(
        answer => { if (answer instanceof SourceError) refused++ }
      )
    }
    await setImmediate()
    return refused
  }
  t.strictSame([await tell(most, false), await tell(1, false)], [0, 1])
  t.strictSame([await tell(mostHeard - most, true), await tell(1, true)], [1, 2])
  t.equal(await timeOf(t, () => queue.close(), time),
    await numberIn(adapterPage, 'A server that closes waits for them for up to # seconds') * 1000)
})

t.test('memory of the libraries of Subsonic accounts', async t => {
  const most = await numberIn(subsonicPage, 'The libraries of all accounts take # MiB at most') * units.MiB!
  const accounts = new RestAccounts(validateSubsonicOptions({}))
  const use = (account: string) => accounts.of({ adapter: {}, stateless: false, capabilities: [], account }, '')
  const names = ['ann', 'bob', 'cat', 'dan']
  const used = names.map(name => {
    const account = use(name)
    // Each counts as a byte more.
    Object.defineProperty(account, 'bytes', { value: most / names.length - 1 })
    accounts.recount(account)
    return account
  })
  t.ok(names.every((name, index) => use(name) === used[index]))
  use('eve')
  t.not(use('ann'), used[0])
})

t.test('numbers that code and documents have', async t => {
  for (const [wanted, document, sentence] of [
    [[mostItems.artists, mostItems.albums, mostItems.tracks], subsonicPage,
      'It has # artists, # albums and # tracks at most'],
    [[pace.calls, 1000 / pace.between], subsonicPage, 'After # calls of the adapter it makes # calls per second'],
    [[times.maxWait / 1000], subsonicPage, 'The first request waits for # s'],
    [[times.ttl], subsonicPage, '`{ ttl: # }`'],
    [[maxIds], subsonicPage, 'A call names at most # ids'],
    [[maxIds], adapterPage, 'A call names at most # ids'],
    [[fixed.maxWait / 1000], upstreamPage, 'If the waits of the call would exceed # s or the `budget`'],
    [[refreshTimeout / 1000], accountsPage, 'It may take # seconds'],
    [[refreshTimeout / 1000], accountsPage, '`refresh` took more than # seconds'],
    [[timeLimit / 1000], settings, '| time for a file | # seconds;'],
    [[keptCovers.bytes / units.MiB!, keptCovers.age / 86_400_000, keptCovers.leftFree], folderFiles,
      '# MiB of them, for # days after they were used last. They are removed where less than # MiB of the disk'],
    [[keptCovers.bytes / units.MiB!], settings, 'take # MiB at most besides'],
    [[maxEntries], hardening, 'The # last addresses and accounts are kept'],
    [[limits.idle / 1000], media, 'A run ends after # seconds without a byte'],
    [[comfort], media, 'from # seconds on a listener has enough'],
    [[bounds.held], media, 'At most # processes are held'],
    [[bounds.ofAccount, bounds.waiting], media, 'An account has at most # processes. At most # runs wait'],
    [[retryAfterSeconds], media, '503 with `Retry-After: #`'],
    [[idleAfter.ms / 1000], media, 'has read nothing for longest, # seconds at least'],
    [[checkedEvery / units.MiB!], media, '`prepare` is called every # MiB'],
    [[grace.ms / 1000], media, 'which goes on for # seconds after its last listener'],
    [[refreshable / 1000], contractPage, 'unless the cached one is less than # seconds old'],
    [[refreshable / 1000], cachePage, 'makes entries that are older than # s count as expired']
  ] as [number[], string, string][]) t.strictSame(await numbersIn(document, sentence), wanted, sentence)
})

t.test('bitrates of transcodings', async t => {
  const [, cell = ''] = (await rowsOf(media)).get('profile')!
  const [, others, opus] = /^(\d+) bit\/s, of Opus (\d+)$/.exec(cell)!
  t.strictSame([bitrateOf({ format: 'mp3' }), bitrateOf({ format: 'aac' }), bitrateOf({ format: 'opus' })],
    [others, others, opus].map(Number))
})

t.test('the policies of the cache', async t => {
  const rows = [...(await readDocument(cachePage)).matchAll(/^\| ([\w, ]+) \| (\d[^|]*) \| (\d[^|]*) \| (\d[^|]*) \|$/gm)]
  const units: Record<string, number> = { min: 60_000, h: 3_600_000, d: 86_400_000 }
  const timeOf = (text: string) => {
    const [count, unit] = text.split(' ')
    return unit === undefined ? Number(count) : Number(count) * units[unit]!
  }
  const described = rows.flatMap(([, names, ...times]) =>
    names!.split(', ').map(name => [name, ...times.map(timeOf)]))
  const ofCode = Object.entries(defaultPolicies)
    .filter(([, { ttl, scope }]) => typeof ttl === 'number' && scope !== 'none')
    .map(([name, { ttl, staleWhileRevalidate, staleIfError }]) => [name, ttl, staleWhileRevalidate, staleIfError])
  t.strictSame(described.sort(), ofCode.sort())
})

t.test('maxSize of a cache: an answer above a sixteenth of it is not cached', async t => {
  const cache = createSourceCache()
  const getTrackLyrics = (id: string) => ({ lyrics: 'x'.repeat(Number(id)) })
  const app = await build(t, { cache, adapter: { getTrackLyrics }, context: { account: 'ann' } })
  const most = await defaultIn(cachePage, 'maxSize') / 16
  for (const [length, entries] of [[most + 1, 0], [most - 1000, 1]] as const) {
    await app.inject({ url: `/v1/track/lyrics?id=${length}`, headers: authorized })
    t.equal(cache.stats().entries, entries)
  }
})

t.test('limits of the routes of the page', async t => {
  const app = fastify(serverOptions)
  t.teardown(() => app.close())
  await app.register(serveSource, { resolveContext: contextOf({}, { account: 'ann' }) })
  const ids = (count: number) => Array.from({ length: count }, (_empty, index) => `track=${index}`).join('&')
  const most = await numberIn(page, '`limit` (1 to #)')
  const tracks = await numberIn(page, 'with those of 1 to # tracks')
  const rated = await numberIn(page, 'takes up to # `track`')
  for (const [path, status] of [
    [`browse?limit=${most}`, 200], [`browse?limit=${most + 1}`, 400],
    [`extras?${ids(tracks)}`, 200], [`extras?${ids(tracks + 1)}`, 400],
    [`ratings?${ids(rated)}`, 200], [`ratings?${ids(rated + 1)}`, 400]
  ] as const) {
    const { statusCode } = await app.inject({ url: `/page/${path}`, headers: authorized })
    t.equal(statusCode, status, path.slice(0, 20))
  }
})

t.test('what serverOptions have', async t => {
  t.equal(serverOptions.requestTimeout, await numberIn(hardening, '`requestTimeout: #`'))
  t.equal(serverOptions.http.connectionsCheckingInterval,
    await numberIn(hardening, '`connectionsCheckingInterval` of # milliseconds'))
  t.equal(serverOptions.http.maxHeaderSize, await numberIn(hardening, '`serverOptions`: # KB') * 1024)
  t.equal(serverOptions.keepAliveTimeout,
    await numberIn('docs/operations/proxies.md', 'for less than the # seconds that the source keeps them') * 1000)
})

t.test('the settings of the example', async t => {
  const read = readSettings({}) as Record<string, unknown>
  for (const [name, [, cell = '']] of await rowsOf(settings)) {
    // What is said in words is another row's or has a test of its own.
    if (!/^[A-Z_]+$/.test(name) || !cell.startsWith('`')) continue
    if (['MUSIC_DIR', 'DATA_DIR', 'PAGE', 'TRANSCODING'].includes(name)) continue
    if (name.startsWith('FASTIFY_') && !(name in read)) continue
    t.equal(String(read[name]), String(valueOf(cell)), name)
  }
  t.ok(String(read.MUSIC_DIR).endsWith(await defaultIn(settings, 'MUSIC_DIR', 1)))
  t.ok(String(read.DATA_DIR).endsWith(`/${await defaultIn(settings, 'DATA_DIR', 1)}`))
})

t.test('statuses and messages of errors that an adapter throws', async t => {
  let thrown: unknown
  const app = await build(t, { adapter: { getTopArtists () { throw thrown } } satisfies SourceAdapter })
  const rows = [...(await readDocument('docs/reference/errors.md')).matchAll(/^\| `(\w+Error)` \| (\d+) \|/gm)]
  const { errors } = await import('fastify-source-origin')
  t.strictSame([...rows.map(([, name]) => name), 'SourceError'].sort(), Object.keys(errors).sort())
  for (const [, name = '', status] of rows) {
    thrown = new errors[name as 'NotFoundError']('Said so', { code: 4711, retryAfterSeconds: 1.5 })
    const { statusCode, headers, body } = await app.inject({ url: '/v1/artist/top', headers: authorized })
    t.strictSame([statusCode, body, headers['retry-after']],
      [Number(status), '{"code":4711,"message":"Said so","data":null}', '2'], name)
  }
  thrown = new SourceError(403, 'Not for you')
  t.equal((await app.inject({ url: '/v1/artist/top', headers: authorized })).statusCode, 403)
})

/** Names of the members of an interface of lib/, and of what it takes from others. */
async function membersOf (file: string, name: string): Promise<string[]> {
  const text = await readFile(new URL(`../lib/${file}`, import.meta.url), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = source.statements.filter(ts.isInterfaceDeclaration).find(node => node.name.text === name)!
  const own = found.members.flatMap(member => member.name === undefined ? [] : [member.name.getText()])
  // `Pick<SourceContext, 'stateless' | ...>`
  return [...own, ...[...found.heritageClauses?.[0]?.getText().matchAll(/'(\w+)'/g) ?? []].map(([, taken]) => taken!)]
}

for (const [document, ...types] of [
  ['docs/reference/source-origin.md', 'routes/source-origin-options.ts SourceOriginOptions'],
  [serve, 'serve/serve-options.ts ServeSourceOptions', 'serve/serve-options.ts ServeContextOptions',
    'serve/serve-options.ts ServeOptions', 'serve/serve-options.ts SourceCall', 'serve/server-parts.ts ServerParts',
    'protection/protection-options.ts ProtectionOptions'],
  ['docs/operations/deployment.md', 'serve/readiness.ts ReadinessOptions'],
  [cachePage, 'cache/source-cache-options.ts SourceCacheOptions', 'cache/policies.ts CachePolicy'],
  [accountsPage, 'accounts/accounts-options.ts AccountsOptions', 'accounts/add-link.ts AddLinkOptions'],
  [media, 'media/create-signer.ts SignerOptions', 'media/media-proxy.ts MediaProxyOptions',
    'media/media-kind.ts MediaKind', 'media/file-kind.ts FileKind',
    'media/transcode/transcoder-options.ts TranscoderOptions', 'media/transcode/transcoder-options.ts Transcoding',
    'media/cover-scaler.ts CoverScalerOptions'],
  [upstreamPage, 'upstream/upstream.ts UpstreamOptions', 'upstream/upstream.ts UpstreamRequest',
    'upstream/account-upstream.ts AccountUpstreamOptions', 'upstream/cursor-pager.ts CursorPagerOptions'],
  [subsonicPage, 'subsonic-server/subsonic-options.ts SubsonicOptions',
    'subsonic-client/client-options.ts SubsonicClientOptions',
    'subsonic-client/subsonic-adapter.ts SubsonicAdapterOptions'],
  [page, 'page/page-options.ts SourcePageOptions'],
  ['docs/reference/sign-in.md', 'oidc/oidc-options.ts OidcOptions', 'page/sign-in/sign-in-options.ts PageSignIn',
    'page/sign-in/sign-in-options.ts TrustedHeader'],
  [clientPage, 'client/connection.ts SourceClientOptions'],
  ['docs/operations/metrics.md', 'metrics/metrics-options.ts MetricsOptions'],
  [contractPage, 'contract/source-context.ts SourceContext']
] as [string, ...string[]][]) {
  t.test(`${document} names each option and member of ${types.map(type => type.split(' ')[1]).join(', ')}`, async t => {
    const text = await readDocument(document)
    const members = await Promise.all(types.map(type => membersOf(...type.split(' ') as [string, string])))
    // exports.md names those of Fastify's `register`, for all plugins.
    const own = members.flat().filter(name => !['logLevel', 'logSerializers'].includes(name))
    t.strictSame(own.filter(name => !new RegExp(`\\b${name}\\b`).test(text)), [])
  })
}
