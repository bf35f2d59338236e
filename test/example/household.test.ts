import { readFileSync, statSync, symlinkSync } from 'node:fs'
import promises from 'node:fs/promises'
import { join } from 'node:path'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import { PersistentIndex } from '../../example/index/persistent-index.ts'
import { ErrorsOfToday } from '../../example/monitoring/errors-of-today.ts'
import { storedBytes } from '../../example/monitoring/stored-bytes.ts'
import { State } from '../../example/state/state.ts'
import { listen } from '../client/helper.ts'
import { emptyDatabases } from '../postgres.ts'
import { replace, replaceExports } from '../replace.ts'
import { skipWithout } from '../services.ts'
import { as, command, folder, put, start, startWith, tokenIn, until, write, type Source } from './helper.ts'
import { id3File } from './make-tags.ts'

const song = (title: string, genre: string, ...more: (readonly [string, string])[]) =>
  id3File(4, [['TIT2', title], ['TPE1', 'Ada'], ['TALB', 'Pond'], ['TCON', genre], ...more])
const files = {
  'Kids/1.mp3': song('Frog', 'Children'),
  'Kids/2.mp3': song('Curse', 'Children', ['TXXX:ITUNESADVISORY', '1']),
  'Rock/1.mp3': song('Storm', 'Metal')
}

/** Calls one of the page's own operations. @returns status and data, or status and message */
async function own (source: Pick<Source, 'call'>, name: string, payload?: object): Promise<[number, any]> {
  const answer = await source.call(`/page/household${name}`, payload && { method: 'POST', payload })
  const { data, message } = answer.json()
  return [answer.statusCode, data ?? message]
}

async function household (t: Test, env: Record<string, string> = {}) {
  const DATA_DIR = folder(t)
  const owner = await start(t, { MUSIC_DIR: folder(t, files), DATA_DIR, PAGE: 'true', ...env })
  /** Opens a link in a browser. */
  const open = async (link: string) => {
    const answer = await owner.app.inject({ url: '/page/sign-in', method: 'POST', headers: { authorization: link } })
    return answer.statusCode === 200 ? as(owner, answer.json().data.token) : undefined
  }
  const add = async (name: string, limits: object[] = []) => {
    const [, { token }] = await own(owner, '/add', { name, limits })
    return (await open(token))!
  }
  return { DATA_DIR, owner, open, add, run: (...args: string[]) => command(DATA_DIR, args) }
}

const titles = async (source: Source): Promise<string[]> =>
  (await source.data('/v1/track/new')).map(({ title }: any) => title).sort()

const operations: [name: string, payload?: object][] = [
  [''], ['/server'], ['/removal?account=kim'], ['/removal'], ['/add', { name: 'new', limits: [] }], ['/add', {}],
  ['/link', { account: 'kim' }], ['/limits', { account: 'kim', limits: [] }], ['/revoke', { id: 'none' }],
  ['/remove', { account: 'kim', confirm: 'kim' }], ['/account?account=kim'], ['/account'],
  ['/run', { operation: 'backup', values: [] }], ['/run', {}]
]

t.test('the household routes answer 404 to other accounts and 401 to a wrong token', async t => {
  const { owner, add, run } = await household(t)
  const kim = await add('kim', [{ setting: 'explicit', values: ['off'] }])
  const ann = as(owner, tokenIn(await run('add', 'ann')))
  for (const [name, payload] of operations) {
    t.strictSame(await own(kim, name, payload), [404, 'Not found'], `a child: ${name}`)
    t.strictSame(await own(ann, name, payload), [404, 'Not found'], `an account: ${name}`)
    t.strictSame(await own(as(owner, 'wrong'), name, payload), [401, 'Unauthorized'], name)
  }
  t.equal((await owner.data('/page/offers')).household, true)
  for (const other of [kim, ann]) t.equal((await other.data('/page/offers')).household, undefined)
  t.equal(await run('list').then(list => list.includes('new')), false)
})

