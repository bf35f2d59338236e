import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import { writeRuntimeFile } from '../../lib/serve/runtime-file.ts'
import { readRunning } from '../../lib/serve/running-source.ts'
import { startSource } from '../../lib/serve/start-source.ts'
import { replace } from '../replace.ts'

// Those of this process, so that coverage counts, in another folder.
const types = new URL('../strip-types.js', import.meta.url).href
const flags = process.execArgv.map(flag => flag.replace('./test/strip-types.js', types))
const { NODE_ENV, SOURCE_API_TOKEN, ...environment } = process.env

const program = `
import fastify from 'fastify'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import serveSource, { startSource } from 'fastify-source-origin/serve'

await startSource(async ({ token, secret, publicUrl }) => {
  const app = fastify()
  const accounts = createAccounts({ store: memoryAccountStore(), secret, tokens: { owner: token } })
  const { PREFIX: prefix } = process.env
  await app.register(serveSource, { prefix, accounts, publicUrl, adapter: () => ({ getNewTracks: () => [] }), subsonic: false })
  console.log(\`built for \${publicUrl}\`)
  if (process.env.FAIL) app.addHook('onReady', async () => { throw new Error(process.env.FAIL) })
  return app
})
`

/** Starts a source in a folder, and waits for the line that says so. */
async function start (t: Test, cwd: string, env: Record<string, string> = {}, line = /^Listen: /m) {
  const child = spawn(process.execPath, [...flags, 'server.js'], { cwd, env: { ...environment, PORT: '0', ...env } })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  let errors = ''
  const closed = once(child, 'close')
  child.stderr.setEncoding('utf8').on('data', text => { errors += text })
  await Promise.race([closed, new Promise<void>(resolve => {
    child.stdout.setEncoding('utf8').on('data', text => { if (line.test(said += text)) resolve() })
  })])
  const stop = async () => {
    child.kill()
    return (await closed)[0]
  }
  return { said, errors: () => errors, stop }
}

const newFolder = (t: Test) => t.testdir({ 'server.js': program, 'package.json': '{"type":"module"}' })
const modeOf = async (file: string) => (await stat(file)).mode & 0o777

t.test('a source keeps its token, prints a link, and is checked without a url while it runs', async t => {
  const folder = newFolder(t)
  const first = await start(t, folder)
  const [, url, token] = /^Listen: (http:\/\/localhost:\d+)\/#token=([0-9a-f]{32})$/m.exec(first.said)!
  const running = join(folder, 'data/running.json')
  const noted = await readFile(running, 'utf8')
  t.match(JSON.parse(noted), { url, token })
  t.equal(await modeOf(running), 0o600)
  t.equal(await modeOf(join(folder, 'data/token')), 0o600)

  const bin = new URL('../../lib/bin.ts', import.meta.url).pathname
  const check = await promisify(execFile)(
    process.execPath, [...flags, bin, 'check', '--json', '--only', 'getNewTracks'], { cwd: folder, env: environment })
  t.match(JSON.parse(check.stdout), { source: url, outcome: 'ok' })

  t.equal(await first.stop(), 0)
  t.strictSame(await readdir(join(folder, 'data')), ['secret', 'token'])
  const { pid } = JSON.parse(noted)
  await writeFile(running, noted)
  t.equal(await readRunning(join(folder, 'data')), undefined, `${pid} has ended`)
  const second = await start(t, folder, { PREFIX: '/music' })
  t.match(second.said, `/music/#token=${token}`)
  t.match((await readRunning(join(folder, 'data')))?.url, /^http:\/\/localhost:\d+\/music$/)
  await second.stop()
})

const inProduction = { NODE_ENV: 'production', SOURCE_SECRET: 'thirty-two bytes at least, as it says' }
const right = { ...inProduction, SOURCE_API_TOKEN: 'a token of sixteen or more' }

for (const [setting, line] of [
  [{ SOURCE_API_TOKEN: '' }, 'SOURCE_API_TOKEN must be set in production'],
  [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535'],
  [{ SOURCE_SECRET: 'short' }, 'SOURCE_SECRET must have 32 bytes or more'],
  [{ PUBLIC_URL: 'music.example' }, 'PUBLIC_URL must be an http'],
  [{ HOST: '192.0.2.1' }, 'PORT must be free, and HOST a name of this machine: ']
] as [Record<string, string>, string][]) {
  t.test(`a wrong setting is one line and exit code 1: ${line}`, async t => {
    replace(t, process, 'env', { ...environment, PORT: '0', ...right, ...setting })
    const written: string[] = []
    replace(t, process.stderr, 'write', ((text: string) => written.push(text) > 0) as typeof process.stderr.write)
    replace(t, process, 'exit', code => { throw new Error(`exit ${code}`) })
    const listeners = (['SIGINT', 'SIGTERM'] as const).map(signal => [signal, process.listeners(signal)] as const)
    t.teardown(() => {
      for (const [signal, known] of listeners) {
        for (const added of process.listeners(signal).filter(one => !known.includes(one))) process.off(signal, added)
      }
    })
    const app = fastify()
    t.teardown(() => app.close())
    await t.rejects(startSource(() => app), { message: 'exit 1' })
    t.match(written, [line])
    t.match(written.join(''), /^[^\n]+\n$/)
  })
}

t.test('in production it keeps nothing, and says nothing of the token', async t => {
  const folder = newFolder(t)
  const refused = await start(t, folder, { ...right, SOURCE_API_TOKEN: '' })
  t.equal(await refused.stop(), 1)
  t.equal(refused.errors(), 'SOURCE_API_TOKEN must be set in production\n')
  t.match((await start(t, folder, { ...right, FAIL: 'not ready' })).errors(), /Error: not ready\n +at/)
  const { said, stop } = await start(t, folder, { ...right, PUBLIC_URL: 'https://music.example' }, /built for/)
  t.equal(said, 'built for https://music.example\n')
  await stop()
  t.strictSame((await readdir(folder)).sort(), ['package.json', 'server.js'])
})

t.test('what another process has written since stays', async t => {
  const folder = t.testdir()
  const app = fastify()
  writeRuntimeFile(app, { token: 'x', dataDir: folder })
  await app.listen({ port: 0 })
  const file = join(folder, 'running.json')
  // It is written after listen() has resolved.
  while (await readRunning(folder) === undefined) await setImmediate()
  await writeFile(file, '{}')
  await app.close()
  t.equal(await readFile(file, 'utf8'), '{}')
})

t.test('a server that never listened leaves nothing and closes', async t => {
  const folder = t.testdir()
  const silent = fastify()
  writeRuntimeFile(silent, { token: 'x', dataDir: folder })
  await silent.close()
  t.strictSame(await readdir(folder), [])
})
