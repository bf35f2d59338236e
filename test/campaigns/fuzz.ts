import fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import sourceOrigin, { operations, type Operation, type SourceAdapter } from 'fastify-source-origin'
import { dataOf, parametersOf, token } from '../helper.ts'
import type { Campaign } from './support/campaign.ts'
import { hostileError, hostileValue, mutate, texts } from './support/hostile-values.ts'
import { problemOf } from './support/judge-answer.ts'
import { Random } from './support/random.ts'

export const count = 30_000

/** Milliseconds after which a request hangs. The time limit of the adapter is much shorter. */
const timeout = 10_000
const adapterTimeout = 20

/** Random and hostile values of adapters and contexts, for random and hostile requests, in both modes. */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  let random = new Random(0)
  let calls = 0
  const methods = operations.map(({ adapterMethod }) => [adapterMethod, () => {
    calls++
    return answerOf(random, adapterMethod)
  }])
  const adapter = Object.fromEntries(methods) as SourceAdapter
  const apps = await Promise.all([true, false].map(async validateResponses => {
    const app = fastify()
    await app.register(sourceOrigin, {
      validateResponses,
      adapterTimeout,
      resolveContext: ({ authorization }) => authorization === token
        ? contextOf(random, adapter)
        : random.pick<any>([
          null, undefined, false, Promise.resolve(null)
        ])
    })
    await app.ready()
    return app
  }))

  for (const seed of rounds) {
    random = new Random(seed)
    calls = 0
    const request = requestOf(random)
    const isAuthorized = request.headers?.authorization === token
    const answer = await answerTo(random.pick(apps), request)
    if (typeof answer === 'string') {
      find(`${answer}: ${describe(request)}`)
      continue
    }
    const status = answer.statusCode
    const path = String(request.url).split('?')[0]!
    const problem =
      problemOf({ method: String(request.method), path, status, headers: answer.headers, body: answer.body }) ??
      (isAuthorized || status === 401 ||
        status === 308
        ? undefined
        : `an unauthorised request has the status ${status}`) ??
      (isAuthorized || calls === 0 ? undefined : 'the adapter was called for an unauthorised request')
    if (problem !== undefined) find(`${problem}: ${describe(request)} -> ${status} ${answer.body.slice(0, 300)}`)
  }
  await Promise.all(apps.map(app => app.close()))
}

const describe = (request: InjectOptions) =>
  JSON.stringify(request, (_name, value) => typeof value === 'string' ? value.slice(0, 200) : value)

async function answerTo (app: FastifyInstance, request: InjectOptions) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>(resolve => { timer = setTimeout(resolve, timeout, 'no answer') })
  try {
    return await Promise.race([app.inject(request), late])
  } finally {
    clearTimeout(timer)
  }
}

/** What an adapter method does: mostly it answers something like its data. */
function answerOf (random: Random, method: Operation['adapterMethod']): any {
  const kind = random.next()
  if (kind < 0.1) throw hostileError(random)
  if (kind < 0.2) return Promise.reject(hostileError(random))
  if (kind < 0.25) return hostileValue(random)
  if (kind < 0.253) return new Promise(() => {})
  if (kind < 0.26) {
    return {
      then: random.pick<unknown>([
        () => { throw hostileError(random) }, (resolve: (value: unknown) => void) => { resolve(1); resolve(2) }
      ])
    }
  }
  const value = mutate(random, dataOf(method, random.pick(['all', 'required'])), random.pick([0, 0, 0.02, 0.1, 0.3]))
  return random.chance(0.5) ? value : Promise.resolve(value)
}