t.test('without accounts the page has no household', async t => {
  const { owner } = await household(t, { STATELESS: 'true' })
  t.equal((await owner.data('/page/offers')).household, undefined)
  t.equal((await owner.call('/page/household')).statusCode, 404)
})

skipWithout('PostgreSQL', t, /^PostgreSQL/)
const database = emptyDatabases(t)

for (const engine of ['SQLite', 'PostgreSQL']) {
  t.test(`${engine}: a person is added, limited, sees its limits, and is removed with an export`, async t => {
    const env = engine === 'SQLite' ? {} : { DATABASE_URL: await database() }
    const { owner, open, add, run } = await household(t, env)
    const [, { genres }] = await own(owner, '')
    t.strictSame(genres, ['Children', 'Metal'])
    const kim = await add('kim', [
      { setting: 'genres', values: ['children'] }, { setting: 'explicit', values: ['off'] }
    ])
    t.strictSame(await titles(kim), ['Frog'])
    t.match(await run('allow', 'kim'), 'sees genres: Children')

    t.strictSame(await own(owner, '/limits', {
      account: 'kim',
      limits: [
        { setting: 'genres', values: ['all'] }, { setting: 'folders', values: ['Kids'] },
        { setting: 'bitrate', values: ['128'] }, { setting: 'download', values: ['off'] }
      ]
    }), [200, { success: true }])
    t.match((await own(owner, ''))[1].accounts, [
      {
        name: 'kim',
        isOwner: false,
        limits: [
          { setting: 'folders', values: ['Kids'] }, { setting: 'bitrate', values: ['128'] },
          { setting: 'explicit', values: ['off'] }, { setting: 'download', values: ['off'] }
        ],
        tokens: [{ name: 'Browser', isApp: false }]
      },
      { name: 'owner', isOwner: true, limits: [], tokens: [] }
    ])
    await own(owner, '/limits', { account: 'kim', limits: [{ setting: 'explicit', values: ['on'] }] })
    t.strictSame(await titles(kim), ['Curse', 'Frog'])

    const [, { token, link }] = await own(owner, '/link', { account: 'kim' })
    t.equal(link, undefined, 'the page has the address that the owner uses')
    t.strictSame(await titles((await open(token))!), ['Curse', 'Frog'])
    t.equal(await open(token), undefined, 'once')

    await write(kim, 'playlist/create', { name: 'Mine' })
    t.strictSame(await own(owner, '/removal?account=kim'), [200, { playlists: 1, favorites: 0 }])
    t.match(await own(owner, '/remove', { account: 'kim', confirm: 'Kim' }), [400, /confirm must be the name/])
    const [status, { file }] = await own(owner, '/remove', { account: 'kim', confirm: 'kim' })
    t.equal(status, 200)
    t.match(JSON.parse(readFileSync(file, 'utf8')), { playlists: [{ name: 'Mine' }] })
    t.equal((await kim.call('/v1/status')).statusCode, 401)
    t.match(await own(owner, '/remove', { account: 'kim', confirm: 'kim' }), [400, 'Account not found: kim'])
    t.match(await own(owner, '/removal?account=kim'), [400, 'Account not found: kim'])
  })
}

