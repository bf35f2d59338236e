import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import fs, {
  appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync,
  utimesSync, writeFileSync
} from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { changeIndex } from '../../../example/catalogue/change-index.ts'
import { MusicFolder } from '../../../example/index/music-folder.ts'
import { timeoutError } from '../../../example/scan/in-time.ts'
import { audioTypes } from '../../../example/scan/audio-types.ts'
import { ScanProgress } from '../../../example/scan/scan-progress.ts'
import { IndexDatabase } from '../../../example/database/index-database.ts'
import { nodeDriver } from '../../../example/database/node-sqlite.ts'
import { openIndex } from '../../../example/index/open-index.ts'
import { openSqlite, wasmDriver } from '../../../example/database/open-sqlite.ts'
import { followFiles, type Given } from '../follow-files.ts'
import { folder, lineOf, mp3, put, until, wav } from '../helper.ts'
import { albums, garble } from '../scan/encoded-albums.ts'
import { fakeTime } from '../../fake-time.ts'
import { replace, replaceExports } from '../../replace.ts'

// File events are real. The pause that collects changes and the pause between checks for a missing folder are short.
const pauses = [500, 2000]
const { setTimeout: after } = globalThis
replace(t, globalThis, 'setTimeout', ((run: () => void, delay?: number, ...args: []) =>
  after(run, pauses.includes(delay!) ? 20 : delay, ...args)) as typeof setTimeout)

const wasm = await wasmDriver()
const isNative = nodeDriver() !== undefined

/** A library of a folder, with what it logs. */
async function open (t: Test, root: string, dataDir = folder(t)) {
  const lines: string[] = []
  const log = {
    debug () {},
    info: (details: object, event: string) => lines.push(lineOf(details, event)),
    warn: (details: object, event: string) => lines.push(`warning: ${lineOf(details, event)}`),
    error: ({ err }: { err: Error }) => lines.push(`error: ${err.message}`)
  }
  const library = await MusicFolder.open(root, dataDir, log as any)
  /** The titles that there were when it was closed. */
  let last: string[] | undefined
  const titles = () => last ?? [...library.catalogue.tracks.values()].map(({ title }) => title).sort()
  const close = async () => {
    if (last !== undefined) return
    last = titles()
    await library.close()
  }
  t.teardown(close)
  return { library, lines, titles, close, dataDir }
}

const song = (title: string, more = {}) => mp3({ title, artist: 'One', album: 'Two', ...more })

t.test('a folder that is not there when the library is opened is told by its name', async t => {
  const root = join(folder(t), 'nothing')
  await t.rejects(MusicFolder.open(root, folder(t), {} as never), {
    message: `MUSIC_DIR must be a folder of audio files: there is no folder ${root}`
  })
})

t.test('a restart has everything at once and reads only what is new or has changed', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B'), 'c.mp3': song('C') })
  const first = await open(t, root)
  await first.library.scan()
  t.match(first.lines, [/^scan finished: tracks=3 albums=1 read=3 /])
  await first.close()

  put(root, 'b.mp3', song('Changed'))
  put(root, 'd.mp3', song('D'))
  const second = await open(t, root, first.dataDir)
  t.same(second.titles(), ['A', 'B', 'C'])
  await second.library.scan()
  t.same(second.titles(), ['A', 'C', 'Changed', 'D'])
  t.match(second.lines, [/read=2 gone=0 /])
})

t.test('a change of the time alone is a change', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, lines } = await open(t, root)
  await library.scan()
  utimesSync(join(root, 'a.mp3'), 1, 1)
  await library.scan()
  t.match(lines, [/read=1 /, /read=1 /])
})

t.test('deleted files disappear, for the next start too', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B') })
  const first = await open(t, root)
  await first.library.scan()
  rmSync(join(root, 'a.mp3'))
  await first.library.scan()
  t.same(first.titles(), ['B'])
  await first.close()
  t.same((await open(t, root, first.dataDir)).titles(), ['B'])
})

t.test('a broken file is told once, and read again only when it has changed', async t => {
  const root = folder(t, { 'a.mp3': 'no audio', 'b.mp3': song('B') })
  const first = await open(t, root)
  await first.library.scan()
  await first.library.scan()
  t.equal(first.lines.filter(line => /^warning: file skipped: path=a\.mp3 reason=/.test(line)).length, 1)
  await first.close()

  const second = await open(t, root, first.dataDir)
  await second.library.scan()
  t.match(second.lines, [/read=0 /])
  put(root, 'a.mp3', song('A'))
  await second.library.scan()
  t.same(second.titles(), ['A', 'B'])
})

t.test('a moved file keeps its id and its time of arrival', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library } = await open(t, root)
  await library.scan()
  const [before] = library.catalogue.tracks.values()
  mkdirSync(join(root, 'some/where'), { recursive: true })
  renameSync(join(root, 'a.mp3'), join(root, 'some/where/else.mp3'))
  await library.scan()
  const [after] = library.catalogue.tracks.values()
  t.equal(after!.id, before!.id)
  t.equal(after!.added, before!.added)
  t.same(after!.paths, ['some/where/else.mp3'])
})

t.test('files that were moved are there all the time, also when many others are gone', async t => {
  const root = folder(t)
  for (let at = 0; at < 30; at++) put(root, `a/${at}.mp3`, song(`Moved ${at}`))
  for (let at = 0; at < 70; at++) put(root, `b/${at}.mp3`, song(`Gone ${at}`))
  const { library } = await open(t, root)
  await library.scan()
  const moved = [...library.catalogue.tracks.values()].filter(({ title }) => title.startsWith('Moved'))
  mkdirSync(join(root, 'z'))
  renameSync(join(root, 'a'), join(root, 'z/a'))
  rmSync(join(root, 'b'), { recursive: true })
  const there: number[] = []
  library.onChange = () => { there.push(moved.filter(({ id }) => library.catalogue.tracks.get(id)).length) }
  await library.scan()
  t.ok(there.length > 1)
  t.same(new Set(there), new Set([30]))
})

t.test('many files that take the names of others keep their times of arrival', async t => {
  const root = folder(t)
  for (const name of ['a', 'b']) {
    for (let at = 0; at < 80; at++) put(root, `${name}/${at}.mp3`, song(`${name} ${at}`), name === 'a' ? 1000 : 2000)
  }
  const { library } = await open(t, root)
  await library.scan()
  const arrived = () => [...library.catalogue.tracks.values()].map(({ id, added }) => `${id} ${added}`).sort()
  const before = arrived()
  renameSync(join(root, 'a'), join(root, 'c'))
  renameSync(join(root, 'b'), join(root, 'a'))
  renameSync(join(root, 'c'), join(root, 'b'))
  await library.scan()
  t.equal(before.length, 160)
  t.same(arrived(), before)
})

t.test('a moved file that one scan did not find keeps its time of arrival', async t => {
  const root = folder(t, { 'music/a.mp3': song('A'), 'music/b.mp3': song('B') })
  const { library, titles } = await open(t, join(root, 'music'))
  await library.scan()
  const arrived = () => [...library.catalogue.tracks.values()].find(({ title }) => title === 'A')!.added
  const before = arrived()
  renameSync(join(root, 'music/a.mp3'), join(root, 'a.mp3'))
  await library.scan()
  t.same(titles(), ['B'])
  mkdirSync(join(root, 'music/new'))
  renameSync(join(root, 'a.mp3'), join(root, 'music/new/a.mp3'))
  await library.scan()
  t.equal(arrived(), before)
})

t.test('files of the first scan arrived when they were written, later ones when they were seen', async t => {
  const root = folder(t)
  put(root, 'a.mp3', song('A'), 1_000_000)
  const { library } = await open(t, root)
  await library.scan()
  const began = Date.now()
  put(root, 'b.mp3', song('B'), 1_000_000)
  await library.scan()
  const added = [...library.catalogue.tracks.values()].map(track => track.added).sort((a, b) => a - b)
  t.equal(added[0], 1_000_000_000)
  t.ok(added[1]! >= began)
})

t.test('a file that is dated in the future arrived no later than the scan, and keeps that time', async t => {
  const root = folder(t)
  put(root, 'a.mp3', song('A'), 4_070_908_800)
  const dataDir = folder(t)
  const scanned = async () => {
    const { library, close } = await open(t, root, dataDir)
    await library.scan()
    const [track] = library.catalogue.tracks.values()
    await close()
    rmSync(join(dataDir, 'index.sqlite'))
    return track!.added
  }
  const added = await scanned()
  t.ok(added <= Date.now())
  t.equal(await scanned(), added)
})

for (const [what, lose] of Object.entries<(t: Test, dataDir: string, root: string) => unknown>({
  'is deleted': (_, dataDir) => rmSync(join(dataDir, 'index.sqlite')),
  'is of a newer version': (_, dataDir) => {
    const database = openSqlite(join(dataDir, 'index.sqlite'))
    database.exec('PRAGMA user_version = 99')
    database.close()
  },
  'finds the disk full': t => fillDisk(t),
  'was made by a version that kept them there alone, and is deleted': async (t, dataDir, root) => {
    rmSync(join(dataDir, 'arrivals'))
    const between = await open(t, root, dataDir)
    await between.library.scan()
    await between.close()
    rmSync(join(dataDir, 'index.sqlite'))
  }
})) {
  t.test(`times of arrival are kept when the index ${what}`, async t => {
    const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B') })
    const first = await open(t, root)
    const arrived = ({ library: { catalogue } }: typeof first) =>
      Array.from(catalogue.tracks.values(), ({ title, added }) => [title, added]).sort()
    await first.library.scan()
    put(root, 'c.mp3', song('C'))
    put(root, 'b.mp3', song('B'), 1_700_000_000)
    await first.library.scan()
    const before = arrived(first)
    await first.close()
    await lose(t, first.dataDir, root)
    for (let round = 0; round < 2; round++) {
      const again = await open(t, root, first.dataDir)
      await again.library.scan()
      t.same(arrived(again), before)
      await again.close()
    }
    t.equal(readFileSync(join(first.dataDir, 'arrivals'), 'latin1').match(/^\d+ \S+$/gm)!.length, 2, 'each once')
  })
}

