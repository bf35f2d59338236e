// node test/bench/state.js [url of an empty PostgreSQL], after npm run build: what it costs the example to keep
// accounts, next to the same with STATELESS=true: 10,000 tracks, 100 accounts, 1,000 playlists of 500 tracks. Prints
// Markdown, passes no judgement. `--smoke`: one tiny round, whether it still runs.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import '../strip-types.js'

const token = 'a-token-of-some-length'
const built = path => import(new URL(`../../dist/example/${path}`, import.meta.url))
const numbers = count => Array.from({ length: count }, (_, index) => index)
const silent = { info () {}, warn () {}, error: console.error }

/** In its own process: the example. */
async function serve () {
  const { default: fastify } = await import('fastify')
  const { serveFolder } = await built('serve-folder.js')
  const { readSettings } = await built('start/settings.js')
  const app = fastify()
  await app.register(async instance => serveFolder(instance, readSettings(process.env)))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  process.on('message', () => process.send(process.cpuUsage()))
  process.once('disconnect', () => app.close())
  process.send(url)
}

/** Twenty albums of each artist, ten tracks of each album, and one playlist file. */
async function makeMusic (folder, count) {
  const { mp3 } = await import('../example/make-audio.ts')
  await mkdir(folder)
  for (const index of numbers(count)) {
    const tags = {
      title: `Song ${index}`,
      artist: `Artist ${Math.floor(index / 200)}`,
      album: `Album ${Math.floor(index / 10)}`,
      track: `${index % 10 + 1}`
    }
    await writeFile(join(folder, `${index}.mp3`), mp3(tags, { seconds: 0.1 }))
  }
  await writeFile(join(folder, 'Long.m3u8'), numbers(Math.min(count, 1000)).map(index => `${index}.mp3`).join('\n'))
}

async function scan (music, data) {
  const { MusicFolder } = await built('index/music-folder.js')
  const library = await MusicFolder.open(music, data, silent)
  await library.scan()
  const { tracks, playlists, artists } = library.catalogue
  const file = [...playlists.values()].find(({ name }) => name === 'Long')
  const idsOf = items => items.map(({ id }) => id)
  const found = {
    tracks: idsOf([...tracks.values()]),
    file: file.id,
    fileTracks: idsOf(await library.catalogue.playlistTracks(file, file.trackCount)),
    artist: [...artists.values()].find(artist =>
      library.catalogue.artistTracks(artist, { limit: 100 }).length === 100).id
  }
  await library.close()
  return found
}

/** @returns the id of the owner's playlist that has the same tracks as the file */
async function fill (data, url, { tracks: ids, fileTracks }, accounts) {
  const { openDatabase } = await built('database/open-database.js')
  const db = await openDatabase(data, url, silent)
  const idOf = number => number.toString(16).padStart(20, '0')
  const addPlaylist = (number, account, tracks) => db.transaction().execute(async db => {
    const id = idOf(number)
    const now = Date.now()
    await db.insertInto('playlist').values({
      id, account, name: `List ${number}`, description: '', created_at: now, updated_at: now, next_place: tracks.length
    })
      .execute()
    await db.insertInto('playlist_track')
      .values(tracks.map((track, place) => ({ playlist: id, track, place, title: track }))).execute()
  })
  for (const number of numbers(accounts)) {
    const account = number === 0 ? 'owner' : `account-${number}`
    await db.insertInto('account').values({ id: account, listener: idOf(number), revision: 1 }).execute()
    const favorites = ids.filter((_, index) => (index + number) % 20 === 0)
    await db.insertInto('favorite').values(favorites.map(item => ({ account, kind: 'track', item, added_at: 0 })))
      .execute()
    for (const list of numbers(10)) {
      const from = (number * 10 + list) * 7 % Math.max(1, ids.length - 500)
      await addPlaylist(number * 10 + list, account, ids.slice(from, from + 500))
    }
  }
  await addPlaylist(accounts * 10, 'owner', fileTracks)
  await db.destroy()
  return idOf(accounts * 10)
}

