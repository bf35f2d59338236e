import type { Question } from '../contract/answer-cache.ts'
import { operationOf } from '../contract/find-operation.ts'
import type { MutationMethod, ReadMethod } from '../contract/operations.ts'

/** A mutation that makes kept answers old. */
export interface Change {
  readonly operation: MutationMethod
  readonly args: readonly unknown[]
  readonly account?: string | undefined
  /** Id of the item that changed, where there is one. */
  readonly id?: string | undefined
}

/** What is to be forgotten: answers that match all given members. */
export interface Forget {
  readonly account?: string | undefined
  readonly operation?: ReadMethod | undefined
  /** Answers that were asked for by this id, or have an item with it. */
  readonly id?: string | undefined
}

/** Why answers are forgotten. Plain data, since other replicas are told. */
export type News = { readonly change: Change } | { readonly forget: Forget }

/** Of an answer, what tells whether it is old. */
export interface Affected {
  readonly operation: ReadMethod
  readonly args: readonly unknown[]
  /** `undefined` for one that is the same for all accounts. */
  readonly account: string | undefined
  readonly body: Buffer | string
}

interface Effect {
  /** Operations whose answers are forgotten whatever they say. */
  readonly forgotten: readonly ReadMethod[]
  /** Name of the parameter with the id; `createPlaylist` answers it instead. */
  readonly id?: 'id' | 'playlistId'
  /** Whether public answers about the item are forgotten too. */
  readonly everywhere: boolean
}

const ofPlaylist = { forgotten: ['getUserPlaylist'], everywhere: true } as const
const ofItem = (list: ReadMethod): Effect => ({ forgotten: [list, 'getUserPlaylist'], id: 'id', everywhere: false })

/** What each mutation makes old. */
export const effects: Readonly<Record<MutationMethod, Effect>> = {
  favoriteTrack: ofItem('userFavoriteTracks'),
  favoriteAlbum: ofItem('userAlbums'),
  favoriteArtist: ofItem('userArtists'),
  favoritePlaylist: { ...ofPlaylist, id: 'id' },
  updatePlaylist: { ...ofPlaylist, id: 'id' },
  deletePlaylist: { ...ofPlaylist, id: 'id' },
  addTrackToPlaylist: { ...ofPlaylist, id: 'playlistId' },
  removeTrack: { ...ofPlaylist, id: 'playlistId' },
  createPlaylist: ofPlaylist
}

/** The change that a mutation made. What the adapter answered may be anything. */
export function changeOf ({ operation: name, args, account }: Question, data: unknown): Change {
  const operation = name as MutationMethod
  const { id: parameter } = effects[operation]
  let id: unknown
  try {
    id = parameter === undefined ? asJson(data).id : args[operationOf(operation).parameters.indexOf(parameter)]
    if (id !== undefined) return { operation, args, account, id: String(id) }
  } catch {
    // Answered like one without an id.
  }
  return { operation, args, account }
}

/** An object as JSON has it. */
function asJson (data: unknown): { id?: unknown } {
  const { toJSON } = Object(data)
  return Object(typeof toJSON === 'function' ? toJSON.call(data) : data)
}

/** Whether answers of an account, or the public ones (`undefined`), may be old after a change. */
export function concerns ({ operation, account }: Change, owner: string | undefined): boolean {
  return owner === undefined ? effects[operation].everywhere : owner === account
}

/** Whether an answer is old after a change. It may say so of one too many, never of one too few. */
export const isChangedBy = (change: Change, answer: Affected): boolean => concerns(change, answer.account) && (
  (answer.account !== undefined && effects[change.operation].forgotten.includes(answer.operation)) ||
  (change.id !== undefined && names(answer, change.id)))

/** Whether an answer is among those that are to be forgotten. */
export const isMeantBy = ({ account, operation, id }: Forget, answer: Affected): boolean =>
  (account === undefined || answer.account === account) &&
  (operation === undefined || answer.operation === operation) &&
  (id === undefined || names(answer, id))

/**
 * Whether an answer was asked for by an id, or has an item with it. In written JSON the text cannot come from a value.
 */
const names = ({ args, body }: Affected, id: string): boolean =>
  args.includes(id) || body.includes(`"id":${JSON.stringify(id)}`)
