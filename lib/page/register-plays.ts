import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { longestId } from '../../schemas/common.ts'
import type { Track } from '../../schemas/index.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { BadRequestError } from '../contract/errors.ts'
import { listenerKey } from '../plays/index.ts'
import type { Source } from '../source/index.ts'
import type { OwnRoute } from './own-routes.ts'

/** Tracks of one answer. */
const pageSize = 50
/** Parts of the history that one request looks through. */
const mostParts = 4
/** Calls of the adapter at once. */
const concurrency = 4

const milliseconds = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Plays as the page sums them up, each as it is at the last. Their times are those of a clock that says `now`. */
const ToldSchema = Type.Object({
  now: milliseconds,
  plays: Type.Array(Type.Object({
    id: Type.String({ minLength: 1, maxLength: 64 }),
    track: Type.String({ minLength: 1, maxLength: longestId }),
    length: milliseconds,
    startedAt: milliseconds,
    position: milliseconds,
    played: milliseconds,
    state: Type.Union([Type.Literal('playing'), Type.Literal('paused'), Type.Literal('stopped')])
  }), { maxItems: 500 })
})

/** The page's own routes of what is played. */
export function registerPlays (route: OwnRoute, source: Source): void {
  registerTold(route, source)
  registerHistory(route)
}

/**
 * What the account has heard with all its players, the latest first, each track once: a page of it from `offset` on.
 * `data` is empty where the source does not keep that.
 */
const registerHistory = (route: OwnRoute): void =>
  route('GET', 'plays', async ({ asker, query }) => {
    const offset = Number(query.get('offset'))
    if (!(offset >= 0)) throw new BadRequestError('Parameter offset must be a number of tracks')
    const { adapter } = asker.context
    if (typeof adapter.getPlays !== 'function' || !asker.has('getTrackDetail')) return {}
    const plays = [...await asker.callAdapter(() => adapter.getPlays!())].sort((a, b) => b.last - a.last)
    const found = new Map<string, Track>()
    let end = offset
    // Those of a part may all be gone; where many are, the page asks for the next ones.
    while (found.size === 0 && end < Math.min(plays.length, offset + mostParts * pageSize)) {
      const tracks: (Track | undefined)[] = []
      await forEachLimited([...plays.slice(end, end + pageSize).entries()], concurrency, async ([place, { id }]) => {
        tracks[place] = await asker.find('getTrackDetail', id)
      })
      for (const track of tracks) if (track !== undefined) found.set(track.id, track)
      end += pageSize
    }
    return { items: [...found.values()], limit: end - offset, hasMore: end < plays.length }
  })

/** What the page plays. It tells again later what it could not. */
const registerTold = (route: OwnRoute, { plays }: Source): void =>
  route('POST', 'plays', async ({ context, call, body }) => {
    if (!Value.Check(ToldSchema, body)) {
      throw new BadRequestError('Parameters now and plays must be a time and a list of plays')
    }
    const { account, accountName = account ?? '' } = context
    const listener = {
      key: listenerKey(account, String(call.authorization)),
      context,
      username: accountName,
      client: 'page',
      log: call.log,
      secrets: call.secrets
    }
    const ahead = Date.now() - body.now
    for (const play of body.plays) {
      await plays.tell(listener, { ...play, startedAt: play.startedAt + ahead })
    }
    return {}
  })
