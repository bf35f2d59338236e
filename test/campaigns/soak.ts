import fastify from 'fastify'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, fetch } from 'undici'
import { serveFolder } from '../../example/serve-folder.ts'
import { options } from '../../example/server/server-options.ts'
import { readSettings } from '../../example/start/settings.ts'
import { token } from '../helper.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 2000

/** Requests of a round, at the same time. */
const together = 20
/** Rounds from one look at the memory to the next. */
const step = 20
/** What may be there more at the end than in the beginning: bytes of the heap, and descriptors. */
const mostHeap = 4 * 1024 * 1024
const mostDescriptors = 5

/**
 * The example over sockets, with clients that read all, read a part or hang up: heap and descriptors stay as they are.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'campaign-soak-'))
  const app = fastify(options)
  await app.register(async instance =>
    serveFolder(instance, readSettings({ DATA_DIR: data, SOURCE_API_TOKEN: token, NODE_ENV: 'production' })))
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const urls: string[] = []
  let agent = new Agent()
  const samples: { heap: number, descriptors: number }[] = []
  let round = 0
  for (const seed of rounds) {
    const random = new Random(seed)
    const answers = await Promise.all(Array.from({ length: together }, () => ask(random, origin, urls, agent)))
    for (const problem of answers) if (problem !== undefined) find(problem)
    if (++round % step !== 0) continue
    await agent.destroy()
    samples.push(await look())
    agent = new Agent()
  }
  await agent.destroy()
  await app.close()
  rmSync(data, { recursive: true })

  // The first ones are from before everything was compiled and filled.
  const [first, last] = [samples.slice(0, Math.ceil(samples.length / 2)), samples.slice(Math.ceil(samples.length / 2))]
    .map(half => median(half.slice(1)))
  if (last === undefined || first === undefined) return
  if (last.heap - first.heap > mostHeap) find(`the heap grew from ${first.heap} to ${last.heap} bytes`)
  if (last.descriptors - first.descriptors > mostDescriptors) {
    find(`the descriptors grew from ${first.descriptors} to ${last.descriptors}`)
  }
}

async function look () {
  // The server sees that the clients are gone, and closes what it served them from.
  await sleep(300)
  globalThis.gc!()
  return { heap: process.memoryUsage().heapUsed, descriptors: readdirSync('/proc/self/fd').length }
}

function median (samples: { heap: number, descriptors: number }[]) {
  if (samples.length === 0) return undefined
  const middle = (name: 'heap' | 'descriptors') =>
    samples.map(sample => sample[name]).sort((a, b) => a - b)[samples.length >> 1]!
  return { heap: middle('heap'), descriptors: middle('descriptors') }
}

const headers = { authorization: token }
const calls = [
  '/v1/status', '/status', '/v1/search/tracks?keyword=a', '/v1/search/suggest?keyword=pre',
  '/v1/search/albums?keyword=dawn', '/v1/playlist/list', '/v1/track/new', '/v1/track/roam',
  '/v1/artist/top', '/v1/track?id=none', '/v1/none', '/v1/track/fm', '/v1/search/tracks', '/v1/track/url?id='
] as const

/** One request. What is wrong with its answer. */
async function ask (random: Random, origin: string, urls: string[], dispatcher: Agent): Promise<string | undefined> {
  const url = urls.length > 0 && random.chance(0.4) ? random.pick(urls) : undefined
  if (url !== undefined) return play(random, url, dispatcher)
  const path = random.pick(calls)
  const response = await fetch(origin + path, { headers: random.chance(0.9) ? headers : {}, dispatcher })
  const text = await response.text()
  if (response.status >= 500 && response.status !== 501 && response.status !== 503) {
    return `${path} -> ${response.status} ${text}`
  }
  for (const { id } of JSON.parse(text).data?.items ?? []) {
    if (urls.length >= 50) break
    const answer = await fetch(`${origin}/v1/track/url?id=${encodeURIComponent(id)}`, { headers, dispatcher })
    const { data } = await answer.json() as { data: { url: string } | null }
    if (data !== null) urls.push(data.url)
  }
  return undefined
}

async function play (random: Random, url: string, dispatcher: Agent): Promise<string | undefined> {
  const controller = new AbortController()
  const range = random.pick(['bytes=0-', 'bytes=1000-2000', 'bytes=-500', 'bytes=99999999-', ''])
  const response = await fetch(url, { headers: range === '' ? {} : { range }, signal: controller.signal, dispatcher })
  if (![200, 206, 416].includes(response.status)) return `${url.split('?')[0]} -> ${response.status}`
  if (random.chance(0.5)) {
    await response.arrayBuffer()
    return undefined
  }
  await response.body?.getReader().read()
  controller.abort()
  return undefined
}