for (const engine of ['SQLite', 'PostgreSQL']) {
  t.test(`${engine}: the page runs the operations of the command`, async t => {
    const env = engine === 'SQLite' ? {} : { DATABASE_URL: await database() }
    const there = folder(t)
    const friend = await startWith(t, { '1.mp3': song('Far', 'Folk') }, { DATA_DIR: there })
    const password = tokenIn(await command(there, ['add', 'kim-there']))
    const { owner, add, run, DATA_DIR } = await household(t, {
      ...env, SUBSONIC_URL: await listen(t, friend.app), SUBSONIC_USER: 'x', SUBSONIC_PASSWORD: password
    })
    const kim = await add('kim')
    const does = (operation: string, values: readonly string[], more: object = {}) =>
      own(owner, '/run', { operation, values, ...more })
    const details = async (account = 'kim') => (await own(owner, `/account?account=${account}`))[1]
    const brainz = { service: 'listenbrainz', title: 'ListenBrainz', takes: 'token' }
    const far = { service: 'subsonic', title: '127.0.0.1', takes: 'login' }
    t.strictSame(await details(), { playlists: [], sharesPlaying: false, connections: [brainz, far] })
    t.strictSame((await details('owner')).connections, [brainz])
    t.strictSame(await details('none'), 'Account not found: none')

    const [, { secret: appPassword }] = await does('app-password', ['kim', 'phone'])
    const login = new URLSearchParams({ u: 'kim', p: appPassword, c: 'app' })
    t.match((await owner.app.inject(`/rest/ping?${login}`)).body, 'status="ok"')

    const wrong = 'a wrong secret'
    t.strictSame(await does('connect', ['kim', 'subsonic'], { input: `kim-there\n${wrong}` }),
      [400, '127.0.0.1 refuses this login: nothing is changed'])
    t.strictSame(await does('connect', ['kim', 'subsonic'], { input: wrong.replaceAll(' ', '\n') }),
      [400, 'This is not a name and a password, a line each'])
    t.strictSame(await does('connect', ['kim', 'subsonic'], { input: `kim-there\n${password}` }),
      [200, { message: 'kim is kim-there at 127.0.0.1' }])
    t.strictSame((await details()).connections, [brainz, { ...far, user: 'kim-there' }])
    t.strictSame(await does('disconnect', ['kim', 'subsonic']),
      [200, { message: 'kim is not connected to subsonic any more' }])
    t.match(await does('disconnect', ['kim', 'subsonic']), [400, /is not connected/])

    await does('share', ['kim', 'on'])
    t.equal((await details()).sharesPlaying, true)
    t.strictSame(await does('share', ['kim', 'maybe']), [400, 'Say on or off'])

    const [, { accounts: [{ tokens }] }] = await own(owner, '')
    const [, { secret: token }] = await does('rotate', [tokens.find(({ isApp }: any) => !isApp).id])
    t.equal((await kim.call('/v1/status')).statusCode, 401)
    const fresh = as(owner, token)
    t.match(await does('rotate', ['none']), [400, /token not found/i])

    const { id } = await write(fresh, 'playlist/create', { name: 'Mine: all' })
    const [{ id: trackId }] = await fresh.data('/v1/track/new')
    await write(fresh, 'playlist/addTrack', { playlistId: id, trackId })
    t.strictSame((await details()).playlists, [{ id, name: 'Mine: all' }])
    t.strictSame(await does('export', ['kim']),
      [200, { file: { name: 'kim.json', text: await run('export', 'kim') } }])
    const [, { file }] = await does('export', ['kim', id])
    t.strictSame(file, { name: 'Mine_ all.m3u8', text: await run('export', 'kim', id) })
    for (const confirm of [undefined, 'Kim']) {
      t.strictSame(await does('import', ['kim'], { input: file.text, confirm }),
        [400, 'Parameter confirm must be the first value'])
    }
    t.strictSame(await does('import', ['kim'], { input: file.text, confirm: 'kim' }),
      [200, { message: 'Mine: all: tracks: 1, files that are not in the music folder: 0' }])

    const [, { message }] = await does('backup', [])
    const [name] = (await own(owner, '/server'))[1].backups
    const path = join(DATA_DIR, 'backups', name)
    t.equal(message, `All that is kept for kim, owner is in ${path}`)
    t.strictSame([path, join(path, '..')].map(path => statSync(path).mode & 0o777), [0o600, 0o700])
    await run('remove', 'kim', 'kim')
    t.match(await does('restore', [name]), [400, 'Parameter confirm must be the first value'])
    t.match(await does('restore', [name], { confirm: name }),
      [200, { message: /^The accounts are now kim, owner\nThese tokens were not valid before/ }])
    t.equal((await fresh.call('/v1/status')).statusCode, 200)
    t.strictSame(await does('forget-missing', []), [200, { message: '3 tracks are there' }])
    t.match(await does('remove', ['kim']), [400, /^Parameter operation must be app-password or connect/])

    const logged = JSON.stringify(owner.lines)
    for (const secret of [appPassword, wrong, password, token]) t.notOk(logged.includes(secret))
  })
}

