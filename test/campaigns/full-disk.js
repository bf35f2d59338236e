// Fills the disk of the built example's data folder: writes are then answered 503 with one sentence, and 200 again when there is room, without a restart.
//
// mount -t tmpfs -o size=2m tmpfs /mnt/small
// npm run build && node test/campaigns/full-disk.js /mnt/small
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const authorization = 'the token of a campaign'
const data = await mkdtemp(join(process.argv[2], 'data-'))
const filler = join(process.argv[2], 'filler')
const server = spawn(process.execPath, ['node_modules/fastify-cli/cli.js', 'start', '--log-level', 'info', '--options', 'dist/example/app.js'], {
  env: { ...process.env, PORT: '0', SOURCE_API_TOKEN: authorization, DATA_DIR: data, DATABASE_URL: '', NODE_ENV: 'production' },
  stdio: ['ignore', 'pipe', 'inherit']
})
const exit = once(server, 'exit')

async function call (path, body) {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST', headers: { authorization, 'content-type': 'application/json' }, body: body && JSON.stringify(body)
  })
  return response.json()
}

async function listening () {
  for await (const line of createInterface(server.stdout)) {
    const [, address] = /Server listening at (http:\/\/[^"]+)/.exec(line) ?? []
    if (address !== undefined) {
      server.stdout.resume()
      return address
    }
  }
  throw new Error('The example ended before it listened')
}

/** Writes with descriptions that need room, until the disk is full. */
async function fill () {
  await writeFile(filler, Buffer.alloc(64 * 2 ** 20)).catch(({ code }) => assert.equal(code, 'ENOSPC'))
  for (let turn = 0; turn < 100; turn++) {
    const { code, message, data } = await call('/v1/playlist/create', { name: `List ${turn}` })
    if (code !== 200) return { code, message }
    kept.push(data.id)
    const updated = await call('/v1/playlist/update', { id: data.id, name: `List ${turn}`, description: 'x'.repeat(9000) })
    if (updated.code !== 200) return updated
  }
  throw new Error('The disk does not become full')
}

const kept = []
const url = await listening()
try {
  for (let round = 0; round < 3; round++) {
    const { code, message } = await fill()
    assert.deepEqual([code, message], [503, 'The source cannot reach what it keeps for its accounts'])
    assert.equal((await call('/v1/search/tracks?keyword=a')).code, 200, 'what is kept is read while the disk is full')
    await rm(filler)
    const { code: again, data } = await call('/v1/playlist/create', { name: 'Room' })
    assert.equal(again, 200)
    kept.push(data.id)
    const listed = await call('/v1/user/playlist/list')
    assert.deepEqual(new Set(listed.data.map(({ id }) => id)), new Set(kept))
  }
  console.log(`A full disk is a 503, and all ${kept.length} playlists are there`)
} finally {
  server.kill('SIGKILL')
  await exit
  await rm(filler, { force: true })
  await rm(data, { recursive: true })
}
