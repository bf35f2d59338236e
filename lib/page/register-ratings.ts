import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { listenerKey } from '../plays/index.ts'
import type { CurrentCall } from '../request/index.ts'
import type { Ratings, Registration } from '../routes/index.ts'
import type { OwnRoute } from './own-routes.ts'

interface Request { readonly context: RequestContext, readonly call: CurrentCall }

const listenerOf = ({ context, call }: Request) => listenerKey(context.account, String(call.authorization))

/** Where the ratings of an account are kept: with those of its Subsonic apps. */
export const ratingsFor = (registration: Registration, { stateless }: RequestContext): Ratings | undefined =>
  stateless ? undefined : registration.ratings

/** The page's own routes of ratings. `data` is empty where there are none. */
export function registerRatings (route: OwnRoute, registration: Registration): void {
  route('GET ratings', async ({ asker, parameters: { track }, ...request }) => {
    const ratings = ratingsFor(registration, request.context)
    return ratings === undefined ? {} : { ratings: await ratings.of(asker, listenerOf(request), track) }
  })
  route('POST ratings', async ({ asker, parameters: { track, rating }, ...request }) => {
    const ratings = ratingsFor(registration, request.context)
    if (ratings === undefined) throw new UnsupportedFeatureError()
    // What is gone may lose its rating.
    if (rating > 0 && await asker.find('getTrackDetail', track) === undefined) {
      throw new NotFoundError('Track not found')
    }
    await ratings.rate(asker, listenerOf(request), track, rating)
    return { success: true }
  })
}
