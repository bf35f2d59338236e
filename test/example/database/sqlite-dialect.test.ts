import { Kysely, sql, type Generated } from 'kysely'
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { StateDatabase } from '../../../example/state/state-database.ts'
import { nodeDriver } from '../../../example/database/node-sqlite.ts'
import { wasmDriver, type Driver } from '../../../example/database/open-sqlite.ts'
import { sqliteDialect } from '../../../example/database/sqlite-dialect.ts'
import { replaceExports } from '../../replace.ts'
import { folder } from '../helper.ts'

interface Songs { songs: { id: Generated<number>, title: string, cover: Uint8Array | null } }

const fileOf = (t: Test) => join(folder(t), 'test.sqlite')

async function open (t: Test, file = fileOf(t), driver?: Driver) {
  const db = new Kysely<Songs>({ dialect: sqliteDialect(file, { warn () {} }, driver) })
  t.teardown(() => db.destroy())
  await db.schema.createTable('songs').ifNotExists()
    .addColumn('id', 'integer', column => column.primaryKey())
    .addColumn('title', 'text', column => column.notNull())
    .addColumn('cover', 'blob')
    .execute()
  return db
}

const titles = async (db: Kysely<Songs>) =>
  (await db.selectFrom('songs').select('title').orderBy('id').execute()).map(({ title }) => title)

t.test('rows come back as they were written', async t => {
  const db = await open(t)
  const title = 'ünï \'"\n 🎵'
  const { insertId, numInsertedOrUpdatedRows } =
    await db.insertInto('songs').values({ title, cover: Uint8Array.of(0, 255) }).executeTakeFirst()
  t.same([insertId, numInsertedOrUpdatedRows], [1n, 1n])
  const row = await db.selectFrom('songs').selectAll().executeTakeFirstOrThrow()
  t.same({ ...row, cover: [...row.cover!] }, { id: 1, title, cover: [0, 255] })
})

t.test('RETURNING gives rows, from an insert, an update and a delete', async t => {
  const db = await open(t)
  t.same(await db.insertInto('songs').values([{ title: 'a' }, { title: 'b' }]).returning('id').execute(), [
    { id: 1 }, { id: 2 }
  ])
  t.same(await db.updateTable('songs').set({ title: 'c' }).where('id', '=', 2).returning('title').execute(), [
    { title: 'c' }
  ])
  t.same(await db.deleteFrom('songs').where('id', '=', 1).returningAll().execute(), [
    { id: 1, title: 'a', cover: null }
  ])
})

t.test('an update and a delete tell how many rows they changed', async t => {
  const db = await open(t)
  await db.insertInto('songs').values([{ title: 'a' }, { title: 'b' }]).execute()
  t.equal((await db.updateTable('songs').set({ title: 'c' }).executeTakeFirst()).numUpdatedRows, 2n)
  t.equal((await db.deleteFrom('songs').where('title', '=', 'x').executeTakeFirst()).numDeletedRows, 0n)
})

t.test('statements that give rows are told from those that do not', async t => {
  const db = await open(t)
  const rowsOf = async (text: string) => (await sql.raw(text).execute(db)).rows.length
  t.equal(await rowsOf('insert into songs (title) values (\'returning\')'), 0)
  t.equal((await sql`insert into songs (title) values ('returning')`.execute(db)).numAffectedRows, 1n)
  t.equal(await rowsOf('with "delete" as (select 1) select * from "delete"'), 1)
  t.equal(await rowsOf('with one as (select \'x\' as title) insert into songs (title) select title from one'), 0)
  t.equal(await rowsOf('values (1), (2)'), 2)
  t.equal(await rowsOf('pragma user_version'), 1)
  t.equal(await rowsOf(' SELECT title FROM songs'), 3)
})

t.test('a transaction is kept whole, or not at all', async t => {
  const db = await open(t)
  await db.transaction().execute(async transaction => {
    for (const title of ['a', 'b']) await transaction.insertInto('songs').values({ title }).execute()
  })
  await t.rejects(db.transaction().execute(async transaction => {
    await transaction.insertInto('songs').values({ title: 'c' }).execute()
    throw new Error('changed my mind')
  }), { message: 'changed my mind' })
  t.same(await titles(db), ['a', 'b'])
})

