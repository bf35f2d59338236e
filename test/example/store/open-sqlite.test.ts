import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t from 'tap'
import { openSqlite } from '../../../example/store/open-sqlite.ts'
import { folder } from '../helper.ts'

/** Runs statements in a process that is killed after them. */
async function killedAfter (file: string, ...statements: string[]) {
  const program = `
    import { openSqlite } from './example/store/open-sqlite.ts'
    const database = openSqlite(${JSON.stringify(file)})
    for (const statement of ${JSON.stringify(statements)}) database.exec(statement)
    process.kill(process.pid, 'SIGKILL')`
  const child =
    spawn(process.execPath, [...process.execArgv, '--input-type=module', '--eval', program], { stdio: 'inherit' })
  const [, signal] = await once(child, 'close')
  rmSync(`${file}.lock`, { recursive: true })
  return signal
}

const add = (count: number) => `
  WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ${count})
  INSERT INTO songs (title) SELECT hex(randomblob(50)) FROM counter`
const make = 'CREATE TABLE songs (id INTEGER PRIMARY KEY, title TEXT); CREATE INDEX titles ON songs (title)'

t.test('of a transaction in which the process was killed nothing is left', async t => {
  const file = join(folder(t), 'test.sqlite')
  // More than the cache of SQLite holds, so that pages are written before the end.
  t.equal(await killedAfter(file, make, add(100), 'BEGIN', add(100_000)), 'SIGKILL')
  const database = openSqlite(file)
  t.teardown(() => database.close())
  t.same(database.get('SELECT count(*) AS songs FROM songs'), { songs: 100 })
  t.same(database.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
})

t.test('what was committed is kept when the process is killed', async t => {
  const file = join(folder(t), 'test.sqlite')
  t.equal(await killedAfter(file, make, add(100)), 'SIGKILL')
  const database = openSqlite(file)
  t.teardown(() => database.close())
  t.same(database.get('SELECT count(*) AS songs FROM songs'), { songs: 100 })
})

t.test('a database that an older version made is opened, and is one file after it was closed', async t => {
  const file = join(folder(t), 'test.sqlite')
  const older = new sqlite.Database(file)
  older.exec(make)
  older.close()
  const database = openSqlite(file)
  database.exec(add(100))
  t.ok(existsSync(`${file}-wal`))
  database.close()
  t.notOk(existsSync(`${file}-wal`))
})

t.test('a file that is no database is let go of', async t => {
  const file = join(folder(t, { 'test.sqlite': 'no database, but some text that is long enough' }), 'test.sqlite')
  t.throws(() => openSqlite(file), { message: 'file is not a database' })
  t.notOk(existsSync(`${file}.lock`))
})
