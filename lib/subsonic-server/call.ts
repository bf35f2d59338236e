import type { FastifyReply, FastifyRequest } from 'fastify'
import { extras } from '../../schemas/extras.ts'
import type { Album, AlbumExtras, Artist, Track } from '../../schemas/index.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import type { RestAccount } from './account/account.ts'
import type { Bookmark } from './account/account-state.ts'
import type { ShownLibrary } from './account/gathered-library.ts'
import type { MakeIds, Page, PagedIds } from './account/paged-ids.ts'
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

/** Answers a call with the members of the envelope. */
export type Method = (call: Call) => Promise<JsonObject> | JsonObject

/** The library of the account of a call: that of the source, or what can be found of one that has none. */
export const libraryOf = async ({ session }: Call): Promise<ShownLibrary> =>
  await session.library() ?? session.account.gathered.of(session)

/**
 * A list as it was when this app asked for its beginning.
 *
 * @param name of the list with all that it depends on
 */
export function pagedList (
  { session, username, client }: Call, name: readonly unknown[], offset: number, make: MakeIds
): PagedIds {
  return session.account.pagedList(JSON.stringify([username, client, ...name]), offset, make)
}

/** A page of such a list, without what is gone. */
export async function pageOf<K extends LibraryKind> (
  call: Call, kind: K, name: readonly unknown[], page: Page, make: MakeIds
): Promise<readonly LibraryItems[K][]> {
  return pagedList(call, name, page.offset, make).page(page, ids => readItems(call, kind, ids))
}

/** Tracks that a call may read without a place for a long answer. */
const fewTracks = 100

/** Waits for a place where so many tracks are too many for a short answer. */
export const placeFor = async ({ long }: Call, tracks: number): Promise<void> => {
  if (tracks > fewTracks) await long.takePlace()
}

/** The items of a library with these ids, in their order; `undefined` for what is gone. */
export async function readItems<K extends LibraryKind> (
  call: Call, kind: K, ids: readonly string[]
): Promise<readonly (LibraryItems[K] | undefined)[]> {
  if (kind === 'tracks') await placeFor(call, ids.length)
  return (await libraryOf(call)).items(kind, ids)
}

type Item = Artist | Album | Track

/** What is needed to show items, and no item tells. */
function missingIn (lists: readonly (readonly Item[])[]) {
  let [favourites, tracks] = [false, false]
  const albums: string[] = []
  for (const list of lists) {
    for (const item of list) {
      const { id, favorite, [extras]: more } = item
      // Since when, too.
      if (favorite !== false && (favorite !== true || more?.starred === undefined)) favourites = true
      if ('durationMs' in item) tracks = true
      else if ('artistName' in item && (more as AlbumExtras | undefined)?.playCount === undefined) albums.push(id)
    }
  }
  return { favourites, tracks, albums }
}

/** Plays of albums that came by operations: their answers are kept longer than what is played. */
async function readAlbumPlays (
  session: RestSession<RestAccount>, ids: readonly string[]
): Promise<ReadonlyMap<string, AlbumExtras>> {
  const plays = new Map<string, AlbumExtras>()
  if (typeof (await session.current()).adapter.getPlays !== 'function') return plays
  for (const album of await (await session.library())?.items('albums', ids) ?? []) {
    if (album?.[extras] !== undefined) plays.set(album.id, album[extras])
  }
  return plays
}

const none: ReadonlyMap<string, AlbumExtras> = new Map()

/**
 * What makes the objects of a call.
 *
 * @param lists what will be shown: the account's favourites, bookmarks and plays are read where these need them
 */
export async function itemMapper (
  { session, options, isOpen }: Call, ...lists: readonly (readonly Item[])[]
): Promise<ItemMapper> {
  const { items, state, gathered } = session.account
  const missing = missingIn(lists)
  const bookmarks = missing.tracks
    ? await state.readCurrent<Bookmark>(session, 'bookmarks', id => writeId('track', id))
    : {}
  return new ItemMapper({
    items,
    albumPlays: missing.albums.length === 0 ? none : await readAlbumPlays(session, missing.albums),
    library: gathered.latest,
    favourites: session.isStateful && missing.favourites ? await state.favourites(session) : undefined,
    starred: state.starred,
    ratings: await state.readCurrent(session, 'ratings'),
    bookmarks,
    played: missing.tracks ? await state.played(session) : undefined,
    isOpen
  })
}
