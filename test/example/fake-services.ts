import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What one answer is instead of the usual one. */
interface Fault {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Whether what was sent is taken all the same. */
  readonly takes?: boolean
  /** Whether the connection breaks in place of the answer. */
  readonly breaks?: boolean
  /** Is called in place of an answer. */
  readonly hangs?: () => void
}

/** What a fake knows: users by their secrets, and what they have listened to. */
export class FakeService {
  url = ''
  readonly users = new Map([['secret-of-ann', 'ann_there'], ['secret-of-bob', 'bob_there']])
  /** Each listen once, however often it is told: `user time artist track`. */
  readonly listens = new Set<string>()
  /** Listens in each call. */
  readonly calls: number[] = []
  readonly playing: string[] = []
  /** What was told of each listen, as the service has it. */
  readonly told: unknown[] = []
  /** What called. */
  readonly agents = new Set<string | undefined>()
  /** What the next answers are. */
  readonly faults: Fault[] = []
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy())
  })

  readonly #handle: Handle

  constructor (handle: Handle) {
    this.#handle = handle
  }

  async listen (): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  close (): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Takes listens, each once. */
  take (listens: readonly string[]): void {
    this.calls.push(listens.length)
    for (const listen of listens) this.listens.add(listen)
  }

  async #answer (request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    this.agents.add(request.headers['user-agent'])
    const isTelling = body.includes('listened_at') || body.includes('timestamp')
    const fault = isTelling ? this.faults.shift() : undefined
    const isUsual = fault === undefined || fault.takes || (fault.headers && fault.status === undefined)
    const usual = isUsual ? this.#handle(this, request, body) : undefined
    if (fault?.hangs) {
      fault.hangs()
      return
    }
    if (fault?.breaks) {
      response.destroy()
      return
    }
    const { status = 200, body: said = {}, headers = {} } = { ...usual, ...fault }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof said === 'string' ? said : JSON.stringify(said))
  }
}

type Handle = (fake: FakeService, request: IncomingMessage, body: string) => Fault

/** As https://listenbrainz.readthedocs.io describes it. A track named `Wrong` is refused, and what came with it. */
export const fakeListenBrainz = (): Promise<FakeService> => new FakeService((fake, { url, headers }, body) => {
  const user = fake.users.get(/^Token (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
  if (url === '/1/validate-token') return { body: { code: 200, valid: user !== undefined, user_name: user } }
  if (url !== '/1/submit-listens') return { status: 404 }
  if (user === undefined) return { status: 401, body: { code: 401, error: 'Invalid authorization token.' } }
  const { listen_type: type, payload } = JSON.parse(body)
  if (payload.length > 1000 || (type !== 'import' && payload.length !== 1)) return { status: 400 }
  fake.told.push(...payload.map(({ track_metadata: metadata }: any) => metadata))
  const names = payload.map(({ track_metadata: { artist_name: artist, track_name: track } }: any) => `${artist} ${track}`)
  if (names.some((name: string) => / Wrong$/.test(name))) return { status: 400, body: { error: `no ${headers.authorization}` } }
  if (type === 'playing_now') fake.playing.push(`${user} ${names[0]}`)
  else fake.take(payload.map(({ listened_at: at }: any, index: number) => `${user} ${at} ${names[index]}`))
  return { headers: { 'x-ratelimit-remaining': '29', 'x-ratelimit-reset-in': '10' }, body: { status: 'ok' } }
}).listen()

export const lastFmKey = { LASTFM_API_KEY: 'a-key', LASTFM_SECRET: 'a-shared-secret' }

/** As https://www.last.fm/api describes it. It has room for no track named `Full`, and ignores those named `Old`. */
export const fakeLastFm = (): Promise<FakeService> => new FakeService((fake, _request, body) => {
  const { format, api_sig: signature, ...form } = Object.fromEntries(new URLSearchParams(body))
  const fail = (error: number, status = 403) => ({ status, body: { error, message: `Error ${error}` } })
  const signed = Object.keys(form).sort().map(name => name + form[name]).join('') + lastFmKey.LASTFM_SECRET
  if (createHash('md5').update(signed).digest('hex') !== signature) return fail(13)
  if (form.api_key !== lastFmKey.LASTFM_API_KEY) return fail(10)
  const user = fake.users.get(form.sk ?? '')
  if (user === undefined) return fail(9)
  if (form.method === 'user.getInfo') return { body: { user: { name: user } } }
  if (form.method === 'track.updateNowPlaying') {
    fake.playing.push(`${user} ${form.artist} ${form.track}`)
    return {}
  }
  fake.told.push(form)
  const indexes = Object.keys(form).flatMap(name => /^artist\[(\d+)\]$/.exec(name)?.[1] ?? [])
  if (indexes.length > 50 || indexes.some(index => !form[`track[${index}]`] || !form[`timestamp[${index}]`])) return fail(6, 400)
  const codes = { Full: '5', Old: '3' } as Record<string, string>
  const codeOf = (index: string) => codes[form[`track[${index}]`]!] ?? '0'
  fake.take(indexes.filter(index => codeOf(index) === '0')
    .map(index => `${user} ${form[`timestamp[${index}]`]} ${form[`artist[${index}]`]} ${form[`track[${index}]`]}`))
  const scrobble = indexes.map(index => ({ ignoredMessage: { code: codeOf(index) } }))
  return { body: { scrobbles: { scrobble: scrobble.length === 1 ? scrobble[0] : scrobble } } }
}).listen()
