import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { nodeDriver } from '../../../example/database/node-sqlite.ts'
import { openSqlite, wasmDriver } from '../../../example/database/open-sqlite.ts'
import { replace, replaceExports } from '../../replace.ts'
import { folder } from '../helper.ts'

const wasm = await wasmDriver()
const native = nodeDriver()
const drivers = { WASM: wasm, ...native && { Node: native } }

/** Runs statements in a process that is killed after them. */
async function killedAfter (name: string, file: string, ...statements: string[]) {
  const program = `
    import { openSqlite, wasmDriver } from './example/database/open-sqlite.ts'
    const driver = ${name === 'WASM' ? 'await wasmDriver()' : 'undefined'}
    const database = openSqlite(${JSON.stringify(file)}, true, driver)
    for (const statement of ${JSON.stringify(statements)}) database.exec(statement)
    process.kill(process.pid, 'SIGKILL')`
  const child =
    spawn(process.execPath, [...process.execArgv, '--input-type=module', '--eval', program], { stdio: 'inherit' })
  const [, signal] = await once(child, 'close')
  rmSync(`${file}.lock`, { recursive: true, force: true })
  return signal
}

const add = (count: number) => `
  WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ${count})
  INSERT INTO songs (title) SELECT hex(randomblob(50)) FROM counter`
const make = 'CREATE TABLE songs (id INTEGER PRIMARY KEY, title TEXT); CREATE INDEX titles ON songs (title)'

for (const [name, driver] of Object.entries(drivers)) {
  // The other one reads what this one has left.
  const other = Object.values(drivers).find(other => other !== driver) ?? driver

  t.test(`${name}: of a transaction in which the process was killed nothing is left, all else is`, async t => {
    const file = join(folder(t), 'test.sqlite')
    // More than the cache of SQLite holds, so that pages are written before the end.
    t.equal(await killedAfter(name, file, make, add(100), 'BEGIN', add(50_000)), 'SIGKILL')
    const database = openSqlite(file, true, other)
    t.teardown(() => database.close())
    t.same(database.get('SELECT count(*) AS songs FROM songs'), { songs: 100 })
    t.same(database.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
  })

  t.test(`${name}: opens a file whose mode cannot be set`, async t => {
    replaceExports(t, fs, { fchmodSync: () => { throw new Error('EPERM') } })
    const database = openSqlite(join(folder(t), 'test.sqlite'), false, driver)
    t.teardown(() => database.close())
    t.same(database.get('SELECT 1 AS one'), { one: 1 })
  })

  t.test(`${name}: a database that an older version made is opened, and is one file after it was closed`, async t => {
    const file = join(folder(t), 'test.sqlite')
    const older = other.connect(file)
    older.exec(make)
    older.close()
    const database = openSqlite(file, false, driver)
    database.exec(add(100))
    t.ok(existsSync(`${file}-wal`))
    database.close()
    t.notOk(existsSync(`${file}-wal`))
  })

  t.test(`${name}: a file that is no database is let go of`, async t => {
    const file = join(folder(t, { 'test.sqlite': 'no database, but some text that is long enough' }), 'test.sqlite')
    t.throws(() => openSqlite(file, true, driver), { message: 'file is not a database' })
    t.notOk(existsSync(`${file}.lock`))
  })

  t.test(`${name}: whether a transaction is open is known`, async t => {
    const database = openSqlite(':memory:', false, driver)
    t.teardown(() => database.close())
    const seen = ['BEGIN', 'COMMIT', 'BEGIN', 'ROLLBACK'].map(sql => {
      database.exec(sql)
      return database.inTransaction
    })
    t.same(seen, [true, false, true, false])
  })

  t.test(`${name}: where memory cannot be shared over files, or a reader is there, it is opened all the same`, async t => {
    const file = join(folder(t), 'test.sqlite')
    mkdirSync(`${file}-shm`)
    const database = openSqlite(file, true, driver)
    database.exec(make)
    t.same(database.all('SELECT * FROM songs'), [])
    database.close()
    rmSync(`${file}-shm`, { recursive: true })
    if (!driver.hasLocks) return
    const reader = openSqlite(file, true, driver)
    const alone = openSqlite(file, false, driver)
    alone.exec(add(1))
    t.equal(reader.all('SELECT * FROM songs').length, 1)
    for (const opened of [alone, reader]) opened.close()
  })
}

t.test('Node\'s SQLite is used as the WASM build is', t => {
  // Also where Node has none.
  class DatabaseSync {
    #database
    constructor (file: string) { this.#database = wasm.connect(file) }
    exec (sql: string) {
      if (sql.includes('NORMAL')) throw new Error('memory cannot be shared')
      this.#database.exec(sql)
    }

    prepare (sql: string) {
      return {
        all: (...values: any[]) => this.#database.all(sql, values),
        run: (...values: any[]) => this.#database.run(sql, values),
        iterate: (...values: any[]) => this.#database.all(sql, values).values()
      }
    }

    close () { this.#database.close() }
  }
  replace(t, process, 'getBuiltinModule', (() => {
    process.emitWarning('SQLite is an experimental feature')
    return { DatabaseSync }
  }) as never)
  const driver = nodeDriver()!
  const file = join(folder(t), 'test.sqlite')
  for (const isShared of [true, false]) {
    const database = openSqlite(file, isShared, driver)
    database.exec('CREATE TABLE IF NOT EXISTS songs (title TEXT)')
    const statement = database.prepare('INSERT INTO songs VALUES (?)')
    statement.run(['a'])
    statement.finalize()
    t.equal(database.run('INSERT INTO songs VALUES (\'b\')').changes, 1)
    const read = database.prepare('SELECT title FROM songs WHERE title = ?')
    t.same([...read.iterate(['a'])], read.all(['a']))
    t.same(database.all('SELECT DISTINCT title FROM songs'), [{ title: 'a' }, { title: 'b' }])
    t.same([...database.prepare('SELECT 1 AS one').iterate()], [{ one: 1 }])
    t.same(database.get('SELECT title FROM songs WHERE title = ?', ['c']), null)
    t.equal(database.inTransaction, false)
    database.exec('BEGIN')
    t.equal(database.inTransaction, true)
    database.exec('ROLLBACK')
    database.close()
  }
  writeFileSync(file, 'no database, but some text that is long enough')
  t.throws(() => openSqlite(file, false, driver), { message: 'memory cannot be shared' })
  t.end()
})

t.test('nothing is said of an experiment, and what others say is', async t => {
  const program = `
    import './example/database/open-sqlite.ts'
    process.emitWarning('of somebody else', 'ExperimentalWarning')`
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'inherit', 'pipe']
  })
  let said = ''
  child.stderr.on('data', data => { said += data })
  await once(child, 'close')
  t.match(said, /of somebody else/)
  t.notMatch(said, /SQLite/)
})