t.test('a backup is restored by its name alone, and the page keeps the last ten', async t => {
  const { owner, DATA_DIR } = await household(t)
  for (const name of ['other.sqlite', '2026-01-01 00-00-00.sqlite.new']) put(DATA_DIR, `backups/${name}`, 'x')
  for (let at = 10; at < 21; at++) put(DATA_DIR, `backups/2026-01-01 00-00-${at}.sqlite`, 'x')
  const backups = async () => (await own(owner, '/server'))[1].backups
  t.equal((await backups()).length, 11)
  t.equal((await own(owner, '/run', { operation: 'backup', values: [] }))[0], 200)
  t.match(await backups(), [String, ...Array.from({ length: 9 }, (_, at) => `2026-01-01 00-00-${20 - at}.sqlite`)])
  t.equal((await backups()).length, 10)
  const outside = join(DATA_DIR, 'state.sqlite')
  for (const name of ['../state.sqlite', outside, 'other.sqlite', '2026-01-01 00-00-10.sqlite']) {
    t.strictSame(await own(owner, '/run', { operation: 'restore', values: [name], confirm: name }),
      [400, 'Backup not found'], name)
  }
  const damaged = '2026-01-01 00-00-20.sqlite'
  t.match(await own(owner, '/run', { operation: 'restore', values: [damaged], confirm: damaged }),
    [400, /is not a backup of this source, or is damaged/])
})

// Each test that uses it adds an account of its own.
const shared = await household(t)

t.test('backups that are made at once have a name each', async t => {
  const { owner } = await household(t)
  const make = () => own(owner, '/run', { operation: 'backup', values: [] })
  t.strictSame((await Promise.all([make(), make(), make()])).map(([status]) => status), [200, 200, 200])
  t.equal((await own(owner, '/server'))[1].backups.length, 3)
})

t.test('the owner alone sends a long file to import, up to 32 MB', async t => {
  const { owner, add } = shared
  const lea = await add('lea')
  const input = (length: number) => `#EXTM3U\n#PLAYLIST:Long\n#${'x'.repeat(length)}`
  const sends = (source: Source, length: number) =>
    own(source, '/run', { operation: 'import', values: ['owner'], input: input(length), confirm: 'owner' })
  t.match(await sends(owner, 2 ** 22), [200, { message: /^Long: tracks: 0/ }])
  t.strictSame(await sends(owner, 2 ** 25), [413, 'Request body is too large'])
  t.strictSame(await sends(lea, 2 ** 25), [404, 'Not found'])
  t.strictSame(await sends(as(owner, 'wrong'), 2 ** 25), [401, 'Unauthorized'])
  const { headers } = await lea.call('/page/household/run', { method: 'POST', payload: { operation: 'backup' } })
  t.match(headers, { 'cache-control': 'no-store', vary: /authorization/i })
})

t.test('a token and an app password of an account are revoked, once', async t => {
  const { owner, add, run } = shared
  const tom = await add('tom')
  await run('app-password', 'tom', 'phone')
  const [, { accounts }] = await own(owner, '')
  const { tokens } = accounts.find(({ name }: any) => name === 'tom')
  t.strictSame(tokens.map(({ isApp }: any) => isApp).sort(), [false, true])
  for (const { id } of tokens) t.strictSame(await own(owner, '/revoke', { id }), [200, { success: true }])
  t.equal((await tom.call('/v1/status')).statusCode, 401)
  t.strictSame(await own(owner, '/revoke', { id: tokens[0].id }), [404, 'Token not found'])
})

