import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import t from 'tap'
import { until } from './helper.ts'
import { runExample as run } from './run-example.ts'

const wrong: Record<string, [env: Record<string, string>, message: RegExp]> = {
  'a folder that is missing': [
    { MUSIC_DIR: 'nowhere' }, /^MUSIC_DIR must be a folder of audio files: there is no folder \S+nowhere\n$/
  ],
  'a setting of the server that is wrong': [
    { FASTIFY_TRUST_PROXY_IPS: 'proxy.example' }, /^FASTIFY_TRUST_PROXY_IPS must be addresses and networks .+\n$/
  ]
}
for (const [what, [env, message]] of Object.entries(wrong)) {
  t.test(`${what} is one line and exit code 1`, async t => {
    const { ended, output } = run(t, { INIT_CWD: process.cwd(), ...env })
    t.equal((await ended).code, 1)
    t.match(output.err, message)
  })
}

t.test('too few files that may be open are one line and exit code 1', async t => {
  const { ended, output } = run(t, {}, { prefix: ['sh', '-c', 'ulimit -n 511; exec "$0" "$@"'] })
  t.equal((await ended).code, 1)
  t.equal(output.err, 'The limit of open files must be 512 or more (ulimit -Hn): it is 511\n')
})

t.test('a port that is in use is one line and exit code 1', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const { ended, output } = run(t, { PORT: String(port) })
  t.equal((await ended).code, 1)
  t.match(output.err, new RegExp(`^PORT must be free, .*:${port}\n$`))
  t.notMatch(output.out, 'EADDRINUSE')
})

t.test('the server that fastify-cli makes', async t => {
  const { child, ended, output, said } = run(t, { SOURCE_API_TOKEN: 'token', PUBLIC_URI: 'https://a.example' })
  const [, origin] = await said(/listening at (http:[^"]+)/)

  t.test('paths in other case and with more slashes are the same, as older clients write them', async t => {
    for (const path of ['/v1/status/', '/V1/status', '/v1/Track/Roam/', '/status/']) {
      t.equal((await fetch(origin + path, { headers: { authorization: 'token' } })).status, 200, path)
    }
    t.equal((await fetch(`${origin}/V1/status/`)).status, 401)
    for (const path of ['//rest/ping.view', '/rest//ping', '///rest///search3.view/']) {
      // What is twice behind the ? is meant so.
      const answer = await fetch(`${origin}${path}?u=a&p=token&f=json&query=AC//DC`)
      t.match(await answer.json(), { 'subsonic-response': { status: 'ok' } }, path)
    }
  })

  t.test('it keeps a connection for longer than proxies do', async t => {
    const seconds = /timeout=(\d+)/.exec((await fetch(`${origin}/status`)).headers.get('keep-alive')!)![1]
    t.ok(Number(seconds) > 120, `${seconds} seconds`)
  })

  t.test('its log names what is misspelt, and has no line for each probe', async t => {
    t.match(output.out, '"setting":"PUBLIC_URI","hint":"Did you mean PUBLIC_URL?"')
    await said(/"url":"\/v1\/status\/"/)
    t.notMatch(output.out, '"url":"/status')
  })

  t.test('it goes on after SIGHUP, and says when it has ended', async t => {
    child.kill('SIGHUP')
    for (let times = 0; times < 3; times++) t.equal((await fetch(`${origin}/status`)).status, 200)
    child.kill('SIGTERM')
    // Not later: a process at its very end has no handlers of signals.
    child.kill('SIGHUP')
    // Docker kills after ten seconds, and a database that hangs takes one more.
    await said(/"timeout":7000,.*"shutdown started"/)
    t.strictSame(await ended, { code: 0, signal: null })
    t.match(output.out, 'shutdown finished')
  })
})

t.test('without a token the source makes one and prints a curl line that works; the log does not have it', async t => {
  const { said, output } = run(t, {})
  const [, made, url] = await said(/curl -H 'Authorization: (\w+)' '(\S+)'/)
  const ask = async () => {
    const answer = await fetch(url!.replace('localhost', '127.0.0.1'), { headers: { authorization: made! } })
    t.equal(answer.status, 200)
    return (await answer.json() as any).data.items
  }
  // It waits for its first scan only for a while.
  await until(async () => (await ask()).length > 0)
  t.match(await ask(), [{ title: String }])
  await said(/request completed/)
  t.notMatch(output.out.split('\n').filter(line => line.startsWith('{')).join(), made!)
})

t.test('SIGTERM ends it while it is loaded, as process 1 of a container too', async t => {
  const atFirstListener = `
    const { _cache } = process.getBuiltinModule('module')
    process.on('newListener', function atSignal (name) {
      // What measures coverage may listen before the example does.
      if (name !== 'SIGTERM' || !new Error().stack.includes('at endWhileStarting')) return
      process.off('newListener', atSignal)
      if (Object.keys(_cache).some(file => file.includes('under-pressure'))) console.error('it is loaded')
      process.kill(process.pid, name)
    })`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(atFirstListener)}`
  const { ended, output } = run(t, { NODE_OPTIONS })
  t.strictSame(await ended, { code: 0, signal: null })
  t.equal(output.err, '')
})

const startingPrograms = {
  'SIGTERM in the last turn of the start is not lost': `
    process.kill(process.pid, 'SIGTERM')
    started()
    setImmediate(() => setImmediate(() => setImmediate(() => process.exit(3))))`,
  'SIGTERM a second time, while the first one ends the start, changes nothing': `
    process.on('exit', () => process.kill(process.pid, 'SIGTERM'))
    process.kill(process.pid, 'SIGTERM')
    setInterval(() => {}, 60_000)`
}
for (const [title, program] of Object.entries(startingPrograms)) {
  t.test(title, async t => {
    const start = `
      import { endWhileStarting } from './example/end-while-starting.ts'
      const started = endWhileStarting()
      ${program}`
    const args = ['--import=./test/strip-types.js', '--input-type=module', '--eval', start]
    t.strictSame(await once(spawn(process.execPath, args), 'exit'), [0, null])
  })
}

t.test('SIGTERM ends a start that waits, as process 1 of a container too', async t => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  const { child, ended } = run(t, { DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/d` })
  const [socket] = await once(silent, 'connection')
  t.teardown(() => socket.destroy())
  child.kill('SIGTERM')
  // Without a listener the signal would have ended it, which it does not for process 1.
  t.strictSame(await ended, { code: 0, signal: null })
})

