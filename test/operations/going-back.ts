import { statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openSqlite } from '../../example/database/open-sqlite.ts'
import { folder } from '../example/helper.ts'
import { during, goBack, refuses, store, storedIn, versionBefore } from '../example/version-before.ts'

t.test('the version before starts after an upgrade, a refused upgrade and a return, with all that it had', async t => {
  const before = versionBefore(t)
  const now = 'dist/example/app.js'
  const DATA_DIR = folder(t)
  const settings = { DATA_DIR, SOURCE_API_TOKEN: 'the token of the owner' }
  const inData = (name: string) => join(DATA_DIR, name)
  const stored = await during(t, settings, before, store)
  t.match(stored, { name: 'Kept', songs: [{ userRating: 4 }, { isStarred: true }] })
  const hasAll = async (source: Parameters<typeof storedIn>[0]) => t.strictSame(await storedIn(source), stored)

  const refuse = (from: string, to: string) => {
    const database = openSqlite(inData('state.sqlite'))
    database.run('UPDATE kysely_migration SET name = ? WHERE name = ?', [to, from])
    database.close()
  }
  const { ino } = statSync(inData('library.sqlite'))
  refuse('state-8', 'state-8 of somebody')
  await refuses(t, settings, now)
  t.equal(statSync(inData('library.sqlite')).ino, ino)
  refuse('state-8 of somebody', 'state-8')
  await during(t, settings, before, hasAll)

  await during(t, settings, now, hasAll)
  await refuses(t, settings, before)
  goBack(DATA_DIR)
  await during(t, settings, before, hasAll)
  await during(t, settings, now, hasAll)
})