t.test('a name or a limit that is not valid adds no account', async t => {
  const { owner, run } = await household(t)
  await own(owner, '/add', { name: 'kim', limits: [] })
  const wrong: [object, string | RegExp][] = [
    [{ name: 'kim' }, 'There is already an account kim'], [{ name: 'KIM' }, /^The name looks like the account kim/],
    [{ name: '-x' }, /hyphen/], [{ name: ' ' }, /not be empty/], [{ name: '' }, /not be empty/], [{ name: 'x'.repeat(256) }, /1 to 255/],
    [{ name: 'ann', limits: [{ setting: 'genres', values: ['Jazz'] }] }, 'No track has the genre Jazz'],
    [{ name: 'ann', limits: [{ setting: 'folders', values: ['../x'] }] }, /^No track is in the folder/],
    [{ name: 'ann', limits: [{ setting: 'explicit', values: ['no'] }] }, 'Say on or off'],
    [{ name: 'ann', limits: [{ setting: 'constructor', values: ['off'] }] }, /^Parameter limits must be/],
    [{ name: 'ann', limits: [{ setting: 'share', values: [] }] }, /^Parameter limits must be/]
  ]
  for (const [given, message] of wrong) {
    t.match(await own(owner, '/add', { limits: [], ...given }), [400, message], JSON.stringify(given).slice(0, 60))
  }
  const names = (await run('list')).split('\n').filter(line => !line.startsWith(' '))
  t.strictSame(names, ['kim', 'owner (SOURCE_API_TOKEN)'])
})

t.test('a link uses PUBLIC_URL, and its token does not log in apps', async t => {
  const { owner } = await household(t, { PUBLIC_URL: 'https://music.example.com' })
  const [, { token, link }] = await own(owner, '/add', { name: 'kim', limits: [] })
  t.equal(link, `https://music.example.com/#token=${token}`)
  t.equal((await as(owner, token).call('/v1/status')).statusCode, 401)
})

t.test('the removal of an account during a request does not sign the owner out', async t => {
  const { owner, add } = await household(t)
  await add('kim')
  const accounts = State.prototype.accounts
  replace(t, State.prototype, 'accounts', async function (this: State) {
    return [...await accounts.call(this), 'gone']
  })
  const [status, { accounts: listed }] = await own(owner, '')
  t.equal(status, 200)
  t.strictSame(listed.map(({ name }: any) => name), ['kim', 'owner'])
  t.strictSame(await own(owner, '/limits', { account: 'gone', limits: [] }), [404, 'Account not found'])
})

t.test('an account that cannot be read fails the list', async t => {
  const { owner, add } = shared
  await add('vic')
  const { viewer } = State.prototype
  replace(t, State.prototype, 'viewer', async function (this: State, account) {
    if (account === 'vic') throw new Error('broken')
    return viewer.call(this, account)
  })
  t.match(await own(owner, ''), [500, /^Internal server error/])
})

t.test('a failure to store limits is a 500', async t => {
  const { owner, add } = shared
  await add('lou')
  replace(t, State.prototype, 'limit', async () => { throw new Error('broken') })
  const limits = [{ setting: 'explicit', values: ['off'] }]
  t.match(await own(owner, '/limits', { account: 'lou', limits }), [500, /^Internal server error/])
})

t.test('the state of the server has what is stored, the last scan, what was left out, and the errors', async t => {
  const { owner, DATA_DIR, run } = await household(t)
  const state = async () => (await own(owner, '/server'))[1]
  const first = await state()
  t.match(first, {
    free: Number, scan: { tracks: 3, read: 3, gone: 0, failed: false }, leftOut: [], errors: { count: 0, last: [] }
  })
  t.ok(first.stored.index > 0 && first.stored.accounts > 0)
  t.ok(first.scan.endedAt <= Date.now())
  put(DATA_DIR, 'covers/one', 'x'.repeat(1000))
  for (let at = 0; at < 101; at++) put(DATA_DIR, `transcoded/${at}`, 'x')
  await run('add', 'ann')
  await run('remove', 'ann', 'ann')
  const { stored } = await state()
  t.match(stored, { covers: 1000, transcoded: 101 })
  t.ok(stored.removed > 0)
})

