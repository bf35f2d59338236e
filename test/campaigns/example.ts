import fastify from 'fastify'
import { operations } from 'fastify-source-origin'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { serveFolder } from '../../example/serve-folder.ts'
import { options } from '../../example/server/server-options.ts'
import { readSettings } from '../../example/start/settings.ts'
import { parametersOf, token } from '../helper.ts'
import { pathOf } from '../example/helper.ts'
import type { Campaign } from './support/campaign.ts'
import { texts } from './support/hostile-values.ts'
import { problemOf } from './support/judge-answer.ts'
import { Random } from './support/random.ts'

export const count = 5000

/** A request, and whether it has what opens what it asks for. */
interface Asked { url: string, method: 'GET' | 'HEAD' | 'POST', payload?: string, isOpen: boolean }

/** The example with all its routes: hostile URLs and headers get nothing that is not theirs, and no failure. */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'campaign-example-'))
  const app = fastify(options)
  await app.register(async instance =>
    serveFolder(instance, readSettings({
      DATA_DIR: data, SOURCE_API_TOKEN: token, NODE_ENV: 'production', PAGE: 'true'
    })))
  await app.ready()
  const ask = async (url: string) => (await app.inject({ url, headers: { authorization: token } })).json().data
  const media: string[] = []
  for (const { id, album } of (await ask('/v1/search/tracks?keyword=a')).items) {
    media.push(pathOf((await ask(`/v1/track/url?id=${id}`)).url), pathOf(album.coverUrl))
  }
  /** What clients need not know: where files are, and what went wrong in the code. */
  const inner = [data, process.cwd(), 'node_modules', '\n    at ', token]

  for (const seed of rounds) {
    const random = new Random(seed)
    const asked = random.pick([askMedia, askSource, askSubsonic, askPage])(random, media)
    const { isOpen, ...request } = asked
    const sent = headersOf(random, isOpen)
    const { statusCode: status, headers, rawPayload } = await app.inject({ ...request, headers: sent })
    const isCompressed = headers['content-encoding'] === 'gzip' && rawPayload.length > 0
    const body = String(isCompressed ? gunzipSync(rawPayload) : rawPayload)
    const given = JSON.stringify(headers) + body
    const path = request.url.split('?')[0]!
    const isMedia = path.startsWith('/media/') && status < 400
    const problems: [boolean, string][] = [
      [status >= 500 && status !== 501, 'a failure'],
      [inner.some(text => given.includes(text)), 'something inner left the source'],
      ['x-injected' in headers, 'a header was injected'],
      [!isOpen && (isMedia || given.includes('signature=')), 'media are open to anybody']
    ]
    const problem = problems.find(([isSo]) => isSo)?.[1] ??
      (path.startsWith('/v1/') ? problemOf({ method: request.method, path, status, headers, body }) : undefined)
    if (problem !== undefined) {
      find(
      `${problem}: ${JSON.stringify({ ...request, headers: sent })} -> ${status} ${JSON.stringify(body.slice(0, 300))}`
      )
    }
  }
  await app.close()
  rmSync(data, { recursive: true })
}

const methodOf = (random: Random) => random.chance(0.8) ? 'GET' as const : 'HEAD' as const
/** Without halves of characters, which no URL can hold. */
const whole = (value: unknown) => Buffer.from(String(value)).toString()
const hostile = (random: Random) => encodeURIComponent(whole(random.pick(texts)))

function askMedia (random: Random, media: readonly string[]): Asked {
  const url = random.pick(media)
  if (random.chance(0.3)) return { url, method: methodOf(random), isOpen: true }
  const [path, query] = url.split('?') as [string, string]
  const names = path.split('/')
  names[3 + random.below(names.length - 3)] = hostile(random)
  // One of what is signed is another character.
  const at = url.indexOf('/', '/media/'.length) + 1 + random.below(url.length - 16)
  const forged = [
    `${names.join('/')}?${query}`, `${path}?${query}&${query}`,
    `${path}?expires=${hostile(random)}&signature=${hostile(random)}`, path,
    `${path}?${query.replace(/\w(?=[^=]*$)/, character => character === 'a' ? 'b' : 'a')}`,
    `${url.slice(0, at)}~${url.slice(at + 1)}`
  ]
  return { url: random.pick(forged), method: methodOf(random), isOpen: false }
}

function askSource (random: Random): Asked {
  const operation = random.pick(operations)
  const parameters = Object.entries(parametersOf(operation, 'all')).map(([name, value]) =>
    [name, random.chance(0.5) ? random.pick(texts) : value])
  const isOpen = random.chance(0.7)
  if (operation.method === 'POST') {
    return {
      url: operation.path, method: 'POST', payload: JSON.stringify(Object.fromEntries(parameters)), isOpen
    }
  }
  const query = new URLSearchParams(parameters.map(([name, value]): [string, string] => [String(name), whole(value)]))
  return { url: `${operation.path}?${query}`, method: methodOf(random), isOpen }
}

function askSubsonic (random: Random): Asked {
  const methods = [
    'ping', 'getSong', 'getAlbum', 'getCoverArt', 'stream', 'search3', 'getPlaylist', 'getLyrics', 'star', 'scrobble',
    'savePlayQueue', 'nothing', '../v1/status'
  ]
  const isOpen = random.chance(0.7)
  const query = random.some(
    4, () => `${random.pick(['id', 'query', 'size', 'f', 'callback', 'time', 'c', 'v'])}=${hostile(random)}`
  ).join('&')
  return {
    url: `/rest/${random.pick(methods)}?u=a&p=${isOpen ? token : hostile(random)}&${query}`,
    method: methodOf(random),
    isOpen
  }
}

function askPage (random: Random): Asked {
  const paths = [
    '/', '/page/', '/page/operations.json', '/page/check', '/page/%2e%2e/app.js', '/page//', '/docs', '/openapi.json',
    '/status', '/favicon.ico', '/media', '/..%2f..%2fetc%2fpasswd'
  ]
  return {
    url: random.pick([...paths, `/${hostile(random)}`, `/page/${hostile(random)}`]),
    method: methodOf(random),
    isOpen: false
  }
}

function headersOf (random: Random, isOpen: boolean): Record<string, string> {
  const names = [
    'range', 'if-range', 'if-none-match', 'if-match', 'if-modified-since', 'if-unmodified-since', 'origin',
    'accept-encoding', 'x-forwarded-host', 'host'
  ]
  const values = [
    '*', 'bytes=0-', 'bytes=-1', 'bytes=5-2', 'bytes=0-0,2-3', 'bytes=99999999999-', '"x"',
    'Thu, 01 Jan 1970 00:00:00 GMT', 'x'.repeat(5000), '', 'null', 'https://other.example'
  ]
  const more = random.some(2, () => [random.pick(names), random.pick(values)] as const)
  return { 'content-type': 'application/json', ...isOpen ? { authorization: token } : {}, ...Object.fromEntries(more) }
}
