import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Album, Artist, Track } from '../../schemas/index.ts'
import type { Account } from './account/account.ts'
import type { ListedTrack } from './account/listing.ts'
import type { CheckedOptions } from './check-options.ts'
import { ItemMapper } from './item-mapper.ts'
import type { MediaSender } from './media/media-sender.ts'
import type { Parameters } from './parameters.ts'
import type { Session } from './session.ts'
import type { JsonObject } from './write-xml.ts'

/** The part of a list that an app asks for. */
export interface Page { readonly size: number, readonly offset: number }

/** One call of `/rest` after its login. */
export interface Call {
  readonly options: CheckedOptions
  readonly parameters: Parameters
  readonly session: Session<Account>
  readonly media: MediaSender
  /** Name of the user; with an API key that of the account. */
  readonly username: string
  readonly client: string
  /** Whether the app speaks OpenSubsonic: older ones fail on nested members. */
  readonly isOpen: boolean
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Reads what is shown of the items of a list. */
export type Read<L, T = L> = (call: Call, listed: readonly L[]) => Promise<readonly T[]>

/** Answers a call with the members of the envelope. */
export type Method = (call: Call) => Promise<JsonObject> | JsonObject

/**
 * A list as it was when this app asked for its beginning: the pages after it repeat and lose nothing, also when the
 * library is read anew meanwhile.
 *
 * @param name of the list with all that it depends on
 */
export function pagedList<T> (
  call: Call, name: readonly unknown[], offset: number, make: () => Promise<readonly T[]>
): Promise<readonly T[]> {
  return call.session.account.pagedList(nameOf(call, name), offset, make)
}

const nameOf = ({ username, client }: Call, name: readonly unknown[]) => JSON.stringify([username, client, ...name])

/**
 * A page of such a list. What is gone leaves the list, and what comes after it is shown: many apps take a page that is
 * short for the last one.
 *
 * @param read what is shown of the items, without those that are gone
 */
export async function pageOf<L extends { readonly id: string }, T extends { readonly id: string }> (
  call: Call, name: readonly unknown[], { size, offset }: Page, make: () => Promise<readonly L[]>, read: Read<L, T>
): Promise<readonly T[]> {
  for (let list = await pagedList(call, name, offset, make); ;) {
    const page = list.slice(offset, offset + size)
    const items = await read(call, page)
    if (items.length === page.length) return items
    const gone = new Set(page.map(({ id }) => id))
    for (const { id } of items) gone.delete(id)
    list = list.filter(({ id }) => !gone.has(id))
    call.session.account.keepList(nameOf(call, name), list)
  }
}

/** What is shown of the tracks of a library. */
export const readTracks: Read<ListedTrack, Track> = ({ session }, listed) =>
  session.account.library.tracks(session, listed)

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
  const needsFavourites = session.isStateful && lists.some(list => list.some(({ favorite }) => favorite !== false))
  return new ItemMapper({
    items,
    favourites: needsFavourites ? await state.favourites(session) : undefined,
    starred: state.starred,
    ratings: await state.read('ratings', {}),
    addedAt: addedAt && ((kind, id) => addedAt(kind, id, session.context)),
    quality: options.quality,
    isOpen
  })
}
