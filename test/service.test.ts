import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import t, { type Test } from 'tap'
import { startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'

t.test('PostgreSQL is stopped and started with its data, under the same URL', async t => {
  const { url, stop, start } = await startPostgres(t)
  await query(url, 'create table kept (word text)')
  await query(url, 'insert into kept values (\'music\')')
  await stop()
  await t.rejects(query(url, 'select 1'), { code: 'ECONNREFUSED' })
  await start()
  t.strictSame(await query(url, 'select word from kept'), [{ word: 'music' }])
})

t.test('Redis is stopped and started with its data, under the same URL', async t => {
  const { url, stop, start } = await startRedis(t)
  t.equal(await command(url, 'SET kept music'), '+OK\r\n')
  await stop()
  await t.rejects(command(url, 'PING'), { code: 'ECONNREFUSED' })
  await start()
  t.equal(await command(url, 'GET kept'), '$5\r\nmusic\r\n')
})

const missing = { PostgreSQL: (t: Test) => startPostgres(t, '/nonexistent'), Redis: startRedis }
for (const [name, startServer] of Object.entries(missing)) {
  t.test(`without ${name} a test fails with what to install`, async t => {
    const path = process.env.PATH
    t.teardown(() => { process.env.PATH = path })
    process.env.PATH = '/nonexistent'
    await t.rejects(startServer(t), { message: new RegExp(`^This test needs ${name}: run .ci/services.sh, or install the package`) })
  })
}

async function query (connectionString: string, text: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function command (url: string, text: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`${text}\r\n`)
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return String(answer)
}
