// Starts what the compose.yaml of a project starts, without Docker: PostgreSQL and Redis of this machine, the demo
// service, and two replicas of the source, and plays a song of one replica at the other.
//   node --import=./test/strip-types.js .ci/compose.js <folder of the built project>
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { startPostgres } from '../test/postgres.ts'
import { startRedis } from '../test/redis.ts'
import { freePort } from '../test/service.ts'

const folder = process.argv[2]
const { services } = parse(await readFile(join(folder, 'compose.yaml'), 'utf8'))
assert.deepEqual(Object.keys(services), ['source', 'music-service', 'postgres', 'redis'])

const ends = []
const t = { teardown: end => ends.unshift(end) }
try {
  const ports = { 'music-service': await freePort(), first: await freePort(), second: await freePort() }
  const postgres = await startPostgres(t)
  const redis = await startRedis(t)
  await start(ports['music-service'], services['music-service'].command, {
    ...services['music-service'].environment, HOST: '127.0.0.1', PORT: ports['music-service']
  })
  const { SERVICE_URL } = services.source.environment
  const token = 'choose sixteen or more'
  const environment = {
    ...services.source.environment,
    SOURCE_API_TOKEN: token,
    SOURCE_SECRET: 'choose thirty-two characters or more',
    SERVICE_URL: SERVICE_URL.replace('music-service:4000', `127.0.0.1:${ports['music-service']}`),
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    NODE_ENV: 'production'
  }
  const replicas = [ports.first, ports.second].map(port => `http://127.0.0.1:${port}`)
  for (const origin of replicas) {
    const { port } = new URL(origin)
    const settings = { ...environment, PUBLIC_URL: replicas[1], HOST: '127.0.0.1', PORT: port }
    await start(port, ['node', 'dist/server.js'], settings)
  }
  const ask = async (origin, path) => {
    const response = await fetch(origin + path, { headers: { authorization: token } })
    assert.equal(response.status, 200, `${path}: ${response.status}`)
    return (await response.json()).data
  }
  const { items: [track] } = await ask(replicas[0], '/v1/search/tracks?keyword=rising')
  assert.deepEqual((await ask(replicas[1], '/v1/search/tracks?keyword=rising')).items[0], track)
  const { url } = await ask(replicas[0], `/v1/track/url?id=${track.id}`)
  assert.ok(url.startsWith(replicas[1]), url)
  const audio = await fetch(url)
  assert.equal(audio.status, 200)
  assert.equal((await audio.arrayBuffer()).byteLength, 51_244)
  console.log('compose.yaml: a song of one replica, played at the other')
} finally {
  for (const end of ends) await end()
}

async function start (port, [program, ...args], environment) {
  const file = program === 'node' ? process.execPath : program
  const env = { PATH: process.env.PATH, ...environment }
  const child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const closed = once(child, 'close')
  t.teardown(async () => {
    child.kill()
    assert.deepEqual(await closed, [0, null], `${args} ends by SIGTERM`)
  })
  while (await fetch(`http://127.0.0.1:${port}/status`).then(() => false, () => child.exitCode === null)) {
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
