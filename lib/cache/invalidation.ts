import type { MutationMethod, ReadMethod } from '../contract/operations.ts'
import type { Change, Invalidation } from '../source/index.ts'

/** The part of an answer that decides whether it is invalid. */
export interface Affected {
  readonly operation: ReadMethod
  readonly args: readonly unknown[]
  /** `undefined` for one that is the same for all accounts. */
  readonly account: string | undefined
  readonly body: Buffer | string
}

interface Effect {
  /** Operations whose answers are invalid whatever they say. */
  readonly operations: readonly ReadMethod[]
  /** Whether public answers about the item are invalid too. */
  readonly everywhere: boolean
}

const ofPlaylist: Effect = { operations: ['getUserPlaylist'], everywhere: true }
const ofItem = (list: ReadMethod): Effect => ({ operations: [list, 'getUserPlaylist'], everywhere: false })

/** What each mutation makes invalid. */
export const effects: Readonly<Record<MutationMethod, Effect>> = {
  favoriteTrack: ofItem('userFavoriteTracks'),
  favoriteAlbum: ofItem('userAlbums'),
  favoriteArtist: ofItem('userArtists'),
  favoritePlaylist: ofPlaylist,
  updatePlaylist: ofPlaylist,
  deletePlaylist: ofPlaylist,
  addTrackToPlaylist: ofPlaylist,
  removeTrack: ofPlaylist,
  createPlaylist: ofPlaylist
}

/** Whether answers of an account, or the public ones (`undefined`), may be invalid after a change. */
export function concerns ({ operation, account }: Change, owner: string | undefined): boolean {
  return owner === undefined ? effects[operation].everywhere : owner === account
}

/** Makes the test whether an answer is invalid. It may say so of one too many, never of one too few. */
export function compileInvalidation (invalidation: Invalidation): (answer: Affected) => boolean {
  if ('forget' in invalidation) {
    const { account, operation, id } = invalidation.forget
    const namesId = id === undefined ? () => true : compileNames(id)
    return answer =>
      (account === undefined || answer.account === account) &&
      (operation === undefined || answer.operation === operation) &&
      namesId(answer)
  }
  const { change } = invalidation
  const { operations } = effects[change.operation]
  const namesId = change.id === undefined ? () => false : compileNames(change.id)
  return answer => concerns(change, answer.account) &&
    ((answer.account !== undefined && operations.includes(answer.operation)) || namesId(answer))
}

/**
 * Whether an answer was asked for by an id, or has an item with it. In written JSON the text cannot come from a value.
 */
function compileNames (id: string): (answer: Affected) => boolean {
  const member = `"id":${JSON.stringify(id)}`
  return ({ args, body }) => args.includes(id) || body.includes(member)
}