t.test('a file that is left out is listed with its reason, and a scan that fails is shown', async t => {
  const MUSIC_DIR = folder(t, { ...files, 'Rock/2.mp3': 'no audio' })
  const { owner } = await household(t, { MUSIC_DIR })
  t.match((await own(owner, '/server'))[1].leftOut, [/^Left out Rock\/2\.mp3: /])
  replace(t, PersistentIndex.prototype, 'keepAll', async () => { throw new Error(`EIO: '${MUSIC_DIR}/a b', /secret/path`) })
  await owner.call('/page/scan', { method: 'POST' })
  await until(async () => (await own(owner, '/server'))[1].scan.failed === true)
  t.match((await own(owner, '/server'))[1].errors, { count: 1, last: [{ text: 'scan failed: EIO: …, …' }] })
})

t.test('a file that an earlier start could not read is listed, with its reason when it is read again', async t => {
  const [MUSIC_DIR, DATA_DIR] = [folder(t, { ...files, 'Rock/2.mp3': 'no audio' }), folder(t)]
  const first = await start(t, { MUSIC_DIR, DATA_DIR, PAGE: 'true' })
  await first.app.close()
  const owner = await start(t, { MUSIC_DIR, DATA_DIR, PAGE: 'true' })
  const leftOut = async () => (await own(owner, '/server'))[1].leftOut
  t.strictSame(await leftOut(), ['Left out Rock/2.mp3: an earlier scan could not read it'])
  put(MUSIC_DIR, 'Rock/2.mp3', 'still no audio', Date.now() / 1000)
  await owner.call('/page/scan', { method: 'POST' })
  await until(async () => /Rock\/2\.mp3: (?!an earlier)/.test(await leftOut()))
  t.equal((await leftOut()).length, 1, 'once, with its reason')
})

t.test('the last 20 errors of today are counted, without paths, URLs and tokens', async t => {
  const { owner } = await household(t)
  const { log } = owner.app
  const secret = 'cannot open "/data/x y/z", /etc/passwd, so_abcdefghijkl or https://u:p@example.com/a?t=1'
  log.error(secret)
  for (let at = 0; at < 25; at++) log.error(new Error(`${at}`), at % 2 === 0 ? 'failed' : '')
  log.error({})
  log.warn('not counted')
  const { count, last } = (await own(owner, '/server'))[1].errors
  t.equal(count, 27)
  t.equal(last.length, 20)
  t.strictSame(last.slice(0, 3).map(({ text }: any) => text), ['', 'failed: 24', '23'])
  const errors = new ErrorsOfToday()
  errors.add(JSON.stringify({ msg: secret }))
  t.equal(errors.read().last[0]!.text, 'cannot open …, …, … or …')
})

t.test('the errors of yesterday are not counted', async t => {
  const errors = new ErrorsOfToday()
  errors.add('{"msg":"late"}')
  const now = Date.now()
  replace(t, Date, 'now', () => now + 86_400_000)
  t.strictSame(errors.read(), { count: 0, last: [] })
})

t.test('a server without a log counts no errors', async t => {
  const app = fastify()
  const errors = new ErrorsOfToday()
  ErrorsOfToday.watch(app, errors)
  app.log.error('not counted')
  t.equal(errors.read().count, 0)
})

t.test('transcodings in another folder are counted, also where the data folder has been deleted', async t => {
  const root = folder(t, { 'data/other': 'xx', 'elsewhere/one': 'xxx' })
  const [DATA_DIR, TRANSCODED_DIR] = [join(root, 'data'), join(root, 'elsewhere')]
  // A file that is deleted meanwhile.
  symlinkSync('nowhere', join(TRANSCODED_DIR, 'two'))
  t.match(await storedBytes({ DATA_DIR, TRANSCODED_DIR }), { transcoded: 3, other: 2 })
  t.match(await storedBytes({ DATA_DIR: join(root, 'none'), TRANSCODED_DIR }), { transcoded: 3, other: 0 })
})

t.test('a file system that does not report its size has no free bytes', async t => {
  const { owner } = shared
  replaceExports(t, promises, { statfs: async () => ({ blocks: 0 } as any) })
  t.equal((await own(owner, '/server'))[1].free, undefined)
})
