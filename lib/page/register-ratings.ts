import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { listenerKey } from '../plays/index.ts'
import type { CurrentCall } from '../request/index.ts'
import type { Ratings, Registration } from '../routes/index.ts'
import type { OwnRoute } from './page-routes.ts'

interface Request { readonly context: RequestContext, readonly call: CurrentCall }

const listenerOf = ({ context, call }: Request) => listenerKey(context.account, String(call.authorization))

/** Returns the ratings of an account, which it shares with its Subsonic apps. */
export const ratingsFor = (registration: Registration, { stateless }: RequestContext): Ratings | undefined =>
  stateless ? undefined : registration.ratings

/** Registers the page's routes for ratings. `data` is empty without ratings. */
export function registerRatings (route: OwnRoute, registration: Registration): void {
  route('GET ratings', async ({ session, parameters: { track }, ...request }) => {
    const ratings = ratingsFor(registration, request.context)
    return ratings === undefined ? {} : { ratings: await ratings.of(session, listenerOf(request), track) }
  })
  route('POST ratings', async ({ session, parameters: { track, rating }, ...request }) => {
    const ratings = ratingsFor(registration, request.context)
    if (ratings === undefined) throw new UnsupportedFeatureError()
    // The rating of a deleted track can be removed.
    if (rating > 0 && await session.find('getTrackDetail', track) === undefined) {
      throw new NotFoundError('Track not found')
    }
    await ratings.rate(session, listenerOf(request), track, rating)
    return { success: true }
  })
}
