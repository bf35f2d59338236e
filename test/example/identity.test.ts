import { closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { strictEqual } from 'node:assert'
import t, { type Test } from 'tap'
import { MusicFolder } from '../../example/index/music-folder.ts'
import { PersistentIndex } from '../../example/index/persistent-index.ts'
import { openSqlite } from '../../example/database/open-sqlite.ts'
import { readFiles } from '../../example/scan/read-files.ts'
import { nothingSeen, walkFolder, type FoundFile } from '../../example/scan/walk-folder.ts'
import { folder, lineOf, pathOf, put, start, token, until, write } from './helper.ts'
import { mp3, song, type Tags } from './make-audio.ts'

let time = 1_000_000_000

const tagsOf = (title: string, more: Tags = {}): Tags => ({ title, artist: 'One', album: 'Album', ...more })

/** A library that is scanned after each change. */
async function open (t: Test, files: Record<string, Buffer> = {}) {
  const root = folder(t)
  for (const [path, content] of Object.entries(files)) put(root, path, content, time++)
  const dataDir = folder(t)
  const lines: string[] = []
  const log: any = {
    debug () {},
    info () {},
    warn: (details: object, event: string) => lines.push(lineOf(details, event)),
    error ({ err }: { err: Error }) { throw err }
  }
  let library = await MusicFolder.open(root, dataDir, log)
  await library.scan()
  let closed: Promise<void> | undefined
  t.teardown(() => steps.close())
  const tracks = () => Object.fromEntries(Array.from(library.catalogue.tracks.values(), ({ title, id }) => [title, id]))
  const steps = {
    root,
    dataDir,
    log,
    lines,
    tracks,
    get library () { return library },
    /** The title that an id leads to. */
    at: (id: string | undefined) => library.catalogue.tracks.get(id!)?.title,
    scan: () => library.scan(),
    write: (path: string, content: Buffer) => put(root, path, content, time++),
    move (from: string, to: string) {
      mkdirSync(dirname(join(root, to)), { recursive: true })
      renameSync(join(root, from), join(root, to))
    },
    remove: (path: string) => rmSync(join(root, path), { recursive: true }),
    close () {
      closed ??= library.close()
      return closed
    },
    async restart (...meanwhile: (() => unknown)[]) {
      await library.close()
      for (const step of meanwhile) await step()
      library = await MusicFolder.open(root, dataDir, log)
      await library.scan()
    }
  }
  return steps
}

t.test('a track keeps its id when it is retagged, moved, or both, and gets a cover', async t => {
  const { root, write, move, remove, scan, tracks, restart, dataDir } = await open(t, {
    'x/1.mp3': song(tagsOf('A'), 1), 'x/2.mp3': song(tagsOf('B'), 2)
  })
  const { A: a, B: b } = tracks()
  write('x/1.mp3', song(tagsOf('A2'), 1))
  await scan()
  t.same(tracks(), { A2: a, B: b })
  move('x/1.mp3', 'y/1.mp3')
  await scan()
  t.same(tracks(), { A2: a, B: b })
  remove('y/1.mp3')
  const picture = Buffer.alloc(5000, 1)
  write('z/new name.mp3', song(tagsOf('A3', { artist: 'Two', album: 'Other', picture }), 1))
  await scan()
  t.same(tracks(), { A3: a, B: b }, 'both at once')
  await restart(() => {
    remove('x/2.mp3')
    write('b.mp3', song(tagsOf('B2'), 2))
  })
  t.same(tracks(), { A3: a, B2: b }, 'while it does not run')
  await restart(() => {
    rmSync(join(dataDir, 'index.sqlite'))
    remove('b.mp3')
    write('c.mp3', song(tagsOf('B3'), 2))
  })
  t.same(tracks(), { A3: a, B3: b }, 'while the index is deleted')
  put(root, 'b.mp3', song(tagsOf('B'), 3), time++)
  await scan()
  t.equal(tracks().A3, a)
  t.equal(tracks().B3, b)
  t.not(tracks().B, b, 'a new track with tags that another one had is another one')
  write('again.mp3', song(tagsOf('B'), 4))
  remove('b.mp3')
  const newer = tracks().B
  await scan()
  t.equal(tracks().B, newer, 'a new rip is told by its tags')
})

t.test('two files that become one track are found by both ids, and part again', async t => {
  const { write, scan, tracks, at, remove } = await open(t, {
    'a.mp3': song(tagsOf('A'), 1), 'b.mp3': song(tagsOf('B'), 2)
  })
  const { A: a, B: b } = tracks()
  write('b.mp3', song(tagsOf('A'), 2))
  await scan()
  t.same(Object.keys(tracks()), ['A'])
  t.same([at(a), at(b)], ['A', 'A'])
  write('b.mp3', song(tagsOf('B'), 2))
  await scan()
  t.same(tracks(), { A: a, B: b })
  write('b.mp3', song(tagsOf('A'), 2))
  await scan()
  remove('b.mp3')
  await scan()
  t.same(tracks(), { A: a })
  t.equal(at(b), 'A', 'it is recognised by its tags when its file is gone')
  write('other.mp3', song(tagsOf('C'), 2))
  await scan()
  t.same(tracks(), { A: a, C: b }, 'it comes back with its own')
})

t.test('a retagged copy is a track of its own, and is where the first one leads when that is gone',
  async t => {
    const { write, scan, tracks, at, remove } = await open(t, { 'a.mp3': song(tagsOf('A'), 1) })
    const { A: a } = tracks()
    write('copy.mp3', song(tagsOf('Copy'), 1))
    await scan()
    const { Copy: copy } = tracks()
    t.same(tracks(), { A: a, Copy: copy })
    t.not(copy, a)
    remove('a.mp3')
    await scan()
    t.same([tracks(), at(a)], [{ Copy: copy }, 'Copy'])
    remove('copy.mp3')
    await scan()
    t.same([at(a), at(copy)], [undefined, undefined])
    write('one.mp3', song(tagsOf('Twice'), 6))
    write('two.mp3', song(tagsOf('Twice'), 6))
    await scan()
    remove('one.mp3')
    remove('two.mp3')
    await scan()
    t.same(tracks(), {}, 'two files of a track go at once')
    write('back.mp3', song(tagsOf('Back'), 1))
    await scan()
    t.same([at(a), at(copy)], ['Back', 'Back'], 'a track that was gone comes back')
    write('last.mp3', song(tagsOf('Last'), 7))
    await scan()
    const { Last: last } = tracks()
    remove('last.mp3')
    for (const title of ['First', 'Second']) write(`${title}.mp3`, song(tagsOf(title), 7))
    await scan()
    t.match([at(last), Object.keys(tracks())], [/First|Second/, { length: 3 }], 'one of two copies has its id')
  })

t.test('paths that are swapped follow the audio; a file that replaces another follows the path', async t => {
  const { write, scan, tracks } = await open(t, {
    '1.mp3': song(tagsOf('A'), 1), '2.mp3': song(tagsOf('B'), 2), '3.mp3': song(tagsOf('C'), 0)
  })
  const { A: a, B: b, C: c } = tracks()
  write('1.mp3', song(tagsOf('B2'), 2))
  write('2.mp3', song(tagsOf('A2'), 1))
  write('3.mp3', song(tagsOf('C2'), 0))
  await scan()
  t.same(tracks(), { A2: a, B2: b, C2: c })
  write('1.mp3', song(tagsOf('New'), 5))
  await scan()
  t.same(tracks(), { New: b, A2: a, C2: c })
  write('3.mp3', song(tagsOf('A2'), 0))
  await scan()
  t.same(tracks(), { A2: a, New: b }, 'tags of a known track tell silence')
})

t.test('files of one name and other lengths keep their ids when one of them is longer', async t => {
  const long = (seconds: number) => mp3(tagsOf('A'), { seconds })
  const { write, scan, library, remove, restart } = await open(t, { '1.mp3': long(10), '2.mp3': long(20) })
  const ids = () => Object.fromEntries(Array.from(library.catalogue.tracks.values(), ({ id, paths }) => [paths[0], id]))
  const before = ids()
  write('3.mp3', long(30))
  await scan()
  t.match(ids(), before)
  const all = ids()
  remove('2.mp3')
  await scan()
  t.match(ids(), { '1.mp3': all['1.mp3'], '3.mp3': all['3.mp3'] })
  await restart()
})

/** A file that the model follows: one of these tells it from scan to scan. */
interface Song { id?: string, audio: number, title: string, path: string | undefined }

t.test('whatever is done to files between scans, an id leads to its track as long as something tells it', async t => {
  const kinds =
    ['add', 'move', 'retag', 'both', 'rip', 'ripHere', 'replace', 'swap', 'delete', 'restore', 'merge'] as const
  const step = fc.array(fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(), other: fc.nat() }),
    { minLength: 1, maxLength: 3 })
  const steps = fc.array(fc.record({ changes: step, isRestart: fc.boolean() }), { minLength: 3, maxLength: 10 })
  await fc.assert(fc.asyncProperty(steps, async steps => {
    const library = await open(t)
    const songs: Song[] = []
    let count = 0
    const put = (song: Song) => library.write(song.path!, song_(song))
    const song_ = ({ title, audio }: Song) => song(tagsOf(title), audio)
    const newPath = () => `${count++ % 3}/${count}.mp3`
    const add = () => {
      count++
      songs.push({ audio: count, title: `T${count}`, path: newPath() })
      put(songs.at(-1)!)
    }
    const isAlone = (song: Song) => songs.every(other => other === song || other.title !== song.title)
    const change: Record<typeof kinds[number], (song: Song, other: Song) => void> = {
      add,
      move (song) { library.move(song.path!, song.path = newPath()) },
      retag (song) { song.title = `T${++count}`; put(song) },
      both (song) { library.remove(song.path!); song.path = newPath(); this.retag(song, song) },
      ripHere (song) { song.audio = ++count; put(song) },
      rip (song) { if (isAlone(song)) { library.remove(song.path!); song.path = newPath(); this.ripHere(song, song) } },
      replace (song) { song.audio = ++count; this.retag(song, song) },
      swap (song, other) { [song.path, other.path] = [other.path, song.path]; put(song); put(other) },
      delete (song) { if (isAlone(song)) { library.remove(song.path!); song.path = undefined } },
      restore (song) { song.path = newPath(); put(song) },
      merge (song, other) { song.title = other.title; put(song) }
    }
    for (let at = 0; at < 4; at++) add()
    const look = () => {
      const ids = library.tracks()
      for (const song of songs) {
        song.id ??= ids[song.title]!
        strictEqual(library.at(song.id), song.path === undefined ? undefined : song.title)
      }
    }
    await library.scan()
    look()
    for (const { changes, isRestart } of steps) {
      const left = new Set(songs)
      const make = () => {
        for (const { kind, at, other } of changes) {
          const there = [...left].filter(({ path }) => (path === undefined) === (kind === 'restore'))
          const [one, two] = [there[at % there.length], there[other % there.length]]
          if (one === undefined || two === undefined) continue
          left.delete(one)
          left.delete(two)
          change[kind](one, two)
        }
      }
      if (isRestart) await library.restart(make)
      else {
        make()
        await library.scan()
      }
      look()
    }
    await library.close()
  }), { numRuns: Number(process.env.RUNS ?? 3), seed: Number(process.env.SEED ?? 1) })
  t.pass('it does')
})

