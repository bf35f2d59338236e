// npm run bench -- transcode: what a transcoder costs beside ffmpeg alone, and those who are sent files meanwhile; how
// long the members of a household wait beside each other. Prints Markdown, passes no judgement.
//
//   --rounds 5      runs of each, in turns
//   --smoke         one round of a short song: whether it still runs

import { execFileSync, fork, spawn } from 'node:child_process'
import { once, setMaxListeners } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import fastify from 'fastify'
import { createTranscoder, openFile, sendFile } from 'fastify-source-origin/media'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    smoke: { type: 'boolean', default: false },
    /** What the process that serves is started with. */
    serve: { type: 'string' }
  }
})

/** `/FORMAT?KEY` is the song transcoded, `/song` the file. */
async function serve (folder) {
  const app = fastify()
  const transcoder = await createTranscoder({ cacheDir: join(folder, 'kept'), log: app.log })
  const openSong = () => openFile(folder, 'song.flac')
  app.get('/song', async (request, reply) => sendFile(reply, await openSong()))
  app.get('/:format', ({ params: { format }, query }, reply) => transcoder.send(reply, {
    key: query.key,
    profile: { format, bitrate: 128_000 },
    start: Number(query.start ?? 0),
    account: query.account,
    open: openSong
  }))
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  process.send({ origin, formats: transcoder.formats })
  await once(process, 'disconnect')
  await app.close()
  await transcoder.close()
}

async function measure () {
  const rounds = values.smoke ? 1 : Number(values.rounds)
  const folder = mkdtempSync(join(tmpdir(), 'transcode-'))
  const song = join(folder, 'song.flac')
  const noise = `anoisesrc=d=${values.smoke ? 5 : 240}:c=pink:a=0.3:r=44100`
  execFileSync('ffmpeg', ['-loglevel', 'error', '-f', 'lavfi', '-i', noise, '-ac', '2', song])
  const server = fork(import.meta.filename, ['--serve', folder])
  try {
    const [{ origin, formats }] = await once(server, 'message')
    await beside(song, origin, formats, rounds)
    await whileOthersListen(origin, values.smoke ? 20 : 2000)
    await household(origin, rounds)
  } finally {
    server.disconnect()
    await once(server, 'exit')
    rmSync(folder, { recursive: true })
  }
}

let keys = 0
const ask = async (url, options = {}) => (await once(get(url, options), 'response'))[0]
const transcoded = (origin, format, options, more = '') => ask(`${origin}/${format}?key=${keys++}${more}`, options)

