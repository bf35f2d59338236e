import pg from 'pg'
import t from 'tap'
import { startPostgres } from '../postgres.ts'
import { skipWithout } from '../services.ts'
import { start } from './helper.ts'

t.test('PostgreSQL', async t => {
  skipWithout('PostgreSQL', t)

  t.test('a start on one that is read-only is one line', async t => {
    const { url } = await startPostgres(t)
    const client = new pg.Client(url)
    await client.connect()
    await client.query('alter database postgres set default_transaction_read_only = on')
    await client.end()
    await t.rejects(start(t, { DATABASE_URL: url }), {
      name: 'Error', message: 'DATABASE_URL must lead to a PostgreSQL that takes changes: this one is read-only'
    })
  })

  t.test('a process has DATABASE_CONNECTIONS at most', async t => {
    const { url } = await startPostgres(t)
    const source = await start(t, { DATABASE_URL: url, DATABASE_CONNECTIONS: '5' })
    await Promise.all(Array.from({ length: 40 }, () => source.call('/v1/user/favorite/tracks')))
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query('select count(*)::int from pg_stat_activity ' +
      'where pid <> pg_backend_pid() and datname = current_database()')
    await client.end()
    t.equal(rows[0].count, 5)
  })
})
