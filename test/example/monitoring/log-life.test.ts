import fastify from 'fastify'
import { sdkVersion } from 'fastify-source-origin'
import t, { type Test } from 'tap'
import { ignoreHangUp } from '../../../example/server/ignore-hang-up.ts'
import { logLife } from '../../../example/monitoring/log-life.ts'
import { misspeltSettings } from '../../../example/monitoring/misspelt-settings.ts'
import { readSettings } from '../../../example/start/settings.ts'
import { logged } from '../../helper.ts'
import { replace } from '../../replace.ts'
import { runExample } from '../run-example.ts'

async function logOf (t: Test, env: Record<string, string>): Promise<Record<string, any>[]> {
  const { lines, logger } = logged()
  const app = fastify({ logger })
  t.teardown(() => app.close())
  logLife(app, readSettings({ MUSIC_DIR: '/music', DATA_DIR: '/data', ...env }))
  await app.ready()
  await app.close()
  return lines
}

t.test('one line at the start has the version and the stores, one is the last', async t => {
  const stores = { music: '/music', data: '/data', accounts: 'state.sqlite', loginAttempts: 'memory' }
  t.match(await logOf(t, {}), [
    { msg: 'source started', version: sdkVersion, node: process.version, ...stores }, { msg: 'shutdown finished' }
  ])
  t.match((await logOf(t, { STATELESS: 'true' }))[0], { accounts: 'none' })
  const urls = { DATABASE_URL: 'postgresql://ann:secret@db:5433/music', REDIS_URL: 'redis://cache:6379' }
  const [line] = await logOf(t, urls)
  t.match(line, { accounts: 'PostgreSQL at db:5433/music', loginAttempts: 'Redis at cache:6379' })
})

t.test('no part of a password is in the line, however it is written', async t => {
  for (const password of ['word', 'w@ord', 'w@ord/word', '12/w@ord', '12?word', '1/word', 'w:ord', 'w#ord', '%zz']) {
    const urls = { DATABASE_URL: `postgresql://ann:${password}@db/music`, REDIS_URL: `redis://:${password}@r` }
    for (const [name, url] of Object.entries(urls)) {
      const text = await logOf(t, { [name]: url })
        .then(([{ accounts, loginAttempts }]: any) => accounts + loginAttempts, ({ message }: Error) => message)
      t.notMatch(text.replace('wrong tokens', ''), /ord|zz|12/, url)
    }
  }
})

t.test('LOG_LEVEL decides what is written', async t => {
  t.strictSame(await logOf(t, { LOG_LEVEL: 'warn' }), [])
})

t.test('who trusts all proxies is told so', async t => {
  t.match((await logOf(t, { FASTIFY_TRUST_PROXY_ENABLED: 'true' }))[0], { hint: /FASTIFY_TRUST_PROXY_IPS/ })
})

t.test('a variable that is nearly a setting is told, without its value', async t => {
  const told = (env: Record<string, string>) => misspeltSettings(env)
  t.strictSame(told({ MUSIC_DIRS: 'secret' }), [{ setting: 'MUSIC_DIRS', hint: 'Did you mean MUSIC_DIR?' }])
  t.strictSame(told({ DATABASE_URI: 'a', databaseurl: 'b', port: '1' }).length, 3)
  t.match(told({ FASTIFY_TRUST_PROXY_IP: '10.0.0.1' }), [{ hint: /FASTIFY_TRUST_PROXY_IPS\?$/ }])
})

t.test('variables of others, and those beside a setting that is set, are not told', async t => {
  const others = ['PAGER', 'PATH', 'HOME', 'MUSIC_PORT', 'REDIS_PORT', 'HOST', 'SORT', 'NODE_OPTIONS', 'LANG', 'USER']
  const env = Object.fromEntries(others.map(name => [name, 'a']))
  t.strictSame(misspeltSettings({ DATABASE_URL: '' }),
    [{ setting: 'DATABASE_URL', hint: 'Set it, or remove it to store accounts in state.sqlite' }])
  t.strictSame(misspeltSettings({ ...env, MUSIC_DIR: 'a', MUSIC_DIRS: 'b', LOG_LEVEL: 'info' }), [])
})

t.test('in a terminal SIGHUP ends the source, elsewhere it does nothing', async t => {
  const before = process.listeners('SIGHUP')
  t.teardown(() => {
    process.removeAllListeners('SIGHUP')
    for (const listener of before) process.on('SIGHUP', listener)
  })
  const end = () => {}
  for (const [isTerminal, stays] of [[true, true], [false, false]] as const) {
    process.on('SIGHUP', end)
    const app = fastify()
    replace(t, process.stdin, 'isTTY', isTerminal)
    replace(t, process.stdout, 'isTTY', isTerminal)
    ignoreHangUp(app)
    await app.listen({ host: '127.0.0.1', port: 0 })
    t.equal(process.listeners('SIGHUP').includes(end), stays)
    t.ok(process.listenerCount('SIGHUP') > 0)
    await app.close()
  }
  t.equal(process.listenerCount('SIGHUP'), 0)
})

t.test('the process ends though who reads its log has left', async t => {
  const { child, ended, said } = runExample(t, { NODE_ENV: 'production', SOURCE_API_TOKEN: 't'.repeat(16) })
  await said(/Server listening/)
  child.stdout.destroy()
  child.kill()
  t.match(await ended, { code: 0 })
})
