import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { connect, connectionsOf } from '../../example/accounts/connect.ts'
import { lastFm } from '../../example/services/lastfm.ts'
import { listenBrainz } from '../../example/services/listenbrainz.ts'
import { pageServices } from '../../example/accounts/page-services.ts'
import { openSecret, sealSecret } from '../../example/services/secrets.ts'
import { between, paced, ServiceError, type Service } from '../../example/services/service-client.ts'
import { mostRefused, pauses, ListenSender } from '../../example/services/listen-sender.ts'
import type { Listen } from '../../example/state/listens.ts'
import { State } from '../../example/state/state.ts'
import { openDatabase } from '../../example/database/open-database.ts'
import { createEncryption } from '../../lib/accounts/index.ts'
import { fakeTime } from '../fake-time.ts'
import { emptyDatabases } from '../postgres.ts'
import { replace } from '../replace.ts'
import { skipWithout } from '../services.ts'
import { fakeLastFm, fakeListenBrainz, lastFmKey, type FakeService } from './fake-services.ts'
import { settled } from '../helper.ts'
import { as, command, folder, lineOf, mp3, start, startWith, tokenIn, until, type Source } from './helper.ts'

skipWithout('PostgreSQL', t, /^PostgreSQL/)
const database = emptyDatabases(t)

// Failures are tried again at once, and calls wait for none before them.
Object.assign(pauses, { least: 5, most: 20, look: 20 })
Object.assign(between, { listenBrainz: 1, lastFm: 1 })

const quiet = { warn () {}, info () {} }
const song = (title: string, seconds = 40) => mp3({ title, artist: 'Ann', album: 'All' }, { seconds })
const files = {
  ...Object.fromEntries(['One', 'Two', 'Wrong', 'Full', 'Old'].map(title => [`${title}.mp3`, song(title)])),
  'short.mp3': song('Short', 5)
}

async function fakes (t: Test) {
  const [brainz, lastfm] = [await fakeListenBrainz(), await fakeLastFm()]
  t.teardown(() => { brainz.close(); lastfm.close() })
  return { brainz, lastfm, env: { LISTENBRAINZ_URL: brainz.url, LASTFM_URL: lastfm.url, ...lastFmKey } }
}

/** An app of an account that was offline tells what it has played: titles, each a day of 2025. */
async function tell (source: Source, token: string, plays: readonly (readonly [title: string, day: number])[]) {
  const { items } = await source.data('/v1/search/tracks?keyword=Ann&limit=100')
  const idOf = (wanted: string) => `tr-${items.find(({ title }: any) => title === wanted).id}`
  const query = new URLSearchParams({ u: 'x', p: token, c: 'an app' })
  for (const [title, day] of plays) {
    query.append('id', idOf(title))
    query.append('time', String(timeOf(day) * 1000))
  }
  query.append('id', 'tr-gone')
  const { body } = await source.call(`/rest/scrobble?${query}`)
  if (!body.includes('status="ok"')) throw new Error(body)
}

const timeOf = (day: number) => 1_735_689_600 + day * 86_400
const arrived = (fake: FakeService, title: string, day: number, user = 'ann_there') =>
  fake.listens.has(`${user} ${timeOf(day)} Ann ${title}`)

t.test('an account connects ListenBrainz itself by the page, and ends what is connected', async t => {
  const { env } = await fakes(t)
  const DATA_DIR = folder(t)
  const source = await start(t, { MUSIC_DIR: folder(t, files), DATA_DIR, ...env, PAGE: 'true' })
  const ann = as(source, tokenIn(await command(DATA_DIR, ['add', 'ann'])))
  const post = async (path: string, payload: object, who = ann) =>
    (await who.call(`/page/${path}`, { method: 'POST', payload })).json()
  const none = [
    { service: 'listenbrainz', title: 'ListenBrainz', takesToken: true },
    { service: 'lastfm', title: 'Last.fm', takesToken: false }
  ]
  t.same((await ann.data('/page/services')).items, none)
  t.match(await post('services', { service: 'listenbrainz', token: 'a b' }), { code: 400, message: /^Invalid token/ })
  t.match(await post('services', { service: 'listenbrainz', token: 'wrong' }), { code: 400, message: /refuses/ })
  t.match(await post('services', { service: 'lastfm', token: 'secret-of-ann' }), { code: 400 })
  t.match(await post('services/end', { service: 'listenbrainz' }), { code: 400, message: /is not connected/ })
  t.match(await post('services', { service: 'listenbrainz', token: 'secret-of-ann' }), { code: 200 })
  t.match((await ann.data('/page/services')).items[0], { user: 'ann_there' })
  t.same((await source.data('/page/services')).items, none, 'nobody else is connected')
  t.match(await command(DATA_DIR, ['list']), 'listenbrainz as ann_there')
  t.match(await post('services/end', { service: 'listenbrainz' }), { code: 200 })
  t.same((await ann.data('/page/services')).items, none)
})

