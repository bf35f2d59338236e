import fastify from 'fastify'
import sourceOrigin from 'fastify-source-origin'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { token } from '../helper.ts'
import type { Campaign } from './support/campaign.ts'
import { secret } from './support/hostile-values.ts'
import { Random } from './support/random.ts'

export const count = 3000

/** Milliseconds after which a connection hangs whose client has sent all it has. */
const timeout = 15_000

/** Bytes that are no proper HTTP, mostly, over sockets, in both modes. */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  let calls = 0
  const apps = [true, false].map(validateResponses => fastify({ bodyLimit: 10_000 }).register(sourceOrigin, {
    validateResponses,
    adapterTimeout: 1000,
    resolveContext: ({ authorization }) => authorization === token
      ? {
          adapter: {
            getNewTracks () { calls++; throw new Error(secret) },
            favoriteTrack () { calls++; return { success: true, status: true } }
          },
          stateless: false
        }
      : null
  }))
  const ports: number[] = []
  for (const app of apps) {
    await app.listen({ port: 0, host: '127.0.0.1' })
    ports.push((app.server.address() as AddressInfo).port)
  }

  for (const seed of rounds) {
    const random = new Random(seed)
    calls = 0
    const sent = bytesOf(random)
    const text = await exchange(random, random.pick(ports), sent)
    const described = JSON.stringify(sent.toString('latin1').slice(0, 400))
    if (text === undefined) find(`no end of the connection: ${described}`)
    else {
      for (const problem of problemsOf(text, sent.includes(token))) {
        find(`${problem}: ${described} -> ${JSON.stringify(text.slice(0, 300))}`)
      }
    }
    if (calls > 0 && !sent.includes(token)) find(`the adapter was called for an unauthorised request: ${described}`)
  }
  for (const port of ports) {
    const { status } = await fetch(`http://127.0.0.1:${port}/v1/status`, { headers: { authorization: token } })
    if (status !== 200) find(`a proper request is answered ${status} afterwards`)
  }
  for (const app of apps) await app.close()
}

const lines = [
  'GET /v1/track/new HTTP/1.1', 'GET /v1/status HTTP/1.1', 'POST /v1/track/favorite HTTP/1.1',
  'GET /v1/track/new HTTP/1.0', 'GET /v1/track/fm?a=%0d%0aX-Injected:1 HTTP/1.1',
  'HEAD /v1/status HTTP/1.1', 'GET //v1/track/new HTTP/1.1', 'GET http://other/v1/track/new HTTP/1.1',
  'GET /v1/track/new', 'GET  /v1/track/new  HTTP/1.1', 'get /v1/track/new HTTP/1.1',
  'FOO /v1/track/new HTTP/1.1', 'GET /v1/%zz HTTP/1.1', 'GET /v1/\0 HTTP/1.1', 'GET /v1/ü HTTP/1.1',
  `GET /v1/${'a'.repeat(20_000)} HTTP/1.1`, 'OPTIONS * HTTP/1.1', 'CONNECT a:1 HTTP/1.1', 'GET /v1/track/new HTTP/9.9',
  'PRI * HTTP/2.0', 'GET /v1/../status HTTP/1.1', 'POST /v1/none HTTP/1.1', 'GET /v1/track?id=a\tb HTTP/1.1', ''
] as const
const heads = [
  `Authorization: ${token}`, `Authorization: ${token}`, `authorization:${token}x`, 'Authorization:',
  `Authorization: x\r\nAuthorization: ${token}`, ` Authorization: ${token}`, `Authorization : ${token}`,
  'Content-Type: application/json', 'Content-Length: 26', 'Content-Length: 1',
  'Content-Length: 26\r\nContent-Length: 27', 'Content-Length: -1', 'Content-Length: 99999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: xchunked', 'Transfer-Encoding: chunked\r\nContent-Length: 5', 'Connection: close',
  'Connection: upgrade\r\nUpgrade: websocket', 'Expect: 100-continue', 'Expect: x', 'X: \x01', 'X\0: 1',
  `X: ${'y'.repeat(17_000)}`, ': empty', 'no colon', 'Accept: */*', 'If-None-Match: *', 'X: a\r\n folded'
] as const
const bodies = [
  '', '{"id":"1","status":true}  ', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\n', '0\r\n\r\n', '{"id":',
  'ffffffffffffffffff\r\n', '['.repeat(11_000),
  `GET /v1/track/new HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\n\r\n`
] as const

function bytesOf (random: Random): Buffer {
  const requests = Array.from({ length: 1 + random.below(3) }, () => {
    const host = random.chance(0.9) ? ['Host: localhost'] : []
    return [random.pick(lines), ...host, ...random.some(4, () => random.pick(heads)), '', random.pick(bodies)]
      .join(random.chance(0.97) ? '\r\n' : '\n')
  })
  const bytes = Buffer.from(requests.join(''))
  for (let flips = random.chance(0.2) ? random.below(5) : 0; flips > 0; flips--) {
    bytes[random.below(bytes.length)] =
    random.below(256)
  }
  return random.chance(0.1) ? bytes.subarray(0, random.below(bytes.length)) : bytes
}

/** Sends all of it in pieces. What came back when the server has closed; `undefined` when it does not. */
async function exchange (random: Random, port: number, bytes: Buffer): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let isLate = false
  socket.setEncoding('latin1').on('data', data => { text += data }).on('error', () => {})
  const timer = setTimeout(() => { isLate = true; socket.destroy() }, timeout)
  const closed = once(socket, 'close')
  for (let from = 0; from < bytes.length;) {
    const to = random.chance(0.7) ? bytes.length : from + 1 + random.below(bytes.length - from)
    socket.write(bytes.subarray(from, to))
    from = to
  }
  socket.end()
  await closed
  clearTimeout(timer)
  return isLate ? undefined : text
}

