import type { Ratings } from '../../routes/index.ts'
import type { AskedLibrary } from '../../source/index.ts'
import { writeId } from '../ids.ts'
import type { AccountState } from './account-state.ts'
import { findCurrent } from './by-current-id.ts'
import type { RestAccounts } from './rest-accounts.ts'

/**
 * Keeps a rating.
 *
 * @param shownId the id that apps have
 * @param rating 1 to 5; 0 = none any more
 */
export async function rate (
  state: AccountState, library: AskedLibrary | undefined, shownId: string, rating: number
): Promise<void> {
  const known = Object.keys(await state.read<Record<string, number>>('ratings', {}))
  const current = await findCurrent([...known, shownId], library)
  await state.change<Record<string, number>>('ratings', {}, ratings => {
    const others = Object.entries(ratings).filter(([other]) => current(other) !== current(shownId))
    // What it had by another id is kept, in case that it becomes two again.
    return rating === 0 ? Object.fromEntries(others) : { ...ratings, [current(shownId)]: rating }
  })
}

/** Ratings of tracks as apps have given them, for the page beside them. */
export const ratingsOf = (accounts: RestAccounts): Ratings => ({
  async of (asker, listener, tracks) {
    const ratings = await accounts.stateOf(listener).readCurrent<number>(asker, 'ratings')
    return Object.fromEntries(tracks.flatMap(id => {
      const rating = ratings[writeId('track', id)]
      return rating === undefined ? [] : [[id, rating]]
    }))
  },
  async rate (asker, listener, track, rating) {
    await rate(accounts.stateOf(listener), await asker.library(), writeId('track', track), rating)
  }
})
