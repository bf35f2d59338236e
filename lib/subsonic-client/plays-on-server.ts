import type { SourceExtras } from '../contract/source-extras.ts'
import type { RemoteSource } from './subsonic-adapter.ts'

/** Milliseconds during which a continuing play is not reported again, and after which a play is over. */
const hour = 3_600_000

/** Reports plays to the server: each play once when it starts, and scrobbles. */
export function playsOnServer (source: RemoteSource) {
  return {
    async onPlay ({ id: play, track: id, startedAt, state, counted }) {
      // Players do not wait for the server.
      const { client, shared } = source
      if (counted) {
        await shared.change('scrobble', { id, time: String(startedAt), submission: 'true' })
        // The play count is cached with the song.
        client.forget(`song ${id}`)
      } else if (state === 'playing' && Date.now() - startedAt < hour) {
        await client.keep(`playing ${play}`, hour, () => shared.change('scrobble', { id, submission: 'false' }))
      }
    }
  } satisfies SourceExtras
}