async function start (env) {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], {
    env: { ...process.env, NODE_ENV: 'production', SOURCE_API_TOKEN: token, ...env }
  })
  const [url] = await once(child, 'message')
  return {
    url,
    /** Milliseconds of CPU since the start. */
    async usage () {
      child.send('usage')
      const [{ user, system }] = await once(child, 'message')
      return (user + system) / 1000
    },
    async stop () {
      child.disconnect()
      await once(child, 'exit')
    }
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let asked = 0

/**
 * @param isKept whether the cache may answer; otherwise each request has another host in its URLs, so that no answer is
 * kept for it
 */
async function ask (url, isKept) {
  const host = isKept ? 'music.example' : `music-${asked++}.example`
  const request = get(url, { agent, headers: { authorization: token, host } })
  const [response] = await once(request, 'response')
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`)
}

const median = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

/**
 * Medians of interleaved rounds, of each case the milliseconds for an answer and those of the server's CPU; the first
 * round warms up.
 */
async function compare (cases, rounds, amount) {
  const measured = cases.map(() => ({ took: [], cpu: [] }))
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { server, path, isKept = false }] of cases.entries()) {
      const before = await server.usage()
      const began = performance.now()
      for (let time = 0; time < amount; time++) await ask(server.url + path, isKept)
      const took = performance.now() - began
      if (round === 0) continue
      measured[index].took.push(took / amount)
      measured[index].cpu.push((await server.usage() - before) / amount)
    }
  }
  return measured.map(({ took, cpu }) => ({ took: median(took), cpu: median(cpu) }))
}

async function measure (url, smoke) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  const servers = []
  try {
    const music = join(folder, 'music')
    const [one, two] = [join(folder, 'stateless'), join(folder, 'stateful')]
    await makeMusic(music, smoke ? 200 : 10_000)
    const found = await scan(music, one)
    await mkdir(two)
    await copyFile(join(one, 'index.sqlite'), join(two, 'index.sqlite'))
    const own = await fill(two, url, found, smoke ? 2 : 100)
    const stateless = await start({ STATELESS: 'true', MUSIC_DIR: music, DATA_DIR: one })
    const stateful = await start({ STATELESS: 'false', MUSIC_DIR: music, DATA_DIR: two, DATABASE_URL: url })
    servers.push(stateless, stateful)

    const { file, artist } = found
    const page = `/v1/artist/tracks?id=${artist}&order=new&limit=100`
    const list = id => `/v1/playlist/detail?id=${id}`
    const both = path => [{ server: stateless, path }, { server: stateful, path }]
    const playlists = [...both(list(file)), { server: stateful, path: list(own) }]
    const rows = [
      ['page of 100 tracks', both(page), 300],
      ['playlist of 1000 tracks', playlists, 30],
      ['playlist of 1000 tracks, kept by the cache', playlists.map(each => ({ ...each, isKept: true })), 100]
    ]
    const names = ['stateless', 'stateful', 'stateful, own playlist']
    console.log(
      `| ${url === '' ? 'SQLite' : 'PostgreSQL'} | | ms | more | speed next to stateless | ms of CPU | more |\n| --- | --- | --- | --- | --- | --- | --- |`
    )
    for (const [name, cases, amount] of rows) {
      const results = await compare(cases, smoke ? 1 : 9, smoke ? 2 : amount)
      const [base] = results
      for (const [index, { took, cpu }] of results.entries()) {
        const cells = [
          took.toFixed(2), (took - base.took).toFixed(2), (base.took / took).toFixed(2), cpu.toFixed(2),
          (cpu - base.cpu).toFixed(2)
        ]
        console.log(`| ${name} | ${names[index]} | ${cells.join(' | ')} |`)
      }
    }
  } finally {
    agent.destroy()
    for (const server of servers) await server.stop()
    await rm(folder, { recursive: true })
  }
}

if (process.argv[2] === 'serve') await serve()
else {
  const { values, positionals } =
    parseArgs({ allowPositionals: true, options: { smoke: { type: 'boolean', default: false } } })
  await measure(positionals[0] ?? '', values.smoke)
}