t.test('what is no mistake of the listener stays what it is', async t => {
  const disconnect = async () => { throw new Error('away') }
  const services = pageServices({ services: new Map(), state: { listens: { disconnect } } } as never)
  await t.rejects(async () => services.disconnect({ accountName: 'ann' } as never, 'lastfm'), { message: 'away' })
})

for (const engine of ['SQLite', 'PostgreSQL']) {
  t.test(`${engine}: what an account listens to is told to its services, each listen once`, async t => {
    const { brainz, lastfm, env } = await fakes(t)
    const more = engine === 'SQLite' ? {} : { DATABASE_URL: await database() }
    const DATA_DIR = folder(t)
    const settings = { MUSIC_DIR: folder(t, files), DATA_DIR, ...env, ...more }
    let source = await start(t, settings)
    const run = (args: string[], input = '') => command(DATA_DIR, args, input)
    const token = tokenIn(await run(['add', 'ann']))
    const ann = () => as(source, token)
    await tell(ann(), token, [['One', 0]])
    t.equal(await run(['connect', 'ann', 'listenbrainz'], 'secret-of-ann\n'),
      'ListenBrainz gets the plays of ann as ann_there')
    t.equal(await run(['connect', 'ann', 'lastfm'], 'secret-of-ann'),
      'Last.fm gets the plays of ann as ann_there')
    t.match(await run(['list']), '  lastfm as ann_there\n  listenbrainz as ann_there')

    // The first answer is lost, the second one is of a service that is away.
    for (const fake of [brainz, lastfm]) fake.faults.push({ takes: true, breaks: true }, { status: 503, body: 'away' })
    await tell(ann(), token, [['One', 1], ['Two', 2], ['Wrong', 3], ['Short', 4], ['Two', 5]])
    await until(async () => /^(?!.*wait)/s.test(await run(['list'])))
    t.notOk(arrived(brainz, 'One', 0), 'what was heard before is not told')
    for (const [title, day] of [['One', 1], ['Two', 2], ['Short', 4], ['Two', 5]] as const) {
      t.ok(arrived(brainz, title, day), title)
      t.equal(arrived(lastfm, title, day), title !== 'Short', title)
    }
    t.equal(brainz.listens.size, 4)
    await until(async () => {
      const { checks } = (await source.call('/ready')).json()
      return checks.lastfm === 'ok' && checks.listenbrainz === 'ok'
    })
    const warned = (pattern: RegExp) =>
      source.lines.filter(line => line.level === 40 && pattern.test(lineOf(line, line.msg))).length
    t.equal(warned(/^scrobble rejected: .* service=ListenBrainz account=ann title=Wrong reason=.*\.\.\./), 1)
    await tell(ann(), token, [['Old', 6]])
    await until(() => warned(/^scrobbles ignored: .* service=Last\.fm account=ann count=1 /) === 1)
    await until(() => arrived(brainz, 'Old', 6))
    for (const { agents } of [brainz, lastfm]) t.match([...agents], [/^fastify-source-origin\/\d+\.\d+\.\d+$/])

    const { items: [playing] } = await source.data('/v1/search/tracks?keyword=One&limit=1')
    const report = new URLSearchParams({
      u: 'x', p: token, c: 'an app', mediaId: `tr-${playing.id}`, mediaType: 'song', state: 'playing', positionMs: '0'
    })
    for (let times = 0; times < 2; times++) await source.call(`/rest/reportPlayback?${report}`)
    for (const fake of [brainz, lastfm]) {
      await until(() => fake.playing.length > 0)
      t.same(fake.playing, ['ann_there Ann One'])
    }

    brainz.users.delete('secret-of-ann')
    lastfm.users.clear()
    await tell(ann(), token, [['One', 6], ['Two', 7]])
    const refused = /^scrobbling paused: .* account=ann .* hint=Run npm run account -- connect ann \w+/
    await until(() => warned(refused) === 2)
    await source.app.close()
    source = await start(t, settings)
    await tell(ann(), token, [['Full', 8]])
    t.match(await run(['list']), '  lastfm as ann_there, 3 wait: Last.fm said 9: Error 9\n' +
      '  listenbrainz as ann_there, 3 wait: ListenBrainz refuses the token: ' +
      '{"code":401,"error":"Invalid authorization token."}')
    t.equal(warned(refused), 0, 'told once')
    if (engine === 'SQLite') {
      await run(['backup', join(DATA_DIR, 'copy.sqlite')])
      t.notOk(readFileSync(join(DATA_DIR, 'copy.sqlite')).includes('secret-of-ann'), 'sealed')
    }
    for (const [fake, name] of [[brainz, 'listenbrainz'], [lastfm, 'lastfm']] as const) {
      fake.users.set('new-secret', 'ann_there')
      await run(['connect', 'ann', name], 'new-secret')
      await until(() => arrived(fake, 'One', 6) && arrived(fake, 'Two', 7))
    }
    await until(async () => /lastfm as ann_there, 1 wait\n {2}listenbrainz as ann_there$/m.test(await run(['list'])))
    t.notOk(arrived(lastfm, 'Full', 8), 'its day is full')
    t.equal(await run(['disconnect', 'ann', 'lastfm']), 'ann is not connected to lastfm any more')
    await t.rejects(run(['disconnect', 'ann', 'lastfm']), { message: 'ann is not connected to lastfm' })
    await run(['remove', 'ann', 'ann'])
    await run(['add', 'ann'])
    t.notMatch(await run(['list']), 'listenbrainz', 'gone with the account')
    t.notMatch(JSON.stringify(source.lines), /secret-of-ann|new-secret/)
  })
}