t.test('transactions at the same time wait for each other', async t => {
  const db = await open(t)
  await db.insertInto('songs').values({ title: '' }).execute()
  await Promise.all(Array.from({ length: 20 }, async () => db.transaction().execute(async transaction => {
    const { title } = await transaction.selectFrom('songs').select('title').executeTakeFirstOrThrow()
    await transaction.updateTable('songs').set({ title: `${title}x` }).execute()
  })))
  t.same(await titles(db), ['x'.repeat(20)])
})

t.test('text with NUL is refused, as in PostgreSQL, instead of cut', async t => {
  const db = await open(t)
  await t.rejects(db.insertInto('songs').values({ title: 'a\u0000b' }).execute(), {
    message: 'The database cannot hold text with NUL'
  })
  t.same(await titles(db), [])
})

t.test('a failed statement tells its reason, and all goes on', async t => {
  const db = await open(t)
  await t.rejects(db.insertInto('songs').values({ title: null! }).execute(), { message: /NOT NULL/ })
  await db.insertInto('songs').values({ title: 'a' }).execute()
  t.same(await titles(db), ['a'])
})

t.test('when SQLite has rolled back by itself, its reason goes out', async t => {
  const db = await open(t)
  await sql`create trigger full before insert on songs begin select raise(rollback, 'database or disk is full'); end`.execute(
    db
  )
  await t.rejects(db.transaction().execute(async transaction => {
    await transaction.insertInto('songs').values({ title: 'a' }).execute()
  }), { message: 'database or disk is full' })
  t.same(await titles(db), [])
})

for (const [name, driver] of Object.entries({ 'the WASM build': await wasmDriver(), 'Node\'s own': nodeDriver() })) {
  const skip = driver === undefined && 'this Node has none'
  t.test(`a change that finds no room is a 503 with its reason, and all goes on: ${name}`, { skip }, async t => {
    const db = await open(t, undefined, driver)
    const state = new StateDatabase(db as never)
    const add = (title: string) =>
      state.change('x', db => (db as never as Kysely<Songs>).insertInto('songs').values({ title }).execute())
    await sql`pragma max_page_count = 10`.execute(db)
    await t.rejects(add('x'.repeat(100_000)), { status: 503, cause: { message: 'database or disk is full' } })
    await add('small')
    await sql`pragma max_page_count = 1000`.execute(db)
    await add('x'.repeat(100_000))
    t.same((await titles(db)).map(({ length }) => length), [5, 100_000])
  })
}

t.test('a driver that cannot say that the disk is full has it said in words', async t => {
  const db = await open(t, undefined, await wasmDriver())
  const full = () => { throw new Error('ENOSPC: no space left on device, write') }
  await t.test('while it is', async t => {
    replaceExports(t, fs, { writeSync: full, writeFileSync: full })
    await t.rejects(db.insertInto('songs').values({ title: 'a' }).execute(), {
      message: 'the disk is full (ENOSPC: no space left on device, write)'
    })
  })
  await db.insertInto('songs').values({ title: 'b' }).execute()
  t.same(await titles(db), ['b'])
})

t.test('rows can be streamed, and left before the end', async t => {
  const db = await open(t)
  await db.insertInto('songs').values(['a', 'b', 'c'].map(title => ({ title }))).execute()
  const read: string[] = []
  for await (const { title } of db.selectFrom('songs').select('title').orderBy('id').stream()) {
    read.push(title)
    if (title === 'b') break
  }
  t.same(read, ['a', 'b'])
  for await (const { title } of db.selectFrom('songs').select('title').orderBy('id').stream()) read.push(title)
  t.same(read, ['a', 'b', 'a', 'b', 'c'])
  await db.insertInto('songs').values({ title: 'd' }).execute()
  t.equal((await titles(db)).length, 4)
})

t.test('destroy closes the file; the next one that opens it finds everything', async t => {
  const file = fileOf(t)
  const db = await open(t, file)
  await db.insertInto('songs').values({ title: 'a' }).execute()
  await db.destroy()
  t.same(await titles(await open(t, file)), ['a'])
})
