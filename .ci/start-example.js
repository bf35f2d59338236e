// Starts the built example as its users do, with the Node that runs this file.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

export const token = 'the token of the smoke test'

/**
 * Gives the address that the example says it listens at to `use`. When that is done, the example has to end by itself
 * after a SIGTERM.
 */
export async function withExample (use) {
  const data = await mkdtemp(join(tmpdir(), 'smoke-'))
  const server = spawn(process.execPath, [
    'node_modules/fastify-cli/cli.js', 'start', '--log-level', 'info', '--options', '--close-grace-delay', '630000',
    'dist/example/app.js'
  ], {
    env: { ...process.env, PORT: '0', SOURCE_API_TOKEN: token, DATA_DIR: data, PAGE: 'true' },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const exit = once(server, 'exit')
  try {
    const address = await listening(server)
    // On a busy machine the source may refuse requests after its start, as overloaded.
    for (let tries = 0; tries < 600 && (await fetch(new URL('/v1/status', address))).status === 503; tries++) {
      await setTimeout(200)
    }
    await use(address)
    server.kill('SIGTERM')
    const [code] = await exit
    if (code !== 0) throw new Error(`The example ended with ${code}`)
  } finally {
    server.kill('SIGKILL')
    await rm(data, { recursive: true })
  }
}

async function listening (server) {
  for await (const line of createInterface(server.stdout)) {
    const [, address] = /Server listening at (http:\/\/[^"]+)/.exec(line) ?? []
    if (address) return address
  }
  throw new Error('The example ended before it listened')
}
