import { randomBytes } from 'node:crypto'
import type { FavoriteItem } from '../../contract/source-extras.ts'
import { mostEntries, positionOf, type AccountQueues } from '../../queue/index.ts'
import { rejectMany, setFavorites } from '../../source/index.ts'
import type { Bookmark, Queue } from '../account/account-state.ts'
import { findCurrentIds, withValue } from '../account/current-ids.ts'
import { rate } from '../account/ratings.ts'
import { itemMapper, type Call, type Method } from '../call.ts'
import { readId, readIdOf, writeId, type IdKind } from '../ids.ts'
import type { Parameters } from '../parameters.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { findPlaylist } from './find-playlist.ts'
import { findAlbum, findArtist, findTrack, tracksById } from './find-items.ts'
import { described } from '../write-xml.ts'

/** Adds or removes favourites. */
const star = (status: boolean): Method => async call => {
  const { session, parameters } = call
  const ids = ['id', 'albumId', 'artistId'].flatMap(name => parameters.all(name))
  if (ids.length === 0) throw new SubsonicError(10, 'Required parameter is missing: id, albumId or artistId')
  rejectMany(ids)
  const items = [...new Set(ids)].map((text): FavoriteItem => {
    const { kind, id } = readId(text)
    if (kind === 'special' || kind === 'toplist') throw new SubsonicError(50, 'This list cannot be a favourite')
    return { kind, id }
  })
  await setFavorites(session, items, status)
  session.account.state.star(session, ids, status)
  return {}
}

/** @throws SubsonicError 70 if the item does not exist */
async function findRated (call: Call, kind: IdKind, id: string): Promise<unknown> {
  if (kind === 'track') return findTrack(call, id)
  if (kind === 'artist') return findArtist(call, id)
  return kind === 'album' ? findAlbum(call, id) : findPlaylist(call, kind, id)
}

const setRating: Method = async call => {
  const { session, parameters } = call
  const id = parameters.required('id')
  const { kind, id: given } = readId(id)
  parameters.required('rating')
  const rating = parameters.integer('rating')!
  if (rating > 5) throw new SubsonicError(10, 'Parameter rating must be 0 to 5')
  // The rating of a deleted item can be removed.
  if (rating > 0) await findRated(call, kind, given)
  await rate(session.account.state, session, id, rating)
  return {}
}

/** The maximum size of a queue's ids in bytes, and the maximum number of queues. */
const longestQueue = 2 ** 20
const mostQueues = 16

/** The most recently saved queue is the last one. */
type Queues = (readonly [name: string, queue: Queue])[]

const bytesOf = (texts: readonly string[]) => texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)

/** Returns the name of a queue of a source without accounts: each user name has one. */
const queueNameOf = ({ shownName }: Call) => shownName.toLowerCase()

/** Returns the last queues within the limits, since a client can send any name. */
function lastQueues (queues: Queues): Queues {
  let left = longestQueue
  const last = queues.slice(-mostQueues)
  return last.slice(last.findLastIndex(([name, { ids }]) => { left -= bytesOf([name, ...ids]); return left < 0 }) + 1)
}

/** @throws SubsonicError 10 if the index is out of range */
function givenIndex (parameters: Parameters, ids: readonly string[]): number {
  const index = parameters.integer('currentIndex')
  if (ids.length > 0 && (index === undefined || index >= ids.length)) {
    throw new SubsonicError(10, `Parameter currentIndex must be the index of one of the ${ids.length} songs`)
  }
  return index ?? 0
}

/** Returns the index of the current song, -1 if it is not in the queue. Without a current song it is 0. */
function indexOfGiven (parameters: Parameters, ids: readonly string[]): number {
  const current = parameters.first('current')
  return current === undefined ? 0 : ids.indexOf(readIdOf('track', current))
}

const savePlayQueue = (byIndex: boolean): Method => async call => {
  const { session: { account: { state }, context: { account } }, parameters, client } = call
  const given = parameters.all('id')
  rejectMany(given)
  const ids = given.map(id => readIdOf('track', id))
  const name = queueNameOf(call)
  if (bytesOf([name, ...ids]) > longestQueue) {
    throw new SubsonicError(10, `The ids of a play queue have at most ${longestQueue} bytes`)
  }
  const position = parameters.integer('position') ?? 0
  const current = byIndex ? givenIndex(parameters, ids) : indexOfGiven(parameters, ids)
  if (ids.length > mostEntries) throw new SubsonicError(10, `A play queue has at most ${mostEntries} songs`)
  // The position belongs to a song that is not in the queue.
  const place = { current: Math.max(0, current), position: current === -1 ? 0 : position }
  if (account !== undefined) {
    await state.queues.save(account, client, { tracks: ids, ...place }, newEntryId)
    return {}
  }
  const queue: Queue = {
    ids,
    ...place,
    changed: new Date().toISOString(),
    changedBy: client
  }
  await state.change<Queues>('queues', [], queues => {
    const others = queues.filter(([other]) => other !== name)
    const kept = ids.length === 0 ? others : lastQueues([...others, [name, queue]])
    return kept.length === 0 ? undefined : kept
  })
  return {}
}

