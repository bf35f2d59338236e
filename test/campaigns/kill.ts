import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { differenceOf, rowsOf } from '../example/library-rows.ts'
import { mp3 } from '../example/make-audio.ts'
import { token } from '../helper.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 10

/** Files of the folder in the beginning: enough that a scan takes about as long as the start. */
const files = 600
/** Milliseconds after which the source has to know what is in the folder. */
const startTimeout = 40_000

/**
 * The example, ended by `kill -9` while it scans a folder that changed: when it is started again it has to make the
 * rows that a first scan makes.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-kill-'))
  const [music, data, fresh] = ['music', 'data', 'fresh'].map(name => join(root, name)) as [string, string, string]
  const write = (name: string, title: string) =>
    writeFileSync(join(music, name), mp3({ title: `Song ${title}`, artist: `Artist ${title.length}`, album: 'Album' }))
  try {
    for (const seed of rounds) {
      const random = new Random(seed)
      if (random.chance(0.3)) rmSync(data, { recursive: true, force: true })
      rmSync(music, { recursive: true, force: true })
      mkdirSync(music)
      for (let file = 0; file < files; file++) if (random.chance(0.7)) write(`${file}.mp3`, `${file} of ${seed}`)
      for (let kills = 1 + random.below(3); kills > 0; kills--) {
        const server = start(data, music)
        // The scan begins with the server, about a second after the process.
        await sleep(random.below(2500))
        write(`${random.below(files)}.mp3`, `again ${kills} of ${seed}`)
        server.child.kill('SIGKILL')
        await server.ended
      }
      rmSync(fresh, { recursive: true, force: true })
      const problem = await tryWhole(data, music) ?? await tryWhole(fresh, music)
      const difference = problem ?? differenceOf(rowsOf(data), rowsOf(fresh))
      if (difference !== undefined) find(difference.slice(0, 1000))
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function start (dataDir: string, music: string) {
  const child = spawn(process.execPath, [
    'node_modules/fastify-cli/cli.js', 'start', '--log-level', 'info', '--options', '--close-grace-delay', '630000',
    'dist/example/app.js'
  ], {
    env: {
      ...process.env,
      PORT: '0',
      SOURCE_API_TOKEN: token,
      MUSIC_DIR: music,
      DATA_DIR: dataDir,
      NODE_ENV: 'production',
      INIT_CWD: ''
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let errors = ''
  child.stderr.on('data', data => { errors += data })
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  const listening = (async () => {
    for await (const line of createInterface(child.stdout)) {
      const [, address] = /Server listening at (http:\/\/[^"]+)/.exec(line) ?? []
      if (address !== undefined) return address
    }
    throw new Error(`it ended before it listened: ${errors}`)
  })()
  // Whoever kills it does not look.
  listening.catch(() => {})
  return { child, ended, listening }
}

/** Starts it and lets it end what it does. */
async function tryWhole (dataDir: string, music: string): Promise<string | undefined> {
  const { child, ended, listening } = start(dataDir, music)
  const deadline = performance.now() + startTimeout
  try {
    const origin = await listening
    child.stdout.resume()
    const due = readdirSync(music).length
    let found = await countOf(origin)
    while (found !== due && performance.now() < deadline) {
      await sleep(200)
      found = await countOf(origin)
    }
    child.kill('SIGTERM')
    const [code, signal] = await ended
    if (found !== due) return `${found} of ${due} tracks are there`
    return code === 0 ? undefined : `ends with ${code ?? signal}`
  } catch (error) {
    return String(error)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

async function countOf (origin: string): Promise<number> {
  for (let offset = 0; ; offset += 100) {
    const response = await fetch(`${origin}/v1/search/tracks?keyword=song&limit=100&offset=${offset}`, {
      headers: { authorization: token }
    })
    // While it is busy it may refuse.
    if (response.status === 503) return -1
    const { data } = await response.json() as { data: { items: unknown[], hasMore: boolean } }
    if (!data.hasMore) return offset + data.items.length
  }
}
