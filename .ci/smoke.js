// Starts the built example as its users do, with the Node that runs this file, and plays a track over a socket.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const token = 'smoke'
const data = await mkdtemp(join(tmpdir(), 'smoke-'))
const server = spawn(process.execPath, [
  'node_modules/fastify-cli/cli.js', 'start', '--log-level', 'info', '--options', 'dist/example/app.js'
], {
  env: { ...process.env, PORT: '0', SOURCE_API_TOKEN: token, DATA_DIR: data },
  stdio: ['ignore', 'pipe', 'inherit']
})
const exit = once(server, 'exit')

try {
  const address = await listening()
  const get = (url, headers = {}) => fetch(new URL(url, address), { headers })
  const data = async url => {
    const response = await get(url, { authorization: token })
    assert.equal(response.status, 200, url)
    return (await response.json()).data
  }

  assert.equal((await (await get('/status')).json()).status, 'online')
  assert.equal((await get('/v1/status')).status, 401)
  assert.ok((await data('/v1/status')).capabilities.includes('streaming'))
  const { items } = await data('/v1/search/tracks?keyword=prelude')
  assert.ok(items.length > 0)
  const { url } = await data(`/v1/track/url?id=${encodeURIComponent(items[0].id)}`)
  const part = await get(url, { range: 'bytes=0-99' })
  assert.equal(part.status, 206)
  assert.match(part.headers.get('content-type'), /^audio\//)
  assert.equal((await part.arrayBuffer()).byteLength, 100)

  server.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
  console.log(`Node ${process.version}: the example starts, plays and stops`)
} finally {
  server.kill('SIGKILL')
  await rm(data, { recursive: true })
}

/** The address that the server says it listens at. */
async function listening () {
  for await (const line of createInterface(server.stdout)) {
    const [, address] = /Server listening at (http:\/\/[^"]+)/.exec(line) ?? []
    if (address) return address
  }
  throw new Error('The example ended before it listened')
}