t.test('files that swap places while one with the same tags gets other audio keep their ids', async t => {
  const l = await open(t, {
    '1/2.mp3': song(tagsOf('T1'), 1),
    '0/4.mp3': song(tagsOf('T3'), 3),
    '2/6.mp3': song(tagsOf('T5'), 5),
    '1/8.mp3': song(tagsOf('T7'), 7)
  })
  const { T3: three, T5: five, T7: seven } = l.tracks()
  l.write('1/8.mp3', song(tagsOf('T5'), 7))
  await l.scan()
  t.same([three, five, seven].map(l.at), ['T3', 'T5', 'T5'])
  l.write('2/6.mp3', song(tagsOf('T5'), 11))
  l.write('0/4.mp3', song(tagsOf('T5'), 7))
  l.write('1/8.mp3', song(tagsOf('T3'), 3))
  await l.scan()
  t.same([three, five, seven].map(l.at), ['T3', 'T5', 'T5'])
})

t.test('an album and an artist lead to what most of their tracks went to, and back', async t => {
  const files = (artist: string, album: string) => Object.fromEntries([1, 2, 3].map(at =>
    [`${at}.mp3`, song(tagsOf(`T${at}`, { artist, album }), at)]))
  const { library, write, scan } = await open(t, files('One', 'First'))
  const { albums, artists } = library.catalogue
  const [album] = albums.values()
  const { id: artist } = album!.artists[0]!
  for (const [path, content] of Object.entries(files('Two', 'Second'))) write(path, content)
  write('3.mp3', song(tagsOf('T3', { artist: 'Three', album: 'Third' }), 3))
  await scan()
  t.same([albums.get(album!.id)?.name, artists.get(artist)?.name], ['Second', 'Two'])
  for (const [path, content] of Object.entries(files('Four', 'Fourth'))) write(path, content)
  await scan()
  t.same([albums.get(album!.id)?.name, artists.get(artist)?.name], ['Fourth', 'Four'], 'by way of another name')
  for (const [path, content] of Object.entries(files('One', 'First'))) write(path, content)
  await scan()
  t.same([albums.get(album!.id)?.id, artists.get(artist)?.id], [album!.id, artist])
  t.equal(albums.get('0'.repeat(20)), undefined)
})