async function beside (song, origin, formats, rounds) {
  const outputs = { mp3: ['libmp3lame', 'mp3'], opus: ['libopus', 'ogg'], aac: ['aac', 'mp4'], flac: ['flac', 'flac'] }
  const ways = {
    async 'ffmpeg alone' (format) {
      const [encoder, container] = outputs[format]
      const ofAac = ['-aac_coder', 'fast', '-movflags', '+empty_moov+delay_moov', '-frag_duration', '1000000']
      const more = [...format === 'flac' ? [] : ['-b:a', '128k'], ...format === 'aac' ? ofAac : []]
      const args = ['-loglevel', 'error', '-i', song, '-threads', '1', '-c:a', encoder, ...more, '-f', container]
      return spawn('nice', ['-n', '7', 'ffmpeg', ...args, 'pipe:1'], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout
    },
    transcoder: format => transcoded(origin, format)
  }
  console.log('| Format | Way | first byte, ms | last byte, ms |\n|---|---|---|---|')
  for (const format of formats) {
    const measured = Object.fromEntries(Object.keys(ways).map(way => [way, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [way, run] of Object.entries(ways)) {
        const started = performance.now()
        measured[way].push(await timesOf(await run(format), started))
      }
    }
    for (const [way, runs] of Object.entries(measured)) {
      const [first, last] = [0, 1].map(at => Math.round(quantile(runs.map(run => run[at]), 0.5)))
      console.log(`| ${format} | ${way} | ${first} | ${last} |`)
    }
  }
}

/** Milliseconds until the first and the last byte. */
async function timesOf (stream, started) {
  let first
  stream.once('data', () => { first = performance.now() - started })
  await once(stream, 'end')
  return [first, performance.now() - started]
}

/** Ranges of the file, one after the other, alone and while twenty listen to transcodings. */
async function whileOthersListen (origin, count) {
  const agent = new Agent({ keepAlive: true })
  console.log('\n| 64 KiB of a file | median, ms | p99, ms |\n|---|---|---|')
  const row = async name => {
    const took = []
    for (let turn = 0; turn < count; turn++) {
      const started = performance.now()
      const range = `bytes=${turn * 100}-${turn * 100 + 65_535}`
      const response = await ask(`${origin}/song`, { agent, headers: { range } })
      took.push((await timesOf(response, started))[1])
    }
    console.log(`| ${name} | ${[0.5, 0.99].map(part => quantile(took, part).toFixed(2)).join(' | ')} |`)
  }
  await row('alone')
  const over = new AbortController()
  const { signal } = over
  setMaxListeners(0, signal)
  const listening = Promise.allSettled(Array.from({ length: 20 }, async () => {
    for (;;) {
      const response = await transcoded(origin, 'opus', { signal })
      response.resume()
      await once(response, 'close', { signal })
    }
  }))
  await row('while 20 listen to transcodings')
  over.abort()
  await listening
  agent.destroy()
}

/** Bytes of a second of audio, and seconds of the song. */
const [second, seconds] = [128_000 / 8, values.smoke ? 5 : 240]

/**
 * Two who listen, each to another song every ten seconds, one who seeks in a song, and an app that downloads an album:
 * how long each waits alone, and beside the others.
 */
async function household (origin, rounds) {
  const waits = { listen: [], seek: [], album: [] }
  const alone = { listen: [], seek: [], album: [] }
  for (let round = 0; round < rounds; round++) {
    alone.album.push(await download(origin))
    for (let turn = 0; turn < 3; turn++) {
      alone.listen.push(await listen(origin, 'ada', 0))
      alone.seek.push(await seek(origin, turn))
    }
    const album = download(origin)
    const over = new AbortController()
    const until = async (name, way) => {
      for (let turn = 0; !over.signal.aborted; turn++) waits[name].push(await way(turn))
    }
    const others = Promise.all([
      until('listen', () => listen(origin, 'ada', 10)), until('listen', () => listen(origin, 'bea', 10)),
      until('seek', turn => seek(origin, turn))
    ])
    waits.album.push(await album)
    over.abort()
    await others
  }
  const names = {
    listen: 'a listener: first byte', seek: 'a seek: first byte', album: 'an album of 2 songs: last byte'
  }
  console.log('\n| A household | alone, ms | beside the others, ms | ratio | slowest, ms |\n|---|---|---|---|---|')
  for (const [name, title] of Object.entries(names)) {
    const [one, all] = [alone, waits].map(times => quantile(times[name], 0.5))
    console.log(`| ${title} | ${[one, all].map(Math.round).join(' | ')} | ${(all / one).toFixed(2)} | ${
      Math.round(Math.max(...waits[name]))} |`)
  }
  console.log(`\nThe listeners were without sound for ${Math.round(silent)} ms.`)
}

/** Milliseconds without sound after the first byte. */
let silent = 0

/** Plays a song at the speed of listening. @returns milliseconds until its first byte */
async function listen (origin, account, forSeconds) {
  const started = performance.now()
  const response = await transcoded(origin, 'opus', {}, `&account=${account}`)
  const parts = response[Symbol.asyncIterator]()
  let taken = (await parts.next()).value.length
  const first = performance.now() - started
  for (let played = 1; played <= forSeconds; played++) {
    await setTimeout(1000)
    const asked = performance.now()
    for (let isOver = false; taken < played * second && !isOver;) {
      const { done, value } = await parts.next()
      isOver = done
      taken += value?.length ?? 0
    }
    silent += performance.now() - asked
  }
  response.destroy()
  return first
}

/** Plays a song from another time on. @returns milliseconds until its first byte */
async function seek (origin, turn) {
  const started = performance.now()
  const start = turn * 37 % (seconds - 1)
  const response = await transcoded(origin, 'opus', {}, `&account=cem&start=${start}`)
  await once(response, 'readable')
  const first = performance.now() - started
  await setTimeout(2000)
  response.destroy()
  return first
}

/** @returns milliseconds until the last byte of an album */
async function download (origin) {
  const started = performance.now()
  for (let song = 0; song < 2; song++) {
    const response = await transcoded(origin, 'opus', {}, '&account=dan')
    await once(response.resume(), 'end')
  }
  return performance.now() - started
}

function quantile (numbers, part) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * part)]
}

if (values.serve === undefined) await measure()
else await serve(values.serve)
