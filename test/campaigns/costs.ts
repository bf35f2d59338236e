import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mp3 } from '../example/make-audio.ts'
import { token } from '../helper.ts'
import { BuiltExample, busy } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

/** Requests of as many ids and as much text as one may send, each in turn, while somebody listens. */
export const count = 40

const total = 20_000
const most = 20_000
/** Milliseconds of the processor that one turn of the event loop may take. */
const longestTurn = 250
/** Megabytes. */
const heap = 256

/**
 * Tells the longest turn of the event loop since it was asked last, in milliseconds of the processor, so that it is the
 * same on a busy machine, and the bytes of the heap.
 */
const monitor = `
import { createServer } from 'node:http'
const now = () => { const { user, system } = process.cpuUsage(); return { wall: performance.now(), cpu: (user + system) / 1000 } }
let [last, longest] = [now(), 0]
const look = () => {
  const next = now()
  longest = Math.max(longest, Math.min(next.wall - last.wall, next.cpu - last.cpu))
  last = next
}
// Processes of the source get the same options.
const isSource = process.send === undefined
if (isSource) setInterval(look, 5).unref()
if (isSource) createServer((_request, response) => {
  look()
  response.end(JSON.stringify([longest]))
  longest = 0
}).listen(Number(process.env.MONITOR_PORT), '127.0.0.1').unref()
`

interface World {
  readonly rest: (method: string, ...parameters: readonly (readonly [string, string])[]) => Promise<any>
  readonly example: BuiltExample
  /** Ids of tracks of the library. */
  readonly ids: readonly string[]
  readonly random: Random
}

const unknown = (random: Random, length = most) =>
  Array.from({ length }, () => Array.from({ length: 20 }, () => random.below(16).toString(16)).join(''))
const named = (name: string, ids: readonly string[]) => ids.map(id => [name, `tr-${id}`] as const)
const answered = (answer: any) => assert.ok(answer.status === 'ok' || [10, 50, 70].includes(answer.error?.code),
  JSON.stringify(answer).slice(0, 300))

/** What an account may send. Each is answered, one way or the other. */
const requests: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'star of 19,000 unknown ids': async ({ rest, random }) =>
    answered(await rest('star', ...named('id', unknown(random, 19_000)))),
  'unstar of 19,000 unknown ids': async ({ rest, random }) =>
    answered(await rest('unstar', ...named('id', unknown(random, 19_000)))),
  'star of 500': async ({ rest, ids }) => answered(await rest('star', ...named('id', ids.slice(0, 500)))),
  'unstar of 500': async ({ rest, ids }) => answered(await rest('unstar', ...named('id', ids.slice(0, 500)))),
  'star of 19,000': async ({ rest, ids }) => answered(await rest('star', ...named('id', ids.slice(0, 19_000)))),
  'star of all again': async ({ rest, ids }) => answered(await rest('star', ...named('id', ids.slice(0, 19_000)))),
  'one star': async ({ rest, ids }) => answered(await rest('star', ...named('id', ids.slice(-1)))),
  'more ids than are allowed': async ({ rest, random }) => {
    const { error } = await rest('star', ...named('id', unknown(random, most + 50)))
    assert.match(error.message, /20000 ids/)
  },
  'getStarred2 of 19,000': async ({ rest }) => answered(await rest('getStarred2')),
  'unstar of all': async ({ rest, ids }) => answered(await rest('unstar', ...named('id', ids.slice(0, 19_000)))),
  'scrobble of 9,000 unknown ids': async ({ rest, random }) =>
    answered(await rest('scrobble', ...named('id', unknown(random, 9000)))),
  'scrobble of 9,000': async ({ rest, ids, random }) => answered(await rest('scrobble', ...ids.slice(0, 9000)
    .flatMap(id => [['id', `tr-${id}`], ['time', String(random.below(2 ** 40))]] as const))),
  'a page of history': async ({ example }) => example.data('/page/plays?offset=0'),
  toplists: async ({ example }) => example.data('/v1/toplist/list'),
  'albums by plays': async ({ example }) => example.data('/page/browse?kind=albums&sort=plays&order=desc&limit=20'),
  'frequent albums': async ({ rest }) => answered(await rest('getAlbumList2', ['type', 'frequent'])),
  'queue of 19,000 unknown ids': async ({ rest, random }) => {
    answered(await rest('savePlayQueue', ...named('id', unknown(random, 19_000))))
    answered(await rest('getPlayQueue'))
  },
  'queue of 19,000': async ({ rest, ids }) => {
    answered(await rest('savePlayQueue', ...named('id', ids.slice(0, 19_000))))
    answered(await rest('getPlayQueue'))
  },
  'playlist of 20,000 unknown ids': async ({ rest, random }) =>
    answered(await rest('createPlaylist', ['name', 'x'], ...named('songId', unknown(random, 19_990)))),
  'playlist of the page of 44,000 unknown ids': async ({ example, random }) => {
    const { code } = await example.call('/page/playlist', { name: 'x', add: unknown(random, 44_000) })
    assert.ok([400, 404, 413].includes(code), String(code))
  },
  'playlist of 19,990, its edit and its archive': async ({ rest, ids, example }) => {
    const { playlist } = await rest('createPlaylist', ['name', 'long'], ...named('songId', ids.slice(0, 19_990)))
    answered(await rest('updatePlaylist', ['playlistId', playlist.id], ['songIndexToRemove', '5000']))
    const { url } = await example.data(`/page/download?kind=playlist&id=${playlist.id.slice(3)}`)
    const { status } = await fetch(url, { method: 'HEAD' })
    assert.equal(status, 200)
    answered(await rest('deletePlaylist', ['id', playlist.id]))
  },
  '50 names of 1.9 MB': async ({ rest, ids }) => {
    for (let at = 0; at < 50; at++) {
      answered(await rest('reportPlayback', ['c', `${at}`.repeat(900_000)], ['mediaId', `tr-${ids[at]}`],
        ['mediaType', 'song'], ['positionMs', '1'], ['state', 'playing']))
    }
    assert.ok(JSON.stringify(await rest('getNowPlaying')).length < 200_000)
  },
  '20 lists for names of 1.9 MB': async ({ rest }) => {
    for (let at = 0; at < 20; at++) {
      answered(await rest('getAlbumList2', ['c', `${at}`.repeat(900_000)], ['type', 'alphabeticalByName']))
    }
  },
  'forms of 2 MB without a login': async ({ example }) => {
    const body = '+'.repeat(2_000_000)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await Promise.all(Array.from({ length: 8 }, async () =>
      (await example.fetch('/rest/ping', { method: 'POST', headers, body })).text()))
  },
  'a search at offset 19,000': async ({ example }) =>
    example.data('/v1/search/tracks?keyword=song&offset=19000&limit=20'),
  'searches of all at once': async ({ rest }) => {
    await Promise.all(Array.from({ length: 100 }, () => rest('search3', ['query', ''], ['songCount', '100'])))
  },
  'text of 1 MB': async ({ rest, ids }) => {
    const text = 'x'.repeat(1_000_000)
    for (const [method, name] of [
      ['search3', 'query'], ['getSongsByGenre', 'genre'], ['getTopSongs', 'artist'], ['createPlaylist', 'name'],
      ['getAlbum', 'id'], ['scrobble', 'id'], ['star', 'id'], ['getLyrics', 'title']
    ] as const) answered(await rest(method, [name, text]))
    answered(await rest('createBookmark', ['id', `tr-${ids[0]}`], ['position', '1'], ['comment', text]))
  }
}

