import fastify from 'fastify'
import { createTranscoder, openFile, readTranscoding } from 'fastify-source-origin/media'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { open, read } from '../media/helper.ts'
import { makeSound } from '../media/sound.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 40

const concurrency = 2
const held = 4
/** Less than the longest transcoding has. */
const cacheSize = 4 * 2 ** 20
/** Seconds of audio, by the file that has it. */
const lengths = { short: 3, song: 40, long: 240 }
/** Milliseconds that runs may take to end after their last listener. */
const longestEnd = 15_000

type Url = (path: string) => string

/** What a listener does. @returns once it has left, with the answer that it got last */
const ways: readonly ((url: Url, random: Random) => Promise<IncomingMessage>)[] = [
  async function play (url, random) {
    const stream = await open(url(queryOf(random)))
    let left = random.below(400_000)
    for await (const part of stream) {
      left -= part.length
      if (left < 0) break
      await sleep(2)
    }
    return stream
  },
  async function seek (url, random) {
    const path = queryOf(random)
    let stream = await open(url(path))
    for (const start of random.some(4, () => random.below(60))) {
      stream.destroy()
      stream = await open(url(`${path}&start=${start}`))
    }
    stream.destroy()
    return stream
  },
  async function hold (url, random) {
    const stream = await open(url(queryOf(random)))
    await sleep(random.below(1500))
    stream.destroy()
    return stream
  },
  async function download (url, random) {
    const stream = await open(url(queryOf(random) + (random.chance(0.5) ? '&whole=true' : '')))
    const { complete } = await read(stream)
    return Object.assign(stream, { isCut: !complete })
  }
]

const queryOf = (random: Random) => `${random.pick(Object.keys(lengths))}.flac?format=${
  random.pick(['mp3', 'opus', 'aac', 'flac'])}&account=${random.pick(['ada', 'bea'])}`

/** Listeners of a transcoder with real ffmpeg: they play, seek, leave, hold connections unread, and download. */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const [files, cacheDir] = ['sounds-', 'stored-'].map(name => mkdtempSync(join(tmpdir(), name))) as [string, string]
  for (const [name, seconds] of Object.entries(lengths)) makeSound(files, `${name}.flac`, seconds)
  const app = fastify({ forceCloseConnections: true })
  const transcoder = await createTranscoder({ cacheDir, cacheSize, concurrency, log: app.log })
  app.get<{ Params: { file: string }, Querystring: Record<string, string> }>('/:file', ({ params, query }, reply) =>
    transcoder.send(reply, {
      key: params.file,
      ...readTranscoding(query)!,
      account: query.account,
      open: async () => (await openFile(files, params.file))!
    }))
  const base = await app.listen({ port: 0, host: '127.0.0.1' })

  const states: Record<string, number> = { waiting: 0, running: 0, held: 0 }
  const note = (message: unknown) => {
    const { from, to } = message as { from?: string, to?: string }
    if (from !== undefined) states[from]!--
    if (to !== undefined) states[to]!++
  }
  const channel = 'fastify-source-origin.transcoder'
  subscribe(channel, note)

  function look (): void {
    // One that takes the slot of another one does so in the same turn.
    if (states.running! > concurrency) find(`${states.running} runs at a time`)
    if (states.held! > held) find(`${states.held} runs are held`)
    const bytes = sizeOf(cacheDir)
    if (bytes > cacheSize) find(`${bytes} bytes on the disk`)
  }

  for (const seed of rounds) {
    const random = new Random(seed)
    const looks = setInterval(look, 5)
    const listeners = Array.from({ length: 1 + random.below(8) }, async (_, index) => {
      const own = new Random(seed * 10 + index)
      const way = own.pick(ways)
      const answer: IncomingMessage & { isCut?: boolean } = await way(path => `${base}/${path}`, own)
      const { statusCode, isCut, headers } = answer
      const isRefused = statusCode === 503 && headers['retry-after'] !== undefined
      if (![200, 416].includes(statusCode!) && !isRefused) find(`${way.name} is answered ${statusCode}`)
      if (isCut) find(`${way.name} is cut`)
    })
    for (const { reason } of (await Promise.allSettled(listeners)).filter(({ status }) => status === 'rejected') as
      PromiseRejectedResult[]) find(String(reason))
    const end = Date.now() + longestEnd
    const isBusy = () => Object.values(states).some(runs => runs !== 0) || processes() > 0
    while (isBusy() && Date.now() < end) await sleep(20)
    clearInterval(looks)
    if (isBusy()) find(`left behind: ${JSON.stringify(states)}, ${processes()} processes`)
  }
  await app.close()
  await transcoder.close()
  unsubscribe(channel, note)
  const left = readdirSync(cacheDir).filter(name => name.endsWith('.new'))
  if (left.length > 0) find(`files are left: ${left}`)
  for (const folder of [files, cacheDir]) rmSync(folder, { recursive: true })
}

const sizeOf = (folder: string) => readdirSync(folder).reduce((sum, name) =>
  sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0)

/** How many processes of ffmpeg this one has. */
function processes (): number {
  return readdirSync('/proc').filter(name => {
    try {
      const [, command, parent] = /^\d+ \((.*)\) [^Z] (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      return command === 'ffmpeg' && Number(parent) === process.pid
    } catch {
      return false
    }
  }).length
}
