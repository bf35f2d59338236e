import type { SourceExtras } from '../contract/source-extras.ts'
import type { RemoteSource } from './subsonic-adapter.ts'

/** Milliseconds for which the server is not told again that a play goes on, and after which a play is over. */
const hour = 3_600_000

/** What is played, told to the server: what plays now, once for each play, and what was heard. */
export function playsOnServer (source: RemoteSource) {
  return {
    async onPlay ({ id: play, track: id, startedAt, state, heard }) {
      // Players are answered before the server is.
      const { client, shared } = source
      if (heard) {
        await shared.change('scrobble', { id, time: String(startedAt), submission: 'true' })
        // How often it was played is kept with it.
        client.forget(`song ${id}`)
      } else if (state === 'playing' && Date.now() - startedAt < hour) {
        await client.keep(`playing ${play}`, hour, () => shared.change('scrobble', { id, submission: 'false' }))
      }
    }
  } satisfies SourceExtras
}