export async function run ({ rounds, find }: Campaign): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'costs-'))
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  let example: BuiltExample | undefined
  try {
    makeMusic(join(folder, 'music'))
    writeFileSync(join(folder, 'monitor.mjs'), monitor)
    example = await BuiltExample.start({
      MUSIC_DIR: join(folder, 'music'),
      DATA_DIR: join(folder, 'data'),
      MONITOR_PORT: String(port),
      PAGE: 'true',
      NODE_OPTIONS: `--max-old-space-size=${heap} --import=${join(folder, 'monitor.mjs')}`
    })
    const ids = await scanned(example)
    const look = async () => await (await fetch(`http://127.0.0.1:${port}`)).json() as [number]
    const names = Object.keys(requests)
    await look()
    let number = 0
    for (const seed of rounds) {
      const name = names[number++ % names.length]!
      const world = { example, ids, rest: restOf(example), random: new Random(seed) }
      const heard = listen(example, ids)
      try {
        await requests[name]!(world)
        await heard.end()
      } catch (error) {
        find(`${name}: ${(error as Error).message}`)
      }
      const [turn] = await look()
      if (turn > longestTurn) find(`${name}: the event loop stood for ${Math.round(turn)} ms`)
    }
  } finally {
    await example?.kill()
    rmSync(folder, { recursive: true })
  }
}

/** Ten tracks on an album. */
function makeMusic (folder: string): void {
  for (let album = 0; album < total / 10; album++) {
    const path = join(folder, `Artist ${album % 100}`, `Album ${album}`)
    mkdirSync(path, { recursive: true })
    for (let track = 1; track <= 10; track++) {
      const tags = { artist: `Artist ${album % 100}`, album: `Album ${album}`, title: `Song ${album} ${track}` }
      writeFileSync(join(path, `${track}.mp3`), mp3({ ...tags, track: `${track}`, genre: 'Rock' }, { seconds: 0.1 }))
    }
  }
}

/** The ids of all tracks, when the scan is over. */
async function scanned (example: BuiltExample): Promise<string[]> {
  const rest = restOf(example)
  for (;;) {
    const { scanStatus } = await rest('getScanStatus')
    if (scanStatus?.scanning === false && scanStatus.count === total) break
    await sleep(500)
  }
  const ids: string[] = []
  for (let offset = 0; offset < total; offset += 500) {
    const { searchResult3: { song } } = await rest('search3', ['query', ''], ['songCount', '500'],
      ['songOffset', String(offset)], ['albumCount', '0'], ['artistCount', '0'])
    ids.push(...song.map(({ id }: { id: string }) => id.slice(3)))
  }
  return ids
}

/** Calls of `/rest` by a form, as apps send many ids; asked again while the source is too busy for others. */
const restOf = (example: BuiltExample): World['rest'] => async (method, ...parameters) => {
  const form = new URLSearchParams([['u', 'ada'], ['p', token], ['v', '1.16.1'], ['f', 'json'], ...parameters as []])
  if (!form.has('c')) form.set('c', 'costs')
  for (;;) {
    const response = await example.fetch(`/rest/${method}`, {
      method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: String(form)
    })
    const text = await response.text()
    if (response.status === 503 && text.includes(busy)) await sleep(200)
    else return JSON.parse(text)['subsonic-response']
  }
}

/** Somebody who plays meanwhile. */
function listen (example: BuiltExample, ids: readonly string[]) {
  const over = new AbortController()
  const listening = (async () => {
    for (let at = 0; !over.signal.aborted; at++) {
      const { url } = await example.data(`/v1/track/url?id=${ids[at % ids.length]}`)
      const response = await fetch(url)
      assert.equal(response.status, 200)
      await response.arrayBuffer()
      await sleep(50)
    }
  })()
  listening.catch(() => {})
  return { end: () => { over.abort(); return listening } }
}