t.test('services are told the artist as tagged and ids of MusicBrainz, and nothing of the unknown', async t => {
  const { brainz, lastfm, env } = await fakes(t)
  const id = (digit: number) => `${digit}`.repeat(8) + '-0000-4000-8000-000000000000'
  const album = { album: 'All', albumArtist: 'Ann (feat. Bob)', release: id(1) }
  const more = { MUSICBRAINZ_TRACKID: id(2), 'MusicBrainz Artist Id': `${id(3)}/${id(4)}` }
  const DATA_DIR = folder(t)
  const source = await start(t, {
    DATA_DIR,
    MUSIC_DIR: folder(t, {
      'duet.mp3': mp3({ ...album, title: 'Duet Ann', artist: 'Ann feat. Bob', more }, { seconds: 40 }),
      'plain.mp3': mp3({ ...album, title: 'Plain', artist: 'Ann' }, { seconds: 40 }),
      'nothing.mp3': mp3({ title: 'By Ann', album: 'x' }, { seconds: 40 })
    }),
    ...env
  })
  const token = tokenIn(await command(DATA_DIR, ['add', 'ann']))
  for (const name of ['listenbrainz', 'lastfm']) await command(DATA_DIR, ['connect', 'ann', name], 'secret-of-ann')
  await until(async () => (await source.data('/v1/search/tracks?keyword=Ann')).items.length === 3)
  await tell(as(source, token), token, [['By Ann', 1], ['Duet Ann', 2]])
  await until(async () => /^(?!.*wait)/s.test(await command(DATA_DIR, ['list'])))
  t.match(brainz.told, [{
    artist_name: 'Ann feat. Bob',
    additional_info: {
      artist_names: ['Ann', 'Bob'], recording_mbid: id(2), release_mbid: id(1), artist_mbids: [id(3), id(4)]
    }
  }])
  t.match(lastfm.told, [{
    'artist[0]': 'Ann feat. Bob', 'albumArtist[0]': 'Ann (feat. Bob)', 'mbid[0]': id(2)
  }])
  t.same([brainz, lastfm].map(({ told }) => told.length), [1, 1])
})

