import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { keepOnDisk } from '../../../example/database/keep-on-disk.ts'
import { nodeDriver } from '../../../example/database/node-sqlite.ts'
import { openSqlite, wasmDriver } from '../../../example/database/open-sqlite.ts'
import { skipWithout } from '../../services.ts'
import { folder, until } from '../helper.ts'

const drivers = { WASM: await wasmDriver(), ...nodeDriver() && { Node: undefined } }

/** What is there after a kill at this moment. */
function titlesIn (t: Test, file: string) {
  const copy = join(folder(t), 'copy.sqlite')
  for (const end of ['', '-wal']) if (existsSync(file + end)) copyFileSync(file + end, copy + end)
  const database = openSqlite(copy)
  const rows = database.all('SELECT title FROM songs ORDER BY rowid')
  database.close()
  return rows.map(({ title }) => title)
}

for (const [name, driver] of Object.entries(drivers)) {
  function open (t: Test) {
    const file = join(folder(t), 'it\'s.sqlite')
    const said: string[] = []
    const kept = keepOnDisk(file, { warn: (_details: object, event: string) => { said.push(event) } } as never, driver)
    kept.current.exec('CREATE TABLE songs (title TEXT)')
    const add = (title: string) => kept.current.run('INSERT INTO songs VALUES (?)', [title])
    return { file, said, kept, add }
  }

  for (const endings of [['-wal'], ['', '-wal', '-shm']]) {
    t.test(`${name}: what is deleted while it is open (${endings}) is written again`, async t => {
      const { file, said, add, kept } = open(t)
      add('a')
      for (const ending of endings) rmSync(file + ending, { force: true })
      add('b')
      await until(() => said.length > 0)
      t.match(said, ['database files restored'])
      add('c')
      t.same(titlesIn(t, file), ['a', 'b', 'c'])
      kept.close()
      t.same(titlesIn(t, file), ['a', 'b', 'c'])
      t.same(readdirSync(dirname(file)), ['it\'s.sqlite'])
    })
  }

  t.test(`${name}: a file that took its place is kept, and no transaction is disturbed`, async t => {
    const set = t.capture(globalThis, 'setInterval', setInterval)
    const { file, said, add, kept } = open(t)
    const look = set()[0]!.args[0]
    const other = openSqlite(`${file}.other`)
    other.exec("CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('other')")
    other.close()
    kept.current.exec('BEGIN')
    add('a')
    renameSync(`${file}.other`, file)
    for (let looks = 0; looks < 5; looks++) look()
    t.same(said, [])
    kept.current.exec('COMMIT')
    kept.close()
    t.match(said, ['database files restored'])
    t.same(titlesIn(t, file), ['a'])
    const replaced = readdirSync(dirname(file)).find(name => /replaced-\d+$/.test(name))
    t.same(titlesIn(t, join(dirname(file), replaced!)), ['other'])
  })

  t.test(`${name}: what cannot be written again is told once, goes on, and is when it can be`, async t => {
    const set = t.capture(globalThis, 'setInterval', setInterval)
    const { file, said, add, kept } = open(t)
    mkdirSync(`${file}.new`)
    rmSync(`${file}-wal`)
    const look = set()[0]!.args[0]
    for (let looks = 0; looks < 40; looks++) look()
    t.match(said, ['database files not restored'])
    add('a')
    rmdirSync(`${file}.new`)
    kept.close()
    t.match(said, ['database files not restored', 'database files restored'])
    t.same(titlesIn(t, file), ['a'])
  })

  t.test(`${name}: with the command line tool`, async t => {
    skipWithout('sqlite3', t)
    t.test('who reads it makes no kill lose what was acknowledged', async t => {
      const file = join(folder(t), 'test.sqlite')
      const program = `
        import { keepOnDisk } from './example/database/keep-on-disk.ts'
        import { wasmDriver } from './example/database/open-sqlite.ts'
        const driver = ${name === 'WASM' ? 'await wasmDriver()' : 'undefined'}
        const kept = keepOnDisk(${JSON.stringify(file)}, { warn: () => console.log('anew') }, driver)
        kept.current.exec('CREATE TABLE songs (title TEXT)')
        process.stdin.on('data', () => {
          kept.current.run("INSERT INTO songs VALUES ('x')")
          console.log('added')
        })
        console.log('ready')`
      const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '--eval', program], {
        stdio: ['pipe', 'pipe', 'inherit']
      })
      const said = { ready: 0, added: 0, anew: 0 }
      createInterface(child.stdout).on('line', line => { said[line as keyof typeof said]++ })
      let added = 0
      const add = async () => {
        child.stdin.write('.')
        added++
        await until(() => said.added === added)
      }
      // Where its locks are not seen, a reader deletes the log.
      const seen = (times: number) => until(() => name !== 'WASM' || said.anew === times)
      await until(() => said.ready === 1)
      await add()
      const read = (command: string) => execFileSync('sqlite3', [file, command], { encoding: 'utf8' }).trim()
      t.equal(read('SELECT count(*) FROM songs'), '1')
      await add()
      await seen(1)
      await add()
      const copy = `${file}.copy`
      read(`.backup '${copy}'`)
      t.equal(execFileSync('sqlite3', [copy, 'SELECT count(*) FROM songs'], { encoding: 'utf8' }).trim(), '3')
      await add()
      await seen(2)
      child.kill('SIGKILL')
      await once(child, 'close')
      t.equal(titlesIn(t, file).length, 4)
      t.equal(read('PRAGMA integrity_check'), 'ok')
    })
  })
}