/** Returns an id that is unique within a queue. */
const newEntryId = () => randomBytes(6).toString('base64url')

const noQueue: Queue = { ids: [], position: 0, changed: '1970-01-01T00:00:00.000Z', changedBy: '' }

/** Returns the queue of the account, whichever device or app changed it. */
async function queueOfAccount (queues: AccountQueues, account: string): Promise<Queue> {
  const { queue: { entries }, now, current, device } = await queues.read(account)
  return {
    ids: entries.map(([, track]) => track),
    current: Math.max(0, entries.findIndex(([id]) => id === current)),
    position: Math.round(positionOf(now, current, Date.now())),
    changed: new Date(now.at).toISOString(),
    changedBy: device ?? ''
  }
}

async function savedQueue (call: Call): Promise<Queue> {
  const { account: { state }, context: { account } } = call.session
  if (account !== undefined) return queueOfAccount(state.queues, account)
  return new Map(await state.read<Queues>('queues', [])).get(queueNameOf(call)) ?? noQueue
}

/** Returns the queue, even if it is empty, since apps expect the object. Missing tracks are left out. */
const getPlayQueue = (member: 'playQueue' | 'playQueueByIndex'): Method => async call => {
  const { ids, current = 0, position, changed, changedBy } = await savedQueue(call)
  const tracks = await tracksById(call, ids)
  const mapper = await itemMapper(call, { tracks: [...tracks.values()] })
  const places = [...ids.keys()].filter(place => tracks.has(ids[place]!))
  const known = places.map(index => ({ index, track: tracks.get(ids[index]!)! }))
  // If the current track is missing, the next existing one becomes current, else the last one.
  const next = known.findIndex(({ index }) => index >= current)
  const currentIndex = next === -1 ? known.length - 1 : next
  const here = known[currentIndex]
  return {
    [member]: {
      username: call.username,
      changed,
      changedBy,
      ...here && {
        ...member === 'playQueue' ? { current: writeId('track', here.track.id) } : { currentIndex },
        position: here.index === current ? position : 0
      },
      entry: described(known, ({ track }) => mapper.song(track))
    }
  }
}

const getBookmarks: Method = async call => {
  const { session, username } = call
  const bookmarks = await session.account.state.read<Record<string, Bookmark>>('bookmarks', {})
  const ids = Object.keys(bookmarks)
  const tracks = await tracksById(call, ids)
  const mapper = await itemMapper(call, { tracks: [...tracks.values()] })
  // If two bookmarks now refer to one track, the later one is shown.
  const byTime = [...tracks].sort(([a], [b]) => bookmarks[a]!.changed.localeCompare(bookmarks[b]!.changed))
  const last = new Map(byTime.map(([id, track]) => [track.id, id]))
  const shown = [...tracks].filter(([id, track]) => last.get(track.id) === id)
  const bookmark = described(shown, ([id, track]) => ({ ...bookmarks[id]!, username, entry: mapper.song(track) }))
  return { bookmarks: { bookmark } }
}

const createBookmark: Method = async call => {
  const { session, parameters } = call
  const id = readIdOf('track', parameters.required('id'))
  parameters.required('position')
  const position = parameters.integer('position')!
  await findTrack(call, id)
  const comment = parameters.first('comment') ?? ''
  const now = new Date().toISOString()
  await changeBookmark(session, id, known => ({ position, comment, created: known?.created ?? now, changed: now }))
  return {}
}

const deleteBookmark: Method = async ({ session, parameters }) => {
  await changeBookmark(session, readIdOf('track', parameters.required('id')), () => undefined)
  return {}
}

async function changeBookmark (
  session: Call['session'], track: string, change: (known: Bookmark | undefined) => Bookmark | undefined
): Promise<void> {
  const shownOf = (id: string) => writeId('track', id)
  const { state } = session.account
  const known = Object.keys(await state.read<Record<string, Bookmark>>('bookmarks', {}))
  const currentOf = await findCurrentIds([...known, track].map(shownOf), session)
  await state.change<Record<string, Bookmark>>('bookmarks', {}, bookmarks =>
    withValue(bookmarks, track, change(bookmarks[track]), id => currentOf(shownOf(id))))
}

export const annotateMethods: Readonly<Record<string, Method>> = {
  star: star(true),
  unstar: star(false),
  setRating,
  savePlayQueue: savePlayQueue(false),
  savePlayQueueByIndex: savePlayQueue(true),
  getPlayQueue: getPlayQueue('playQueue'),
  getPlayQueueByIndex: getPlayQueue('playQueueByIndex'),
  getBookmarks,
  createBookmark,
  deleteBookmark
}
