/**
 * Measures restarts of the example: `npm run build && node test/bench/restart.ts FOLDER FOLDER...` (Node 22 or later,
 * Linux).
 *
 * Each folder is scanned once. Then it is served in new processes, in turns with the others. Prints the medians from
 * the spawn to the first answer of `/status` and of a page of tracks, and of the processor time until then; what the
 * first scan took; how long the slowest answer of `/status` took while it ran and in the 30 s after a restart, and how
 * long after the scan the loss of a file was seen; what a Subsonic app costs that reads all songs, and the memory when
 * five do so at once. Passes and fails nothing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

const rounds = 9
const token = 'a-token-of-some-length'
const root = join(import.meta.dirname, '../..')
const headers = { authorization: token }

interface Server {
  /** Asks for a path. */
  readonly get: (path: string) => Promise<any>
  /** Milliseconds of the processor until now: Linux counts hundredths of a second. */
  readonly processor: () => number
  /** Megabytes at most until now. */
  readonly memory: () => number
  /** Milliseconds of the slowest answer during the scan, if that was waited for. */
  readonly whileScanning: number
}

/**
 * @param toItsEnd whether to wait for the end of the scan
 * @param use what is done with the server
 */
async function start<T> (folder: string, dataDir: string, toItsEnd: boolean, use: (server: Server) => Promise<T>) {
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
  let whileScanning: Promise<number> | undefined
  const get = async (path: string) => {
    const response = await fetch(`${address}${path}`, { headers })
    const body = await response.text()
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}`)
    return JSON.parse(body)
  }
  for await (const line of createInterface(child.stdout)) {
    address ??= /Server listening at (http:\/\/[^"]+)/.exec(line)?.[1]
    isScanned ||= /"scan finished"/.test(line)
    if (address !== undefined && (isScanned || !toItsEnd)) break
    if (address !== undefined) whileScanning ??= slowest(get, () => isScanned)
  }
  child.stdout.resume()
  const processor = () => {
    const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13)
    return (Number(user) + Number(system)) * 10
  }
  const memory = () =>
    Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024)
  await get('/status')
  const status = performance.now() - began
  await get('/v1/track/new')
  const page = performance.now() - began
  const used = await use({ get, processor, memory, whileScanning: await whileScanning ?? 0 })
  child.kill('SIGTERM')
  await ended
  return { status, page, used }
}

/** Milliseconds of the slowest answer until something is over. */
async function slowest (get: Server['get'], isOver: () => boolean): Promise<number> {
  let slowest = 0
  for (; !isOver(); await setTimeout(20)) {
    const asked = performance.now()
    await get('/status')
    slowest = Math.max(slowest, performance.now() - asked)
  }
  return slowest
}

function slowestIn30s ({ get }: Server): Promise<number> {
  const until = performance.now() + 30_000
  return slowest(get, () => performance.now() > until)
}

const rest = async ({ get }: Server, path: string, user = 'a') =>
  (await get(`/rest/${path}u=${user}&p=${token}&c=bench&v=1.16.1&f=json`))['subsonic-response']

/** Milliseconds until a file that goes is gone. */
async function untilGone (server: Server, folder: string): Promise<number> {
  const count = async () => (await rest(server, 'getScanStatus?')).scanStatus.count
  const [file] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.mp3'))
  const [path, away] = [join(folder, file!), join(folder, `${file}.away`)]
  const before = await count()
  const began = performance.now()
  renameSync(path, away)
  try {
    while (await count() === before) await setTimeout(20)
    return performance.now() - began
  } finally {
    renameSync(away, path)
  }
}

/** What an app costs that reads all songs, 500 at a time: the first page and each other one. */
async function syncAll (server: Server) {
  const page = async (offset: number, user: string) => {
    const before = server.processor()
    const query = `query=&artistCount=0&albumCount=0&songCount=500&songOffset=${offset}&`
    const { length } = (await rest(server, `search3?${query}`, user)).searchResult3.song ?? []
    return { length, took: server.processor() - before }
  }
  const sync = async (user: string) => {
    const pages = [await page(0, user)]
    while (pages.at(-1)!.length === 500) pages.push(await page(500 * pages.length, user))
    return pages
  }
  const [first, ...others] = (await sync('a')).map(({ took }) => took)
  const each = others.reduce((sum, took) => sum + took, 0) / others.length
  const ofOne = server.memory()
  await Promise.all([...'bcdef'].map(sync))
  return `first page ${first} ms, each other ${each.toFixed(1)} ms, ${ofOne} MB at most, ` +
    `${server.memory()} MB with five at once`
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!
type Run = Awaited<ReturnType<typeof start<number>>>
const libraries = process.argv.slice(2).map(folder =>
  ({ folder, dataDir: mkdtempSync(join(tmpdir(), 'bench-')), runs: [] as Run[], first: '' }))
for (const library of libraries) {
  const { used } = await start(library.folder, library.dataDir, true, async ({ processor, memory, whileScanning }) =>
    `${processor()} ms, ${memory()} MB at most, slowest /status ${whileScanning.toFixed(0)} ms`)
  library.first = used
}
for (let round = 0; round < rounds; round++) {
  for (const { folder, dataDir, runs } of libraries) {
    runs.push(await start(folder, dataDir, false, async ({ processor }) => processor()))
  }
}
for (const { folder, dataDir, runs, first } of libraries) {
  const [status, page, used] = (['status', 'page', 'used'] as const)
    .map(what => `${median(runs.map(run => run[what])).toFixed(0)} ms`)
  const { used: most } = await start(folder, dataDir, false, slowestIn30s)
  const { used: gone } = await start(folder, dataDir, true, server => untilGone(server, folder))
  const { used: sync } = await start(folder, dataDir, true, syncAll)
  process.stdout.write(`${folder}: /status ${status}, a page ${page}, processor ${used}
  first scan: processor ${first}
  slowest /status in 30 s ${most.toFixed(0)} ms, a file that goes after the scan is gone after ${gone.toFixed(0)} ms
  all songs: processor ${sync}
`)
  rmSync(dataDir, { recursive: true })
}
