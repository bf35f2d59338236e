import type { MutationMethod, ReadMethod } from '../contract/operations.ts'
import type { Change, Invalidation } from '../source/index.ts'
import { hashOfId } from './ids-in.ts'

/** The properties of a response that decide whether it is invalid. */
export interface Affected {
  readonly operation: ReadMethod
  readonly args: readonly unknown[]
  /** `undefined` for a response that is the same for all accounts. */
  readonly account: string | undefined
  /** The hashes of the requested ids and of the ids of its items. */
  readonly ids: Uint32Array
}

interface Effect {
  /** Operations whose responses are always invalid after the mutation. */
  readonly operations: readonly ReadMethod[]
  /** If `true`, public responses about the item are invalid too. */
  readonly everywhere: boolean
}

const ofPlaylist: Effect = { operations: ['getUserPlaylist'], everywhere: true }
const ofItem = (list: ReadMethod): Effect => ({ operations: [list, 'getUserPlaylist'], everywhere: false })

/** The effect of each mutation. */
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

/** Returns whether entries of an account, or public entries (`undefined`), may be invalid after a change. */
export function concerns ({ operation, account }: Change, owner: string | undefined): boolean {
  return owner === undefined ? effects[operation].everywhere : owner === account
}

/** Compiles a function that checks whether an entry is invalid. It may report too many entries, never too few. */
export function compileInvalidation (invalidation: Invalidation): (answer: Affected) => boolean {
  if ('forget' in invalidation) {
    const { account, operation, id } = invalidation.forget
    const namesId = id === undefined ? () => true : compileNames([id])
    return answer =>
      (account === undefined || answer.account === account) &&
      (operation === undefined || answer.operation === operation) &&
      namesId(answer)
  }
  const { changes } = invalidation
  const operations = [...new Set(changes.map(({ operation }) => operation))]
  const tests = operations.map(operation => {
    const alike = changes.filter(change => change.operation === operation)
    const namesOne = compileNames(alike.flatMap(({ id }) => id ?? []))
    return (answer: Affected) => concerns(alike[0]!, answer.account) &&
      ((answer.account !== undefined && effects[operation].operations.includes(answer.operation)) || namesOne(answer))
  })
  return answer => tests.some(test => test(answer))
}

/** Compiles a function that checks whether a response was requested by one of some ids or contains an item with it. */
function compileNames (ids: readonly string[]): (answer: Affected) => boolean {
  const named = new Set(ids.map(hashOfId))
  if (named.size > 1) return answer => answer.ids.some(id => named.has(id))
  const [one = -1] = named
  return answer => answer.ids.includes(one)
}
