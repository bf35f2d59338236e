import type { Track } from '../../schemas/index.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { AccountQueues, memoryStore, type SubsonicStore } from '../queue/index.ts'
import type { Registration } from '../routes/index.ts'
import { tracksById } from '../source/index.ts'
import type { OwnRoute } from './page-routes.ts'
import { deviceOf } from './register-sign-in.ts'

/** The number of tracks that the first response contains. A source without a library is called for each. */
const firstTracks = 5

/** Returns the account whose devices share a queue, `undefined` for a source without accounts. */
export const accountIn = ({ stateless, account }: RequestContext) => stateless ? undefined : account

/**
 * Registers the routes of the queue of the account, which its pages and Subsonic apps share. `data` is empty for
 * sources without accounts: there each browser has its own queue.
 */
export function registerListening (
  route: OwnRoute, registration: Registration, store: SubsonicStore | undefined
): void {
  let made: AccountQueues | undefined
  // The Subsonic plugin may be registered later.
  function queues (): AccountQueues {
    made ??= new AccountQueues(store ?? registration.store ?? memoryStore())
    return made
  }

  route('GET listening', async ({ session, context }) => {
    const account = accountIn(context)
    if (account === undefined) return {}
    const { queue, now, current, device, offer } = await queues().read(account)
    const at = Math.max(0, queue.entries.findIndex(([id]) => id === current))
    const ids = new Set(queue.entries.slice(at, at + firstTracks).map(([, track]) => track))
    // The source of a track may be down; the page then loads the tracks later.
    const tracks = await tracksById(session, [...ids]).catch(() => new Map<string, Track>())
    return { queue, now, current, device, offer, time: Date.now(), tracks: [...tracks.values()] }
  })

  route('POST listening', async ({ context, call, parameters: { name, ...request } }) => {
    const account = accountIn(context)
    if (account === undefined) return {}
    const fallback = deviceOf(call.request.headers['user-agent'])
    return { ...await queues().exchange(account, request, { name, fallback }), time: Date.now() }
  })

  route('GET tracks', async ({ session, parameters: { id } }) =>
    ({ items: [...(await tracksById(session, id)).values()] }))
}
