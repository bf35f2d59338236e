/**
 * Measures restarts of the example: `npm run build && node test/bench/restart.ts FOLDER FOLDER...` (Node 22 or later,
 * Linux).
 *
 * Each folder is scanned once. Then it is served in new processes, in turns with the others. Prints the medians from
 * the spawn to the first answer of `/status` and of a page of tracks, and of the processor time until then, and how
 * long the slowest answer of `/status` took in the 30 s after a restart; passes and fails nothing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

const rounds = 9
const token = 'a-token-of-some-length'
const root = join(import.meta.dirname, '../..')
const headers = { authorization: token }

/**
 * @param toItsEnd whether to wait for the end of the scan
 * @param seconds for which `/status` is asked again and again
 */
async function start (folder: string, dataDir: string, toItsEnd = false, seconds = 0) {
  const began = performance.now()
  const child = spawn(process.execPath, [
    'node_modules/fastify-cli/cli.js', 'start', '--log-level', 'info', '--options', '--close-grace-delay', '30000',
    'dist/example/app.js'
  ], {
    cwd: root,
    env: {
      ...process.env,
      PORT: '0',
      SOURCE_API_TOKEN: token,
      MUSIC_DIR: resolve(folder),
      DATA_DIR: dataDir,
      NODE_ENV: 'production'
    },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = once(child, 'exit')
  let address: string | undefined
  let isScanned = false
  for await (const line of createInterface(child.stdout)) {
    address ??= /Server listening at (http:\/\/[^"]+)/.exec(line)?.[1]
    isScanned ||= /\d+ tracks on /.test(line)
    if (address !== undefined && (isScanned || !toItsEnd)) break
  }
  child.stdout.resume()
  const ask = async (path: string) => {
    const response = await fetch(`${address}${path}`, { headers })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}`)
    return performance.now() - began
  }
  const status = await ask('/status')
  const page = await ask('/v1/track/new')
  let slowest = 0
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await setTimeout(20)) {
    const asked = performance.now() - began
    slowest = Math.max(slowest, await ask('/status') - asked)
  }
  const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13)
  child.kill('SIGTERM')
  await ended
  // Linux counts hundredths of a second.
  return { status, page, slowest, processor: (Number(user) + Number(system)) * 10 }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!
const libraries = process.argv.slice(2).map(folder =>
  ({ folder, dataDir: mkdtempSync(join(tmpdir(), 'bench-')), runs: [] as Awaited<ReturnType<typeof start>>[] }))
for (const { folder, dataDir } of libraries) await start(folder, dataDir, true)
for (let round = 0; round < rounds; round++) {
  for (const { folder, dataDir, runs } of libraries) runs.push(await start(folder, dataDir))
}
for (const { folder, dataDir, runs } of libraries) {
  const [status, page, processor] = (['status', 'page', 'processor'] as const)
    .map(what => `${median(runs.map(run => run[what])).toFixed(0)} ms`)
  const { slowest } = await start(folder, dataDir, false, 30)
  const after = `slowest /status in 30 s ${slowest.toFixed(0)} ms`
  process.stdout.write(`${folder}: /status ${status}, a page ${page}, processor ${processor}, ${after}\n`)
  rmSync(dataDir, { recursive: true })
}