t.test('what cannot be connected changes nothing', async t => {
  const { brainz, lastfm, env } = await fakes(t)
  const { LASTFM_API_KEY: _, ...withoutKey } = env
  const DATA_DIR = folder(t)
  await startWith(t, {}, { DATA_DIR, ...withoutKey })
  const fails = (args: string[], input: string, message: string | RegExp) =>
    t.rejects(command(DATA_DIR, ['connect', ...args], input), { message })
  await fails(['owner', 'listenbrainz'], 'wrong', 'ListenBrainz refuses the token')
  await fails(['owner', 'listenbrainz'], ' \n', 'Invalid token or session key of ListenBrainz')
  await fails(['owner', 'lastfm'], 'secret-of-ann', 'LASTFM_API_KEY and LASTFM_SECRET must be set first')
  await fails(['owner', 'napster'], 'secret-of-ann', 'SERVICE must be one of listenbrainz, lastfm')
  await fails(['owner'], 'secret-of-ann', 'SERVICE must be one of listenbrainz, lastfm')
  await fails(['nobody', 'lastfm'], 'secret-of-ann', 'Account not found: nobody')
  brainz.close()
  await fails(['owner', 'listenbrainz'], 'secret-of-ann', 'ListenBrainz cannot be reached: nothing is changed')
  t.notMatch(await command(DATA_DIR, ['list']), 'listenbrainz')
  t.equal(lastfm.calls.length, 0)
})

t.test('the name of the user at a service is shown without control characters', async t => {
  const { brainz, env } = await fakes(t)
  brainz.users.set('secret-of-ann', 'ann\0\x1b[2J there')
  const DATA_DIR = folder(t)
  await startWith(t, {}, { DATA_DIR, ...env })
  t.equal(await command(DATA_DIR, ['connect', 'owner', 'listenbrainz'], 'secret-of-ann'),
    'ListenBrainz gets the plays of owner as ann [2J there')
  t.match(await command(DATA_DIR, ['list']), '  listenbrainz as ann [2J there')
})

t.test('PostgreSQL: of two replicas one tells each listen', async t => {
  const { brainz, env } = await fakes(t)
  const DATABASE_URL = await database()
  const MUSIC_DIR = folder(t, files)
  const dirs = [folder(t), folder(t)]
  const replicas = await Promise.all(dirs.map(DATA_DIR => start(t, { MUSIC_DIR, DATA_DIR, DATABASE_URL, ...env })))
  const token = tokenIn(await command(dirs[0]!, ['add', 'ann']))
  await command(dirs[0]!, ['connect', 'ann', 'listenbrainz'], 'secret-of-ann')
  const days = Array.from({ length: 60 }, (_empty, day) => day)
  await Promise.all(days.map(day => tell(as(replicas[day % 2]!, token), token, [[day % 3 === 0 ? 'One' : 'Two', day]])))
  await until(() => brainz.listens.size === 60)
  await until(async () => !/wait/.test(await command(dirs[1]!, ['list'])))
  t.equal(brainz.calls.reduce((sum, count) => sum + count), 60)
})

const listenAt = (playedAt: number, title = 'One') =>
  ({ id: `${playedAt}`, playedAt, title, artist: 'Ann', album: '', albumArtist: 'Bob', number: 3, length: 40_000 })

