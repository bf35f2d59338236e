import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs, { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Duplex, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Kysely } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { countTimedTurns } from '../count-turns.ts'
import { startPostgres } from '../postgres.ts'
import { skipWithout } from '../services.ts'
import { replace, replaceExports } from '../replace.ts'
import { accountCommand } from '../../example/accounts/account-command.ts'
import { answerCall } from '../../example/accounts/control-socket.ts'
import { readInput } from '../../example/accounts/read-input.ts'
import { exportAccount, importAccount } from '../../example/accounts/transfer.ts'
import { StartError } from '../../example/start/start-error.ts'
import { State } from '../../example/state/state.ts'
import { lockDataDir } from '../../example/database/lock-data-dir.ts'
import { nodeDriver } from '../../example/database/node-sqlite.ts'
import { openDatabase } from '../../example/database/open-database.ts'
import { openSqlite } from '../../example/database/open-sqlite.ts'
import { formerMigrations, migrations } from '../../example/database/tables.ts'
import { freePort } from '../service.ts'
import {
  as, command, demo, folder, hear, mp3, start, startWith, token, tokenIn, until, write, type Source
} from './helper.ts'
import { openWith } from './open-with.ts'

skipWithout('PostgreSQL', t, /^PostgreSQL/)

const quiet = { warn () {}, info () {} }

const engines: Record<string, (t: Test) => Promise<Record<string, string>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async t => ({ DATABASE_URL: (await startPostgres(t)).url })
}

t.test('PostgreSQL: a login while it is away is no wrong one', async t => {
  const postgres = await startPostgres(t)
  const { app } = await startWith(t, {}, { DATABASE_URL: postgres.url })
  await postgres.stop()
  const answer = await app.inject('/rest/ping?u=ann&t=00&s=salt&c=test&f=json')
  t.equal(answer.json()['subsonic-response'].error.code, 0)
  await postgres.start()
})

