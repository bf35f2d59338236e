// Kills the built example with SIGKILL in the middle of writes, and looks whether what it has answered with 200 is there after the next start.
//
// npm run build && node test/campaigns/durability.js [kills, default 1000] [url of a PostgreSQL, default an embedded database]
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const kills = Number(process.argv[2] ?? 1000)
const authorization = 'the token of a campaign'
const data = await mkdtemp(join(tmpdir(), 'durability-'))
/** Names of playlists that were answered with 200. */
const acknowledged = new Set()
/** Names of those that were asked for. */
const asked = new Set()

async function start () {
  const server = spawn(process.execPath, ['node_modules/fastify-cli/cli.js', 'start', '--log-level', 'info', '--options', 'dist/example/app.js'], {
    env: { ...process.env, PORT: '0', SOURCE_API_TOKEN: authorization, DATA_DIR: data, DATABASE_URL: process.argv[3] ?? '', NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  for await (const line of createInterface(server.stdout)) {
    const [, url] = /Server listening at (http:\/\/[^"]+)/.exec(line) ?? []
    if (url !== undefined) {
      server.stdout.resume()
      return { server, url }
    }
  }
  throw new Error('The example ended before it listened')
}

async function create (url, name) {
  asked.add(name)
  const response = await fetch(`${url}/v1/playlist/create`, {
    method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify({ name })
  })
  const { code, message } = await response.json()
  assert.equal(code, 200, message)
  acknowledged.add(name)
}

/** Writes until the server is gone. */
async function writeOn (url, writer) {
  try {
    for (let turn = 0; ; turn++) await create(url, `${writer} ${turn}`)
  } catch (error) {
    if (error.code === 'ERR_ASSERTION') throw error
  }
}

async function check (url, round) {
  const response = await fetch(`${url}/v1/user/playlist/list`, { headers: { authorization } })
  const { code, message, data } = await response.json()
  assert.equal(code, 200, message)
  const kept = data.map(({ name }) => name)
  assert.equal(new Set(kept).size, kept.length, `round ${round}: something is there twice`)
  for (const name of acknowledged) assert.ok(kept.includes(name), `round ${round}: ${name} was answered with 200 and is lost`)
  for (const name of kept) assert.ok(asked.has(name), `round ${round}: nobody asked for ${name}`)
  // The next round begins with an empty list, so that rounds take the same time.
  for (const { id } of data) {
    await fetch(`${url}/v1/playlist/delete`, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify({ id }) })
  }
  acknowledged.clear()
  asked.clear()
  return kept.length
}

let written = 0
try {
  for (let round = 0; round <= kills; round++) {
    const { server, url } = await start()
    const exit = once(server, 'exit')
    try {
      written += await check(url, round)
      if (round === kills) break
      const writing = ['a', 'b', 'c', 'd'].map(writer => writeOn(url, `${round} ${writer}`))
      // At another moment each time.
      await new Promise(resolve => setTimeout(resolve, 20 + Math.random() * 200))
      server.kill('SIGKILL')
      await Promise.all(writing)
    } finally {
      server.kill('SIGKILL')
      await exit
    }
  }
  console.log(`${kills} kills, ${written} playlists: everything that was answered with 200 is there`)
} finally {
  await rm(data, { recursive: true })
}