t.test('a line of arrivals that a crash cut short does no harm; many of the same are left out', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const first = await open(t, root)
  await first.library.scan()
  const { id } = first.library.catalogue.trackAt('a.mp3')!
  await first.close()
  const file = join(first.dataDir, 'arrivals')
  const begin = async (content: string) => {
    writeFileSync(file, content)
    rmSync(join(first.dataDir, 'index.sqlite'), { force: true })
    const { library, close } = await open(t, root, first.dataDir)
    await library.scan()
    put(root, 'b.mp3', song('B'))
    await library.scan()
    const { added } = library.catalogue.trackAt('a.mp3')!
    await close()
    rmSync(join(root, 'b.mp3'))
    return added
  }
  t.equal(await begin(`5 ${id}\n7 ${id.slice(0, 9)}`), 5)
  t.match(readFileSync(file, 'latin1'), new RegExp(`^5 ${id}\n7 \\S{9}\n\\d{13} \\S+\n$`))
  t.equal(await begin(`5 ${id}\n`.repeat(3000) + `6 ${id}\n`), 6)
  t.match(readFileSync(file, 'latin1'), new RegExp(`^6 ${id}\n\n\\d{13} \\S+\n$`))
})

for (const [what, damage] of Object.entries<(file: string) => void>({
  'no database': file => writeFileSync(file, 'This is no database. '.repeat(1000)),
  'cut in the middle': file => writeFileSync(file, readFileSync(file).subarray(0, 5000)),
  'full of zeros behind its beginning': file => writeFileSync(file, readFileSync(file).fill(0, 4096)),
  'of an unknown format': file => {
    const bytes = readFileSync(file)
    bytes[47] = 9
    writeFileSync(file, bytes)
  },
  'a folder': file => { rmSync(file); mkdirSync(file) }
})) {
  t.test(`an index that is ${what} is made anew with one warning`, async t => {
    const root = folder(t, { 'a.mp3': song('A') })
    const first = await open(t, root)
    await first.library.scan()
    await first.close()
    damage(join(first.dataDir, 'index.sqlite'))

    const second = await open(t, root, first.dataDir)
    await second.library.scan()
    t.same(second.titles(), ['A'])
    t.match(second.lines, [/^warning: index rebuilt: path=.*index\.sqlite reason=/, /read=1 /])
    await second.close()
    t.same((await open(t, root, first.dataDir)).titles(), ['A'])
  })
}

// Pages are read when they are needed: of some the damage is found at the start, of others in use.
for (const part of ['file', 'sqlite_autoindex_file_1', 'sqlite_autoindex_track_1', 'album_sort', 'track_words_data']) {
  t.test(`an index with a damaged page of ${part} is made anew with one warning`, async t => {
    const root = folder(t, { 'a.mp3': song('A') })
    const first = await open(t, root)
    await first.library.scan()
    const [id] = [...first.library.catalogue.tracks.values()].map(({ id }) => id)
    await first.close()
    const file = join(first.dataDir, 'index.sqlite')
    const database = openSqlite(file)
    const page = Number(database.get('SELECT rootpage FROM sqlite_schema WHERE name = ?', [part])!.rootpage)
    database.close()
    writeFileSync(file, readFileSync(file).fill(0xff, (page - 1) * 4096, page * 4096))

    const second = await open(t, root, first.dataDir)
    const { catalogue } = second.library
    const list = () => catalogue.ids({ kind: 'albums' })
    for (const use of [() => catalogue.tracks.get(id!), list]) {
      try {
        await use()
      } catch {
        // Requests for the former index fail.
      }
    }
    for (let scans = 0; scans < 3; scans++) await second.library.scan()
    t.same(second.titles(), ['A'])
    t.ok(second.library.catalogue.tracks.get(id!))
    t.equal(second.lines.filter(line => /index rebuilt/.test(line)).length, 1)
    t.notMatch(second.lines.join(), /failed/)
    await second.close()
    const third = await open(t, root, first.dataDir)
    t.same([third.titles(), third.lines], [['A'], []])
  })
}

t.test('an index of a newer version is kept beside the one that is made anew', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const first = await open(t, root)
  await first.library.scan()
  await first.close()
  const database = openSqlite(join(first.dataDir, 'index.sqlite'))
  database.exec('PRAGMA user_version = 99')
  database.close()
  const second = await open(t, root, first.dataDir)
  await second.library.scan()
  t.same(second.titles(), ['A'])
  t.match(second.lines, [
    /^warning: newer index set aside: path=.*sqlite to=.*\.newer/,
    /read=1 /
  ])
  const kept = openSqlite(join(first.dataDir, 'index.sqlite.newer'))
  t.equal(kept.all('SELECT * FROM file').length, 1)
  kept.close()
})

/** Makes the next uses of a statement fail, whichever driver it is of. */
function fail (t: Test, method: 'all' | 'run', message: string, times = 1) {
  const sqlite: any = process.getBuiltinModule('node:sqlite')
  const database = sqlite === undefined ? wasm.connect(':memory:') : new sqlite.DatabaseSync(':memory:')
  const statement = database.prepare('SELECT 1')
  let left = times
  const damaged = t.intercept(Object.getPrototypeOf(statement), method, {
    value () {
      if (--left === 0) damaged.restore()
      throw new Error(message)
    }
  })
  statement.finalize?.()
  database.close()
}

// A scan goes on when what it has left of the one before cannot be kept.
for (const [what, times, use] of [
  ['a request', 1, ({ catalogue }) => t.throws(() => catalogue.topArtists(5), { message: /malformed/ })],
  ['a scan', 2, library => library.scan()]
] as [string, number, (library: MusicFolder) => unknown][]) {
  t.test(`an index in which ${what} finds a damaged page while it is used is made anew with one warning`, async t => {
    const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B') })
    const { library, lines, titles } = await open(t, root)
    await library.scan()
    fail(t, 'all', 'database disk image is malformed', times)
    await use(library)
    await library.scan()
    t.same(titles(), ['A', 'B'])
    t.match(lines, [
      /read=2 /, /^warning: index rebuilt: path=.* reason=database disk image is malformed/, /read=2 /
    ])
    await library.scan()
    t.match(lines[3], /read=0 /)
  })
}

t.test('an index that turns out to be damaged while it is changed is made anew with one warning', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, lines, titles } = await open(t, root)
  await library.scan()
  put(root, 'b.mp3', song('B'))
  // As the index of words says it.
  fail(t, 'run', 'fts5: corruption on page 5, segment 1, table "track_words"')
  await library.scan()
  await library.scan()
  t.same(titles(), ['A', 'B'])
  t.equal(lines.filter(line => /index rebuilt/.test(line)).length, 1)
  t.notMatch(lines.join(), /index not stored/)
})

t.test('an index that a process left that was killed is checked, and used', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, dataDir } = await open(t, root)
  await library.scan()
  const copy = folder(t)
  cpSync(dataDir, copy, { recursive: true })
  const killed = await open(t, root, copy)
  await killed.library.scan()
  t.match(killed.lines, [/^scan finished: tracks=1 .* read=0 /])
})

t.test('an index that a killed process left in disorder is made anew', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, dataDir } = await open(t, root)
  await library.scan()
  const copy = folder(t)
  cpSync(dataDir, copy, { recursive: true })
  rmSync(join(copy, 'index.sqlite.lock'), { recursive: true, force: true })
  // Node's build allows nobody to write to the schema.
  const database = openSqlite(join(copy, 'index.sqlite'), false, wasm)
  database.exec(`
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'track_added')
    WHERE name = 'track_album'`)
  database.close()
  put(copy, 'index.sqlite-wal', '')
  const killed = await open(t, root, copy)
  await killed.library.scan()
  t.match(killed.lines, [/^warning: index rebuilt: path=.* reason=.*(rootpage|2nd reference)/s, /read=1 /])
})

t.test('many files that are gone, and folders, are forgotten', async t => {
  const names = Array.from({ length: 120 }, (_, at) => `${at}.mp3`)
  const root =
    folder(t, { 'stays/a.mp3': song('A'), ...Object.fromEntries(names.map(name => [`gone/${name}`, song(name)])) })
  const { library, lines, titles } = await open(t, root)
  await library.scan()
  rmSync(join(root, 'gone'), { recursive: true })
  await library.scan()
  t.same(titles(), ['A'])
  t.match(lines, [/^scan finished: tracks=121 /, /^scan finished: tracks=1 .* gone=120 /])
})

for (const name of ['index.sqlite', 'index.sqlite-wal', 'identities.sqlite', 'identities.sqlite-wal', 'arrivals']) {
  t.test(`a file ${name} that may not be opened is told with the reason, and nothing is lost`, async t => {
    const root = folder(t, { 'a.mp3': song('A') })
    const { library, close, dataDir } = await open(t, root)
    await library.scan()
    await close()
    appendFileSync(join(dataDir, name), '')
    const index = readFileSync(join(dataDir, 'index.sqlite'))
    t.teardown(syncBuiltinESMExports)
    const { openSync } = fs
    replace(t, fs, 'openSync', (path, flags) => {
      if (flags !== 'r+' || !String(path).endsWith(`/${name}`)) return openSync(path, flags)
      throw new Error(`EACCES: permission denied, open '${String(path)}'`)
    })
    syncBuiltinESMExports()
    await t.rejects(open(t, root, dataDir), {
      name: 'Error',
      message:
        `DATA_DIR must be a folder that the source may write to: EACCES: permission denied, open '${join(dataDir, name)}'`
    })
    t.same(readFileSync(join(dataDir, 'index.sqlite')), index)
  })
}

t.test('an index that cannot be read since the disk fails is kept', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, close, dataDir } = await open(t, root)
  await library.scan()
  await close()
  const index = readFileSync(join(dataDir, 'index.sqlite'))
  // It is opened in another way when the first one fails.
  fail(t, 'all', 'disk I/O error', 2)
  await t.rejects(open(t, root, dataDir), { message: /: disk I\/O error$/ })
  t.same(readFileSync(join(dataDir, 'index.sqlite')), index)
})

t.test('an index of an older version is made anew, and tracks keep their ids and times of arrival', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const first = await open(t, root)
  await first.library.scan()
  put(root, 'b.mp3', song('B'))
  put(root, 'a.mp3', song('A, retagged'))
  await first.library.scan()
  const tracks = ({ library: { catalogue } }: typeof first) =>
    [...catalogue.tracks.values()].map(({ id, added }) => [id, added]).sort()
  const before = tracks(first)
  await first.close()
  const index = join(first.dataDir, 'index.sqlite')
  for (const form of [4, 0]) {
    const database = openSqlite(index)
    database.exec(`PRAGMA user_version = ${form}`)
    database.close()
    const second = await open(t, root, first.dataDir)
    await second.library.scan()
    t.match(second.lines, [/^warning: index rebuilt: path=.* reason=older version/, /read=2 /])
    t.same(tracks(second), before)
    await second.close()
  }
})

