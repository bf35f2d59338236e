import type { FastifyReply, FastifyRequest } from 'fastify'
import { extras } from '../../schemas/extras.ts'
import type { Album, AlbumExtras, Artist, Track } from '../../schemas/index.ts'
import { idsOf, ValuesOfItems } from '../contract/merged-items.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import type { RestAccount } from './account/rest-account.ts'
import type { Bookmark } from './account/account-state.ts'
import { shownIdsOf } from './account/current-ids.ts'
import {
  generatedFor, libraryFor, type GeneratedLibrary, type MakeIds, type Page, type PagedIds, type ShownLibrary
} from '../library/internal.ts'
import type { ValidOptions } from './subsonic-options.ts'
import { writeId } from './ids.ts'
import { ItemMapper, type Surroundings } from './item-mapper.ts'
import type { LongAnswer } from './limit-long-answers.ts'
import type { MediaSender } from './media/media-sender.ts'
import type { Parameters } from './parameters.ts'
import { lastingPictures } from './server-url.ts'
import type { RestSession } from './session.ts'
import type { JsonObject } from './write-xml.ts'

/** An authenticated call of `/rest`. */
export interface Call {
  readonly options: ValidOptions
  readonly parameters: Parameters
  readonly session: RestSession<RestAccount>
  readonly media: MediaSender
  /** The user name, or with an API key the account name. */
  readonly username: string
  /**
   * The account name shown to other users, and the key of the user's data. It never contains input from the password
   * fields.
   */
  readonly shownName: string
  readonly client: string
  /** Whether the app supports OpenSubsonic. Older apps fail on nested properties. */
  readonly isOpen: boolean
  readonly long: LongAnswer
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Handles a call and returns the properties of the envelope. */
export type Method = (call: Call) => Promise<JsonObject> | JsonObject

/** Returns the library of the source; without one, the generated library of the account. */
export const libraryOf = ({ session, options }: Call): Promise<ShownLibrary> => libraryFor(session, options.limits.ttl)

/** Returns the generated library of the account. */
export const generatedOf = ({ session, options }: Call): GeneratedLibrary => generatedFor(session, options.limits.ttl)

/**
 * Returns a list as it was when this app requested its first page.
 *
 * @param name identifies the list with all its parameters
 */
export function pagedList (
  { session, username, client }: Call, name: readonly unknown[], offset: number, make: MakeIds
): PagedIds {
  return session.account.pagedList(JSON.stringify([username, client, ...name]), offset, make)
}

/** Returns a page of a paged list, without deleted items. */
export async function pageOf<K extends LibraryKind> (
  call: Call, kind: K, name: readonly unknown[], page: Page, make: MakeIds
): Promise<readonly LibraryItems[K][]> {
  return pagedList(call, name, page.offset, make).page(page, ids => readItems(call, kind, ids))
}

/** The maximum number of tracks that a call may read without a slot for long responses. */
const fewTracks = 100

/** Waits for a slot if the number of tracks makes the response long. */
export const placeFor = async ({ long }: Call, tracks: number): Promise<void> => {
  if (tracks > fewTracks) await long.takePlace()
}

/** Returns the items of a library by id, in order; `undefined` for deleted items. */
export async function readItems<K extends LibraryKind> (
  call: Call, kind: K, ids: readonly string[]
): Promise<readonly (LibraryItems[K] | undefined)[]> {
  if (kind === 'tracks') await placeFor(call, ids.length)
  const found = await (await libraryOf(call)).items(kind, ids)
  if (!found.includes(undefined)) return found
  // Lists of a source without a library show items that its generated library lacks.
  const { tracks, shown } = call.session.account.items
  const others = kind === 'tracks' ? tracks : kind === 'albums' ? shown : undefined
  return found.map((item, at) => item ?? others?.get(ids[at]!) as LibraryItems[K] | undefined)
}

/** The items that a response will contain. */
interface Shown {
  readonly artists?: readonly Artist[] | undefined
  readonly albums?: readonly Album[] | undefined
  readonly tracks?: readonly Track[] | undefined
}

type Known = Surroundings['known']

const kinds = ['artists', 'albums', 'tracks'] as const
const nothingKnown: Known = { artists: new Map(), albums: new Map(), tracks: new Map() }
/** Placeholder for values that are not read. */
const nothing = new ValuesOfItems<never>()

/** Returns the items without the properties that lists require. */
function lackingOf<T extends Artist | Album | Track> (items: readonly T[], needPlays = false): readonly T[] {
  const lacking: T[] = []
  for (const item of items) {
    const more: AlbumExtras | undefined = item[extras]
    if (more === undefined || (needPlays && more.playCount === undefined)) lacking.push(item)
  }
  return lacking
}

/** Returns complete items from the library of the source. */
async function complete<K extends LibraryKind> (
  session: RestSession<RestAccount>, kind: K, lacking: readonly LibraryItems[K][]
): Promise<ReadonlyMap<string, LibraryItems[K]>> {
  const library = await session.library()
  const ids = lacking.filter(item => library?.mayComplete(item)).map(({ id }) => id)
  const found = await library?.items(kind, ids) ?? []
  return new Map(found.flatMap((item, at) => item === undefined ? [] : [[ids[at]!, item]]))
}

/** Returns whether an item lacks the favourite flag or its time. */
function lackFavourites (shown: Shown, known: Known): boolean {
  for (const kind of kinds) {
    for (const item of shown[kind] ?? []) {
      const told: Artist | Album | Track | undefined = known[kind].get(item.id)
      const { favorite = told?.favorite, [extras]: more = told?.[extras] } = item
      if (favorite !== false && (favorite !== true || more?.starred === undefined)) return true
    }
  }
  return false
}

/**
 * Creates the mapper of a call.
 *
 * @param shown the items for which favourites, ratings, bookmarks and plays are read. Incomplete items are completed
 *   from the source's library
 */
export async function itemMapper (call: Call, shown: Shown): Promise<ItemMapper> {
  const { session, isOpen } = call
  const { items, state } = session.account
  const generated = items.isKept ? generatedOf(call) : undefined
  for (const library of generated?.known ?? []) session.account.note(library)
  const { artists = [], albums = [], tracks = [] } = shown
  // Responses of operations are cached for longer than play counts.
  const needPlays = typeof session.context.adapter.getPlays === 'function'
  const lacking =
    { artists: lackingOf(artists), albums: lackingOf(albums, needPlays), tracks: lackingOf(tracks) }
  const known = lacking.artists.length + lacking.albums.length + lacking.tracks.length === 0
    ? nothingKnown
    : {
        artists: await complete(session, 'artists', lacking.artists),
        albums: await complete(session, 'albums', lacking.albums),
        tracks: await complete(session, 'tracks', lacking.tracks)
      }
  const hasTracks = tracks.length > 0
  return new ItemMapper({
    items,
    idsOf: idsOf(session.context.adapter),
    shownIdsOf: shownIdsOf(session),
    known,
    library: generated?.latest,
    favourites: session.isStateful && lackFavourites(shown, known) ? await state.favourites(session) : undefined,
    starred: state.starred,
    ratings: hasTracks || artists.length + albums.length > 0 ? await state.readCurrent(session, 'ratings') : nothing,
    bookmarks: hasTracks
      ? await state.readCurrent<Bookmark>(session, 'bookmarks', id => writeId('track', id))
      : nothing,
    pictureUrl: lastingPictures(call),
    formats: call.options.transcoder?.formats ?? [],
    played: hasTracks ? await state.played(session) : undefined,
    isOpen
  })
}
