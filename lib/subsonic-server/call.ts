import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Album, Artist, Track } from '../../schemas/index.ts'
import type { RestAccount } from './account/account.ts'
import type { Bookmark } from './account/account-state.ts'
import { byCurrentId } from './account/current-ids.ts'
import type { Page, PagedList } from './account/paged-list.ts'
import { readPlayed } from './account/play-counts.ts'
import type { ValidOptions } from './subsonic-options.ts'
import { writeId } from './ids.ts'
import { ItemMapper } from './item-mapper.ts'
import type { LongAnswer } from './limit-long-answers.ts'
import type { MediaSender } from './media/media-sender.ts'
import type { Parameters } from './parameters.ts'
import type { RestSession } from './session.ts'
import type { JsonObject } from './write-xml.ts'

/** One call of `/rest` after its login. */
export interface Call {
  readonly options: ValidOptions
  readonly parameters: Parameters
  readonly session: RestSession<RestAccount>
  readonly media: MediaSender
  /** Name of the user; with an API key that of the account. */
  readonly username: string
  /** What others read as the account, and what is kept of the user: never what was typed where the secret belongs. */
  readonly shownName: string
  readonly client: string
  /** Whether the app speaks OpenSubsonic: older ones fail on nested members. */
  readonly isOpen: boolean
  readonly long: LongAnswer
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Reads what is shown of the items of a list. */
export type Read<L, T = L> = (call: Call, listed: readonly L[]) => Promise<readonly T[]>

/** Answers a call with the members of the envelope. */
export type Method = (call: Call) => Promise<JsonObject> | JsonObject

/**
 * A list as it was when this app asked for its beginning.
 *
 * @param name of the list with all that it depends on
 */
export function pagedList<L extends { readonly id: string }> (
  { session, username, client }: Call, name: readonly unknown[], offset: number, make: () => Promise<readonly L[]>
): PagedList<L> {
  return session.account.pagedList(JSON.stringify([username, client, ...name]), offset, make)
}

/** A page of such a list, without what is gone. */
export async function pageOf<L extends { readonly id: string }, T extends { readonly id: string }> (
  call: Call, name: readonly unknown[], page: Page, make: () => Promise<readonly L[]>, read: Read<L, T>
): Promise<readonly T[]> {
  return pagedList(call, name, page.offset, make).page(page, listed => read(call, listed))
}

/** Tracks that a call may read without a place for a long answer. */
const fewTracks = 100

/** Waits for a place where so many tracks are too many for a short answer. */
export const placeFor = async ({ long }: Call, tracks: number): Promise<void> => {
  if (tracks > fewTracks) await long.takePlace()
}

/** What is shown of the tracks of a library. */
export const readTracks: Read<{ readonly id: string }, Track> = async (call, listed) => {
  await placeFor(call, listed.length)
  return call.session.account.library.tracks(call.session, listed)
}

/** The library of the account of a call. */
export const listingOf = ({ session }: Call) => session.account.library.listing(session)

type Item = Pick<Artist | Album | Track, 'favorite'>

/**
 * What makes the objects of a call.
 *
 * @param lists what will be shown: the account's favourites are read, unless the source says of all that they are none
 */
export async function itemMapper (
  { session, options, isOpen }: Call, ...lists: readonly (readonly Item[])[]
): Promise<ItemMapper> {
  const { items, state } = session.account
  const { addedAt } = options
  const bookmarks = Object.entries(await state.read<Record<string, Bookmark>>('bookmarks', {}))
    .map(([id, { position }]) => [writeId('track', id), position] as const)
  const needsFavourites = session.isStateful && lists.some(list => list.some(({ favorite }) => favorite !== false))
  return new ItemMapper({
    items,
    favourites: needsFavourites ? await state.favourites(session) : undefined,
    starred: state.starred,
    ratings: byCurrentId(await state.read('ratings', {}), options.currentIds),
    bookmarks: byCurrentId(Object.fromEntries(bookmarks), options.currentIds),
    addedAt: addedAt && ((kind, id) => addedAt(kind, id, session.context)),
    quality: options.quality,
    played: await readPlayed(session),
    isOpen
  })
}
