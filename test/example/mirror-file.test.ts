import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSqlite } from '../../example/database/open-sqlite.ts'
import { openMirrors } from '../../example/others/mirror-file.ts'

// The libraries of other servers in the data folder: a library is the last one that was written to its end.

async function * parts (...texts: string[][]): AsyncGenerator<string[], void, undefined> { yield * texts }

function open (t: Test, dataDir = t.testdir()) {
  const lines: string[] = []
  const mirrors = openMirrors(dataDir, { warn: (_details: object, line: string) => { lines.push(line) } } as never)
  return { dataDir, lines, mirrors: mirrors! }
}

t.test('texts are read by their places, from both ends, also after a restart', async t => {
  const { dataDir, mirrors } = open(t)
  await mirrors.replace('nav', parts(['a', 'b'], ['c']))
  await mirrors.replace('other', parts(['x']))
  t.strictSame(mirrors.read('nav', [2, 0, -1, 7]), ['c', 'a', 'c', undefined])
  mirrors.close()
  const again = open(t, dataDir).mirrors
  t.strictSame(again.read('nav', [0, 1]), ['a', 'b'])
  t.strictSame(again.read('none', [0, -1]), [undefined, undefined])
  again.close()
})

t.test('a file that a killed process has locked is used', async t => {
  const { dataDir, mirrors } = open(t)
  await mirrors.replace('nav', parts(['a']))
  mirrors.close()
  mkdirSync(join(dataDir, 'mirrors.sqlite.lock'))
  const again = open(t, dataDir)
  t.strictSame([again.lines, again.mirrors.read('nav', [0])], [[], ['a']])
  again.mirrors.close()
})

t.test('a library that is not written to its end replaces nothing and leaves nothing', async t => {
  const { dataDir, mirrors } = open(t)
  await mirrors.replace('nav', parts(['a']))
  async function * broken () {
    yield ['b']
    throw new Error('away')
  }
  await t.rejects(mirrors.replace('nav', broken()), { message: 'away' })
  t.strictSame(mirrors.read('nav', [0, 1]), ['a', undefined])
  await t.rejects(mirrors.replace('nav', parts(['b', null as never])))
  mirrors.close()
  // A process that is killed leaves texts behind.
  const file = join(dataDir, 'mirrors.sqlite')
  const killed = openSqlite(file)
  killed.exec("INSERT INTO text VALUES (7, 0, 'c')")
  killed.close()
  const again = open(t, dataDir).mirrors
  t.strictSame(again.read('nav', [0, 1]), ['a', undefined])
  await again.replace('other', parts(['x']))
  t.strictSame(again.read('nav', [0, -1]), ['a', 'a'])
  again.close()
  const after = openSqlite(file)
  t.strictSame(after.all('SELECT text FROM text ORDER BY text').map(({ text }) => text), ['a', 'x'])
  after.close()
})

t.test('two libraries are written at a time', async t => {
  const { mirrors } = open(t)
  let goOn = () => {}
  const first = mirrors.replace('nav', (async function * () {
    yield ['a']
    await new Promise<void>(resolve => { goOn = resolve })
    yield ['b']
  })())
  await mirrors.replace('other', parts(['x']))
  goOn()
  await first
  t.strictSame(mirrors.read('nav', [0, 1]), ['a', 'b'])
  mirrors.close()
})

t.test('a library that nobody read for a week is removed', async t => {
  const { mirrors } = open(t)
  const { now } = Date
  t.teardown(() => { Date.now = now })
  await mirrors.replace('nav', parts(['a']))
  await mirrors.replace('unused', parts(['b']))
  for (const days of [4, 8]) {
    Date.now = () => now() + days * 86_400_000
    t.strictSame(mirrors.read('nav', [0]), ['a'])
    await mirrors.replace('other', parts(['x']))
  }
  t.strictSame(mirrors.read('unused', [0]), [undefined])
  t.strictSame(mirrors.read('nav', [0]), ['a'])
  mirrors.close()
})

t.test('a damaged file is made again', async t => {
  const dataDir = t.testdir({ 'mirrors.sqlite': 'no database, and long enough to be one'.repeat(100) })
  const { mirrors, lines } = open(t, dataDir)
  t.strictSame(lines, ['stored libraries damaged'])
  await mirrors.replace('nav', parts(['a']))
  t.strictSame(mirrors.read('nav', [0]), ['a'])
  mirrors.close()
})

t.test('without a file the libraries are in memory', async t => {
  const dataDir = t.testdir({ file: '' })
  writeFileSync(join(dataDir, 'file'), '')
  const { mirrors, lines } = open(t, join(dataDir, 'file'))
  t.equal(mirrors, undefined)
  t.strictSame(lines, ['stored libraries unavailable'])
  const link = t.testdir({ 'mirrors.sqlite': t.fixture('symlink', 'missing/folder') })
  t.equal(open(t, link).mirrors, undefined)
})
