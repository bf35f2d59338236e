import type { Track } from '../../schemas/index.ts'
import { mergeTracks } from '../contract/merged-items.ts'
import { allPlays, listenerKey } from '../plays/index.ts'
import type { Registration } from '../routes/index.ts'
import { tracksById, type Source } from '../source/index.ts'
import type { OwnRoute } from './page-routes.ts'

/** The maximum number of tracks of one response. */
const pageSize = 50
/** The maximum number of history parts read by one request. */
const mostParts = 4

/** Registers the page's routes for plays. */
export function registerPlays (route: OwnRoute, source: Source, registration: Registration): void {
  registerTold(route, source)
  registerHistory(route, registration)
}

/**
 * Registers the route of the account's history of all players, each track once, starting at `offset`. The latest plays
 * come first; with `since`, the most played since that time. `data` is empty if the source does not store plays.
 */
const registerHistory = (route: OwnRoute, registration: Registration): void =>
  route('GET plays', async ({ session, context, call, parameters: { offset, since } }) => {
    const { adapter } = session.context
    if (typeof adapter.getPlays !== 'function' || !session.has('getTrackDetail')) return {}
    const listener = listenerKey(context.account, String(call.authorization))
    const kept = async () => await registration.keptPlays?.(listener) ?? []
    const all = await session.callAdapter(() => allPlays(adapter, kept, since))
    const plays = all.filter(({ last }) => last >= (since ?? 0))
      .sort((a, b) => (since === undefined ? 0 : b.plays - a.plays) || b.last - a.last)
    const found = new Map<string, Track>()
    let end = offset
    // All tracks of a part may be missing; after several such parts, the page requests the next ones.
    while (found.size === 0 && end < Math.min(plays.length, offset + mostParts * pageSize)) {
      const tracks = await tracksById(session, plays.slice(end, end + pageSize).map(({ id }) => id))
      for (const track of tracks.values()) found.set(track.id, track)
      end += pageSize
    }
    return { items: mergeTracks(adapter, [...found.values()]), limit: end - offset, hasMore: end < plays.length }
  })

/** Registers the route of reported plays. The page retries failed reports later. */
const registerTold = (route: OwnRoute, { plays }: Source): void =>
  route('POST plays', async ({ context, call, parameters: { now, plays: told } }) => {
    const { account, accountName = account ?? '' } = context
    const listener = {
      key: listenerKey(account, String(call.authorization)),
      context,
      username: accountName,
      client: 'page',
      log: call.log,
      secrets: call.secrets
    }
    const ahead = Date.now() - now
    for (const play of told) {
      await plays.tell(listener, { ...play, startedAt: play.startedAt + ahead })
    }
    return {}
  })