t.test('an artist with a zero-width joiner in the name is the same as with a space', async t => {
  const root = folder(t, { 'a.mp3': song('A', { artist: 'گل\u200cها' }), 'b.mp3': song('B', { artist: 'گل ها' }) })
  const { library } = await open(t, root)
  await library.scan()
  t.same([...library.catalogue.artists.values()].map(({ name }) => name), ['گل\u200cها'])
})

t.test('a process that was killed leaves a lock behind, which does no harm', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const first = await open(t, root)
  await first.library.scan()
  await first.close()
  mkdirSync(join(first.dataDir, 'index.sqlite.lock'))
  const second = await open(t, root, first.dataDir)
  t.same(second.titles(), ['A'])
  t.same(second.lines, [])
})

t.test('what cannot be kept is served all the same, with what was kept before', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'broken.mp3': 'no audio', 'list.m3u': 'a.mp3\nb.mp3' })
  const { library, lines, titles, close, dataDir } = await open(t, root)
  await library.scan()
  t.same(library.catalogue.tracks.list([1e9]), [], 'a track that is not there')
  const { transaction } = IndexDatabase.prototype
  replace(t, IndexDatabase.prototype, 'transaction', function (this: IndexDatabase, work: () => void) {
    if (!this.isInMemory) throw new Error('database or disk is full')
    transaction.call(this, work)
  })
  put(root, 'b.mp3', song('B'))
  put(root, 'list.m3u', 'b.mp3\na.mp3\nb.mp3')
  const reader = library.catalogue.tracks.values()
  await library.scan()
  t.same(Array.from(reader, ({ title }) => title).sort(), ['A', 'B'], 'who reads meanwhile reads to the end')
  t.same(titles(), ['A', 'B'])
  t.same([...library.catalogue.playlists.values()].map(({ trackCount }) => trackCount), [3])
  t.match(lines.slice(3), [/^warning: index not stored: .*database or disk is full/, /^scan finished: tracks=2 /])
  put(root, 'c.mp3', song('C'))
  await library.scan()
  t.same(titles(), ['A', 'B', 'C'])
  const left = ['arrivals', 'identities.sqlite']
  t.same(readdirSync(dataDir), left, 'the index leaves its room to what cannot be made anew')
  await close()
  t.same((await open(t, root, dataDir)).titles(), [])
})

t.test('an index that cannot be kept for another reason than room stays where it is', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, titles, close, dataDir } = await open(t, root)
  await library.scan()
  const { transaction } = IndexDatabase.prototype
  replace(t, IndexDatabase.prototype, 'transaction', function (this: IndexDatabase, work: () => void) {
    if (!this.isInMemory) throw new Error('EROFS: read-only file system')
    transaction.call(this, work)
  })
  put(root, 'b.mp3', song('B'))
  await library.scan()
  t.same(titles(), ['A', 'B'])
  await close()
  t.same((await open(t, root, dataDir)).titles(), ['A'])
})

/** Leaves as little room on the disk, for whoever asks. */
const fillDisk = (t: Test) => replaceExports(t, fs, {
  statfsSync: (() => ({ blocks: 9000, bavail: 4095, bsize: 4096 })) as unknown as typeof fs.statfsSync
})

for (const [what, hurt, isKept] of [
  ['that a process which was killed has locked', (file: string) => mkdirSync(`${file}.lock`), true],
  ['that are damaged', (file: string) => writeFileSync(file, 'This is no database. '.repeat(1000)), false],
  ['of which a part is damaged', (file: string) => writeFileSync(file, readFileSync(file).fill(0xff, 4096)), false]
] as const) {
  t.test(`without room it starts with identities ${what}`, async t => {
    const root = folder(t, { 'a.mp3': song('A') })
    const { library, close, dataDir } = await open(t, root)
    await library.scan()
    const idOfTrack = ({ catalogue }: MusicFolder) => Array.from(catalogue.tracks.values(), ({ id }) => id).join()
    const id = idOfTrack(library)
    await close()
    hurt(join(dataDir, 'identities.sqlite'))
    put(root, 'a.mp3', song('B'))
    fillDisk(t)
    const again = await open(t, root, dataDir)
    await again.library.scan()
    t.same(again.titles(), ['B'])
    t.equal(idOfTrack(again.library) === id, isKept)
    const told = again.lines.filter(line => /identities not read: path=.*identities\.sqlite reason=./.test(line))
    t.equal(told.length, isKept ? 0 : 1)
  })
}

t.test('the last room of the disk is left to others: the index goes, now and at the start', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, lines, titles, close, dataDir } = await open(t, root)
  await library.scan()
  for (const name of ['index.sqlite.newer', 'state.sqlite']) put(dataDir, name, '')
  const left = () => readdirSync(dataDir).filter(name => name.startsWith('index.'))
  t.ok(left().length > 1)
  await t.test('while nothing changes', async t => {
    fillDisk(t)
    await library.scan()
    t.match(left(), ['index.sqlite.newer'])
    t.same(titles(), ['A'])
    t.match(lines.slice(1), [/^warning: index not stored: reason=the disk is full: its last 16 MB are left/, /^scan finished: tracks=1 /])
    await close()
  })
  await (await open(t, root, dataDir)).close()
  t.ok(left().length > 1, 'it is back with the room')
  await t.test('at the start', async t => {
    fillDisk(t)
    const second = await open(t, root, dataDir)
    t.same(readdirSync(dataDir), ['identities.sqlite', 'state.sqlite'])
    await second.library.scan()
    t.same(second.titles(), ['A'])
    t.match(second.lines, [/^warning: index in memory: reason=the disk is full: its last 16/, /^scan finished: tracks=1 /])
  })
  await t.test('when it is rebuilt', async t => {
    const damaged = folder(t, { 'index.sqlite': 'This is no database. '.repeat(1000) })
    const real = fs.statfsSync
    let looks = 0
    replaceExports(t, fs, {
      statfsSync: ((path: string) => ++looks === 1 ? real(path) : { blocks: 9, bavail: 1, bsize: 1 }) as never
    })
    const third = await open(t, root, damaged)
    t.match(third.lines, [/index rebuilt/, /index in memory/])
  })
})

t.test('what a disk that becomes full takes back is not served until it is in memory', async t => {
  const root = folder(t)
  for (let at = 0; at < 110; at++) put(root, `${at}.mp3`, song(`${at}`))
  const { setInterval } = globalThis
  // What is read is kept by its number, and not by the time.
  replace(t, globalThis, 'setInterval', ((run: () => void) => setInterval(run, 2 ** 30)) as never)
  const { library, titles } = await open(t, root)
  const { transaction } = IndexDatabase.prototype
  let ids: string[] = []
  const served = () => ids.filter(id => library.catalogue.tracks.get(id)).length
  let calls = 0
  let takenBack: number[] = []
  replace(t, IndexDatabase.prototype, 'transaction', function (this: IndexDatabase, work, isWaiting) {
    if (this.isInMemory || ++calls === 1) return transaction.call(this, work, isWaiting)
    if (calls === 2) queueMicrotask(() => { takenBack = [library.catalogue.tracks.size, served()] })
    transaction.call(this, () => { throw new Error('database or disk is full') })
  })
  library.onChange = () => {
    ids = [...ids, ...Array.from(library.catalogue.tracks.values(), ({ id }) => id)]
    served()
  }
  await library.scan()
  t.same(takenBack, [0, 0])
  t.ok(ids.length > 50)
  t.equal(titles().length, 110)
})

t.test('a disk that has become full is told with its reason, what is read is served', { skip: isNative }, async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, close, dataDir } = await open(t, root)
  await library.scan()
  await close()
  const full = () => { throw new Error('ENOSPC: no space left on device, write') }
  const again = await open(t, root, dataDir)
  replaceExports(t, fs, { writeSync: full, writeFileSync: full })
  await promises.writeFile(join(root, 'b.mp3'), song('B'))
  for (let round = 0; round < 2; round++) {
    await again.library.scan()
    t.same(again.titles(), ['A', 'B'])
  }
  t.same(again.lines.filter(line => line.startsWith('warning')), [
    'warning: index not stored: reason=the disk is full (ENOSPC: no space left on device, write)'
  ])
  await again.close()
  t.same(readdirSync(dataDir), ['identities.sqlite'])
  const anew = await open(t, root)
  await anew.library.scan()
  t.same(anew.titles(), ['A', 'B'])
  t.match(anew.lines, [/^warning: index in memory: reason=the disk is full \(ENOSPC/, /^scan finished: tracks=2 /])
})

t.test('a write that fails for a reason that has passed is told as it is', { skip: isNative }, async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, lines, titles } = await open(t, root)
  const { writeSync } = fs
  replaceExports(t, fs, {
    writeSync (...args: any[]) {
      // What is written to learn the reason is more than a page.
      if (args[1].length < 2 ** 20) throw new Error('EIO: i/o error, write')
      return (writeSync as any)(...args)
    }
  })
  await library.scan()
  t.same(titles(), ['A'])
  t.match(lines, ['warning: index not stored: reason=disk I/O error', /^scan finished: tracks=1 /])
})

t.test('an index that is deleted while it is used is told of once, and used', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, lines, titles, close, dataDir } = await open(t, root)
  await library.scan()
  for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true })
  put(root, 'b.mp3', song('B'))
  for (let round = 0; round < 2; round++) {
    await library.scan()
    t.same(titles(), ['A', 'B'])
  }
  t.match(lines.filter(line => line.startsWith('warning')), [/^warning: index deleted: path=./])
  await close()
  const again = await open(t, root, dataDir)
  await again.library.scan()
  t.same(again.titles(), ['A', 'B'])
  t.match(again.lines, [/read=2 /])
})

