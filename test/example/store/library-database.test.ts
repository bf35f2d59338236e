import { Kysely } from 'kysely'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Catalogue } from '../../../example/catalogue/catalogue.ts'
import { findEntries } from '../../../example/playlists/entry-rows.ts'
import { changeLibrary } from '../../../example/catalogue/change-library.ts'
import { search } from '../../../example/catalogue/search.ts'
import { foldersBelow } from '../../../example/scan/known-files.ts'
import { libraryMigrations } from '../../../example/store/library-tables.ts'
import { migrateWhole } from '../../../example/store/open-database.ts'
import { libraryInMemory, openLibrary } from '../../../example/store/open-library.ts'
import { openSqlite } from '../../../example/store/open-sqlite.ts'
import { dialectOf } from '../../../example/store/sqlite-dialect.ts'
import { audioFile } from '../catalogue/audio-file.ts'

async function build () {
  const db = await libraryInMemory()
  t.teardown(() => db.close())
  return db
}

t.test('of a transaction that fails nothing is left, whether SQLite has rolled back by itself or not', async t => {
  const db = await build()
  for (const rollBack of [false, true]) {
    t.throws(() => db.transaction(() => {
      changeLibrary(db, { files: [audioFile('a.mp3', 'A')] })
      if (rollBack) db.run('ROLLBACK')
      throw new Error('the disk is full')
    }), { message: 'the disk is full' })
    t.equal(new Catalogue(db).tracks.size, 0)
  }
  db.transaction(() => changeLibrary(db, { files: [audioFile('a.mp3', 'A')] }))
  t.equal(new Catalogue(db).tracks.size, 1)
})

t.test('many folders, tracks and albums are read in parts, each once', async t => {
  const db = await build()
  const files = Array.from({ length: 1100 }, (_, at) =>
    audioFile(`${at}/a.mp3`, `Song ${at}`, { album: `Album ${at % 300}` }))
  db.transaction(() => changeLibrary(db, { files }))
  t.same([...foldersBelow(db, '')].sort(), files.map((_, at) => String(at)).sort())
  t.same([...foldersBelow(db, '1')], [])
  const catalogue = new Catalogue(db)
  const ids = files.map(({ trackId }) => trackId).sort()
  t.same([...catalogue.tracks.values()].map(({ id }) => id).sort(), ids)
  const byAlbum = await catalogue.trackIds()
  t.same(byAlbum.flatMap(({ trackIds }) => trackIds).sort(), ids)
  const names = byAlbum.map(({ albumId }) => catalogue.albums.get(albumId)!.name)
  t.same(names, Array.from({ length: 300 }, (_, at) => `Album ${at}`), 'albums by name')
  t.ok(byAlbum.every(({ albumId, trackIds }) => trackIds.every(id => catalogue.tracks.get(id)!.album.id === albumId)))
  db.run("INSERT INTO credit SELECT number, 'new.mp3', 1, 1, name, 0, NULL FROM artist")
  const credits = await catalogue.credits()
  const [artist] = catalogue.artists.values()
  t.same([...catalogue.albums.values()].map(({ number }) => [...credits.get(number)!]), names.map(() => [artist!.id]))
})

t.test('two tracks whose numbers would be the same have two', async t => {
  const db = await build()
  const files = ['1', '2'].map(end => audioFile(`${end}.mp3`, 'Same', { trackId: `0123456789abcdef000${end}` }))
  db.transaction(() => changeLibrary(db, { files }))
  t.same((await new Catalogue(db).searchTracks('same', { limit: 9 })).map(({ id }) => id), files.map(({ trackId }) =>
    trackId))
})

t.test('a path with NUL is that of no file', async t => {
  const db = await build()
  db.transaction(() => changeLibrary(db, { files: [audioFile('a.mp3', 'A')] }))
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
  db.transaction(() => changeLibrary(db, {
    files: [audioFile('Comp/01.mp3', 'A'), audioFile('comp/02.mp3', 'B'), audioFile('Comp/02.MP3', 'C')],
    playlists: [{ path: 'lists/x.m3u', size: 1, mtimeMs: 1, name: 'x', entries }]
  }))
  t.strictSame(titles(), ['A', null, 'B', 'A'])
  t.match(new Catalogue(db).trackAt('COMP/01.MP3'), { title: 'A' })
  db.transaction(() => changeLibrary(db, { files: [audioFile('Comp/01.MP3', 'D')] }))
  t.strictSame(titles(), [null, null, 'B', null], 'of two files none is meant')
})