function contextOf (random: Random, adapter: SourceAdapter): any {
  const kind = random.next()
  if (kind < 0.02) throw hostileError(random)
  if (kind < 0.04) return Promise.reject(hostileError(random))
  if (kind < 0.06) return hostileValue(random)
  const options = () => random.some(3, () => ({ key: random.pick(['best', 'low', ...texts]), label: 'x' }))
  const context = {
    adapter: random.chance(0.95)
      ? adapter
      : random.pick<unknown>([
        hostileValue(random), new Proxy(adapter, {}), Object.create(adapter), { getTrackDetail: hostileValue(random) }
      ]),
    stateless: random.chance(0.8) ? false : hostileValue(random),
    ...random.chance(0.3) ? { qualityMap: mutate(random, options(), 0.03) } : {},
    ...random.chance(0.3) ? { playlistSortOptions: mutate(random, options(), 0.03) } : {},
    ...random.chance(0.2) ? { accountName: hostileValue(random) } : {}
  }
  return random.chance(0.5) ? context : Promise.resolve(context)
}

const paths = [
  '/v1', '/v1/', '/v1/status', '/v1/track/fm', '/v1/track/lyric', '/v1/none', '/v1/track/url/', '/v1//track',
  '/v1/../v1/track', '/v1/%74rack', '/v1/Track', '/v1/track/..;/status'
] as const
const types = [
  'application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'text/plain',
  'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '', 'x', 'application/json;'
] as const

function requestOf (random: Random): InjectOptions & { headers: Record<string, string> } {
  const operation = random.chance(0.9) ? random.pick(operations) : undefined
  const usual = operation?.method ?? 'GET'
  const method = random.chance(0.95)
    ? usual
    : random.pick(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'] as const)
  const parameters = operation === undefined ? {} : parametersOf(operation, random.pick(['all', 'required']))
  for (const name of Object.keys(parameters)) {
    if (random.chance(0.05)) delete parameters[name]
    else if (random.chance(0.1)) {
      parameters[name] =
      random.pick<unknown>([...texts, 0, -1, 1e21, true, null, [], {}, ['a', 'b'], Number.NaN])
    } else if (name === 'order' && random.chance(0.8)) parameters[name] = 'asc'
  }
  if (random.chance(0.03)) parameters[random.pick(texts)] = random.pick(texts)
  let url: string = operation?.path ?? random.pick(paths)
  const isQuery = method === 'GET' || method === 'HEAD'
  if (isQuery) url += `?${queryOf(random, parameters)}`
  const authorization = random.chance(0.75)
    ? token
    : random.pick([
      undefined, '', `Bearer ${token}`, token.toUpperCase(), token.slice(1), `${token}x`, 'null', ...texts.slice(0, 6)
    ])
  return {
    method,
    url,
    headers: {
      ...authorization === undefined ? {} : { authorization },
      ...isQuery ? {} : { 'content-type': random.chance(0.9) ? 'application/json' : random.pick(types) },
      ...random.chance(0.05)
        ? {
            [random.pick([
              'accept', 'if-none-match', 'content-length', 'transfer-encoding', 'accept-encoding', 'x-forwarded-host',
              'origin', 'range'
            ])]: random.pick(['*', '0', '', 'x'])
          }
        : {}
    },
    ...isQuery ? {} : { payload: bodyOf(random, parameters) }
  }
}

function queryOf (random: Random, parameters: Record<string, unknown>): string {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)])
  ).toString()
  if (random.chance(0.95)) return query
  return random.pick([
    `${query}&${query}`, `${query}&offset=1&offset=2`, `${query}&id[]=1`, `${query}&__proto__=1&constructor=1`,
    `${query}&%=1`, `${query}&a=%zz`, '&&&=&=', `${query}&${'a=1&'.repeat(500)}`
  ])
}

function bodyOf (random: Random, parameters: Record<string, unknown>): string {
  const body = JSON.stringify(parameters)
  if (random.chance(0.9)) return body
  return random.pick([
    '', '{', 'null', '[]', '1', '"x"', '{"__proto__":{"id":1}}', '{"constructor":{"prototype":{}}}', '\0',
    `${body}${body}`, body.slice(0, -1), `\ufeff${body}`, '{"id":"a","id":"b"}', `{"name":"${'x'.repeat(1_100_000)}"}`,
    '['.repeat(5000)
  ])
}