/** What is wrong with the answers of a connection, one after another. */
function problemsOf (text: string, mayEnter: boolean): string[] {
  const problems: string[] = []
  if (text.includes(secret)) problems.push('a secret left the source')
  if (text.includes(token)) problems.push('the token left the source')
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1 || !/^HTTP\/1\.1 \d{3} /.test(rest)) return [...problems, 'the answer is no HTTP']
    const [line, ...headers] = rest.slice(0, end).split('\r\n')
    const status = Number(line!.split(' ')[1])
    const [, size] = headers.find(header => /^content-length:/i.test(header))?.split(':') ?? []
    // Only Node's own refusals, which have no body, come without a length: as an empty chunk.
    const length = size === undefined && rest.startsWith('0\r\n\r\n', end + 4) ? 5 : Number(size ?? 0)
    const behind = rest.slice(end + 4)
    const body = Buffer.from(behind.slice(0, length), 'latin1').toString()
    rest = behind.slice(length)
    if (headers.some(header => /^x-injected:/i.test(header))) problems.push('a header was injected')
    if (status === 100 || status === 308) continue
    // The answer to HEAD says how long a body would be; what follows begins in its place.
    if (body.startsWith('HTTP/')) rest = behind
    else if (size !== undefined && body !== '') problems.push(...problemOfBody(status, body, mayEnter))
  }
  return problems
}

function problemOfBody (status: number, body: string, mayEnter: boolean): string[] {
  let members: string
  try {
    members = Object.keys(JSON.parse(body)).join()
  } catch {
    return ['the body is no JSON']
  }
  if (members === 'code,data') return status === 200 && mayEnter ? [] : [`${status} has data`]
  // Node and Fastify answer what is no HTTP, and paths of the host, before any plugin.
  const isHosts = [
    'error,message,statusCode', 'message,error,statusCode', 'error,code,message,statusCode',
    'code,error,message,statusCode', 'statusCode,code,error,message'
  ].includes(members) && status < 500
  return isHosts || members === 'code,message,data' ? [] : [`${status} has the members ${members}`]
}
