import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import t from 'tap'
import { startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { replace } from './replace.ts'
import { locate, serviceNames, skipWithout } from './services.ts'

skipWithout('PostgreSQL', t, /^PostgreSQL/)
skipWithout('Redis', t, /^Redis/)

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

for (const name of serviceNames) {
  t.test(`where ${name} is missing, a test that needs it fails with the command that installs it`, async t => {
    replace(t, process, 'env', { PATH: '/nonexistent' })
    t.throws(() => locate(name, '/nonexistent'), {
      message: new RegExp(`^${name} is not installed: .*apt-get install .*`)
    })
  })
}

t.test('tests of a service are skipped where none is started, and where it is missing without CI=true', async t => {
  for (const [CI, TESTS, isSkipped] of [['', '', true], ['true', '', false], ['true', 'quick', true]] as const) {
    await t.test(`CI=${CI} TESTS=${TESTS}`, async t => {
      replace(t, process, 'env', { PATH: '/nonexistent', CI, TESTS })
      t.equal(skipWithout('Redis', t), isSkipped)
    })
  }
})

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
