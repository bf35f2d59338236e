import { createHash } from 'node:crypto'
import type { Listened } from '../state/listens.ts'
import { between, clientOf, paced, ServiceError, type Service } from './service-client.ts'

const title = 'Last.fm'
/** The minimum length in milliseconds. Last.fm ignores tracks that are not longer. */
const shortest = 30_000
const minute = 60_000
const hour = 60 * minute

/** Error codes of Last.fm: temporary errors, session key errors, and errors of the scrobbles in the call. */
const passing = new Set<number | undefined>([undefined, 8, 11, 16])
const ofSession = new Set<number | undefined>([4, 9, 14, 15, 17])
const ofListens = new Set<number | undefined>([6, 7])
const tooOften = 29
/** Codes of an ignored scrobble: for its artist, track or time, or because the daily limit is reached. */
const ignoredFor = ['1', '2', '3', '4']
const dayIsFull = '5'

interface Answer {
  readonly error?: number
  readonly message?: string
  readonly user?: { readonly name?: string }
  readonly scrobbles?: { readonly scrobble?: Scrobble | readonly Scrobble[] }
}
interface Scrobble { readonly ignoredMessage?: { readonly code?: unknown } }

function errorOf ({ error, message }: Answer): ServiceError {
  const said = `${title} said ${error ?? 'nothing'}: ${message}`
  if (passing.has(error)) return new ServiceError('later', said)
  if (error === tooOften) return new ServiceError('later', said, minute)
  if (ofSession.has(error)) return new ServiceError('login', said)
  // Other errors concern the API key in the settings or Last.fm itself, so the scrobbles are retried later.
  return ofListens.has(error) ? new ServiceError('refused', said) : new ServiceError('later', said, hour)
}

const membersOf = ({ artist, title, album, albumArtist, number, length, recordingId = '' }: Listened) => ({
  artist,
  track: title,
  album,
  albumArtist: albumArtist === artist ? '' : albumArtist,
  trackNumber: number === undefined ? '' : String(number),
  duration: length > 0 ? String(Math.round(length / 1000)) : '',
  mbid: recordingId
})

/** Creates the service Last.fm (https://www.last.fm/api/scrobbling). Its secrets are session keys. */
export function lastFm (baseUrl: string, apiKey: string, apiSecret: string): Service {
  const client = clientOf('lastfm', baseUrl)
  const inTurn = paced(between.lastFm)
  const errors = Object.fromEntries([400, 401, 403, 404, 429, 500, 502, 503, 504].map(status =>
    [status, ({ body }: { body: Buffer }) => errorOf(read(body))]))
  async function call (method: string, secret: string, members: Record<string, string> = {}): Promise<Answer> {
    const given = { ...members, method, api_key: apiKey, sk: secret }
    const form = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
    const text = Object.keys(form).sort().map(name => name + form[name]).join('')
    const signature = createHash('md5').update(text + apiSecret).digest('hex')
    const answer = await inTurn(async () =>
      (await client.use()).response('/', { form: { ...form, api_sig: signature, format: 'json' }, errors }))
    const result = read(answer.body)
    if (result.error !== undefined) throw errorOf(result)
    return result
  }
  return {
    title,
    most: 50,
    async check (secret) {
      return String((await call('user.getInfo', secret)).user?.name)
    },
    async nowPlaying (secret, listened) {
      await call('track.updateNowPlaying', secret, membersOf(listened))
    },
    async tell (secret, listens) {
      const long = listens.filter(({ length }) => length > shortest)
      if (long.length === 0) return { wait: 0, later: [] }
      const members = long.flatMap((listen, index) =>
        Object.entries({ ...membersOf(listen), timestamp: String(Math.floor(listen.playedAt / 1000)) })
          .map(([name, value]) => [`${name}[${index}]`, value]))
      const { scrobbles } = await call('track.scrobble', secret, Object.fromEntries(members))
      // The response to a single scrobble is an object instead of a list.
      const told = [scrobbles?.scrobble ?? []].flat()
      const codes = told.map(({ ignoredMessage }) => String(ignoredMessage?.code))
      const later = long.filter((_listen, index) => codes[index] === dayIsFull)
      const ignored = codes.filter(code => ignoredFor.includes(code)).length
      return { wait: later.length > 0 ? hour : 0, later, ignored }
    },
    close: client.close
  }
}

/** Parses a response. A body that is not JSON has no error code. */
function read (body: Buffer): Answer {
  try {
    return Object(JSON.parse(body.toString())) as Answer
  } catch {
    return { message: 'no JSON' }
  }
}
