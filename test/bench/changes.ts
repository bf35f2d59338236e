/**
 * Measures the memory of the example while apps change things, after `npm run build` (Node 22 or later):
 * `node --expose-gc test/bench/changes.ts`
 *
 * A folder of 50,000 tracks is scanned. Then an app in another process reads the whole library by `/rest`, and stars
 * and unstars tracks, with a look at three lists after each change. Prints the memory after 10 changes and after 1,000,
 * and fails where it has grown by more than 20 MB. `node --expose-gc test/bench/changes.ts 5000` takes another number
 * of tracks.
 */
import fastify from 'fastify'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { mp3 } from '../example/make-audio.ts'
import type * as Folder from '../../example/serve-folder.ts'
import type * as Server from '../../example/server/server-options.ts'
import type * as Settings from '../../example/start/settings.ts'

const perAlbum = 10
const changes = { few: 10, many: 1000 }
/** MB */
const mostGrowth = 20
const token = 'a-token-of-some-length'

const [first = '50000', url] = process.argv.slice(2)
const tracks = Number(first)
if (url === undefined) await serve()
else await change(url)

async function serve (): Promise<void> {
  const built = (file: string) => import(join(import.meta.dirname, '../../dist/example', file))
  const { serveFolder } = await built('serve-folder.js') as typeof Folder
  const { options } = await built('server/server-options.js') as typeof Server
  const { readSettings } = await built('start/settings.js') as typeof Settings
  const root = mkdtempSync(join(tmpdir(), 'bench-changes-'))
  const music = join(root, 'music')
  writeMusic(music)
  const lines = new PassThrough()
  const app = fastify({ ...options, logger: { level: 'info', stream: lines }, disableRequestLogging: true })
  const settings = readSettings({
    MUSIC_DIR: music, DATA_DIR: join(root, 'data'), SOURCE_API_TOKEN: token, NODE_ENV: 'production'
  })
  await app.register(async instance => serveFolder(instance, settings))
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  for await (const line of createInterface(lines)) if (/"scan finished"/.test(line)) break
  lines.resume()
  const child = fork(import.meta.filename, [first, address])
  const kept: number[] = []
  child.on('message', what => {
    const { rss, heap } = memory()
    kept.push(heap)
    process.stdout.write(`${what}: ${rss.toFixed(0)} MB resident, ${heap.toFixed(1)} MB in use\n`)
    child.send('measured')
  })
  const [code] = await once(child, 'exit')
  await app.close()
  rmSync(root, { recursive: true })
  if (code === 0 && kept.at(-1)! - kept.at(-2)! <= mostGrowth) return
  process.stderr.write(`The app failed, or the memory has grown by more than ${mostGrowth} MB\n`)
  process.exitCode = 1
}

function writeMusic (music: string): void {
  for (let album = 0; album < tracks / perAlbum; album++) {
    const artist = `Artist ${album % 500}`
    const folder = join(music, artist, `Album ${album}`)
    mkdirSync(folder, { recursive: true })
    for (let track = 1; track <= perAlbum; track++) {
      const tags = { artist, album: `Album ${album}`, title: `Song ${album} ${track}`, track: `${track}` }
      writeFileSync(join(folder, `${track}.mp3`), mp3({ ...tags, date: `${1970 + album % 50}` }))
    }
  }
}

function memory (): { rss: number, heap: number } {
  for (let i = 0; i < 3; i++) globalThis.gc!()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss: rss / 1e6, heap: (heapUsed + external) / 1e6 }
}

async function change (url: string): Promise<void> {
  const ids = await allSongs(url)
  await measure('with the whole library read')
  const began = performance.now()
  for (let change = 1; change <= changes.many; change++) {
    const id = ids[change * 7919 % ids.length]!
    const isStarred = change % 3 !== 0
    await ask(url, isStarred ? 'star' : 'unstar', { id })
    const { starred2: { song = [] } } = await ask(url, 'getStarred2')
    if (song.some((one: { id: string }) => one.id === id) !== isStarred) throw new Error(`change ${change} is not seen`)
    await ask(url, 'getAlbumList2', { type: 'alphabeticalByName', size: 500, offset: change % 10 * 500 })
    await ask(url, 'search3', { query: '', songCount: 500, songOffset: change % 100 * 500 })
    if (change === changes.few) await measure(`after ${change} changes`)
  }
  process.stdout.write(`a change and three lists: ${((performance.now() - began) / changes.many).toFixed(0)} ms\n`)
  await measure(`after ${changes.many} changes`)
  process.disconnect()
}

async function measure (what: string): Promise<void> {
  process.send!(what)
  await once(process, 'message')
}

async function allSongs (url: string): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const { searchResult3: { song = [] } } =
      await ask(url, 'search3', { query: '', songCount: 500, songOffset: ids.length })
    ids.push(...song.map(({ id }: { id: string }) => id))
    if (song.length < 500) return ids
  }
}

async function ask (url: string, method: string, query: Record<string, string | number> = {}): Promise<any> {
  const search = new URLSearchParams({ u: 'a', p: token, c: 'bench', v: '1.16.1', f: 'json' })
  for (const [name, value] of Object.entries(query)) search.set(name, `${value}`)
  for (;;) {
    const response = await fetch(`${url}/rest/${method}?${search}`)
    const text = await response.text()
    // A server that cannot keep up says so.
    const answer = response.status === 503 ? undefined : JSON.parse(text)['subsonic-response']
    if (answer?.status === 'ok') return answer
    await sleep(1000)
  }
}