for (const [engine, open] of Object.entries(engines)) {
  t.test(engine, async t => {
    const env = await open(t)
    const DATA_DIR = folder(t)
    // Each test removes its accounts and the data of the owner's account.
    const source = await startWith(t, {
      'x/a.mp3': mp3({ title: 'A', artist: 'One', album: 'Two' }),
      'b.mp3': mp3({ title: 'B', artist: 'One', album: 'Two' })
    }, { ...env, DATA_DIR })
    const run = (args: string[], input?: string) => command(DATA_DIR, args, input)

    t.test('an account that is added while the source runs is answered, and sees only its own', async t => {
      const said = await run(['add', 'ann', 'phone'])
      t.match(said, /^The token of ann, which is shown this once:\nso_\S{56}$/)
      const ann = as(source, tokenIn(said))
      t.match(await ann.data('/v1/user/me'), { userId: 'ann', nickname: 'ann' })
      const { id } = await write(ann, 'playlist/create', { name: 'Of Ann' })
      const [track] = (await ann.data('/v1/search/tracks?keyword=a')).items
      await write(ann, 'track/favorite', { id: track.id, status: true })
      t.same(await source.data('/v1/user/playlist/list'), [])
      t.same(await source.data('/v1/user/favorite/tracks'), [])
      t.equal((await source.data(`/v1/track?id=${track.id}`)).favorite, false)
      await t.rejects(source.data(`/v1/playlist/detail?id=${id}`), { message: /^404/ })
      await t.rejects(write(source, 'playlist/delete', { id }), { message: /^404/ })
      t.match(await run(['list']), /^ann\n {2}\S{12} {2}\d{4}-\d\d-\d\d {2}phone {2}last used /m)

      t.match(await run(['remove', 'ann', 'ann']), /^ann is removed with all that was kept for it\. Its .* are in /)
      t.equal((await ann.call('/v1/status')).statusCode, 401)
      const again = as(source, tokenIn(await run(['add', 'ann'])))
      t.same(await again.data('/v1/user/playlist/list'), [])
      t.same(await again.data('/v1/user/favorite/tracks'), [])
      await run(['remove', 'ann', 'ann'])
    })

    t.test('another account of the name of a removed one is answered nothing of it', async t => {
      const removed = as(source, tokenIn(await run(['add', 'eve'])))
      const [{ id }] = (await removed.data('/v1/search/tracks?keyword=a')).items
      await write(removed, 'track/favorite', { id, status: true })
      t.match(await removed.data('/v1/user/favorite/tracks'), [{ id }])
      await run(['remove', 'eve', 'eve'])
      const eve = as(source, tokenIn(await run(['add', 'eve'])))
      await write(eve, 'playlist/create', { name: 'Of the new one' })
      t.same(await eve.data('/v1/user/favorite/tracks'), [])
      await run(['remove', 'eve', 'eve'])
    })

    t.test('no account is made with a label that cannot be one', async t => {
      await t.rejects(run(['add', 'fay', '']), { message: /^The label must be a string of 1 to 255 characters/ })
      t.notMatch(await run(['list']), /fay/)
    })

    t.test('an app password is listed, logs in to /rest by md5, outlives a restart, and is revoked', async t => {
      const DATA_DIR = folder(t)
      const ping = async ({ app }: Source, password: string, u = 'cy') => {
        const digest = createHash('md5').update(`${password}salt`).digest('hex')
        return (await app.inject(`/rest/ping?u=${u}&t=${digest}&s=salt&c=test&f=json`)).json()['subsonic-response']
      }
      const first = await startWith(t, {}, { ...env, DATA_DIR, PAGE: 'true' })
      const authorization = tokenIn(await command(DATA_DIR, ['add', 'cy']))
      await t.rejects(command(DATA_DIR, ['app-password', 'nobody']), { message: 'Account not found: nobody' })
      const [, password] = (await command(DATA_DIR, ['app-password', 'cy', 'phone'])).split('\n') as [string, string]
      t.match(await ping(first, password), { status: 'ok' })
      const made = await first.app.inject(
        { url: '/page/app-passwords', method: 'POST', headers: { authorization }, payload: { name: 'of the page' } }
      )
      t.match(await ping(first, made.json().data.password), { status: 'ok' })
      const page = { url: '/page/app-passwords', headers: { authorization } }
      t.match((await first.app.inject(page)).json().data, { username: 'cy', items: [{ name: 'phone' }, {}] })
      t.match(await ping(first, `${password}x`), { error: { code: 40 } })
      t.match(await ping(first, password, 'owner'), { error: { code: 40 } })
      t.match(await ping(first, token, 'cy'), { status: 'ok' }, 'the token of the owner works with any name')
      const [, id] = /^ {2}(\S{12}) {2}\S+ app password {2}phone(?: {2}last used .+)?$/m.exec(await command(DATA_DIR, ['list']))!
      await t.rejects(command(DATA_DIR, ['rotate', id!]), { message: 'Token not found' })
      await first.app.close()
      const again = await startWith(t, {}, { ...env, DATA_DIR })
      t.match(await ping(again, password), { status: 'ok' })
      t.equal(await command(DATA_DIR, ['revoke', id!]), `${id} is of no use any more`)
      t.match(await ping(again, password), { error: { code: 40 } })
      t.match(await ping(again, made.json().data.password), { status: 'ok' })
      await command(DATA_DIR, ['remove', 'cy', 'cy'])
    })

    t.test('others see what an account plays now when it shares that, and not before', async t => {
      const [player, other] = [tokenIn(await run(['add', 'player'])), tokenIn(await run(['add', 'onlooker']))]
      const rest = async (p: string, method: string, more = {}) => (await source.app.inject(`/rest/${method}?${
        new URLSearchParams({ u: 'x', p, c: 'app', f: 'json', ...more })}`)).json()['subsonic-response']
      const { song: [{ id: mediaId }] } = (await rest(player, 'search3', { query: 'a' })).searchResult3
      const seen = async () => {
        await rest(player, 'reportPlayback', { mediaId, mediaType: 'song', state: 'starting', positionMs: '0' })
        return (await rest(other, 'getNowPlaying')).nowPlaying.entry.map(({ id }: any) => id)
      }
      t.same(await seen(), [])
      t.equal(await run(['share', 'player', 'on']), 'Others see what player plays now')
      t.same(await seen(), [mediaId])
      t.match(await run(['list']), /^player\n.*\n {2}others see what it is playing$/m)
      t.equal(await run(['share', 'player', 'off']), 'Nobody else sees what player plays')
      t.same(await seen(), [])
      t.notMatch(await run(['list']), 'others see')
      await t.rejects(run(['share', 'player']), { message: 'Say on or off' })
      await t.rejects(run(['share', 'nobody', 'on']), { message: 'Account not found: nobody' })
      for (const name of ['player', 'onlooker']) await run(['remove', name, name])
    })

    t.test('a token is rotated and revoked at once', async t => {
      const first = tokenIn(await run(['add', 'bo']))
      const second = tokenIn(await run(['rotate', 'bo']))
      t.match(await run(['list']), /^bo\n {2}\S{12} {2}\d{4}-\d\d-\d\d$/m)
      t.equal((await as(source, first).call('/v1/status')).statusCode, 401)
      t.equal((await as(source, second).call('/v1/status')).statusCode, 200)
      const more = tokenIn(await run(['add', 'bo']))
      await t.rejects(run(['rotate', 'bo']), { message: /^bo has several tokens; give an id: / })
      const third = tokenIn(await run(['rotate', second.slice(3, 15)]))
      t.equal((await as(source, third).call('/v1/status')).statusCode, 200)
      await run(['revoke', more.slice(3, 15)])
      t.equal((await as(source, more).call('/v1/status')).statusCode, 401)
      await run(['revoke', third.slice(3, 15)])
      await t.rejects(run(['rotate', 'bo']), { message: 'bo has no token that could be replaced' })
      await run(['remove', 'bo', 'bo'])
    })

    t.test('the data of the owner is removed, and the owner stays', async t => {
      await write(source, 'playlist/create', { name: 'Mine' })
      t.match(await run(['remove', 'owner', 'owner']), /^All that was kept for owner is removed/)
      t.same(await source.data('/v1/user/playlist/list'), [])
    })

    t.test('a source that runs writes a backup, and serves what it has as soon as it is restored', async t => {
      const ann = as(source, tokenIn(await run(['add', 'ann'])))
      const { id } = await write(ann, 'playlist/create', { name: 'Of Ann' })
      const file = join(folder(t), 'backup.sqlite')
      const lost = as(source, tokenIn(await run(['add', 'ann', 'lost phone'])))
      t.match(await run(['backup', file]), /^All that is kept for ann, owner is in /)
      await write(ann, 'playlist/delete', { id })
      const later = as(source, tokenIn(await run(['add', 'later'])))
      t.equal(await run(['restore', file]), 'The accounts are now ann, owner')
      t.match(await ann.data('/v1/user/playlist/list'), [{ id }])
      t.equal((await later.call('/v1/status')).statusCode, 401)
      const [, token] = / {2}(\S+) .*lost phone/.exec(await run(['list']))!
      await run(['revoke', token!])
      const said = await run(['restore', file])
      t.match(said, /^The accounts are now ann, owner\nThese tokens were not valid before .*:\n {2}\S+ .*lost phone$/)
      t.ok(said.includes(token!))
      t.equal((await lost.call('/v1/user/me')).statusCode, 200)
      await run(['revoke', token!])
      t.equal((await lost.call('/v1/user/me')).statusCode, 401)
      await run(['remove', 'ann', 'ann'])
    })

    t.test('an account is exported and imported whole', async t => {
      const token = tokenIn(await run(['add', 'cy']))
      const cy = as(source, token)
      const tracks: any[] = (await cy.data('/v1/search/tracks?keyword=one')).items
      const { id } = await write(cy, 'playlist/create', { name: 'Kept' })
      for (const track of [...tracks, tracks[0]]) {
        await write(cy, 'playlist/addTrack', { playlistId: id, trackId: track.id })
      }
      await write(cy, 'track/favorite', { id: tracks[0].id, status: true })
      await write(cy, 'album/favorite', { id: tracks[0].album.id, status: true })
      await hear(source, token, tracks[1].id)
      // Nobody waits for the adapter to be told.
      await until(async () => (await cy.data('/v1/toplist/detail?id=ever')).tracks.length > 0)

      const file = await run(['export', 'cy'])
      const dee = as(source, tokenIn(await run(['add', 'dee'])))
      t.equal(
        await run(['import', 'dee'], `\n> npm says\n> what it runs\n\n${file}`), 'Playlists: 1, favourites: 2, plays: 1'
      )
      const whole = (text: string) =>
        JSON.parse(text, (key, value) => key === 'id' && value === id ? 'the playlist' : value)
      const copy = JSON.parse(await run(['export', 'dee']))
      t.not(copy.playlists[0].id, id)
      copy.playlists[0].id = id
      t.same(whole(JSON.stringify(copy)), whole(file))
      t.equal((await dee.data('/v1/user/favorite/tracks'))[0].id, tracks[0].id)

      t.strictSame(copy.playlists[0].tracks.map(({ id }: any) => id), [...tracks, tracks[0]].map(({ id }) => id))

      // Once more into the same account: nothing is added.
      await write(cy, 'playlist/removeTrack', { playlistId: id, trackId: tracks[0].id })
      await run(['import', 'cy'], file)
      t.same(JSON.parse(await run(['export', 'cy'])), JSON.parse(file))
      for (const name of ['cy', 'dee']) await run(['remove', name, name])
    })

    t.test('a playlist is exported as M3U8 and imported, by ids and by paths', async t => {
      const ed = as(source, tokenIn(await run(['add', 'ed'])))
      const tracks: any[] = (await ed.data('/v1/search/tracks?keyword=one')).items.sort((a: any, b: any) =>
        a.title < b.title ? -1 : 1)
      const { id } = await write(ed, 'playlist/create', { name: 'Two\tparts' })
      for (const track of [...tracks, tracks[0]]) {
        await write(ed, 'playlist/addTrack', { playlistId: id, trackId: track.id })
      }
      const file = await run(['export', 'ed', id])
      t.match(file.split('\n'), [
        '#EXTM3U', '#PLAYLIST:Two parts', `#SOURCE-TRACK:${tracks[0].id}`, /^#EXTINF:\d+,One - A$/, 'x/a.mp3', String,
        String, 'b.mp3'
      ])

      t.equal(await run(['import', 'ed'], file), 'Two parts: tracks: 3, files that are not in the music folder: 0')
      const gone = '0123456789abcdef0123'
      t.equal(await run(
        ['import', 'ed'],
        `#EXTM3U\r\n#PLAYLIST: \r\n/home/me/x/a.mp3\r\nnowhere.mp3\r\n#SOURCE-TRACK:${gone}\r\n#EXTINF:-1,Lost\r\n#SOURCE-TRACK:no id`
      ),
      'Imported playlist: tracks: 2, files that are not in the music folder: 1')
      t.equal(await run(
        ['import', 'ed'], '#EXTM3U\n#PLAYLIST:URLs\nfile:///home/me/x/%61.mp3\nhttps://radio.example.com/live'
      ),
      'URLs: tracks: 1, files that are not in the music folder: 1')
      await run(['import', 'ed'], `#EXTM3U\n#PLAYLIST:Moved\n#SOURCE-TRACK:${gone}\n#EXTINF:-1,Lost\nnowhere.mp3`)
      const lists: any[] = await ed.data('/v1/user/playlist/list')
      const tracksOf = async (name: string) =>
        (await ed.data(`/v1/playlist/detail?id=${lists.find(list => list.name === name).id}`)).tracks
      t.same((await tracksOf('Two parts')).map(({ id }: any) => id), [...tracks, tracks[0]].map(({ id }) => id))
      t.same((await tracksOf('Imported playlist')).map(({ title }: any) => title), ['A', 'Lost'])
      t.same((await tracksOf('Moved')).map(({ id, title }: any) => [id, title]), [[gone, 'Lost']])
      const lost = await run(['export', 'ed', 'Moved'])
      t.same(lost.split('\n').slice(2), [`#SOURCE-TRACK:${gone}`, '#EXTINF:-1,Lost'])

      const absurd =
        `#EXTM3U\n#PLAYLIST:${'long '.repeat(200)}\n#SOURCE-TRACK:${gone}\n#EXTINF:-1,a\0b${'c'.repeat(400)}\n#SOURCE-TRACK:${gone.replace('3', '4')}\n#EXTINF:-1, \n`
      await run(['import', 'ed'], absurd)
      const cut = (await ed.data('/v1/user/playlist/list')).at(-1)
      t.match(cut.name, /^long .{294}…$/)
      t.match(await run(['export', 'ed', cut.id]), /^#EXTINF:-1,a bc{296}…\n.+\n#EXTINF:-1,0124456789abcdef0123$/m)
      await t.rejects(run(['export', 'ed', 'None']), {
        message: /^ed has no playlist None; it has: Two\tparts, Two parts, /
      })
      await run(['import', 'ed'], file)
      await t.rejects(run(['export', 'ed', 'Two parts']), {
        message: /^ed has several playlists Two parts; give an id: /
      })
      await run(['remove', 'ed', 'ed'])
    })
  })
}

const wrong: Record<string, [args: string[], message: RegExp, input?: string]> = {
  'no command': [[], /^npm run account -- COMMAND\n/],
  'an unknown command': [['toString'], /^npm run account -- COMMAND\n/],
  'no name': [['add'], /^npm run account -- COMMAND\n/],
  'no account': [['export'], /^npm run account -- COMMAND\n/],
  'an empty name': [['add', ''], /^The name must be a string of 1 to 255 characters/],
  'an empty label': [['add', 'ann', ''], /^The label must be a string of 1 to 255 characters/],
  'a token that is not there, rotated': [['rotate', 'nobody'], /^Token not found$/],
  'a token that is not there, revoked': [['revoke', 'nothing'], /^Token not found$/],
  'an account that is not there, removed': [['remove', 'nobody'], /^Account not found: nobody$/],
  'an account that is not there, exported': [['export', 'nobody'], /^Account not found: nobody$/],
  'a playlist of an account without any': [['export', 'owner', 'x'], /^owner has no playlist x; it has: none$/],
  'a file that is nothing': [
    ['import', 'owner'], /^This is neither an exported account nor an M3U8 playlist$/, 'hello'
  ],
  'a file of something else': [
    ['import', 'owner'], /^Not an account that this version has exported: \/format: /, '{"version":1}'
  ],
  'a file that is no object': [
    ['import', 'owner'], /^Not an account that this version has exported: the file: /, '7'
  ]
}
// One source for four tests.
const sharedDir = folder(t)
const shared = await startWith(t, { '#1 Hits/a.mp3': mp3({ title: 'A', artist: 'One' }) }, { DATA_DIR: sharedDir })

t.test('what is wrong is told in one sentence', async t => {
  for (const [what, [args, message, input]] of Object.entries(wrong)) {
    await t.rejects(command(sharedDir, args, input), { message }, what)
  }
})

t.test('a path that begins with # is no comment in an exported playlist', async t => {
  const hal = as(shared, tokenIn(await command(sharedDir, ['add', 'hal'])))
  const [track] = (await hal.data('/v1/search/tracks?keyword=one')).items
  const { id } = await write(hal, 'playlist/create', { name: 'Hits' })
  await write(hal, 'playlist/addTrack', { playlistId: id, trackId: track.id })
  const file = await command(sharedDir, ['export', 'hal', 'Hits'])
  t.equal(file.split('\n').at(-1), './#1 Hits/a.mp3')
  const ofOthers = file.replace(/^#SOURCE-TRACK:.*\n/m, '')
  t.equal(
    await command(sharedDir, ['import', 'hal'], ofOthers), 'Hits: tracks: 1, files that are not in the music folder: 0'
  )
})

t.test('a source that runs forgets the tracks of a disk that is away when it is told so', async t => {
  const DATA_DIR = folder(t)
  const root = folder(t, { 'music/a.mp3': mp3({ title: 'A', artist: 'One' }) })
  const { data } = await start(t, { MUSIC_DIR: join(root, 'music'), DATA_DIR })
  t.equal(await command(DATA_DIR, ['forget-missing']), '1 tracks are there')
  renameSync(join(root, 'music'), join(root, 'away'))
  t.equal(await command(DATA_DIR, ['forget-missing']), '0 tracks are there')
  t.same(await data('/v1/track/new'), [])
})

t.test('a stateless source has no accounts', async t => {
  const DATA_DIR = folder(t)
  await startWith(t, {}, { DATA_DIR, STATELESS: 'true' })
  await t.rejects(command(DATA_DIR, ['list']), { message: 'STATELESS is true, so there are no accounts' })
})

t.test('a failure that nobody can put right is told without its message, and logged', async t => {
  await t.rejects(command(sharedDir, 7 as never), { message: 'The server could not do it; its log says why' })
  t.ok(shared.lines.some(({ msg }) => msg === 'command failed'))
})

t.test('a file that is no database is told in one line', async t => {
  const DATA_DIR = folder(t)
  writeFileSync(join(DATA_DIR, 'state.sqlite'), 'no database '.repeat(1000))
  await t.rejects(start(t, { DATA_DIR }), { message: /^The database \S+state\.sqlite cannot be used: / })
})

t.test('an empty file of the database is told of, since accounts may have been in it', async t => {
  const DATA_DIR = folder(t, { 'state.sqlite': '' })
  t.match((await startWith(t, {}, { DATA_DIR })).lines, [{ level: 40, msg: 'database empty', path: /state\.sqlite$/ }])
})

t.test('a database of which a part is damaged is refused as it is, in one line', async t => {
  const DATA_DIR = folder(t)
  await (await openDatabase(DATA_DIR, '', quiet)).destroy()
  const file = join(DATA_DIR, 'state.sqlite')
  const bytes = readFileSync(file).fill(0xff, 5 * 4096, 6 * 4096)
  writeFileSync(file, bytes)
  await t.rejects(start(t, { DATA_DIR }), {
    message: /^The database \S+state\.sqlite cannot be used: it is damaged \(.*[Pp]age.+\)$/
  })
  t.ok(readFileSync(file).equals(bytes))
})

t.test('why a new database cannot be written is told', { skip: nodeDriver() !== undefined }, async t => {
  const full = () => { throw new Error('ENOSPC: no space left on device, write') }
  replaceExports(t, fs, { writeSync: full, writeFileSync: full })
  await t.rejects(openDatabase(folder(t), '', quiet), {
    message: /^The database \S+state\.sqlite cannot be used: the disk is full \(ENOSPC: no space left on device, write\)$/
  })
})

t.test('a database that takes no account is told in one line', async t => {
  const DATA_DIR = folder(t)
  await (await openDatabase(DATA_DIR, '', quiet)).destroy()
  const database = openSqlite(join(DATA_DIR, 'state.sqlite'))
  database.exec("CREATE TRIGGER full BEFORE INSERT ON account BEGIN SELECT raise(ABORT, 'no room'); END")
  database.close()
  await t.rejects(start(t, { DATA_DIR }), {
    name: 'Error', message: /^The database of accounts cannot be written to: .*no room/
  })
})

t.test('a key that cannot be read is told in one line', async t => {
  const DATA_DIR = folder(t, { 'media.key/file': '' })
  await t.rejects(start(t, { DATA_DIR }), {
    message: /^DATA_DIR must be a folder that the source may write to: EISDIR: .+media\.key'$/
  })
})

t.test('a database that may not be opened is told with the reason', async t => {
  const DATA_DIR = folder(t)
  await (await openDatabase(DATA_DIR, '', quiet)).destroy()
  t.teardown(syncBuiltinESMExports)
  replace(t, fs, 'openSync', path => {
    throw new Error(`EACCES: permission denied, open '${String(path)}'`)
  })
  syncBuiltinESMExports()
  await t.rejects(openDatabase(DATA_DIR, '', quiet), {
    message: /^The database \S+state\.sqlite cannot be used: EACCES: permission denied/
  })
})

/** `npm run account`, in this process. */
const runHere = (env: Record<string, string>, args: string[], input = '') =>
  accountCommand(args, { MUSIC_DIR: demo, ...env }, Readable.from([input], { objectMode: false }))

/** `npm run account` as a process. */
async function npmRunAccount (env: Record<string, string>, args: string[], input = '') {
  const child = spawn(process.execPath, [...process.execArgv, 'example/account.ts', ...args], {
    env: { ...process.env, MUSIC_DIR: demo, ...env }
  })
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, err, code }
}

t.test('the command works while no source runs, while one runs, and after that', async t => {
  const DATA_DIR = folder(t)
  const made = await runHere({ DATA_DIR }, ['add', 'ann'])
  const source = await start(t, { DATA_DIR })
  const ann = as(source, tokenIn(made))
  await write(ann, 'playlist/create', { name: 'Of Ann' })
  const file = await runHere({ DATA_DIR }, ['export', 'ann'])
  await source.app.close()
  t.equal(await runHere({ DATA_DIR }, ['export', 'ann']), file)
  t.match(await npmRunAccount({ DATA_DIR }, ['import', 'owner'], file), { code: 0, err: '', out: /^Playlists: 1,/ })
  const INIT_CWD = folder(t)
  await runHere({ DATA_DIR, INIT_CWD }, ['backup', 'backup.sqlite'])
  t.strictSame(readdirSync(INIT_CWD), ['backup.sqlite'])
  t.equal(await runHere({ DATA_DIR }, ['restore', join(INIT_CWD, 'backup.sqlite')]), 'The accounts are now ann, owner')
})

t.test('the command tells what is wrong in one line and exit code 1, and what there is where it is asked', async t => {
  const DATA_DIR = folder(t)
  /** The line that the command prints. */
  const lineOf = async (env: Record<string, string>, args: string[]) => {
    const error = await runHere(env, args).then(() => undefined, error => error)
    return error instanceof StartError ? error.message : error
  }
  t.match(await lineOf({ DATA_DIR }, []), /^npm run account/)
  t.match(await runHere({ DATA_DIR }, ['add', '--help']), /^npm run account/)
  t.same(await npmRunAccount({ DATA_DIR }, ['remove', 'ann']), { code: 1, err: 'Account not found: ann\n', out: '' })
  const file = join(folder(t, { file: '' }), 'file')
  t.match(await lineOf({ DATA_DIR: file }, ['list']), /^DATA_DIR must be a folder that the source may write to: .+$/)
  t.equal(await lineOf({ DATA_DIR, STATELESS: 'true' }, ['list']), 'STATELESS is true, so there are no accounts')
})

t.test('a file that is larger than any account is not read to its end', async t => {
  async function * endless () { for (;;) yield Buffer.alloc(10 * 1024 * 1024) }
  await t.rejects(readInput(endless()), { message: 'A file of more than 100 MB is not imported' })
  async function * split () { yield Buffer.from('ü').subarray(0, 1); yield Buffer.from('ü').subarray(1) }
  t.equal(await readInput(split()), 'ü')
})

t.test('a caller who sends on and on is left, and nothing is run', async t => {
  const part = Buffer.alloc(16 * 1024 * 1024, ' ')
  let parts = 0
  const socket =
    new Duplex({ read () { this.push(++parts < 100 ? part : null) }, write: (_chunk, _encoding, done) => done() })
  const never = () => { throw new Error('was called') }
  await answerCall(socket as Socket, async () => never(), never)
  t.ok(socket.destroyed)
  t.ok(parts < 20, `${parts} parts`)
})

t.test('an import without a file is told how to give one, instead of waiting for the terminal', async t => {
  async function * typed () { yield Buffer.from('') }
  await t.rejects(readInput(Object.assign(typed(), { isTTY: true })), {
    message: 'import reads a file: npm run account -- import NAME < FILE'
  })
})

t.test('an import of many plays lets others have their turn', async t => {
  const state = new State(await openDatabase(folder(t), '', quiet))
  t.teardown(() => state.close())
  await state.addAccount('ann')
  const plays = Array.from({ length: 5000 }, (_, half) => ({ id: 'c'.repeat(20), playedAt: half * 1_800_000 }))
  const json = JSON.stringify({ format: 'source-account', version: 1, playlists: [], favorites: [], plays })
  const { result, turns } = await countTimedTurns(t, () => importAccount(state, 'ann', json))
  t.equal(result, 'Playlists: 0, favourites: 0, plays: 5000')
  t.ok(turns >= 5, `${turns} turns`)
  t.equal(JSON.parse(await exportAccount(state, 'ann')).plays.length, 5000)
})

t.test('before a database is migrated, a copy of it is kept', async t => {
  const DATA_DIR = folder(t)
  await (await startWith(t, {}, { DATA_DIR })).app.close()
  const db = await openWith({
    ...migrations,
    'state-10': {
      up: async (db: Kysely<any>) => { await db.schema.createTable('more').addColumn('id', 'text').execute() }
    }
  }, DATA_DIR, '', quiet)
  await db.destroy()
  const copy = openSqlite(join(DATA_DIR, 'state.sqlite.before-state-10'))
  t.teardown(() => copy.close())
  t.same(copy.all('SELECT id FROM account'), [{ id: 'owner' }])
  t.throws(() => copy.all('SELECT * FROM more'), { message: /no such table/ })
  await t.rejects(start(t, { DATA_DIR }), {
    message: 'The database is of a newer version of this source (state-10): start that version'
  })
})

t.test('a database with the tables of this version is used as it is, an older one is refused', async t => {
  const DATA_DIR = folder(t)
  await (await startWith(t, {}, { DATA_DIR })).app.close()
  const file = join(DATA_DIR, 'state.sqlite')
  const change = (statement: string) => {
    const database = openSqlite(file)
    database.exec(statement)
    database.close()
  }
  const names = formerMigrations.map(name => `('${name}', '')`)
  change(`INSERT INTO kysely_migration VALUES ${names}; CREATE TABLE kysely_migration_lock (id, is_locked)`)
  const { app, data } = await startWith(t, {}, { DATA_DIR })
  t.same(await data('/v1/user/playlist/list'), [])
  await app.close()
  t.strictSame(readdirSync(DATA_DIR).filter(name => name.includes('before')), [], 'nothing was changed')
  change("DELETE FROM kysely_migration WHERE name = 'state-8'")
  await t.rejects(start(t, { DATA_DIR }), {
    message: `The database ${file} is of a version that cannot be upgraded: ` +
      'start commit 3ead6a63 of this source once, which converts it'
  })
})

t.test('the copy has what a process wrote that was killed', async t => {
  const DATA_DIR = folder(t)
  const file = join(DATA_DIR, 'state.sqlite')
  const { 'source-origin-accounts-2': _, ...older } = migrations
  const db = await openWith(older, DATA_DIR, '', quiet)
  await db.insertInto('setting').values({ name: 'written', value: 'yes' }).execute()
  const left = [file, `${file}-wal`].map(path => [path, readFileSync(path)] as const)
  await db.destroy()
  for (const [path, bytes] of left) writeFileSync(path, bytes)
  await (await openDatabase(DATA_DIR, '', quiet)).destroy()
  const copy = openSqlite(`${file}.before-source-origin-accounts-2`)
  t.teardown(() => copy.close())
  t.same(copy.all("SELECT name FROM setting WHERE name = 'written'"), [{ name: 'written' }])
})

t.test('the copy has the name of the migration that it was made before, whichever room that is of', async t => {
  const DATA_DIR = folder(t)
  const { 'source-origin-accounts-2': newer, ...older } = migrations
  await (await openWith(older, DATA_DIR, '', quiet)).destroy()
  await (await openWith({ 'source-origin-accounts-2': newer!, ...older }, DATA_DIR, '', quiet)).destroy()
  t.ok(existsSync(join(DATA_DIR, 'state.sqlite.before-source-origin-accounts-2')))
})

t.test('a migration that fails is told in one line', async t => {
  const fails = { ...migrations, 'state-10': { up: async () => { throw new Error('no') } } }
  await t.rejects(openWith(fails, folder(t), '', quiet), {
    message: /^The database \S+state\.sqlite cannot be used: no$/
  })
})

t.test('nothing is left of a migration that was cut short, and it can run again', async t => {
  const DATA_DIR = folder(t)
  const make = (end: () => void): typeof migrations => ({
    ...migrations,
    'state-10': {
      up: async db => {
        await db.schema.createTable('more').addColumn('id', 'text').execute()
        end()
      }
    }
  })
  await t.rejects(openWith(make(() => { throw new Error('no room') }), DATA_DIR, '', quiet), {
    message: /no room$/
  })
  const db = await openWith(make(() => {}), DATA_DIR, '', quiet)
  t.teardown(() => db.destroy())
  t.same(await db.selectFrom('more' as 'setting').selectAll().execute(), [])
})

t.test('a failure that is several is told in one line', async t => {
  const fails = {
    ...migrations,
    'state-10': { up: async () => { throw new AggregateError([new Error('no'), new Error('nor that')]) } }
  }
  await t.rejects(openWith(fails, folder(t), '', quiet), { message: /cannot be used: no, nor that$/ })
})

t.test('a server that leaves, or says something else, fails the command', async t => {
  const DATA_DIR = folder(t)
  for (const [answer, run] of [
    ['', async () => t.match(await runHere({ DATA_DIR }, ['list']).catch(error => error), {
      constructor: StartError, message: 'The server ended before it answered'
    })],
    ['something else', async () =>
      t.match(await npmRunAccount({ DATA_DIR }, ['list']), { code: 1, out: '', err: /SyntaxError/ })]
  ] as const) {
    const claim = await lockDataDir(DATA_DIR, socket => { socket.resume().end(answer) })
    await run()
    await claim.release()
  }
})

t.test('an account that is gone is a 401, and nothing is kept for it', async t => {
  const db = await openDatabase(folder(t), '', quiet)
  const state = new State(db)
  t.teardown(() => state.close())
  const gone = { status: 401, message: 'This account is gone' }
  await t.rejects(state.viewer('gone'), gone)
  await t.rejects(state.playlists.create('gone', 'x'), gone)
  await t.rejects(state.favorites.set('gone', [{ kind: 'track', id: 'x' }], true), gone)
  await state.plays.add('gone', { track: 'x', playedAt: 1 })
  t.same(await state.plays.heard('gone'), [])
})

t.test('a favourite that is not in the folder is kept and not listed', async t => {
  const { data } = as(shared, tokenIn(await command(sharedDir, ['add', 'ida'])))
  const gone = '0123456789abcdef0123'
  const favorites = [{ kind: 'track', id: gone, addedAt: 1 }]
  await command(sharedDir, ['import', 'ida'], JSON.stringify({
    format: 'source-account', version: 1, playlists: [], favorites, plays: [{ id: gone, playedAt: 1 }]
  }))
  t.same(await data('/v1/user/favorite/tracks'), [])
  t.same(await data('/v1/toplist/list').then(groups => groups.length), 1)
  t.same(JSON.parse(await command(sharedDir, ['export', 'ida'])).favorites, favorites)
})

t.test('a PostgreSQL that is not there is told in one line', async t => {
  await t.rejects(start(t, { DATABASE_URL: `postgresql://127.0.0.1:${await freePort()}/none` }),
    { message: /^DATABASE_URL must lead to a PostgreSQL that takes connections: .*ECONNREFUSED/ })
})

t.test('PostgreSQL away or locked: a token is revoked here at once, and everywhere when it is back', async t => {
  const postgres = await startPostgres(t)
  const DATA_DIR = folder(t)
  const env = { DATABASE_URL: `${postgres.url}?query_timeout=1000` }
  const [source, replica] = await Promise.all([startWith(t, {}, { DATA_DIR, ...env }), startWith(t, {}, env)])
  const tokens: string[] = []
  for (const label of ['away', 'locked']) tokens.push(tokenIn(await command(DATA_DIR, ['add', 'ann', label])))
  const lock = async () => {
    const frozen = new pg.Client(postgres.url)
    await frozen.connect()
    await frozen.query('begin; select * from source_origin_token for update')
    return frozen
  }
  let frozen!: pg.Client
  const away = [postgres.stop, async () => { frozen = await lock() }]
  const back = [postgres.start, () => frozen.end()]
  for (const [index, token] of tokens.entries()) {
    t.equal((await as(source, token).call('/v1/status')).statusCode, 200)
    await away[index]!()
    const id = token.slice(3, 15)
    await t.rejects(command(DATA_DIR, ['revoke', id]), { message: /^The token is refused here from now on, and is rem/ })
    t.equal((await as(source, token).call('/v1/status')).statusCode, 401)
    await back[index]!()
    await until(async () => !(await command(DATA_DIR, ['list']).catch(() => id)).includes(id))
    t.equal((await as(replica, token).call('/v1/status')).statusCode, 401)
  }
})

t.test('a second source on the same data folder is refused, and the log of the first says nothing of it', async t => {
  const DATA_DIR = folder(t)
  const { lines, data } = await startWith(t, {}, { DATA_DIR })
  await t.rejects(start(t, { DATA_DIR }), { message: `DATA_DIR is in use by another process: ${DATA_DIR}` })
  await command(DATA_DIR, ['list'])
  t.equal((await data('/v1/status')).stateless, false)
  t.notOk(lines.some(({ level }) => level >= 50))
})