t.test('of two names the one that more of the tracks went to counts, whatever came first', async t => {
  const files = (names: readonly string[], to = (_at: number, name: string) => name) =>
    Object.fromEntries(names.flatMap((name, index) => [1, 2, 3].map(at => {
      const named = to(at + index, name)
      return [`${name}/${at}.mp3`, song(tagsOf(`${name}${at}`, { artist: named, album: named }), 3 * index + at)]
    })))
  const { library: { catalogue: { albums, artists } }, write, scan } = await open(t, files(['One', 'Two']))
  const before = Array.from(albums.values(), ({ id, name, artists }) => [name, id, artists[0]!.id] as const).sort()
  const after = files(['One', 'Two'], at => at < 3 ? 'Left' : 'Right')
  for (const [path, content] of Object.entries(after)) write(path, content)
  await scan()
  t.same(before.map(([, id]) => albums.get(id)?.name), ['Left', 'Right'])
  t.same(before.map(([, , id]) => artists.get(id)?.name), ['Left', 'Right'])
})

/** Adds the files of a folder to its index as a scan does that reads one after the other. */
async function addInOrder ({ root, dataDir, log }: Awaited<ReturnType<typeof open>>): Promise<void> {
  const { signal } = new AbortController()
  const found: FoundFile[] = []
  for await (const { audio } of walkFolder(root, nothingSeen(), () => {})) found.push(...audio)
  const kept = PersistentIndex.open(dataDir, log, signal)
  await kept.keepWhile(async () => {
    for (const next of found.sort((a, b) => a.path < b.path ? -1 : 1)) {
      await readFiles(root, Readable.from([next]), signal, (found, { file }) =>
        kept.add(kept.arrived(found, file, false)))
    }
  })
  kept.close()
}