/** Begins a transaction in another process, which says what has come of it, and stays until it is killed. */
async function hold (t: Test, dataDir: string): Promise<string> {
  const program = `
    import { openSqlite } from './example/database/open-sqlite.ts'
    try {
      openSqlite(${JSON.stringify(join(dataDir, 'index.sqlite'))}).exec('BEGIN EXCLUSIVE')
      console.log('it is held')
    } catch ({ message }) {
      console.log(message)
    }
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const [said] = await once(child.stdout, 'data')
  return String(said).trim()
}

t.test('no other process can lock an index that is used; one that a process has is told, and kept', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const first = await open(t, root)
  await first.library.scan()
  t.equal(await hold(t, first.dataDir), 'database is locked')
  await first.close()
  t.equal(await hold(t, first.dataDir), 'it is held')
  // The lock of the WASM build is a folder, which a killed process leaves behind.
  if (!isNative) t.same((await open(t, root, first.dataDir)).titles(), ['A'])
  else await t.rejects(open(t, root, first.dataDir), { message: /: database is locked$/ })
})

t.test('a scan that finds nothing new writes nothing: the data folder may be in the watched folder', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'data/': '' })
  const { library, lines } = await open(t, root, join(root, 'data'))
  await library.scan()
  const log = join(root, 'data/index.sqlite-wal')
  utimesSync(log, 1, 1)
  await library.scan()
  t.equal(statSync(log).mtimeMs, 1000)
  put(root, 'b.mp3', song('B'))
  await library.scan()
  t.not(statSync(log).mtimeMs, 1000)
  t.match(lines, [/read=1 /, /read=0 /, /read=1 /])
})

t.test('a folder that is not there loses nothing, and is told in one line when it goes and is back', async t => {
  const root = folder(t, { 'music/a.mp3': song('A'), 'music/b.m3u': 'a.mp3' })
  const { library, lines, titles } = await open(t, join(root, 'music'))
  const playlists = () => [...library.catalogue.playlists.values()].map(({ name }) => name)
  await library.scan()
  const [before] = library.catalogue.tracks.values()
  renameSync(join(root, 'music'), join(root, 'away'))
  await library.scan()
  await library.scan()
  t.same(titles(), ['A'])
  t.same(playlists(), ['b'])
  renameSync(join(root, 'away'), join(root, 'music'))
  await library.scan()
  t.same([...library.catalogue.tracks.values()], [before])
  t.match(lines.filter(line => !line.includes('scan finished')), [
    /^warning: folder unavailable: path=.+music reason=ENOENT: .+music'$/,
    /^folder available again: path=.+music$/
  ])
})

t.test('an empty mount point of a disk that is not there loses nothing, nor at the next start', async t => {
  const root = folder(t, { 'music/a.mp3': song('A') })
  const first = await open(t, join(root, 'music'))
  await first.library.scan()
  await first.close()
  renameSync(join(root, 'music'), join(root, 'disk'))
  put(root, 'music/.keep', '')
  mkdirSync(join(root, 'music/lost+found'))
  const second = await open(t, join(root, 'music'), first.dataDir)
  await second.library.scan()
  t.same(second.titles(), ['A'])
  t.match(second.lines, [
    /^warning: folder unavailable: path=.+music reason=there is nothing in .+music/, /gone=0 /
  ])
  await second.close()
  t.same((await open(t, join(root, 'music'), first.dataDir)).titles(), ['A'])
})

t.test('a folder that was emptied has nothing any more, at the next start too', async t => {
  const root = folder(t, { 'music/a.mp3': song('A') })
  const first = await open(t, join(root, 'music'))
  await first.library.scan()
  await first.close()
  rmSync(join(root, 'music/a.mp3'))
  const second = await open(t, join(root, 'music'), first.dataDir)
  t.same(second.titles(), ['A'])
  await second.library.scan()
  t.same(second.titles(), [])
  t.match(second.lines, [/^scan finished: tracks=0 .+ gone=1 /])
  await second.close()
  t.same((await open(t, join(root, 'music'), first.dataDir)).titles(), [])
})

t.test('an empty folder with the device and the inode of the one that had the music loses nothing', async t => {
  const root = folder(t, { 'music/a.mp3': song('A') })
  const { library, lines, titles } = await open(t, join(root, 'music'))
  await library.scan()
  const { stat } = promises
  const { dev, ino } = await stat(join(root, 'music'))
  renameSync(join(root, 'music'), join(root, 'away'))
  mkdirSync(join(root, 'music'))
  replaceExports(t, promises, { stat: (async (path: string) => Object.assign(await stat(path), { dev, ino })) as any })
  await library.scan()
  t.same(titles(), ['A'])
  t.match(lines[1], /^warning: folder unavailable: path=.+ reason=there is nothing in/)
})

t.test('a folder that was missing and is back without anything loses nothing', async t => {
  const root = folder(t, { 'music/a.mp3': song('A') })
  const { library, titles } = await open(t, join(root, 'music'))
  await library.scan()
  renameSync(join(root, 'music'), join(root, 'away'))
  await library.scan()
  rmSync(join(root, 'away/a.mp3'))
  renameSync(join(root, 'away'), join(root, 'music'))
  await library.scan()
  await t.rejects(library.isThere(), { message: /^there is nothing in/ })
  t.same(titles(), ['A'])
  await library.forgetMissing()
  t.same(titles(), [])
  t.equal(await library.isThere(), true, 'somebody has said that nothing is missing')
})

/** More files than may be gone at once. */
const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`many/${at}.mp3`, song(`Song ${at}`)]))

t.test('a folder that has lost many files at once keeps them until a person says that they are gone', async t => {
  const root = folder(t, many)
  const { library, lines, titles } = await open(t, root)
  await library.scan()
  rmSync(join(root, 'many'), { recursive: true })
  await library.scan()
  t.equal(titles().length, 101)
  t.match(lines[1], /^warning: folder emptied: path=./)
  t.match(lines[2], /^warning: folder unavailable: path=./)
  await library.forgetMissing()
  t.same(titles(), [])
  t.equal(await library.isThere(), true)
})

t.test('a folder that loses many files one after the other has them no more', async t => {
  const root = folder(t, many)
  const { library, titles } = await open(t, root)
  await library.scan()
  rmSync(join(root, 'many/0.mp3'))
  await library.scan()
  rmSync(join(root, 'many'), { recursive: true })
  await library.scan()
  t.same(titles(), [])
})

t.test('what is away is forgotten on request, at the next start too, and is new when it is back', async t => {
  const root = folder(t, { 'music/a.mp3': song('A'), 'music/b.m3u': 'a.mp3' })
  const { library, titles, close, dataDir } = await open(t, join(root, 'music'))
  await library.scan()
  renameSync(join(root, 'music'), join(root, 'away'))
  await library.scan()
  t.same(titles(), ['A'])
  await library.forgetMissing()
  t.same(titles(), [])
  t.equal(library.catalogue.playlists.size, 0)
  await close()
  renameSync(join(root, 'away'), join(root, 'music'))
  const second = await open(t, join(root, 'music'), dataDir)
  t.same(second.titles(), [])
  await second.library.scan()
  t.same(second.titles(), ['A'])
  renameSync(join(root, 'music'), join(root, 'away'))
  await second.library.scan()
  t.same(second.titles(), ['A'], 'one request is for one time')
})

t.test('a folder that never had music is told of', async t => {
  const { library, lines } = await open(t, folder(t))
  await library.scan()
  t.match(lines[0], /^warning: folder unavailable: path=./)
})

t.test('a disk unplugged in the middle of a scan loses nothing, and the rest is read when it is back', async t => {
  const root = folder(t)
  const names = Array.from({ length: 60 }, (_, at) => `${at}.mp3`)
  for (const name of names) put(root, `music/${name}`, song(name))
  put(root, 'music/list.m3u', '1.mp3')
  const { library, lines, titles } = await open(t, join(root, 'music'))
  await library.scan()

  for (const name of names.slice(1, -1)) put(root, `music/${name}`, song(`New ${name}`))
  put(root, 'music/list.m3u', '1.mp3\n2.mp3')
  put(root, 'music/0.mp3', 'no audio')
  rmSync(join(root, 'music/59.mp3'))
  const push = t.intercept(lines, 'push', {
    value (line: string) {
      if (line.startsWith('warning: file skipped: path=0.mp3 ')) renameSync(join(root, 'music'), join(root, 'away'))
      lines[lines.length] = line
    }
  })
  await library.scan()
  push.restore()
  t.equal(titles().length, 59)
  t.ok(titles().includes('59.mp3'), 'that it is gone cannot be known')
  t.same([...library.catalogue.playlists.values()].map(({ name }) => name), ['list'])

  renameSync(join(root, 'away'), join(root, 'music'))
  await library.scan()
  t.same(titles(), names.slice(1, -1).map(name => `New ${name}`).sort())
})

t.test('a folder that was away is watched again when it is back', async t => {
  const root = folder(t, { 'music/a.mp3': song('A') })
  const { library, lines, titles } = await open(t, join(root, 'music'))
  await library.watch()
  renameSync(join(root, 'music'), join(root, 'away'))
  await until(() => lines.some(line => line.startsWith('warning: folder unavailable')))
  put(root, 'away/b.mp3', song('B'))
  renameSync(join(root, 'away'), join(root, 'music'))
  await until(() => titles().join() === 'A,B')
  put(root, 'music/c.mp3', song('C'))
  await until(() => titles().join() === 'A,B,C')
  t.pass('all of it was seen')
})

t.test('a folder that takes the place of another one is watched', async t => {
  const root = folder(t, { 'music/a.mp3': song('A'), 'new/b.mp3': song('B') })
  const { library, titles } = await open(t, join(root, 'music'))
  await library.watch()
  renameSync(join(root, 'music'), join(root, 'old'))
  renameSync(join(root, 'new'), join(root, 'music'))
  await until(() => titles().join() === 'B')
  put(root, 'music/c.mp3', song('C'))
  await until(() => titles().join() === 'B,C')
  t.pass('all of it was seen')
})

t.test('a folder inside that takes the place of another one is watched, and so are those in it', async t => {
  const root = folder(t, {
    'music/in/a.mp3': song('A'), 'music/in/disc/b.mp3': song('B'), 'new/c.mp3': song('C'), 'new/disc/d.mp3': song('D')
  })
  const { library, titles } = await open(t, join(root, 'music'))
  await library.watch()
  renameSync(join(root, 'music/in'), join(root, 'old'))
  renameSync(join(root, 'new'), join(root, 'music/in'))
  await until(() => titles().join() === 'C,D')
  put(root, 'music/in/e.mp3', song('E'))
  put(root, 'music/in/disc/f.mp3', song('F'))
  await until(() => titles().join() === 'C,D,E,F')
  t.pass('all of it was seen')
})

t.test('what changes in folders that were moved, or were made again at once, is seen', async t => {
  const root = folder(t, {
    'music/in/disc/a.mp3': song('A'), 'music/again/disc/b.mp3': song('B'), 'tree/disc/deep/c.mp3': song('C')
  })
  const { library, titles } = await open(t, join(root, 'music'))
  await library.watch()
  const move = (from: string, to: string) => renameSync(join(root, from), join(root, to))
  move('music/in', 'music/In')
  move('tree', 'music/tree')
  rmSync(join(root, 'music/again'), { recursive: true })
  put(root, 'music/again/disc/d.mp3', song('D'))
  await until(() => titles().join() === 'A,C,D')
  for (const path of ['In/disc/e', 'tree/disc/deep/f', 'again/disc/g']) {
    put(root, `music/${path}.mp3`, song(path.at(-1)!.toUpperCase()))
  }
  await until(() => titles().join() === 'A,C,D,E,F,G')
  move('music/In', 'away')
  put(root, 'away/disc/h.mp3', song('H'))
  await until(() => titles().join() === 'C,D,F,G')
  move('away', 'music/in')
  await until(() => titles().join() === 'A,C,D,E,F,G,H')
  rmSync(join(root, 'music/in/disc/h.mp3'))
  await until(() => titles().join() === 'A,C,D,E,F,G')
  t.pass('all of it was seen')
})

t.test('a file that is moved into a bin in the folder is gone, with all that is in the bin', async t => {
  const root = folder(t, { 'in/a.mp3': song('A'), 'in/b.mp3': song('B'), '#recycle/old.mp3': song('Old') })
  const { library, titles } = await open(t, root)
  await library.watch()
  renameSync(join(root, 'in/a.mp3'), join(root, '#recycle/a.mp3'))
  await until(() => titles().join() === 'B')
  renameSync(join(root, 'in/b.mp3'), join(root, '#recycle/b.mp3'))
  put(root, 'in/c.mp3', song('C'))
  await until(() => titles().join() === 'C')
  t.pass('what is in the bin was not seen')
})

t.test('a link to a folder outside is not followed by a scan of what has changed either', async t => {
  const root = folder(t, { 'music/in/a.mp3': song('A'), 'secret/b.mp3': song('B') })
  const { library, titles } = await open(t, join(root, 'music'))
  await library.scan()
  symlinkSync('../../secret', join(root, 'music/in/link'))
  await library.scan(new Set(['in', 'in/link']))
  t.same(titles(), ['A'])
})

t.test('a folder that becomes a link to one outside while its files are read has none, until it is back', async t => {
  const root = folder(t, { 'music/in/a.mp3': song('A'), 'outside/a.mp3': song('Secret') })
  const [inside, away] = [join(root, 'music/in'), join(root, 'away')]
  const restore = followFiles(t, () => {
    renameSync(inside, away)
    symlinkSync('../outside', inside)
  })
  const { library, titles } = await open(t, join(root, 'music'))
  await library.scan()
  t.same(titles(), [])
  restore()
  rmSync(inside)
  renameSync(away, inside)
  await library.scan()
  t.same(titles(), ['A'])
})

t.test('a link to a file that was gone leads to it again when it is back', async t => {
  const root = folder(t, { 'in/a.mp3': song('A'), 'b.mp3': song('B') })
  mkdirSync(join(root, 'best'))
  symlinkSync('../in/a.mp3', join(root, 'best/1.mp3'))
  const { library } = await open(t, root)
  rmSync(join(root, 'in/a.mp3'))
  await library.scan()
  put(root, 'in/a.mp3', song('A'))
  await library.scan(new Set(['in']))
  t.same([...library.catalogue.tracks.values()].map(({ paths }) => paths.join()).sort(), [
    'b.mp3', 'best/1.mp3,in/a.mp3'
  ])
})

t.test('a link to a folder inside is followed when it is new', async t => {
  const root = folder(t, { 'in/a.mp3': song('A'), 'other/b.mp3': song('B') })
  const { library } = await open(t, root)
  await library.scan()
  symlinkSync('../other', join(root, 'in/link'))
  put(root, 'other/c.mp3', song('C'))
  await library.scan(new Set(['in', 'in/link']))
  t.same([...library.catalogue.tracks.values()].map(({ paths }) => paths.join()).sort(), [
    'in/a.mp3', 'other/b.mp3', 'other/c.mp3'
  ])
})

t.test('a library that is closed while its folder is away does not look for it again', async t => {
  const root = folder(t, { 'music/a.mp3': song('A') })
  const { library, lines, close } = await open(t, join(root, 'music'))
  await library.scan()
  renameSync(join(root, 'music'), join(root, 'away'))
  const set = t.capture(globalThis, 'setTimeout', setTimeout)
  const cleared = t.capture(globalThis, 'clearTimeout', clearTimeout)
  await library.scan()
  t.match(lines[1], /^warning: folder unavailable/)
  library.scan()
  await close()
  const looks = set().filter(({ args }) => args[1] === 2000) as { returned?: NodeJS.Timeout }[]
  t.equal(looks.length, 1)
  t.ok(cleared().some(({ args }) => args[0] === looks[0]!.returned))
})

/**
 * Lists no folder of this name, until the test ends or what is returned is called. The look for the music folder itself
 * is no listing of entries.
 */
function lock (t: Test, name: string) {
  const { readdir } = promises
  t.teardown(syncBuiltinESMExports)
  const { restore } = t.intercept(promises, 'readdir', {
    async value (path: string, options?: { withFileTypes: true }) {
      if (options !== undefined && path.endsWith(name)) throw new Error('EACCES')
      return readdir(path, options!)
    }
  })
  syncBuiltinESMExports()
  return () => {
    restore()
    syncBuiltinESMExports()
  }
}

t.test('a folder inside that cannot be read loses nothing either', async t => {
  const root =
    folder(t, { 'a.mp3': song('A'), 'locked/b.mp3': song('B'), 'locked/d.m3u': 'b.mp3', 'locked too/c.mp3': song('C') })
  const { library, titles } = await open(t, root)
  await library.scan()
  lock(t, 'locked')
  rmSync(join(root, 'a.mp3'))
  await library.scan()
  t.same(titles(), ['B', 'C'])
  t.equal(library.catalogue.playlists.size, 1)
})

t.test('a folder that can be listed and not entered loses nothing, and what was deleted meanwhile is gone', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'listed/b.mp3': song('B'), 'listed/d.m3u': 'b.mp3' })
  const { library, titles } = await open(t, root)
  await library.scan()
  const { stat } = promises
  t.teardown(syncBuiltinESMExports)
  t.intercept(promises, 'stat', {
    async value (path: string) {
      if (path.includes('/listed/')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
      if (path.endsWith('a.mp3')) rmSync(path)
      return stat(path)
    }
  })
  syncBuiltinESMExports()
  await library.scan()
  t.same(titles(), ['B'])
  t.equal(library.catalogue.playlists.size, 1)
})

t.test('a folder that is away for a moment in the middle of a scan loses nothing', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b.m3u': 'a.mp3' })
  const { library, titles } = await open(t, root)
  await library.scan()
  lock(t, root)
  await library.scan()
  t.same(titles(), ['A'])
  t.equal(library.catalogue.playlists.size, 1)
})

/** Makes folders of a library disks of their own, as far as `stat` tells: each has another device. */
function disks (t: Test, root: string) {
  const mounted = new Map<string, number>()
  const { stat } = promises
  let devices = 0
  t.teardown(syncBuiltinESMExports)
  t.intercept(promises, 'stat', {
    async value (path: string) {
      const stats = await stat(path)
      const disk = [...mounted.keys()].filter(disk => `${path}/`.startsWith(`${join(root, disk)}/`)).sort().at(-1)
      stats.dev += mounted.get(disk!) ?? 0
      return stats
    }
  })
  syncBuiltinESMExports()
  const shelf = folder(t)
  /** A disk that was here or elsewhere before has the same files, and another device if it says so. */
  const mount = (path: string, disk = path, device = ++devices) => {
    if (readdirSync(shelf).includes(disk)) {
      rmSync(join(root, path), { recursive: true, force: true })
      renameSync(join(shelf, disk), join(root, path))
    }
    mounted.set(path, device)
  }
  const unmount = (path: string) => {
    renameSync(join(root, path), join(shelf, path))
    mkdirSync(join(root, path))
    mounted.delete(path)
  }
  return { mount, unmount }
}

/** What is told of folders that are away. */
const told = (lines: string[]) => lines.filter(line => !line.includes('scan finished'))

t.test('a disk inside that is away loses nothing, and is told of when it goes and when it is back', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'disk/in/b.mp3': song('B'), 'disk/c.m3u': 'in/b.mp3' })
  const { mount, unmount } = disks(t, root)
  mount('disk')
  const { library, lines } = await open(t, root)
  await library.scan()
  const all = () => [...library.catalogue.tracks.values(), ...library.catalogue.playlists.values()]
  const before = all()
  t.equal(before.length, 3)
  unmount('disk')
  await library.scan()
  t.same(all(), before)
  rmSync(join(root, 'disk'), { recursive: true })
  await library.scan()
  put(root, 'disk/lost+found/', '')
  put(root, 'disk/.keep', '')
  await library.scan()
  t.same(all(), before)
  mount('disk')
  await library.scan()
  await library.scan()
  t.same(all(), before)
  const scans = lines.filter(line => line.includes('scan finished'))
  t.match(scans, [/read=2 /, ...Array(5).fill(/read=0 gone=0 /)])
  t.match(told(lines), [
    /^warning: folder unavailable: path=disk reason=there is nothing in .+disk/,
    /^folder available again: path=disk$/
  ])
  t.equal(told(lines).length, 2)
})

/** Paths of the folders that were watched since the last call. */
function watched (t: Test) {
  const { watch } = fs
  let paths: string[] = []
  replaceExports(t, fs, {
    watch: ((path: string, ...rest: [any, any]) => {
      paths.push(path)
      return watch(path, ...rest)
    }) as never
  })
  return () => {
    const last = paths.sort()
    paths = []
    return last
  }
}

t.test('a disk that was mounted inside is watched when a scan has found it, since no event tells that', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'disk/in/b.mp3': song('B') })
  const { mount } = disks(t, root)
  const { library } = await open(t, root)
  const seen = watched(t)
  await library.watch()
  const disk = [join(library.root, 'disk'), join(library.root, 'disk/in')]
  t.same(seen(), [library.root, ...disk])
  await library.scan()
  t.same(seen(), [])
  mount('disk')
  await library.scan()
  t.same(seen(), disk)
  await library.scan()
  t.same(seen(), [])
})

for (const [what, remove] of Object.entries<(folder: string) => void>({
  emptied: folder => rmSync(join(folder, 'b.mp3')),
  deleted: folder => rmSync(folder, { recursive: true })
})) {
  t.test(`a folder inside that was ${what} on the same disk has nothing any more`, async t => {
    const root = folder(t, { 'a.mp3': song('A'), 'in/b.mp3': song('B') })
    const { library, titles, lines } = await open(t, root)
    await library.scan()
    remove(join(root, 'in'))
    await library.scan()
    t.same(titles(), ['A'])
    t.same(told(lines), [])
  })
}

t.test('a disk inside that was emptied has nothing any more, and is not looked for when it is away', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'disk/b.mp3': song('B') })
  const { mount, unmount } = disks(t, root)
  mount('disk')
  const { library, titles, lines } = await open(t, root)
  await library.scan()
  rmSync(join(root, 'disk/b.mp3'))
  await library.scan()
  t.same(titles(), ['A'])
  unmount('disk')
  await library.scan()
  t.same(told(lines), [])
})

t.test('a disk inside that has lost many files at once keeps them', async t => {
  const root = folder(t, { 'a.mp3': song('A'), ...many })
  const { mount } = disks(t, root)
  mount('many')
  const { library, titles, lines } = await open(t, root)
  await library.scan()
  for (const name of readdirSync(join(root, 'many'))) rmSync(join(root, 'many', name))
  await library.scan()
  t.equal(titles().length, 102)
  t.match(told(lines), [/^warning: folder emptied: path=many$/, /^warning: folder unavailable: path=many /])
})

t.test('a disk inside that was away and is back without anything loses nothing', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'disk/b.mp3': song('B') })
  const { mount } = disks(t, root)
  mount('disk')
  const { library, titles } = await open(t, root)
  await library.scan()
  renameSync(join(root, 'disk'), join(root, '.away'))
  await library.scan()
  rmSync(join(root, '.away/b.mp3'))
  renameSync(join(root, '.away'), join(root, 'disk'))
  await library.scan()
  t.same(titles(), ['A', 'B'])
})

t.test('a disk inside that is not there at the next start loses nothing', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'disk/b.mp3': song('B') })
  const { mount, unmount } = disks(t, root)
  mount('disk')
  const first = await open(t, root)
  await first.library.scan()
  const index = join(first.dataDir, 'index.sqlite')
  utimesSync(index, 1, 1)
  await first.library.scan()
  t.equal(statSync(index).mtimeMs, 1000, 'what is kept already is not written again')
  await first.close()
  unmount('disk')
  const second = await open(t, root, first.dataDir)
  await second.library.scan()
  await second.close()
  const third = await open(t, root, first.dataDir)
  await third.library.scan()
  for (const { titles, lines } of [second, third]) {
    t.same(titles(), ['A', 'B'])
    t.match(lines, [/^warning: folder unavailable: path=disk /, /read=0 gone=0 /])
  }
})

t.test('a disk inside that has the device of another one after a restart is not taken for that one', async t => {
  const root = folder(t, { 'one/a.mp3': song('A'), 'two/b.mp3': song('B') })
  const { mount, unmount } = disks(t, root)
  // Disks with the same file system have the same inode.
  const inode = statSync(join(root, 'two')).ino
  const { stat } = promises
  t.intercept(promises, 'stat', {
    async value (path: string) {
      const stats = await stat(path)
      return Object.assign(stats, stats.dev === statSync(root).dev ? {} : { ino: inode })
    }
  })
  syncBuiltinESMExports()
  mount('one', 'one', 1)
  mount('two', 'two', 2)
  const first = await open(t, root)
  await first.library.scan()
  await first.close()
  unmount('one')
  mount('two', 'two', 1)
  const second = await open(t, root, first.dataDir)
  await second.library.scan()
  t.same(second.titles(), ['A', 'B'])
})

t.test('a disk inside that is away is forgotten on request, at the next start too', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'disk/b.mp3': song('B'), 'disk/c.m3u': 'b.mp3' })
  const { mount, unmount } = disks(t, root)
  mount('disk')
  const first = await open(t, root)
  await first.library.scan()
  unmount('disk')
  await first.library.scan()
  await first.library.forgetMissing()
  t.same(first.titles(), ['A'])
  t.notMatch([...first.library.catalogue.playlists.values()], [{ name: 'c' }])
  await first.close()
  const second = await open(t, root, first.dataDir)
  await second.library.scan()
  t.same(second.titles(), ['A'])
  t.same(told(second.lines), [])
  mount('disk')
  await second.library.scan()
  unmount('disk')
  await second.library.scan()
  t.same(second.titles(), ['A', 'B'], 'one request is for one time')
})

t.test('a disk inside that goes away in the middle of a scan loses nothing', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'disk/b.mp3': song('B') })
  const { mount, unmount } = disks(t, root)
  mount('disk')
  const { library, titles, lines } = await open(t, root)
  await library.scan()
  const { stat } = promises
  // The folder has been listed by then.
  const intercepted = t.intercept(promises, 'stat', {
    async value (path: string) {
      if (path.endsWith('b.mp3')) unmount('disk')
      return stat(path)
    }
  })
  syncBuiltinESMExports()
  await library.scan()
  intercepted.restore()
  syncBuiltinESMExports()
  t.same(titles(), ['A', 'B'])
  t.match(told(lines), [/^warning: file skipped: path=disk\/b.mp3 reason=ENOENT/, /^warning: folder unavailable: path=disk /])
})

t.test('a disk inside that is back in the middle of a scan loses nothing', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'disk/b.mp3': song('B') })
  const { mount, unmount } = disks(t, root)
  mount('disk')
  const { library, titles, lines } = await open(t, root)
  await library.scan()
  unmount('disk')
  put(root, 'new.mp3', 'no audio')
  const push = t.intercept(lines, 'push', {
    value (line: string) {
      // All folders have been listed by then.
      if (line.startsWith('warning: file skipped: path=new.mp3 ')) mount('disk')
      lines[lines.length] = line
    }
  })
  await library.scan()
  push.restore()
  t.same(titles(), ['A', 'B'])
  await library.scan()
  t.same(titles(), ['A', 'B'])
  t.match(told(lines), [/file skipped: path=new.mp3/, /^warning: folder unavailable: path=disk /, /^folder available again: path=disk/])
})

t.test('a disk inside of one that is away is not told of, unless it stays away', async t => {
  const root = folder(t, { 'disk/a.mp3': song('A'), 'disk/inner/b.mp3': song('B'), 'disk/other/c.mp3': song('C') })
  const { mount, unmount } = disks(t, root)
  mount('disk/inner')
  mount('disk')
  const { library, titles, lines } = await open(t, root)
  await library.scan()
  unmount('disk')
  await library.scan()
  rmSync(join(root, 'disk'), { recursive: true })
  await library.scan()
  t.same(titles(), ['A', 'B', 'C'])
  mount('disk')
  rmSync(join(root, 'disk/inner'), { recursive: true })
  await library.scan()
  t.same(titles(), ['A', 'B', 'C'])
  t.match(told(lines), [/^warning: folder unavailable: path=disk /, /^folder available again: path=disk/, /^warning: folder unavailable: path=disk\/inner/])
  t.equal(told(lines).length, 3)
})

t.test('a disk inside that is mounted in another place has moved', async t => {
  const root = folder(t, { 'old/a.mp3': song('A'), 'b.mp3': song('B') })
  const { mount, unmount } = disks(t, root)
  mount('old')
  const { library, titles, lines } = await open(t, root)
  const paths = () => [...library.catalogue.tracks.values()].flatMap(({ paths }) => paths).sort()
  await library.scan()
  unmount('old')
  mount('new', 'old', 1)
  await library.scan()
  t.same(titles(), ['A', 'B'])
  t.same(paths(), ['b.mp3', 'new/a.mp3'])
  t.same(told(lines), [])
  unmount('new')
  await library.scan()
  mount('old', 'new', 1)
  await library.scan()
  t.same(paths(), ['b.mp3', 'old/a.mp3'])
  t.match(told(lines), [/^warning: folder unavailable: path=new /])
  t.equal(told(lines).length, 1)
})

t.test('a disk inside that cannot be read is told of once when it goes and once when it is back', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'disk/b.mp3': song('B') })
  const { mount } = disks(t, root)
  mount('disk')
  const { library, titles, lines } = await open(t, root)
  await library.scan()
  const { readdir } = promises
  const stale = t.intercept(promises, 'readdir', {
    async value (path: string, options: any) {
      if (path.endsWith('disk')) throw new Error('ESTALE')
      return readdir(path, options)
    }
  })
  syncBuiltinESMExports()
  await library.scan()
  t.same(titles(), ['A', 'B'])
  stale.restore()
  syncBuiltinESMExports()
  await library.scan()
  t.same(told(lines), [
    'warning: folder unavailable: path=disk reason=ESTALE',
    'folder available again: path=disk'
  ])
})

t.test('a disk in a folder that could not be listed for a while is known for one afterwards', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'in/disk/b.mp3': song('B') })
  const { mount } = disks(t, root)
  mount('in/disk')
  const { library, titles, lines } = await open(t, root)
  await library.scan()
  const unlock = lock(t, 'in')
  await library.scan()
  t.same(told(lines), ['warning: file skipped: path=in reason=EACCES'])
  unlock()
  rmSync(join(root, 'in/disk'), { recursive: true })
  await library.scan()
  t.same(titles(), ['A', 'B'])
})

t.test('a disk inside of a music folder that is away is not told of, and is kept', async t => {
  const root = folder(t, { 'music/a.mp3': song('A'), 'music/disk/b.mp3': song('B') })
  const { mount } = disks(t, root)
  mount('music/disk')
  const { library, titles, lines } = await open(t, join(root, 'music'))
  await library.scan()
  renameSync(join(root, 'music'), join(root, 'away'))
  await library.scan()
  renameSync(join(root, 'away'), join(root, 'music'))
  rmSync(join(root, 'music/disk'), { recursive: true })
  await library.scan()
  t.same(titles(), ['A', 'B'])
  t.match(told(lines), [/^warning: folder unavailable: path=.+music/, /^folder available again: path=.+music$/, /^warning: folder unavailable: path=disk /])
  t.equal(told(lines).length, 3)
})

t.test('a name that is no UTF-8 is left out, and hides nothing', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B') })
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff]), Buffer.from('.mp3')]), song('C'))
  const { library, titles } = await open(t, root)
  await library.scan()
  rmSync(join(root, 'a.mp3'))
  await library.scan()
  t.same(titles(), ['B'])
})

t.test('scans that are asked for while one runs are one', async t => {
  const { library, lines } = await open(t, folder(t, { 'a.mp3': song('A') }))
  const first = library.scan()
  await setImmediate()
  await Promise.all([first, library.scan(), library.scan(), library.scan()])
  t.equal(lines.length, 2)
})

t.test('a data folder that cannot be written to is told in one line', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  await t.rejects(open(t, root, '/proc'), { message: /^DATA_DIR must be a folder that the source may write to: .+$/ })
})

t.test('a data folder in the music folder is no music: it is neither scanned nor watched', async t => {
  const root = folder(t, {
    'a.mp3': song('A'), 'data/b.mp3': song('B'), 'data/deep/c.mp3': song('C'), 'database/d.mp3': song('D')
  })
  symlinkSync('../data/b.mp3', join(root, 'database/link.mp3'))
  symlinkSync('data', join(root, 'link'))
  const first = await open(t, root)
  await first.library.scan()
  t.same(first.titles(), ['A', 'B', 'C', 'D'])
  await first.close()
  const dataDir = join(root, 'data')
  cpSync(first.dataDir, dataDir, { recursive: true })

  const { library, titles } = await open(t, root, dataDir)
  const seen = watched(t)
  await library.watch()
  t.same(titles(), ['A', 'D'])
  t.same(seen(), [library.root, join(library.root, 'database')])
})

t.test('a data folder that is the music folder, or has it in it, leaves the music there', async t => {
  const root = folder(t, { 'music/a.mp3': song('A') })
  for (const music of [root, join(root, 'music')]) {
    const { library, titles, close } = await open(t, music, root)
    await library.scan()
    t.same(titles(), ['A'])
    await close()
  }
})

t.test('what cannot be read is told once, however often it is scanned', async t => {
  const { library, lines } = await open(t, folder(t, { 'huge.m3u8': Buffer.alloc(11 * 1024 * 1024) }))
  await library.scan()
  await library.scan()
  t.equal(lines.filter(line => line.startsWith('warning')).length, 1)
})

t.test('a change that is none is not told', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, lines } = await open(t, root)
  await library.watch()
  await library.scan()
  t.equal(lines.length, 1)
})

t.test('a playlist that has changed is read again', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b.m3u': 'a.mp3' })
  const { library } = await open(t, root)
  const counts = () => [...library.catalogue.playlists.values()].map(({ trackCount }) => trackCount)
  await library.scan()
  await library.scan()
  t.same(counts(), [1])
  put(root, 'b.m3u', 'a.mp3\na.mp3')
  await library.scan()
  t.same(counts(), [2])
  rmSync(join(root, 'b.m3u'))
  await library.scan()
  t.same(counts(), [])
})

for (const [what, file, line] of [
  ['with accents as a URL has them', 'Beyonce\u0301.mp3', encodeURIComponent('Beyonce\u0301.mp3')],
  ['in a folder with a %', '100% Hits/my%20song.mp3', 'my%20song.mp3'],
  ['that has a dot at the end', 'song.mp3', 'song.mp3/.'],
  ['that has a dot at the end as a URL has it', 'a song.mp3', 'a%20song.mp3%2F.']
] as const) {
  t.test(`a line of a playlist ${what} finds its file when that has changed`, async t => {
    const root = folder(t, { [file]: song('Before'), [join(dirname(file), 'list.m3u8')]: line })
    const { library } = await open(t, root)
    await library.scan()
    put(root, file, song('Other title'))
    await library.scan()
    const [playlist] = library.catalogue.playlists.values()
    t.same((await library.catalogue.playlistTracks(playlist!, 9)).map(({ title }) => title), ['Other title'])
  })
}

t.test('a line of a playlist that may mean two files means the same after a change as after a first scan', async t => {
  const [first, second] = ['e\u0301/\u00e9.mp3', '\u00e9/e\u0301.mp3']
  const root = folder(t, { [first!]: song('First'), [second!]: song('Second'), 'list.m3u8': '\u00e9/\u00e9.mp3' })
  const changed = await open(t, root)
  const found = async ({ catalogue }: MusicFolder) =>
    (await catalogue.playlistTracks([...catalogue.playlists.values()][0]!, 9)).map(({ title }) => title)
  await changed.library.scan()
  for (const name of [first!, second!]) {
    const bytes = readFileSync(join(root, name))
    rmSync(join(root, name))
    await changed.library.scan()
    put(root, name, bytes)
    await changed.library.scan()
    const fresh = await open(t, root)
    await fresh.library.scan()
    t.same(await found(changed.library), await found(fresh.library))
  }
})

t.test('a long playlist is kept in parts, and read again when the source ended between them', async t => {
  const lines = Array.from({ length: 2500 }, (_, at) => at % 3 === 0 ? 'b.mp3' : 'a.mp3')
  const root = folder(t, {
    'a.mp3': song('A'), 'b.mp3': song('B'), 'long.m3u': lines.join('\n'), 'short.m3u': 'b.mp3\na.mp3'
  })
  const { library, close, dataDir } = await open(t, root)
  const listsOf = ({ catalogue }: MusicFolder) => Promise.all([...catalogue.playlists.values()].map(async playlist =>
    (await catalogue.playlistTracks(playlist, 5000)).map(({ title }) => `${title.toLowerCase()}.mp3`)))
  const steps = t.capture(IndexDatabase.prototype, 'transaction', IndexDatabase.prototype.transaction)
  await library.scan()
  t.same(await listsOf(library), [lines, ['b.mp3', 'a.mp3']])
  t.ok(steps().length > 3)
  await close()

  const db = openIndex(dataDir, { warn: (_details: object, event: string) => { throw Error(event) } } as never)
  const { size, mtimeMs } = statSync(join(root, 'long.m3u'))
  const part = { path: 'long.m3u', size, mtimeMs: Math.floor(mtimeMs), name: 'long', entries: ['a.mp3'], hasMore: true }
  db.transaction(() => changeIndex(db, { playlists: [part] }))
  db.close()
  const second = await open(t, root, dataDir)
  await second.library.scan()
  t.same(await listsOf(second.library), [lines, ['b.mp3', 'a.mp3']])
})

t.test('while it is read, what is there is offered each half second', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B') })
  block(t, 'b.mp3')
  const set = t.capture(globalThis, 'setInterval', setInterval)
  const { library, titles, close } = await open(t, root)
  library.scan()
  await until(() => titles().join() === 'A')
  await close()
  t.same(set().map(({ args }) => args[1]).filter(every => every !== 1000), [10_000, 500], 'besides looks at workers')
})

t.test('a long scan tells each ten seconds how far it is, and how many files there are', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b/b.mp3': song('B'), 'b/c.txt': '' })
  block(t, 'b.mp3')
  const set = t.capture(globalThis, 'setInterval', setInterval)
  const { library, lines, titles, close } = await open(t, root)
  const scan = library.scan()
  await until(() => titles().join() === 'A')
  const tell = set().find(({ args }) => args[1] === 10_000)!.args[0]
  tell()
  t.same(lines, ['scan progressed: done=2'], 'the second is being read')
  await until(() => { tell(); return lines.includes('scan progressed: done=2 total=2') })
  await close()
  await scan
})

t.test('who asks learns how far a scan of the whole folder is, until it has ended', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b/b.mp3': song('B'), 'b/c.txt': '' })
  block(t, 'b.mp3')
  const { library, titles, close } = await open(t, root)
  t.equal(library.progress, undefined)
  const scan = library.scan()
  await until(() => titles().join() === 'A')
  t.same(library.progress, { done: 2 }, 'they are counted when somebody asks')
  await until(() => library.progress?.total === 2)
  await close()
  await scan
  t.equal(library.progress, undefined)
})

t.test('of a scan of the folders that have changed nobody learns how far it is', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library } = await open(t, root)
  await library.scan()
  t.equal(library.progress, undefined)
  put(root, 'b/b.mp3', song('B'))
  block(t, 'b.mp3')
  const set = t.capture(globalThis, 'setInterval', setInterval)
  library.scan(new Set(['b']))
  await until(() => set().some(({ args }) => args[1] === 10_000))
  t.equal(library.progress, undefined)
})

t.test('a folder that cannot be listed while files are counted has none', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b/b.mp3': song('B') })
  const lines: string[] = []
  const set = t.capture(globalThis, 'setInterval', setInterval)
  const log = { info: (details: object, event: string) => lines.push(lineOf(details, event)) } as never
  const progress = new ScanProgress(root, audioTypes(false), () => 12_400, log)
  const tell = set()[0]!.args[0]
  rmSync(join(root, 'b'), { recursive: true })
  await until(() => { tell(); return lines.length > 1 && lines.at(-1)!.includes('total') })
  t.same([lines[0], lines.at(-1)], ['scan progressed: done=12400', 'scan progressed: done=12400 total=12400'])
  progress.end()
})

t.test('a library that is closed in the middle of a scan ends it and forgets nothing', async t => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) =>
    [`${at}.wav`, wav({ title: String(at), artist: 'One' })]))
  const root = folder(t, files)
  const first = await open(t, root)
  await first.library.scan()
  for (const path of Object.keys(files)) utimesSync(join(root, path), 1, 1)
  const scanned = first.library.scan()
  await setImmediate()
  const again = first.library.scan()
  await first.close()
  await Promise.all([scanned, again])
  first.library.watch()
  t.equal((await open(t, root, first.dataDir)).library.catalogue.tracks.size, 300)
})

/** Lets the system not answer who opens a file of this name, until the test ends. */
function block (t: Test, name: string): Given[] {
  const blocked: Given[] = []
  followFiles(t, job => {
    if (!job.path.endsWith(name)) return true
    blocked.push(job)
    return false
  })
  return blocked
}

t.test('what a long scan has read is kept before it ends, for a process that is killed', async t => {
  let now = 0
  replace(t, Date, 'now', () => { now += 1000; return now })
  const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B') })
  block(t, 'b.mp3')
  const { library, dataDir } = await open(t, root)
  library.scan()
  const copy = folder(t)
  await until(async () => {
    cpSync(dataDir, copy, { recursive: true })
    const killed = await open(t, root, copy)
    await killed.close()
    return killed.titles().join() === 'A'
  })
})

t.test('a file that the system does not give hides nothing, and is given up after a time', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B'), 'c.mp3': song('C') })
  const blocked = block(t, 'b.mp3')
  const { library, lines, titles } = await open(t, root)
  const scanned = library.scan()
  await until(() => titles().join() === 'A,C')
  t.same(lines, [])
  const { message } = timeoutError('read')
  blocked[0]!.answer({ error: { message, mayRecover: true }, isOver: false })
  await scanned
  t.match(lines, [/^warning: file skipped: path=b\.mp3 reason=It takes longer than 30 seconds to read it/, /^scan finished: tracks=2 .+ read=2 /])
  t.same(titles(), ['A', 'C'])
})

t.test('a library is closed at once, whatever is being read, and keeps what was read', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B') })
  block(t, 'b.mp3')
  const first = await open(t, root)
  const scanned = first.library.scan()
  await until(() => first.titles().join() === 'A')
  await first.close()
  await scanned
  t.same(first.lines, [])
  t.same((await open(t, root, first.dataDir)).titles(), ['A'])
})

t.test('a first scan that a restart cuts in two is one: its files arrived when they were written', async t => {
  const root = folder(t)
  for (const name of ['A', 'B']) put(root, `${name}.mp3`, song(name), 1_000_000)
  block(t, 'B.mp3')
  const first = await open(t, root)
  first.library.scan()
  await until(() => first.titles().join() === 'A')
  await first.close()
  put(root, 'C.mp3', song('C'), 1_000_000)
  const second = await open(t, root, first.dataDir)
  second.library.scan()
  await until(() => second.titles().join() === 'A,C')
  t.same([...second.library.catalogue.tracks.values()].map(({ added }) => added), [1_000_000_000, 1_000_000_000])
})

t.test('a library is closed at once when its folder does not answer', async t => {
  const { stat } = promises
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, close, lines } = await open(t, root)
  t.teardown(syncBuiltinESMExports)
  t.intercept(promises, 'stat', {
    value: (path: string) =>
      path.endsWith('a.mp3') ? new Promise(() => {}) : stat(path)
  })
  syncBuiltinESMExports()
  const scanned = library.scan()
  await setImmediate()
  await close()
  await scanned
  t.same(lines, [])
})

t.test('a music folder that does not answer is away', async t => {
  const { stat } = promises
  const root = folder(t, { 'a.mp3': song('A') })
  const { library } = await open(t, root)
  t.teardown(syncBuiltinESMExports)
  t.intercept(promises, 'stat', { value: (path: string) => path === root ? new Promise(() => {}) : stat(path) })
  syncBuiltinESMExports()
  const set = t.capture(globalThis, 'setTimeout', setTimeout)
  const there = library.isThere()
  for (const { args: [giveUp, after] } of set()) if (after === 30_000) (giveUp as () => void)()
  await t.rejects(there, { message: 'It takes longer than 30 seconds to list it' })
})

t.test('a scan that was given up when the library was closed keeps nothing more', async t => {
  const runs: (() => void)[] = []
  const { setInterval } = globalThis
  replace(t, globalThis, 'setInterval', ((run: () => void, ms: number) => {
    runs.push(run)
    return setInterval(run, ms)
  }) as never)
  const root = folder(t, { 'a.mp3': song('A') })
  block(t, 'a.mp3')
  const { library, close } = await open(t, root)
  library.scan()
  await until(() => runs.length > 0)
  await close()
  for (const run of runs) t.doesNotThrow(run)
})

t.test('a huge file without music hides nothing', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'zeros.mp3': '' })
  truncateSync(join(root, 'zeros.mp3'), 4 * 1024 ** 3)
  const { library, lines, titles } = await open(t, root)
  await library.scan()
  t.same(titles(), ['A'])
  t.match(lines[0], /^warning: file skipped: path=zeros\.mp3 reason=No audio was found in 64 MB of it/)
})

t.test('the playlist of a genre is gone with its last track', async t => {
  const root = folder(t, { 'a.mp3': song('A', { genre: 'Rock' }), 'b.mp3': song('B', { genre: 'Pop' }) })
  const { library } = await open(t, root)
  const genres = () => [...library.catalogue.playlists.values()].map(({ name }) => name).sort()
  await library.scan()
  t.strictSame(genres(), ['Pop', 'Rock'])
  rmSync(join(root, 'a.mp3'))
  await library.scan()
  t.strictSame(genres(), ['Pop'])
})

t.test('an album in an old encoding is gone with its files', async t => {
  const [artist, album, title] = albums['windows-1251'][0]!.map(text => garble(text, 'windows-1251'))
  const old = mp3({ title: title!, artist: artist!, album: album! }, { encoding: 'latin1' })
  const root = folder(t, { 'x/old.mp3': old, 'y/a.mp3': song('A') })
  const { library } = await open(t, root)
  const names = () => [...library.catalogue.albums.values()].map(({ name }) => name).sort()
  await library.scan()
  t.equal(names().length, 2)
  rmSync(join(root, 'x'), { recursive: true })
  await library.scan()
  t.strictSame(names(), ['Two'])
})

t.test('albums in an old encoding have their names, and the same after a restart', async t => {
  const [artist, album, ...titles] = albums['windows-1251'][0]!
  const old = (text: string) => garble(text, 'windows-1251')
  const root = folder(t, Object.fromEntries(titles.map((title, at) => [
    `x/${at}.mp3`,
    mp3({ title: old(title), artist: old(artist!), album: old(album!), track: String(at + 1) }, { encoding: 'latin1' })
  ])))
  put(root, 'y/a.mp3', song('Frère', { artist: 'Beyoncé' }))
  const first = await open(t, root)
  await first.library.scan()
  t.same(first.titles(), [...titles, 'Frère'].sort())
  t.same([...first.library.catalogue.albums.values()].map(({ name }) => name).sort(), ['Two', album])
  const idsOf = ({ library }: typeof first) => [...library.catalogue.tracks.values()].map(({ id }) => id)
  const ids = idsOf(first)
  await first.close()
  const second = await open(t, root, first.dataDir)
  t.same(idsOf(second), ids)
  put(root, 'x/more.mp3', mp3({ title: old('Легенда'), artist: old(artist!), album: old(album!) }, {
    encoding: 'latin1'
  }))
  await second.library.scan()
  t.equal(second.titles().length, titles.length + 2)
})

t.test('files without a title or an album are repaired with what they have', async t => {
  const old = (text: string) => garble(text, 'windows-1251')
  const root = folder(t, {
    'x/1.mp3': mp3({ artist: old('Алла Пугачёва'), albumArtist: old('Алла Пугачёва') }, { encoding: 'latin1' }),
    'x/2.mp3': mp3({ artist: old('Алла Пугачёва'), title: old('Бубен шамана') }, { encoding: 'latin1' })
  })
  const { library, titles } = await open(t, root)
  await library.scan()
  t.same(titles(), ['1', 'Бубен шамана'])
  t.same([...library.catalogue.artists.values()].map(({ name }) => name), ['Алла Пугачёва'])
})

t.test('a file that is gone before it is read is looked for again', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'b.mp3': song('B') })
  const [file, away] = [join(root, 'b.mp3'), join(root, 'away')]
  const restore = followFiles(t, ({ path }) => { if (path === 'b.mp3') renameSync(file, away) })
  const { library, titles } = await open(t, root)
  await library.scan()
  restore()
  renameSync(away, file)
  t.same(titles(), ['A'])
  await library.scan()
  t.same(titles(), ['A', 'B'])
})

t.test('what players do not open and albums in one piece are told of once', async t => {
  const root = folder(t, { 'a.flac': song('A'), 'a.cue': '', 'b.wma': '', 'c.wma': '', 'd.ape': '' })
  const elsewhere = folder(t, { 'x.mp3': '', 'x.txt': '' })
  symlinkSync(elsewhere, join(root, 'Elsewhere'))
  symlinkSync('/not/in/this/container', join(root, 'gone'))
  for (const name of ['x.mp3', 'x.txt']) symlinkSync(join(elsewhere, name), join(root, name))
  const { library, lines } = await open(t, root)
  await library.scan()
  await library.scan()
  t.same(lines.filter(line => line.startsWith('warning')), [
    'warning: audio files ignored: files=1 .ape, 2 .wma',
    'warning: links not followed: count=3 links=Elsewhere,gone,x.mp3',
    'warning: cue sheets ignored: count=1'
  ])
  t.match(library.leftOut, [/players do not open: 1 /, /outside of MUSIC_DIR .* Elsewhere, gone, x\.mp3$/, /\.cue: 1\. /])
})

t.test('what changes in the folder is seen', async t => {
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, titles } = await open(t, root)
  await library.watch()
  put(root, 'new/~deep~/b.mp3', song('B'))
  await until(() => titles().join() === 'A,B')
  put(root, 'new/~deep~/c.mp3', song('C'))
  await until(() => titles().join() === 'A,B,C')
  rmSync(join(root, 'a.mp3'))
  await until(() => titles().join() === 'B,C')
  t.pass('all of it was seen')
})

t.test('what no watcher tells of, as in a share of a network, is seen at the interval and announced', async t => {
  const time = fakeTime(t)
  replaceExports(t, fs, { watch: (() => Object.assign(new EventEmitter(), { close () {} })) as never })
  const root = folder(t, { 'a.mp3': song('A') })
  const { library, titles } = await open(t, root, folder(t))
  await library.watch(60_000)
  put(root, 'b.mp3', song('B'))
  const announced = new Promise<unknown>(resolve => { library.onChange = () => resolve(undefined) })
  time.advance(60_000)
  await announced
  t.same(titles(), ['A', 'B'])
})

t.test('a scan that finds nothing new opens no file and makes no catalogue', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'in/b.mp3': song('B'), 'broken.mp3': 'no audio', 'list.m3u': 'a.mp3' })
  const { library } = await open(t, root)
  await library.scan()
  const { catalogue } = library
  const opened = t.capture(promises, 'open', promises.open)
  t.teardown(syncBuiltinESMExports)
  syncBuiltinESMExports()
  const read: string[] = []
  followFiles(t, ({ path }) => { read.push(path) })
  await library.scan()
  t.same([...opened().map(({ args }) => args[0]), ...read], [])
  t.equal(library.catalogue, catalogue)
  put(root, 'c.mp3', song('C'))
  await library.scan()
  t.same(read, ['c.mp3'], 'reading is seen')
})

t.test('a scan that fails is told of, and the next one runs', async t => {
  const { library, lines, titles } = await open(t, folder(t, { 'a.mp3': song('A') }))
  const push = t.intercept(lines, 'push', {
    value (line: string) {
      if (line.includes('scan finished')) throw new Error('the log is full')
      lines[lines.length] = line
    }
  })
  await library.scan()
  push.restore()
  t.same(lines, ['error: the log is full'])
  await library.scan()
  t.same(titles(), ['A'])
})

t.test('a playlist that cannot be read is told of', async t => {
  const root = folder(t, { 'a.mp3': song('A'), 'huge.m3u8': Buffer.alloc(11 * 1024 * 1024), 'good.m3u8': 'a.mp3' })
  const { library, lines } = await open(t, root)
  await library.scan()
  t.same([...library.catalogue.playlists.values()].map(({ name }) => name), ['good'])
  t.match(lines, [/^warning: file skipped: path=huge\.m3u8 /, /read=1 /])
})

t.test('the data folder holds the index alone when the library is closed', async t => {
  const { library, close, dataDir } = await open(t, folder(t, { 'a.mp3': song('A') }))
  await library.scan()
  await close()
  t.same(readdirSync(dataDir), ['identities.sqlite', 'index.sqlite'])
  t.ok(statSync(join(dataDir, 'index.sqlite')).size > 0)
})
