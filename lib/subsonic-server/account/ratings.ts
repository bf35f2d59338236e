import type { Ratings } from '../../routes/index.ts'
import type { SourceSession } from '../../source/index.ts'
import { writeId } from '../ids.ts'
import type { AccountState } from './account-state.ts'
import { findCurrentIds, shownIdsOf, withValue } from './current-ids.ts'
import type { RestAccounts } from './rest-accounts.ts'

/**
 * Stores a rating.
 *
 * @param shownId the id that apps use
 * @param rating 1 to 5; 0 removes the rating
 */
export async function rate (
  state: AccountState, session: Pick<SourceSession, 'context' | 'library'>, shownId: string, rating: number
): Promise<void> {
  const known = Object.keys(await state.read<Record<string, number>>('ratings', {}))
  const currentOf = await findCurrentIds([...known, shownId], session)
  const [id, ...more] = currentOf(shownId)
  await state.change<Record<string, number>>('ratings', {}, ratings =>
    withValue(ratings, more.length > 0 ? shownId : id!, rating === 0 ? undefined : rating, currentOf))
}

/** Returns the track ratings set by apps, for the web page. */
export const ratingsOf = (accounts: RestAccounts): Ratings => ({
  async of (session, listener, tracks) {
    const ratings = await accounts.stateOf(listener).readCurrent<number>(session, 'ratings')
    return Object.fromEntries(tracks.flatMap(id => {
      const rating = ratings.last(shownIdsOf(session)(writeId('track', id)))
      return rating === undefined ? [] : [[id, rating]]
    }))
  },
  async rate (session, listener, track, rating) {
    await rate(accounts.stateOf(listener), session, writeId('track', track), rating)
  }
})