t.test('a track keeps its id when another edition of its album comes later in the scan that found it', async t => {
  const first = song(tagsOf('A', { date: '1990' }), 1)
  const { A: id } = (await open(t, { 'a/1.mp3': first })).tracks()
  const files = await open(t, { 'd.mp3': song(tagsOf('D', { album: 'Other' }), 2) })
  files.write('a/1.mp3', first)
  // More than are kept at a time.
  for (let at = 0; at < 60; at++) files.write(`m/${at}.mp3`, song(tagsOf(`M${at}`, { album: 'Other' }), 10 + at))
  files.write('z/1.mp3', song(tagsOf('A', { date: '2010' }), 3))
  await files.restart(() => addInOrder(files))
  t.match(files.library.catalogue.tracks.get(id!), { id, year: 1990 })
  t.equal(files.library.catalogue.tracks.size, 63)
})

t.test('a track that was not settled before a kill keeps its id when it is moved and retagged', async t => {
  const files = await open(t, { '1.mp3': song(tagsOf('A'), 1), '2.mp3': song(tagsOf('B'), 2) })
  const { A: a, B: b } = files.tracks()
  await files.restart(() => {
    for (const [file, change] of [
      ['index.sqlite', "UPDATE file SET own = NULL, settled = 0 WHERE name = '1.mp3'"],
      ['identities.sqlite', "DELETE FROM known WHERE name = '1.mp3'"]
    ] as const) {
      const database = openSqlite(join(files.dataDir, file))
      database.exec(change)
      database.close()
    }
    files.remove('1.mp3')
    files.write('3.mp3', song(tagsOf('A2'), 1))
  })
  t.same(files.tracks(), { A2: a, B: b })
})

