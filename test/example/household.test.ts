import { readFileSync, symlinkSync } from 'node:fs'
import promises from 'node:fs/promises'
import { join } from 'node:path'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import { KeptIndex } from '../../example/index/kept-index.ts'
import { ErrorsOfToday } from '../../example/monitoring/errors-of-today.ts'
import { storedBytes } from '../../example/monitoring/stored-bytes.ts'
import { State } from '../../example/state/state.ts'
import { startPostgres } from '../postgres.ts'
import { replace, replaceExports } from '../replace.ts'
import { skipWithout } from '../services.ts'
import { as, command, folder, put, start, tokenIn, until, write, type Source } from './helper.ts'
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
  ['/remove', { account: 'kim', confirm: 'kim' }]
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

for (const engine of ['SQLite', 'PostgreSQL']) {
  t.test(`${engine}: a person is added, limited, sees its limits, and is removed with an export`, async t => {
    const env = engine === 'SQLite' ? {} : { DATABASE_URL: (await startPostgres(t)).url }
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
    t.match(await own(owner, '/remove', { account: 'kim', confirm: 'kim' }), [400, 'There is no account kim'])
    t.match(await own(owner, '/removal?account=kim'), [400, 'There is no account kim'])
  })
}

t.test('a token and an app password of an account are revoked, once', async t => {
  const { owner, add, run } = await household(t)
  const kim = await add('kim')
  await run('app-password', 'kim', 'phone')
  const [, { accounts: [{ tokens }] }] = await own(owner, '')
  t.strictSame(tokens.map(({ isApp }: any) => isApp).sort(), [false, true])
  for (const { id } of tokens) t.strictSame(await own(owner, '/revoke', { id }), [200, { success: true }])
  t.equal((await kim.call('/v1/status')).statusCode, 401)
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
  const { owner, add } = await household(t)
  await add('kim')
  const { viewer } = State.prototype
  replace(t, State.prototype, 'viewer', async function (this: State, account) {
    if (account === 'kim') throw new Error('broken')
    return viewer.call(this, account)
  })
  t.match(await own(owner, ''), [500, /^Internal server error/])
})

t.test('a failure to store limits is a 500', async t => {
  const { owner, add } = await household(t)
  await add('kim')
  replace(t, State.prototype, 'limit', async () => { throw new Error('broken') })
  const limits = [{ setting: 'explicit', values: ['off'] }]
  t.match(await own(owner, '/limits', { account: 'kim', limits }), [500, /^Internal server error/])
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
  replace(t, KeptIndex.prototype, 'keepAll', async () => { throw new Error(`EIO: '${MUSIC_DIR}/a b', /secret/path`) })
  await owner.call('/page/scan', { method: 'POST' })
  await until(async () => (await own(owner, '/server'))[1].scan.failed === true)
  t.match((await own(owner, '/server'))[1].errors, { count: 1, last: [{ text: 'The scan failed: EIO: …, …' }] })
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
  const { owner } = await household(t)
  replaceExports(t, promises, { statfs: async () => ({ blocks: 0 } as any) })
  t.equal((await own(owner, '/server'))[1].free, undefined)
})
