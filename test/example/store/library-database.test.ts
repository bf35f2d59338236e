import t from 'tap'
import { changeLibrary } from '../../../example/catalogue/change-library.ts'
import { foldersBelow } from '../../../example/scan/known-files.ts'
import { LibraryDatabase } from '../../../example/store/library-database.ts'
import { audioFile } from '../catalogue/audio-file.ts'
import { Catalogue } from '../../../example/catalogue/catalogue.ts'

async function build () {
  const db = await LibraryDatabase.inMemory()
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
  const byAlbum = [...catalogue.tracksByAlbum()]
  t.same(byAlbum.map(({ id }) => id).sort(), ids)
  t.equal(byAlbum.filter(({ album }, at) => album !== byAlbum[at - 1]?.album).length, 300)
  t.equal([...catalogue.albums.values()].length, 300)
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
