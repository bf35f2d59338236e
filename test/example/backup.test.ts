import { cpSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { backUp, restore } from '../../example/state/backup.ts'
import { State } from '../../example/state/state.ts'
import { openDatabase } from '../../example/database/open-database.ts'
import { openSqlite } from '../../example/database/open-sqlite.ts'
import { migrations } from '../../example/database/tables.ts'
import { startPostgres } from '../postgres.ts'
import { skipWithout } from '../services.ts'
import { folder } from './helper.ts'
import { openWith } from './open-with.ts'

const quiet = { info () {}, warn () {} }

async function open (t: Test, url = '') {
  const dataDir = folder(t)
  const db = await openDatabase(dataDir, url, quiet)
  t.teardown(() => db.destroy())
  return { dataDir, db, state: new State(db) }
}

/** Two accounts; more plays than are read at a time. */
async function fill ({ db, state }: Awaited<ReturnType<typeof open>>) {
  await state.addAccount('ann')
  await state.addAccount('ben')
  await state.playlists.create('ann', 'Evening')
  await state.setting('media-key', 'theirs')
  const plays = Array.from({ length: 1200 }, (_, index) => ({ account: 'ben', track: 'x', played_at: index * 1e6 }))
  await db.insertInto('play').values(plays).execute()
}

const countsOf = async ({ db, state }: Awaited<ReturnType<typeof open>>) => ({
  accounts: await state.accounts(),
  playlists: (await state.playlists.list('ann')).map(({ name }) => name),
  plays: (await db.selectFrom('play').selectAll().execute()).length
})
const whole = { accounts: ['ann', 'ben'], playlists: ['Evening'], plays: 1200 }

async function tryBoth (t: Test, from: Awaited<ReturnType<typeof open>>, to: Awaited<ReturnType<typeof open>>) {
  await fill(from)
  const file = join(folder(t), 'it\'s a copy.sqlite')
  const before = await from.state.viewer('ann')
  await from.state.backUp(file)
  t.equal(statSync(file).mode & 0o777, 0o600)
  await t.rejects(from.state.backUp(file), { message: `${file} is there already: choose another name` })
  await from.state.removeAccount('ben')
  await from.state.playlists.create('ann', 'Later')
  await from.state.restore(file, from.dataDir)
  t.same(await countsOf(from), whole, 'what came later is gone, and what went is back')
  const after = await from.state.viewer('ann')
  t.equal(after.listener, before.listener)
  t.equal(Number(after.revision.split(' ')[1]), Number(before.revision.split(' ')[1]) + 2, 'caches know')
  await to.state.setting('media-key', 'ours')
  await to.state.restore(file, to.dataDir)
  t.same(await countsOf(to), whole)
  t.equal(await to.state.setting('media-key', ''), 'ours')
  t.same(readdirSync(to.dataDir).filter(name => name.startsWith('backup-')), [])
}

t.test('SQLite: a backup is whole, replaces what is there, and can be taken elsewhere', async t => {
  await tryBoth(t, await open(t), await open(t))
})

t.test('PostgreSQL', async t => {
  skipWithout('PostgreSQL', t)
  t.test('a backup is whole, replaces what is there, and can be taken to SQLite and back', async t => {
    const { url } = await startPostgres(t)
    const postgres = await open(t, url)
    const sqlite = await open(t)
    await tryBoth(t, postgres, sqlite)
    const file = join(folder(t), 'back.sqlite')
    await backUp(sqlite.db, file)
    await restore(postgres.db, file, postgres.dataDir)
    t.same(await countsOf(postgres), whole)
  })
})

t.test('a file that was copied with its log is taken with it', async t => {
  const source = await open(t)
  await fill(source)
  const copy = folder(t)
  for (const name of ['state.sqlite', 'state.sqlite-wal']) cpSync(join(source.dataDir, name), join(copy, name))
  const target = await open(t)
  await target.state.restore(join(copy, 'state.sqlite'), target.dataDir)
  t.same(await countsOf(target), whole)
})

t.test('what is no backup, damaged, newer or not there is refused in one line, and nothing has changed', async t => {
  const source = await open(t)
  await fill(source)
  const dir = folder(t, { text: 'this is no database, but a text', empty: '' })
  const other = openSqlite(join(dir, 'other'))
  other.exec('CREATE TABLE kysely_migration (name TEXT)')
  other.close()
  const newer = { ...migrations, 'state-10': { up: async () => {} } }
  await (await openWith(newer, dir, '', quiet)).destroy()
  for (const [name, message] of Object.entries({
    text: /text is not a backup of this source, or is damaged: file is not a database$/,
    empty: /empty is not a backup of this source, or is damaged: no such table/,
    other: /other is not a backup of this source, or is damaged: it has no accounts$/,
    gone: /^File not found: .*gone$/,
    'state.sqlite': /^The database is of a newer version of this source \(state-10\)/
  })) await t.rejects(source.state.restore(join(dir, name), source.dataDir), { message })
  await t.rejects(source.state.restore(dir, source.dataDir), { message: /EISDIR|illegal operation/ })
  await t.rejects(source.state.backUp(join(dir, 'no/folder')), { message: /ENOENT/ })
  t.same(await countsOf(source), whole)
})
