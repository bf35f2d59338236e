import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Catalogue } from '../../../example/catalogue/catalogue.ts'
import { findEntries } from '../../../example/catalogue/entry-rows.ts'
import { changeIndex } from '../../../example/catalogue/change-index.ts'
import { foldersBelow } from '../../../example/scan/known-files.ts'
import { libraryInMemory, openIndex } from '../../../example/index/open-index.ts'
import { audioFile } from '../catalogue/audio-file.ts'
import { temporaryFolder } from '../../service.ts'
import { wholeList } from '../../whole-list.ts'

async function build () {
  const db = libraryInMemory()
  t.teardown(() => db.close())
  return db
}

t.test('of a transaction that fails nothing is left, whether SQLite has rolled back by itself or not', async t => {
  const db = await build()
  for (const rollBack of [false, true]) {
    t.throws(() => db.transaction(() => {
      changeIndex(db, { files: [audioFile('a.mp3', 'A')] })
      if (rollBack) db.run('ROLLBACK')
      throw new Error('the disk is full')
    }), { message: 'the disk is full' })
    t.equal(new Catalogue(db).tracks.size, 0)
  }
  db.transaction(() => changeIndex(db, { files: [audioFile('a.mp3', 'A')] }))
  t.equal(new Catalogue(db).tracks.size, 1)
})

t.test('many folders, tracks and albums are read in parts, each once', async t => {
  const db = await build()
  const files = Array.from({ length: 1100 }, (_, at) =>
    audioFile(`${at}/a.mp3`, `Song ${at}`, { album: `Album ${at % 300}` }))
  db.transaction(() => changeIndex(db, { files }))
  t.same([...foldersBelow(db, '')].sort(), files.map((_, at) => String(at)).sort())
  t.same([...foldersBelow(db, '1')], [])
  const catalogue = new Catalogue(db)
  const ids = files.map(({ trackId }) => trackId).sort()
  t.same([...catalogue.tracks.values()].map(({ id }) => id).sort(), ids)
  t.same([...await wholeList(catalogue.ids({ kind: 'tracks' }))].sort(), ids)
  const albumOf = (id: string) => catalogue.tracks.get(id)!.album.name
  const byAlbum = await wholeList(catalogue.ids({ kind: 'tracks', sort: 'album' }))
  t.same([...byAlbum].sort(), ids)
  t.same([...new Set(byAlbum.map(albumOf))], Array.from({ length: 300 }, (_, at) => `Album ${at}`), 'albums by name')
  const changes = byAlbum.filter((id, at) => at > 0 && albumOf(id) !== albumOf(byAlbum[at - 1]!))
  t.equal(changes.length, 299, 'the tracks of each together')
})

t.test('two tracks whose numbers would be the same have two', async t => {
  const db = await build()
  const files = ['1', '2'].map(end => audioFile(`${end}.mp3`, 'Same', { trackId: `0123456789abcdef000${end}` }))
  db.transaction(() => changeIndex(db, { files }))
  t.same((await new Catalogue(db).searchTracks('same', { limit: 9 })).map(({ id }) => id), files.map(({ trackId }) =>
    trackId))
})

t.test('a path with NUL is that of no file', async t => {
  const db = await build()
  db.transaction(() => changeIndex(db, { files: [audioFile('a.mp3', 'A')] }))
  t.match(new Catalogue(db).trackAt('a.mp3'), { title: 'A' })
  t.equal(new Catalogue(db).trackAt('a.mp3\0'), undefined)
})

t.test('a line of a playlist names the one file that has such a path in another case', async t => {
  const db = await build()
  const titles = () => {
    findEntries(db, '/music')
    return db.all<{ title: string | null }>(`
      SELECT data ->> '$.title' AS title FROM entry LEFT JOIN track ON track.number = entry.track
      ORDER BY entry.place`)
      .map(({ title }) => title)
  }
  const entries = ['../COMP/01.MP3', '../COMP/02.mp3', '../comp/02.mp3', 'C:/Users/Some Body/COMP/01.mp3', '../a\0']
  db.transaction(() => changeIndex(db, {
    files: [audioFile('Comp/01.mp3', 'A'), audioFile('comp/02.mp3', 'B'), audioFile('Comp/02.MP3', 'C')],
    playlists: [{ path: 'lists/x.m3u', size: 1, mtimeMs: 1, name: 'x', entries }]
  }))
  t.strictSame(titles(), ['A', null, 'B', 'A'])
  t.match(new Catalogue(db).trackAt('COMP/01.MP3'), { title: 'A' })
  db.transaction(() => changeIndex(db, { files: [audioFile('Comp/01.MP3', 'D')] }))
  t.strictSame(titles(), [null, null, 'B', null], 'of two files none is meant')
})

t.test('many changes that wait are committed, and the log does not grow with them', async t => {
  const dataDir = await temporaryFolder(t)
  const db = openIndex(dataDir, { warn: (_details: object, event: string) => { throw Error(event) } } as never)
  t.teardown(() => db.close())
  db.run('CREATE TABLE something (text TEXT)')
  const add = () => db.run('INSERT INTO something VALUES (?)', 'x'.repeat(1024 * 1024))
  const waiting = Array.from({ length: 8 }, () => {
    db.transaction(add, true)
    return db.isWaiting
  })
  t.same(waiting, [true, true, true, true, true, true, true, false])
  for (let round = 0; round < 16; round++) db.transaction(add)
  t.ok(statSync(join(dataDir, 'index.sqlite-wal')).size < 16 * 1024 * 1024)
})

t.test('a log that was deleted while the library is open stops no change', async t => {
  const dataDir = await temporaryFolder(t)
  const db = openIndex(dataDir, { warn: (_details: object, event: string) => { throw Error(event) } } as never)
  t.teardown(() => db.close())
  rmSync(join(dataDir, 'index.sqlite-wal'))
  db.transaction(() => changeIndex(db, { files: [audioFile('a.mp3', 'A')] }))
  t.equal(new Catalogue(db).tracks.size, 1)
})
