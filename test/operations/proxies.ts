import fastify, { type FastifyInstance } from 'fastify'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { serveFolder } from '../../example/serve-folder.ts'
import { options } from '../../example/server/server-options.ts'
import { readSettings } from '../../example/start/settings.ts'
import { blocks } from '../doc-blocks.ts'
import { demo, folder, until } from '../example/helper.ts'
import { freePort } from '../service.ts'
import { locate, skipWithout, type ServiceName } from '../services.ts'

const token = 'the token of the proxies'

/** A proxy of docs/operations/proxies.md: what is around its block, and how it is started. */
interface Proxy {
  readonly name: ServiceName
  readonly language: string
  readonly file: (config: string, root: string, port: number) => string
  readonly args: (file: string, root: string, port: number) => string[]
  /** Whether each request is tried at a replica that did not answer the last one. */
  readonly triesEach?: boolean
}

const modules = [
  'mpm_event', 'authz_core', 'slotmem_shm', 'proxy', 'proxy_http', 'proxy_balancer', 'lbmethod_byrequests', 'headers'
]

const proxies: readonly Proxy[] = [
  {
    name: 'nginx',
    language: 'nginx',
    file: (config, root, port) => `daemon off; pid ${root}/pid; error_log ${root}/start.log crit; events {}
http {
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${root}/${name};`).join('\n')}
${config.replace('listen 80', `listen 127.0.0.1:${port}`).replaceAll('/var/log/nginx', root)}
}`,
    args: (file, root) => ['-p', root, '-c', file, '-e', `${root}/start.log`],
    triesEach: true
  },
  {
    name: 'HAProxy',
    language: 'haproxy',
    file: (config, _root, port) => config.replace('bind :80', `bind 127.0.0.1:${port}`),
    args: file => ['-f', file]
  },
  {
    name: 'Apache',
    language: 'apache',
    file: (config, root, port) => `ServerRoot ${root}\nServerName localhost\nListen 127.0.0.1:${port}
PidFile ${root}/pid\nErrorLog ${root}/error.log\nDefaultRuntimeDir ${root}\nMutex file:${root}
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
${modules.map(name => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
${config.replace('*:80', `*:${port}`).replaceAll('/var/log/apache2', root)}`,
    args: file => ['-D', 'FOREGROUND', '-f', file]
  },
  {
    name: 'Caddy',
    language: 'caddy',
    file: (config, root, port) => config.replace('{\n', `{\n\tadmin off\n\tstorage file_system ${root}/storage\n`)
      .replace('music.example.org', `http://127.0.0.1:${port}`),
    args: file => ['run', '--adapter', 'caddyfile', '--config', file]
  },
  {
    name: 'Varnish',
    language: 'vcl',
    file: config => config,
    args: (file, root, port) => {
      const [, parameters = ''] = /varnishd -F -a :80 -f \S+([^]*)$/.exec(blockOf('text'))!
      return [
        '-F', '-a', `127.0.0.1:${port}`, '-f', file, '-n', join(root, 'varnish'), '-j', 'none',
        ...parameters.replaceAll('\\\n', ' ').trim().split(/\s+/)
      ]
    }
  }
]

function blockOf (language: string): string {
  const block = blocks.find(block => block.document === 'docs/operations/proxies.md' && block.language === language)
  if (block === undefined) throw new Error(`There is no block in ${language}`)
  return block.code
}

interface Replica { app: FastifyInstance, port: number, connections: () => number, asked: Record<string, unknown>[] }

async function startReplica (t: Test, listenedOn = 0): Promise<Replica> {
  const app = fastify({ ...options, trustProxy: '127.0.0.1' })
  t.teardown(() => app.close())
  const asked: Record<string, unknown>[] = []
  let connections = 0
  app.server.on('connection', () => { connections++ })
  app.addHook('onRequest', async ({ ip, host, url }) => { if (!/^.(ready|status)/.test(url)) asked.push({ ip, host, url }) })
  const settings = { MUSIC_DIR: demo, DATA_DIR: folder(t), SOURCE_API_TOKEN: token, NODE_ENV: 'production' }
  await app.register(async instance => serveFolder(instance, readSettings(settings)))
  await app.listen({ host: '127.0.0.1', port: listenedOn })
  const { port } = app.server.address() as AddressInfo
  return { app, port, connections: () => connections, asked }
}

async function startProxy (t: Test, { name, language, file, args }: Proxy, replicas: readonly Replica[]) {
  const root = folder(t)
  chmodSync(root, 0o777)
  for (const name of ['storage', 'varnish']) mkdirSync(join(root, name))
  const port = await freePort()
  const [first, second] = replicas.map(({ port }) => String(port))
  // A port is in an address, or beside one in Varnish's file.
  const config = blockOf(language).replaceAll(/(127\.0\.0\.1:|port = ")300([01])/g,
    (_, before, replica) => before + (replica === '0' ? first : second))
  const path = join(root, `configuration.${language}`)
  writeFileSync(path, file(config, root, port))
  const child = spawn(locate(name), args(path, root, port), {
    stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, XDG_DATA_HOME: root, XDG_CONFIG_HOME: root, HOME: root }
  })
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => { output.text += data })
  const ended = once(child, 'close')
  t.teardown(() => {
    child.kill('SIGTERM')
    return ended
  })
  let hasEnded = false
  ended.then(() => { hasEnded = true })
  const origin = `http://127.0.0.1:${port}`
  await until(async () => {
    if (hasEnded) throw new Error(`${name} has ended: ${output.text}`)
    return await send(`${origin}/status`).then(({ status }) => status === 200, () => false)
  })
  const logs = () => readdirSync(root).filter(name => name.endsWith('.log'))
    .map(name => readFileSync(join(root, name), 'utf8')).join('\n') + output.text
  return { origin, logs }
}