t.test('copies that are replaced keep their id when the process is killed between them', async t => {
  const files = await open(t, { '1.mp3': song(tagsOf('A'), 1), '2.mp3': song(tagsOf('A'), 1) })
  const { A: a } = files.tracks()
  files.write('1.mp3', song(tagsOf('New'), 2))
  await files.scan()
  const { New: other } = files.tracks()
  await files.restart(() => {
    for (const [file, change] of [
      ['index.sqlite', "UPDATE file SET own = NULL, settled = 0 WHERE name = '1.mp3'"],
      ['identities.sqlite', `DELETE FROM known WHERE id <> '${a}' OR name = '';
        INSERT INTO known SELECT id, folder, '1.mp3', audio, key FROM known WHERE name = '2.mp3'`]
    ] as const) {
      const database = openSqlite(join(files.dataDir, file))
      database.exec(change)
      database.close()
    }
    files.write('2.mp3', song(tagsOf('New'), 2))
  })
  t.not(other, a)
  t.equal(files.at(a), 'New')
})

t.test('a damaged file of identities is made anew, and tags make the ids', async t => {
  const { restart, dataDir, lines, tracks } = await open(t, { 'a.mp3': song(tagsOf('A'), 1) })
  const before = tracks()
  await restart(() => writeFileSync(join(dataDir, 'identities.sqlite'), 'This is no database. '.repeat(1000)))
  t.match(lines, [/^identities rebuilt: .*identities\.sqlite reason=file is not a database/])
  t.same(tracks(), before)
})

for (const what of ['some', 'all']) {
  t.test(`tracks of which ${what} are missing in the file of identities are followed from the next start on`, async t => {
    const files = await open(t, { '1.mp3': song(tagsOf('A'), 1), '2.mp3': song(tagsOf('B'), 2) })
    const { A: a, B: b } = files.tracks()
    await files.restart(() => {
      // As when the process is killed between the changes of its two files.
      writeFileSync(join(files.dataDir, 'index.sqlite-wal'), '')
      const database = openSqlite(join(files.dataDir, 'identities.sqlite'))
      database.exec(`DELETE FROM known WHERE name = '1.mp3' OR ${what === 'all'}`)
      database.close()
    })
    files.write('1.mp3', song(tagsOf('A2'), 1))
    await files.scan()
    t.same(files.tracks(), { A2: a, B: b })
  })
}

t.test('where the tables are named in a file of identities is damaged: it is rebuilt too', async t => {
  const { restart, dataDir, lines, tracks } = await open(t, { 'a.mp3': song(tagsOf('A'), 1) })
  const before = tracks()
  await restart(() => {
    const file = openSync(join(dataDir, 'identities.sqlite'), 'r+')
    writeSync(file, Buffer.alloc(8), 0, 8, 100)
    closeSync(file)
  })
  t.match(lines, [/^identities rebuilt: .*identities\.sqlite reason=.*malformed/])
  t.same(tracks(), before)
})

