import type { UpstreamResponse } from 'fastify-source-origin/upstream'
import type { Listen, Listened } from '../state/listens.ts'
import { between, clientOf, paced, ServiceError, waitOf, type Service } from './service-client.ts'

const title = 'ListenBrainz'

/**
 * Returns the time in milliseconds until the next call is allowed, read from the headers; 0 if it is allowed at once.
 */
const pauseOf = ({ headers }: UpstreamResponse, isOver: boolean): number =>
  isOver || headers['x-ratelimit-remaining'] === '0' ? waitOf(Number(headers['x-ratelimit-reset-in']) * 1000) : 0

const said = ({ status, body }: UpstreamResponse) => `${title} said ${status}: ${body}`
const login = (why = '') => new ServiceError('login', `${title} refuses the token${why}`)
/**
 * Creates the error of a rejected token. ListenBrainz also rejects tokens of users without an email address or with a
 * paused account, and includes the reason.
 */
const unauthorized = ({ body }: UpstreamResponse) => login(`: ${body}`)
const refused = (answer: UpstreamResponse) => new ServiceError('refused', said(answer))

const errors = {
  400: refused,
  401: unauthorized,
  403: unauthorized,
  413: refused,
  429: (answer: UpstreamResponse) => new ServiceError('later', `${title} is asked too often`, pauseOf(answer, true))
}

const metadataOf = ({ title, artist, album, number, length, ...more }: Listened) => ({
  artist_name: artist,
  track_name: title,
  release_name: album || undefined,
  additional_info: {
    duration_ms: length || undefined,
    tracknumber: number,
    artist_names: more.artists,
    recording_mbid: more.recordingId,
    release_mbid: more.releaseId,
    artist_mbids: more.artistIds,
    media_player: 'fastify-source-origin',
    submission_client: 'fastify-source-origin'
  }
})

/** Creates the service ListenBrainz, or a self-hosted compatible server (https://listenbrainz.readthedocs.io). */
export function listenBrainz (baseUrl: string): Service {
  const client = clientOf('listenbrainz', baseUrl)
  const inTurn = paced(between.listenBrainz)
  const submit = (secret: string, type: string, payload: object[]) => inTurn(async () =>
    (await client.use()).response('/1/submit-listens', {
      headers: { authorization: `Token ${secret}` }, json: { listen_type: type, payload }, errors
    }))
  return {
    title,
    most: 1000,
    async check (secret) {
      const request = { headers: { authorization: `Token ${secret}` }, errors }
      const { valid, user_name: name } = await inTurn(async () =>
        (await client.use()).json<{ valid?: boolean, user_name?: string }>('/1/validate-token', request))
      if (valid !== true) throw login()
      return String(name)
    },
    async nowPlaying (secret, listened) {
      await submit(secret, 'playing_now', [{ track_metadata: metadataOf(listened) }])
    },
    async tell (secret, listens) {
      const payload = listens.map((listen: Listen) =>
        ({ listened_at: Math.floor(listen.playedAt / 1000), track_metadata: metadataOf(listen) }))
      const answer = await submit(secret, listens.length === 1 ? 'single' : 'import', payload)
      return { wait: pauseOf(answer, false), later: [] }
    },
    close: client.close
  }
}