const agent = new Agent({ keepAlive: true })
t.teardown(() => agent.destroy())

/** Sends a request from another address than the proxy's, with the forged address of a client in it. */
async function send (url: string, headers: Record<string, string> = {}, method = 'GET') {
  const asked = request(url, {
    method,
    agent,
    localAddress: '127.0.0.2',
    headers: { authorization: token, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example', ...headers }
  }).end()
  const [response] = await once(asked, 'response') as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

for (const proxy of proxies) {
  t.test(proxy.name, async t => {
    if (skipWithout(proxy.name, t)) return t.test('it is run', async () => {})
    const replicas = [await startReplica(t), await startReplica(t)]
    const { origin, logs } = await startProxy(t, proxy, replicas)
    const asked = () => replicas.flatMap(({ asked }) => asked)

    await t.test('connections to the replicas are kept', async t => {
      const before = replicas.reduce((sum, { connections }) => sum + connections(), 0)
      for (let times = 0; times < 50; times++) t.equal((await send(`${origin}/v1/status`)).status, 200)
      const opened = replicas.reduce((sum, { connections }) => sum + connections(), 0) - before
      t.ok(opened < 20, `${opened} connections for 50 requests`)
      // One that was slow to answer a health check is asked again after the next ones.
      await until(async () => {
        await send(`${origin}/v1/status`)
        return replicas.every(({ asked }) => asked.length > 0)
      })
    })

    await t.test('a URL with a queue of 5,000 songs arrives', async t => {
      const query = `u=a&p=${encodeURIComponent(token)}&f=json${'&id=0123456789abcdef0123456789abcdef01234567'.repeat(5000)}`
      const { status, body } = await send(`${origin}/rest/ping?${query}`)
      t.equal(status, 200)
      t.match(JSON.parse(body.toString()), { 'subsonic-response': { status: 'ok' } })
    })

    await t.test('the address and the host are those of the client and what it asked, not what it says', async t => {
      await send(`${origin}/v1/status`)
      t.match(asked().at(-1), { ip: '127.0.0.2' })
      t.notOk(asked().some(({ ip, host }) => ip === '203.0.113.9' || host === 'evil.example'))
    })

    await t.test('a part of a song is that part', async t => {
      const { data: { items: [track] } } = JSON.parse((await send(`${origin}/v1/search/tracks?keyword=prelude`)).body.toString())
      const { data: { url } } = JSON.parse((await send(`${origin}/v1/track/url?id=${track.id}`)).body.toString())
      t.ok(url.startsWith(`${origin}/`), url)
      // The key of the signature is that of one replica.
      const whole = await askUntil(() => send(url), ({ status }) => status === 200)
      const part = await askUntil(() => send(url, { range: 'bytes=1000-1999' }), ({ status }) => status === 206)
      t.ok(part.body.equals(whole.body.subarray(1000, 2000)))
    })

    await t.test('no answer to one caller is given to another', async t => {
      t.equal((await send(`${origin}/v1/track/new`)).status, 200)
      t.equal((await send(`${origin}/v1/track/new`, { authorization: 'wrong' })).status, 401)
    })

    const reaches = ({ asked }: Replica) => until(async () => {
      await send(`${origin}/v1/status`)
      return asked.length > 0
    })

    await t.test('the second replica may be restarted as soon as the first one is back', async step => {
      await replicas[0]!.app.close()
      for (let times = 0; times < 10; times++) step.equal((await send(`${origin}/v1/status`)).status, 200)
      const first = replicas[0] = await startReplica(t, replicas[0]!.port)
      if (!proxy.triesEach) await reaches(first)
      await replicas[1]!.app.close()
      for (let times = 0; times < 10; times++) step.equal((await send(`${origin}/v1/status`)).status, 200)
      replicas[1] = await startReplica(t, replicas[1]!.port)
      await reaches(replicas[1]!)
    })

    await t.test('while one replica is away the other answers, and no log has a query', async t => {
      await replicas[1]!.app.close()
      for (let times = 0; times < 10; times++) t.equal((await send(`${origin}/v1/track/new?x=secret`)).status, 200)
      await replicas[0]!.app.close()
      const { status } = await send(`${origin}/rest/ping?u=a&p=secret&signature=secret`)
      t.ok([502, 503, 504].includes(status!), `${status}`)
      t.notMatch(logs(), 'secret')
    })
  })
}

/** Asks until the replica that can answer was asked. */
async function askUntil<T> (ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (holds(answer)) return answer
  }
}