t.test('services are told as much at a time as they take, and called when they say', async t => {
  const { brainz, lastfm } = await fakes(t)
  const services = [
    [brainz, listenBrainz(brainz.url)], [lastfm, lastFm(lastfm.url, lastFmKey.LASTFM_API_KEY, lastFmKey.LASTFM_SECRET)]
  ] as const
  t.teardown(() => Promise.all(services.map(([, service]) => service.close())))
  for (const [fake, service] of services) {
    const bare = { number: undefined, length: 0 }
    const listens = Array.from({ length: service.most }, (_empty, index) => listenAt(index * 1000))
    await service.nowPlaying('secret-of-ann', { ...listenAt(0), ...bare })
    t.strictSame((await service.tell('secret-of-ann', listens)).later, [])
    t.strictSame(fake.calls, [service.most])
    fake.calls.splice(0)
  }
  const [[, ofBrainz], [, ofLastFm]] = services
  brainz.faults.push(
    { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-in': '7' } },
    { status: 429, headers: { 'x-ratelimit-reset-in': '9' } }, { status: 413 }, { status: 403 }
  )
  t.strictSame(await ofBrainz.tell('secret-of-ann', [listenAt(1)]), { wait: 7000, later: [] })
  const failsWith = async (service: typeof ofBrainz, error: Partial<ServiceError>) =>
    t.match(await service.tell('secret-of-ann', [listenAt(1)]).catch(error => error), error)
  await failsWith(ofBrainz, { kind: 'later', wait: 9000 })
  await failsWith(ofBrainz, { kind: 'refused' })
  await failsWith(ofBrainz, { kind: 'login' })
  for (const [error, kind, wait, status] of [
    [8, 'later', 0, 500], [11, 'later', 0, 503], [16, 'later', 0, 503], [29, 'later', 60_000, 429],
    [9, 'login', 0, 403], [4, 'login', 0, 403], [10, 'later', 3_600_000, 403], [26, 'later', 3_600_000, 403],
    [6, 'refused', 0, 400], [7, 'refused', 0, 400], [2, 'later', 3_600_000, 503], [9, 'login', 0, 200]
  ] as const) {
    lastfm.faults.push({ status, body: { error, message: 'no' } })
    await failsWith(ofLastFm, { kind, wait, message: `Last.fm said ${error}: no` })
  }
  for (const status of [503, 200]) {
    lastfm.faults.push({ status, body: '<html>' })
    if (status === 503) await failsWith(ofLastFm, { kind: 'later', message: 'Last.fm said nothing: no JSON' })
    else t.strictSame((await ofLastFm.tell('secret-of-ann', [listenAt(1)])).later, [])
  }
  t.strictSame(await ofLastFm.tell('secret-of-ann', [{ ...listenAt(5), length: 30_000 }]), { wait: 0, later: [] })
  t.match(await ofLastFm.tell('secret-of-ann', [listenAt(5, 'Old'), listenAt(6)]), { wait: 0, later: [], ignored: 1 })
  t.strictSame((await ofLastFm.tell('secret-of-ann', [listenAt(5, 'Full')])).wait, 3_600_000)
})

t.test('a service can ask to wait for whole milliseconds, and for a day at most', async t => {
  const { brainz } = await fakes(t)
  const service = listenBrainz(brainz.url)
  t.teardown(() => service.close())
  for (const [seconds, wait] of [
    ['0.0015', 2], ['1e300', 86_400_000], ['Infinity', 86_400_000], ['-1', 0], ['soon', 0]
  ] as const) {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-in': seconds }
    brainz.faults.push({ headers })
    t.equal((await service.tell('secret-of-ann', [listenAt(1)])).wait, wait, seconds)
  }
})

t.test('what a service says is shown without the secret, control characters, and most of a long text', async t => {
  const server = createServer(async (request, response) => {
    const sent = `${request.headers.authorization} ${await text(request)}`
    const message = `${'x'.repeat(250)}\0\x1b[2J${/Token (\S+)|sk=([^&]+)/.exec(sent)![0]} is\u202e\nwrong${'y'.repeat(1000)}`
    if (sent.includes('sk=')) response.end(JSON.stringify({ error: 9, message }))
    else response.writeHead(401).end(message)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const services = new Map([['listenbrainz', listenBrainz(url)], ['lastfm', lastFm(url, 'a-key', 'a-shared-secret')]])
  const state = new State(await openDatabase(folder(t), '', quiet))
  t.teardown(() => state.close())
  await state.addAccount('ann')
  const seal = createEncryption(Buffer.alloc(32))
  const said: string[] = []
  const { listens, plays } = state
  const connecting = { state, services, seal, others: new Map() }
  listens.describe = () => listenAt(0)
  for (const [service] of services) {
    const place = { account: 'ann', service }
    const secret = 'secret-of-ann'
    said.push(await connect(connecting, 'ann', service, secret).catch(({ message }) => message))
    await listens.connect({ ...place, secret: sealSecret(seal, place, secret), name: 'ann' })
  }
  const { listener } = await state.viewer('ann')
  await plays.add(listener, { track: 'a', playedAt: 1000 })
  const log = { ...quiet, warn: (details: any, event?: any) => { said.push(lineOf(details, event)) } }
  const teller = new ListenSender(listens, services, seal, log)
  teller.start(true)
  await until(() => said.length === 4)
  await teller.close()
  for (const line of [...said, ...await connectionsOf(connecting, 'ann')]) {
    t.match(line, /x{200} \[2J(Token |sk=)\.\.\. is/)
    t.ok(line.length < 450, 'it is cut')
  }
})

/** What sends plays that have waited to a service, not started yet. */
async function senderOf (
  t: Test, titles: readonly string[], tell: Service['tell'], log: ConstructorParameters<typeof ListenSender>[3] = quiet
) {
  const service: Service = {
    title: 'A service', most: 1000, check: async () => 'ann', nowPlaying: async () => {}, tell, close: async () => {}
  }
  const state = new State(await openDatabase(folder(t), '', quiet))
  t.teardown(() => state.close())
  await state.addAccount('ann')
  const seal = createEncryption(Buffer.alloc(32))
  const { listens, plays } = state
  listens.describe = track => listenAt(0, track)
  const place = { account: 'ann', service: 'a' }
  await listens.connect({ ...place, secret: sealSecret(seal, place, 'secret-of-ann'), name: 'ann' })
  const { listener } = await state.viewer('ann')
  for (const [index, track] of titles.entries()) await plays.add(listener, { track, playedAt: (index + 1) * 3_600_000 })
  const teller = new ListenSender(listens, new Map([['a', service]]), seal, log)
  t.teardown(() => teller.close())
  return { teller, connection: async () => (await listens.list('ann'))[0]! }
}

/** Tells a service of plays that have waited, each of which it refuses or takes. */
async function tellAll (t: Test, titles: readonly string[], refuses: (listen: Listen) => boolean) {
  const calls: (readonly Listen[])[] = []
  const taken: string[] = []
  const warnings: string[] = []
  replace(t, pauses, 'least', 60_000)
  replace(t, pauses, 'most', 60_000)
  const { teller, connection } = await senderOf(t, titles, async (_secret, listens) => {
    calls.push(listens)
    if (listens.some(refuses)) throw new ServiceError('refused', 'no')
    taken.push(...listens.map(({ title }) => title))
    return { wait: 0, later: [] }
  }, { ...quiet, warn: (details: any, event?: any) => { warnings.push(lineOf(details, event)) } })
  teller.start(true)
  return { calls, taken, warnings, connection }
}

t.test('a service that refuses all is told the rest later', async t => {
  const { calls, warnings, connection } = await tellAll(t, Array.from({ length: 64 }, () => 'One'), () => true)
  await until(() => warnings.some(line => line.startsWith('scrobbling paused')))
  t.equal(calls.filter(({ length }) => length === 1).length, mostRefused)
  const { waiting, problem } = await connection()
  t.match({ waiting, problem }, { waiting: 64 - mostRefused, problem: 'no' })
})

t.test('of listens that a service refuses and takes by turns it takes all that it can at once', async t => {
  const titles = Array.from({ length: 4 * mostRefused }, (_empty, index) => index % 2 === 0 ? 'Wrong' : 'One')
  const { taken, warnings, connection } = await tellAll(t, titles, ({ title }) => title === 'Wrong')
  await until(() => taken.length === 2 * mostRefused)
  t.equal(warnings.length, 2 * mostRefused)
  t.equal((await connection()).problem, '')
})

t.test('calls of a service are made one after the other, no faster than it allows', async t => {
  const time = fakeTime(t)
  const inTurn = paced(1000)
  const began: number[] = []
  const from = time.now()
  const call = (takes: number) => inTurn(async () => {
    began.push(time.now() - from)
    await new Promise(resolve => setTimeout(resolve, takes))
    if (takes === 1) throw new Error('away')
  })
  const calls = [call(10), call(1), call(2500), call(10)]
  await time.passUntil(Promise.allSettled(calls))
  t.strictSame(began, [0, 1000, 2000, 4500])
  await t.rejects(calls[1]!, { message: 'away' })
})

t.test('the secret of a connection opens for its account and service only', async t => {
  const seal = createEncryption(Buffer.alloc(32))
  const place = { account: 'ann', service: 'lastfm' }
  const connection = { ...place, secret: sealSecret(seal, place, 'secret-of-ann') }
  t.equal(openSecret(seal, connection), 'secret-of-ann')
  for (const other of [{ account: 'bob' }, { service: 'listenbrainz' }]) {
    t.equal(openSecret(seal, { ...connection, ...other }), undefined)
  }
})

t.test('what was sealed with another key waits for another one; the database may be away', async t => {
  const { brainz } = await fakes(t)
  const state = new State(await openDatabase(folder(t), '', quiet))
  await state.addAccount('ann')
  const warnings: string[] = []
  const log = { ...quiet, warn: (details: any, event?: any) => { warnings.push(lineOf(details, event)) } }
  const seal = createEncryption(Buffer.alloc(32))
  const { listens, plays } = state
  listens.onPlaying('ann', 'play', listenAt(0))
  const { listener } = await state.viewer('ann')
  const place = { account: 'ann', service: 'listenbrainz' }
  const sealed = sealSecret(createEncryption(Buffer.alloc(32, 1)), place, 'secret-of-ann')
  await listens.connect({ ...place, secret: sealed, name: 'ann' })
  await plays.add(listener, { track: 'gone', playedAt: 1 })
  listens.describe = () => listenAt(0)
  const early = new ListenSender(listens, new Map([['listenbrainz', listenBrainz(brainz.url)]]), seal, log)
  early.start(false)
  await early.close()
  const services = new Map([['listenbrainz', listenBrainz(brainz.url)]])
  const teller = new ListenSender(listens, services, seal, log)
  teller.start(true)
  listens.onPlaying('ann', 'play', listenAt(0))
  await plays.add(listener, { track: 'a', playedAt: 1000 })
  await until(() => warnings.length > 0)
  t.match(warnings, [/reason=its secret was sealed .* hint=Run npm run account -- connect ann listenbrainz$/])
  await state.close()
  listens.onQueued()
  // It queries the database, which is unavailable.
  await settled()
  await teller.close()
  t.strictSame([brainz.calls, brainz.playing], [[], []])
})

t.test('what is being told when the source is closed stays in the queue', async t => {
  const { brainz, env } = await fakes(t)
  const [DATA_DIR, MUSIC_DIR] = [folder(t), folder(t, files)]
  const source = await start(t, { DATA_DIR, MUSIC_DIR, ...env })
  const token = tokenIn(await command(DATA_DIR, ['add', 'ann']))
  await command(DATA_DIR, ['connect', 'ann', 'listenbrainz'], 'secret-of-ann')
  const came = new Promise<void>(resolve => { brainz.faults.push({ hangs: resolve }) })
  await tell(as(source, token), token, [['One', 1]])
  await came
  await source.app.close()
  t.equal(brainz.listens.size, 0)
  await start(t, { DATA_DIR, MUSIC_DIR, ...env })
  await until(() => arrived(brainz, 'One', 1))
})

t.test('a service that is not available is known by its name, since when, and why', async t => {
  let failure: Error | undefined = new ServiceError('later', 'A service answered 503')
  replace(t, pauses, 'least', 1)
  const { teller } = await senderOf(t, ['One'], async () => {
    if (failure !== undefined) throw failure
    return { wait: 0, later: [] }
  })
  t.strictSame(teller.states, [])
  teller.start(true)
  await until(() => teller.states.length > 0)
  t.match(teller.states, [{ id: 'a', name: 'A service', available: false, reason: 'A service answered 503' }])
  const [{ since } = { since: NaN }] = teller.states
  failure = new ServiceError('later', 'A service answered 500')
  await until(() => teller.states[0]!.reason === 'A service answered 500')
  t.equal(teller.states[0]!.since, since, 'it is the same outage')
  failure = undefined
  await until(() => teller.states[0]!.available)
  t.equal(teller.states[0]!.reason, undefined)
})