t.test('a file of identities that cannot be opened is not replaced', async t => {
  const dataDir = folder(t)
  symlinkSync('identities.sqlite', join(dataDir, 'identities.sqlite'))
  t.throws(() => PersistentIndex.open(dataDir, {} as any, new AbortController().signal), { message: /open/ })
})

/** A source, with what apps ask of it. */
async function serve (t: Test, root: string) {
  const source = await start(t, { MUSIC_DIR: root })
  const rest = async (method: string, query: Record<string, string | string[]> = {}) => {
    const asked = Object.entries({ f: 'json', u: 'x', p: token, ...query }).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]))
    return (await source.app.inject(`/rest/${method}?${new URLSearchParams(asked)}`)).json()['subsonic-response']
  }
  const scan = async () => {
    await rest('startScan')
    await until(async () => !(await rest('getScanStatus')).scanStatus.scanning)
  }
  return { ...source, source, rest, scan }
}

t.test('what an account keeps stays with a track that is retagged and moved', async t => {
  const root = folder(t, { 'a.mp3': song(tagsOf('Before'), 1), 'b.mp3': song(tagsOf('B'), 2) })
  const { source, rest, scan } = await serve(t, root)
  const [track] = (await source.data('/v1/search/tracks?keyword=before')).items
  const [song3] = (await rest('search3', { query: 'before' })).searchResult3.song
  const kinds = [['track', track.id], ['album', track.album.id], ['artist', track.artists[0].id]]
  for (const [kind, id] of kinds) await write(source, `${kind}/favorite`, { id, status: true })
  await rest('setRating', { id: song3.id, rating: '4' })
  await rest('setRating', { id: song3.albumId, rating: '3' })
  const { starred } = (await rest('getAlbum', { id: song3.albumId })).album
  await rest('createPlaylist', { name: 'List', songId: song3.id })
  const [list] = await source.data('/v1/user/playlist/list')
  rmSync(join(root, 'a.mp3'))
  put(root, 'c/d.mp3', song(tagsOf('After', { artist: 'Two', album: 'Second' }), 1))
  put(root, 'b.mp3', song(tagsOf('B', { artist: 'Two', album: 'Second' }), 2))
  await scan()
  t.match(await source.data('/v1/user/favorite/tracks'), [{ id: track.id, title: 'After', favorite: true }])
  t.match(await source.data('/v1/user/album/list'), [{ name: 'Second', favorite: true }])
  t.match(await source.data('/v1/user/artist/list'), [{ name: 'Two', favorite: true }])
  t.match(await source.data(`/v1/playlist/detail?id=${list.id}`), { tracks: [{ id: track.id, title: 'After' }] })
  t.match((await rest('getSong', { id: song3.id })).song, { title: 'After', userRating: 4, starred: String })
  t.match((await rest('getAlbum', { id: song3.albumId })).album, { name: 'Second', userRating: 3, starred })
  t.match((await rest('getAlbumList2', { type: 'highest' })).albumList2.album[0], { name: 'Second' })
  t.equal((await source.call(pathOf((await source.data(`/v1/track/url?id=${track.id}`)).url))).statusCode, 200)
  await write(source, 'album/favorite', { id: (await source.data('/v1/user/album/list'))[0].id, status: false })
  t.same(await source.data('/v1/user/album/list'), [], 'what has another name is taken from the favourites')
})