t.test('tables of an older version get the newer form, and keep their rows', async t => {
  const dataDir = t.testdir()
  const database = openSqlite(join(dataDir, 'library.sqlite'))
  await migrateWhole(new Kysely<any>({ dialect: dialectOf(database) }), {
    'library-4': libraryMigrations['library-4']!
  })
  database.run('INSERT INTO file (folder, name, size, mtime, recording) VALUES (\'\', \'a.mp3\', 1, 1, \'a\')')
  database.run(`
    INSERT INTO track (number, id, recording, path, album, disc, place, sort, published, added, data)
    VALUES (7, 'b', 'a', 'b.mp3', 2, 1, 2, 'b', NULL, 4, ?), (9, 'a', 'a', 'a.mp3', 2, 1, 1, 'a', 3, 4, ?)`,
  [
    '{"title":"b","artists":[],"album":"","durationMs":5}',
    '{"title":"a","artists":[[1,"Кино"]],"album":"","durationMs":7,"extras":{"contributors":[]}}'
  ])
  database.run("INSERT INTO track_words (rowid, name, more, back) VALUES (7, 'b', '', ''), (9, 'a', 'кино', '')")
  database.run(`
    INSERT INTO album (number, id, artist, name, credited, sort, tracks) VALUES (2, 'l', 1, 'A', 'B', '', 2)`)
  database.run("INSERT INTO artist (number, id, name, sort, tracks) VALUES (1, 'k', 'Кино', '', 2)")
  database.run("INSERT INTO artist (number, id, name, sort, tracks) VALUES (2, 'w', 'Les Who', 'les who', 1)")
  database.run(`
    INSERT INTO playlist (id, folder, file, size, mtime, name, sort, genres, tracks, updated)
    VALUES ('p', '', 'p.m3u', 1, 1, 'p', 'p', '[]', 0, 1)`)
  const tracks = 'SELECT number, id, path, json_remove(data, \'$.isOld\') AS data FROM track ORDER BY number'
  const before = database.all(tracks)
  database.close()
  const told: string[] = []
  const db = await openLibrary(dataDir, message => told.push(message))
  t.teardown(() => db.close())
  t.match(told, [/^The index in .*library\.sqlite is updated for this version/])
  const indexes = db.all<{ name: string }>(`
    SELECT name FROM sqlite_schema
    WHERE type = 'index' AND tbl_name IN ('file', 'track') AND sql IS NOT NULL ORDER BY name`)
  t.same(indexes.map(({ name }) => name), [
    'file_album_group', 'file_album_key', 'file_album_texts', 'file_any_case', 'file_composed', 'file_quality',
    'file_read_as', 'file_unhashed', 'file_unsettled', 'track_added', 'track_album', 'track_album_added',
    'track_explicit', 'track_part', 'track_published', 'track_year'
  ])
  t.match(db.get('SELECT name, mtime FROM file'), { name: 'a.mp3', mtime: -1 }, 'files are read again')
  t.match(db.get('SELECT id, mtime FROM playlist'), { id: 'p', mtime: null }, 'playlist files are read again')
  t.same(db.all(tracks), before)
  t.same(db.all("SELECT id FROM track WHERE data ->> '$.isOld' = 1"), [{ id: 'a' }], 'has parts that are listed anew')
  t.same(db.all('SELECT duration FROM album'), [{ duration: 12 }])
  t.match(db.get('SELECT sort, letter FROM artist WHERE number = 2'), { sort: 'who', letter: 'W' })
  t.same(db.all('SELECT id FROM track ORDER BY rowid'), [{ id: 'a' }, { id: 'b' }], 'an album is in one place')
  for (const keyword of ['kino', 'кино']) t.same(await search(db, 'track', keyword, 9), [9])
  t.same(await search(db, 'artist', 'kino', 9), [1])
})

t.test('many changes that wait are committed, and the log does not grow with them', async t => {
  const dataDir = t.testdir()
  const db = await openLibrary(dataDir, message => { throw Error(message) })
  t.teardown(() => db.close())
  db.run('CREATE TABLE something (text TEXT)')
  const add = () => db.run('INSERT INTO something VALUES (?)', 'x'.repeat(1024 * 1024))
  const waiting = Array.from({ length: 8 }, () => {
    db.transaction(add, true)
    return db.isWaiting
  })
  t.same(waiting, [true, true, true, true, true, true, true, false])
  for (let round = 0; round < 40; round++) db.transaction(add)
  t.ok(statSync(join(dataDir, 'library.sqlite-wal')).size < 16 * 1024 * 1024)
})

t.test('a log that was deleted while the library is open stops no change', async t => {
  const dataDir = t.testdir()
  const db = await openLibrary(dataDir, message => { throw Error(message) })
  t.teardown(() => db.close())
  rmSync(join(dataDir, 'library.sqlite-wal'))
  db.transaction(() => changeLibrary(db, { files: [audioFile('a.mp3', 'A')] }))
  t.equal(new Catalogue(db).tracks.size, 1)
})
