// npm run build && node test/bench/transcode.js: what a transcoder costs beside ffmpeg alone. Prints Markdown, passes
// no judgement.
//
//   --rounds 5      runs of each, in turns
//   --smoke         one round of a short song: whether it still runs

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import fastify from 'fastify'
import { createTranscoder, openFile } from 'fastify-source-origin/media'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, smoke: { type: 'boolean', default: false } }
})
const rounds = values.smoke ? 1 : Number(values.rounds)
const folder = mkdtempSync(join(tmpdir(), 'transcode-'))
const song = join(folder, 'song.flac')
const noise = `anoisesrc=d=${values.smoke ? 5 : 240}:c=pink:a=0.3:r=44100`
execFileSync('ffmpeg', ['-loglevel', 'error', '-f', 'lavfi', '-i', noise, '-ac', '2', song])

const outputs = { mp3: ['libmp3lame', 'mp3'], opus: ['libopus', 'ogg'], aac: ['aac', 'adts'], flac: ['flac', 'flac'] }

const app = fastify()
const transcoder = await createTranscoder({ cacheDir: join(folder, 'kept'), log: app.log })
let count = 0
app.get('/:format', ({ params: { format } }, reply) => transcoder.send(reply, {
  key: String(count++), profile: { format, bitrate: 128_000 }, open: () => openFile(folder, 'song.flac')
}))
const origin = await app.listen({ port: 0, host: '127.0.0.1' })

/** Milliseconds until the first and the last byte. */
async function time (stream, started) {
  let first
  stream.once('data', () => { first = performance.now() - started })
  await once(stream, 'end')
  return [first, performance.now() - started]
}

const ways = {
  async 'ffmpeg alone' (format) {
    const started = performance.now()
    const [encoder, container] = outputs[format]
    const more = [...format === 'flac' ? [] : ['-b:a', '128k'], ...format === 'aac' ? ['-aac_coder', 'fast'] : []]
    const args = ['-loglevel', 'error', '-i', song, '-threads', '1', '-c:a', encoder, ...more, '-f', container]
    const alone = spawn('nice', ['-n', '7', 'ffmpeg', ...args, 'pipe:1'], { stdio: ['ignore', 'pipe', 'inherit'] })
    return time(alone.stdout, started)
  },
  async transcoder (format) {
    const started = performance.now()
    const [response] = await once(get(`${origin}/${format}`), 'response')
    return time(response, started)
  }
}

const median = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
console.log('| Format | Way | first byte, ms | last byte, ms |\n|---|---|---|---|')
for (const format of transcoder.formats) {
  const measured = Object.fromEntries(Object.keys(ways).map(way => [way, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [way, run] of Object.entries(ways)) measured[way].push(await run(format))
  }
  for (const [way, runs] of Object.entries(measured)) {
    const [first, last] = [0, 1].map(at => Math.round(median(runs.map(run => run[at]))))
    console.log(`| ${format} | ${way} | ${first} | ${last} |`)
  }
}
await app.close()
await transcoder.close()
rmSync(folder, { recursive: true })