t.test('what is kept of two tracks is that of the one that they become, and of each when they part', async t => {
  const root = folder(t, {
    'a.mp3': song(tagsOf('A'), 1), 'b.mp3': song(tagsOf('B'), 2), 'c.mp3': song(tagsOf('C'), 3)
  })
  const { source, rest, scan, data } = await serve(t, root)
  const idOf = async (title: string) => (await data(`/v1/search/tracks?keyword=${title}`)).items[0].id
  const [a, b, c] = [await idOf('A'), await idOf('B'), await idOf('C')]
  await rest('scrobble', { id: [a, b, c].map(id => `tr-${id}`) })
  const toplist = async () => (await data('/v1/toplist/detail?id=ever')).tracks
  await until(async () => (await toplist()).length === 3)
  await rest('createPlaylist', { name: 'List', songId: [a, b, c].map(id => `tr-${id}`) })
  const [{ id: list }] = await data('/v1/user/playlist/list')
  const titles = async (more = '') => (await data(`/v1/playlist/detail?id=${list}${more}`)).tracks
    .map(({ title }: { title: string }) => title).join('')
  await write(source, 'track/favorite', { id: b, status: true })
  await rest('setRating', { id: `tr-${b}`, rating: '4' })
  for (const [id, position] of [[a, '1'], [b, '2']]) await rest('createBookmark', { id: `tr-${id}`, position })
  await rest('savePlayQueue', { id: [a, b].map(id => `tr-${id}`), current: `tr-${b}` })
  const bookmarks = async () => (await rest('getBookmarks')).bookmarks.bookmark
  const ratings = () => Promise.all([a, b].map(async id => (await rest('getSong', { id: `tr-${id}` })).song.userRating))
  const tag = async (title: string) => {
    put(root, 'b.mp3', song(tagsOf(title), 2), time++)
    await scan()
  }
  await tag('A')
  t.match([await data('/v1/user/favorite/tracks'), await toplist()], [[{ id: a }], [{ id: a }, { id: c }]])
  t.same([await ratings(), (await rest('getPlayQueue')).playQueue.entry.length], [[4, 4], 2])
  t.match(await bookmarks(), [{ position: 2, entry: { id: `tr-${a}` } }])
  await rest('setRating', { id: `tr-${a}`, rating: '2' })
  t.same(await ratings(), [2, 2])
  t.same([await titles(), await titles('&sort=title&order=desc')], ['AAC', 'CAA'])
  await write(source, 'playlist/addTrack', { playlistId: list, trackId: a })
  t.equal(await titles(), 'AACA')
  await rest('createPlaylist', { playlistId: `pl-${list}`, songId: [c, a, a, a].map(id => `tr-${id}`) })
  await rest('updatePlaylist', { playlistId: `pl-${list}`, songIdToAdd: [`tr-${b}`] })
  await tag('B')
  t.same([await titles(), (await toplist()).length], ['CAABA', 3])
  t.match(await data('/v1/user/favorite/tracks'), [{ id: b }])
  t.match([await ratings(), await bookmarks()], [[2, 4], [{ position: 1 }, { position: 2 }]])
  await tag('A')
  await rest('deleteBookmark', { id: `tr-${b}` })
  await rest('setRating', { id: `tr-${a}`, rating: '0' })
  t.match([await ratings(), await bookmarks()], [[undefined, undefined], []])
  await write(source, 'playlist/removeTrack', { playlistId: list, trackId: a })
  t.equal(await titles(), 'C', 'both ids are taken away')
})

t.test('a playlist shows a track whose file is gone by the title that it had last', async t => {
  const root = folder(t, {
    'a.mp3': song(tagsOf('A'), 1), 'b.mp3': song(tagsOf('B'), 2), 'c.mp3': song(tagsOf('C'), 3)
  })
  const { rest, scan, data } = await serve(t, root)
  const songs = (await rest('search3', { query: '' })).searchResult3.song
  const { id } = (await rest('createPlaylist', { name: 'List', songId: songs.map(({ id }: any) => id) })).playlist
  const titles = async () => (await rest('getPlaylist', { id })).playlist.entry.map(({ title }: any) => title).join()
  put(root, 'a.mp3', song(tagsOf('A2'), 1), time++)
  put(root, 'b.mp3', song(tagsOf('C'), 2), time++)
  await scan()
  t.equal(await titles(), 'A2,C,C')
  for (const path of ['a.mp3', 'b.mp3', 'c.mp3']) rmSync(join(root, path))
  put(root, 'd.mp3', song(tagsOf('D'), 4), time++)
  await scan()
  t.equal(await titles(), 'A2,C,C')
  const [list] = await data('/v1/user/playlist/list')
  t.match((await data(`/v1/playlist/detail?id=${list.id}`)).tracks, [{ title: 'A2', qualities: [] }, {}, {}])
})