t.test('SIGTERM lets a running request end, then the process exits 0', async t => {
  const { child, said, ended, output } = run(t, { SOURCE_API_TOKEN: 'token' })
  const [, origin] = await said(/listening at (http:[^"]+)/)
  const headers = { authorization: 'token' }
  let track: { id: string } | undefined
  // It waits for its first scan only for a while.
  await until(async () => {
    const { data } = await (await fetch(`${origin}/v1/search/tracks?keyword=prelude`, { headers })).json() as any
    track = data.items[0]
    return track !== undefined
  })
  const { data: { url, size } } =
    await (await fetch(`${origin}/v1/track/url?id=${track!.id}`, { headers })).json() as any

  const [response] = await once(get(url, { agent: false }), 'response')
  child.kill('SIGTERM')
  // Only now is the rest read: the server was told to end long before the file did.
  await said(/shutdown|request completed/)
  let bytes = 0
  for await (const chunk of response) bytes += chunk.length
  t.equal(bytes, size)
  t.same(await ended, { code: 0, signal: null })
  // There is a token, so none was made.
  t.match(output.out, /The source is at http:\/\/localhost:\d+\/v1/)
  t.notMatch(output.out, 'curl')
})

t.test('an error that is not the user\'s is thrown', async t => {
  const { default: app } = await import('../../example/app.ts')
  await t.rejects(app(undefined as any, {}), TypeError)
})

t.test('a replica under load that gets SIGTERM is not ready first, and then no request is lost', async t => {
  const { child, ended, said } = run(t, { SOURCE_API_TOKEN: 'a-token-of-some-length', SHUTDOWN_DELAY: '5' })
  const [origin = ''] = await said(/http:\/\/127\.0\.0\.1:\d+/)
  await said(/"scan finished"/)
  const ask = async (path: string) =>
    (await fetch(origin + path, { headers: { authorization: 'a-token-of-some-length' } })).status
  t.equal(await ask('/ready'), 200)
  const balancer = { isReady: true }
  const statuses: number[] = []
  /** Sends requests as a load balancer does, as long as the replica is ready. */
  const load = async () => { while (balancer.isReady) statuses.push(await ask('/v1/track/new')) }
  const loads = Promise.all(Array.from({ length: 4 }, load))
  while (statuses.length < 20) await ask('/ready')
  child.kill('SIGTERM')
  while (balancer.isReady) balancer.isReady = await ask('/ready') === 200
  const before = statuses.length
  await loads
  t.ok(before >= 20)
  t.strictSame([...new Set(statuses)], [200])
  t.strictSame(await ended, { code: 0, signal: null })
})
