import { extras } from '../../../schemas/extras.ts'
import type { Playlist } from '../../../schemas/index.ts'
import { isMadeBy } from '../../contract/is-made-by.ts'
import { editPlaylist, sharePlaylist } from '../../source/index.ts'
import { forEachLimited } from '../../async/limit-concurrency.ts'
import { compareNames } from '../../text/names.ts'
import { everyPage } from '../../async/every-page.ts'
import { itemMapper, type Call, type Method } from '../call.ts'
import { lengthOf } from '../item-mapper.ts'
import { readId, readIdOf, writeId } from '../ids.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { described, type JsonObject } from '../write-xml.ts'
import { dailyId, dailyTracks, findPlaylist, noPlaylist } from './find-playlist.ts'

/** The maximum number of the source's lists that are searched. */
const mostLists = 5000

const getPlaylists: Method = async call => {
  const { session, options: { lists, title: server }, username } = call
  const isShown = typeof lists.recommended === 'function' ? lists.recommended : undefined
  /**
   * Returns the first lists, or all lists that the filter accepts sorted by name, since recommendations may change
   * their order.
   */
  const listOf = async (method: 'getRecommendedPlaylist' | 'getPlaylists', most: number) => isShown === undefined
    ? (await session.readPart(method, 0, most))?.items
    : (await everyPage(mostLists, 50, (offset, limit) => session.readPart(method, offset, limit)))?.filter(isShown)
        .sort((a, b) => compareNames(a.name, b.name))
  const [{ lists: own, isOwn }, daily, toplists = [], recommended, all] = await Promise.all([
    ownLists(call),
    lists.daily ? dailyTracks(call) : undefined,
    lists.toplists ? session.readPart('getToplist') : undefined,
    lists.recommended === false ? undefined : listOf('getRecommendedPlaylist', 20),
    session.isStateful ? undefined : listOf('getPlaylists', 50)
  ])
  const charts = toplists.flatMap(group => group.list)
  const others = [...recommended ?? [], ...all ?? []]
  await noteTotals(call, [
    ...own.map(playlist => ({ id: writeId('playlist', playlist.id), of: versionOf(playlist) })),
    ...charts.map(({ id }) => ({ id: writeId('toplist', id) })),
    ...others.map(playlist =>
      ({ id: writeId('playlist', playlist.id), trackCount: playlist.trackCount, of: versionOf(playlist) }))
  ])
  if (daily !== undefined) session.account.items.notePlaylist(writeId('special', dailyId), daily.tracks)
  const mapper = await itemMapper(call, {})
  const listed = new Map<string, JsonObject>()
  const list = (id: string, playlist: Playlist, owner?: string) => {
    if (!listed.has(id)) listed.set(id, mapper.playlist(playlist, { id, owner, server }))
  }
  for (const playlist of own) {
    list(writeId('playlist', playlist.id), playlist, isOwn(playlist) ? username : undefined)
  }
  if (daily !== undefined && daily.tracks.length > 0) list(writeId('special', dailyId), daily.playlist)
  for (const { id, name, coverUrl } of charts) {
    list(writeId('toplist', id), { id, name, coverUrl })
  }
  for (const playlist of others) list(writeId('playlist', playlist.id), playlist)
  return { playlists: { playlist: [...listed.values()] } }
}

/** The limits per call for reading lists to compute totals: lists and songs. The next call continues. */
const mostTotals = { lists: 100, songs: 20_000 }

interface PlaylistSummary { readonly id: string, readonly trackCount?: number | undefined, readonly of?: string }

/** Returns a string that changes with the tracks, since another replica may have changed the list. */
const versionOf = ({ trackCount, updatedAt }: Playlist) => `${trackCount} ${updatedAt}`

/** Reads lists whose totals are unknown, since apps show their number of songs and length. */
async function noteTotals (call: Call, lists: readonly PlaylistSummary[]) {
  const { items } = call.session.account
  let songs = 0
  const isKnown = ({ id, of }: PlaylistSummary) => items.playlists.has(id) && items.playlists.get(id)!.of === of
  const unknown = lists.filter(list => !isKnown(list)).slice(0, mostTotals.lists)
    .filter(({ trackCount = 0 }) => (songs += trackCount) - trackCount < mostTotals.songs)
  await forEachLimited(unknown, 4, async ({ id: text, of }) => {
    const { kind, id } = readId(text)
    const found = await findPlaylist(call, kind, id).catch(() => undefined)
    if (found !== undefined) items.notePlaylist(text, found.tracks, of)
  })
}

/** Returns a playlist with its tracks, used by several methods. */
async function playlistWithTracks (call: Call, text: string): Promise<JsonObject> {
  const { kind, id } = readId(text)
  const { playlist, tracks } = await findPlaylist(call, kind, id)
  const owner = kind === 'playlist' && await owns(call, id) ? call.username : undefined
  const mapper = await itemMapper(call, { tracks })
  return {
    playlist: {
      ...mapper.playlist(playlist, { id: text, owner, server: call.options.title }),
      songCount: tracks.length,
      duration: lengthOf(tracks),
      entry: described(tracks, mapper.song)
    }
  }
}

/** Returns the playlists of the account and its favourite playlists, without lists of unavailable sources. */
async function ownLists ({ session }: Call) {
  const lists = await session.readPart('getUserPlaylist') ?? []
  const account = lists.some(({ creator }) => creator?.id)
    ? await session.read('getUserMe').catch(() => undefined)
    : undefined
  return { lists, isOwn: (playlist: Playlist) => isMadeBy(account, playlist) }
}

async function owns (call: Call, id: string): Promise<boolean> {
  const { lists, isOwn } = await ownLists(call)
  return lists.some(playlist => playlist.id === id && isOwn(playlist))
}

async function mayChange (call: Call, id: string): Promise<boolean> {
  const { lists, isOwn } = await ownLists(call)
  return lists.some(playlist =>
    playlist.id === id && (isOwn(playlist) || playlist[extras]?.readOnly === false))
}

/**
 * Returns the id of a playlist that may be changed.
 *
 * @throws SubsonicError 50 if it belongs to another user, 70 if it does not exist
 */
async function editable (call: Call, text: string): Promise<string> {
  const { session } = call
  const { kind, id } = readId(text)
  if (kind === 'artist' || kind === 'album' || kind === 'track') {
    throw new SubsonicError(70, 'This is not the id of a playlist')
  }
  const isList = kind === 'playlist'
  if (isList && (session.has('getUserPlaylist') ? await mayChange(call, id) : session.isStateful)) return id
  const isKnown = !isList || !session.has('getPlaylistDetail') ||
    await session.find('getPlaylistDetail', id, 0) !== undefined
  throw isKnown ? new SubsonicError(50, 'This playlist cannot be changed') : noPlaylist()
}

const trackIdsOf = (call: Call, name: string): string[] => call.parameters.all(name).map(id => readIdOf('track', id))

const createPlaylist: Method = async call => {
  const { session, parameters } = call
  const tracks = trackIdsOf(call, 'songId')
  const given = parameters.first('playlistId')
  const name = given === undefined ? parameters.required('name') : parameters.first('name')
  const id = given === undefined ? undefined : await editable(call, given)
  const made = await editPlaylist(session, { id, name, tracks })
  return playlistWithTracks(call, writeId('playlist', id ?? made.id))
}

const updatePlaylist: Method = async call => {
  const { session, parameters } = call
  const id = await editable(call, parameters.required('playlistId'))
  const add = trackIdsOf(call, 'songIdToAdd')
  const remove = parameters.integers('songIndexToRemove')
  const [name, description] = [parameters.first('name'), parameters.clearable('comment')]
  const isPublic = parameters.flag('public')
  const canShare = isPublic !== undefined && session.has('sharePlaylist')
  // Apps send it together with other changes.
  const isAlone = add.length + remove.length === 0 && name === undefined && description === undefined
  if (isAlone && isPublic === true && !canShare) throw new SubsonicError(50, 'Playlists cannot be made public here')
  if (!isAlone || !canShare) await editPlaylist(session, { id, name, description, remove, add })
  // A user who edits another account's playlist does not change its sharing: apps send back the value that they
  // received.
  if (canShare && (isAlone || await owns(call, id))) {
    await sharePlaylist(session, id, { everyone: isPublic ? 'hear' : 'no' })
  }
  return {}
}

const deletePlaylist: Method = async call => {
  const { session, parameters } = call
  const id = await editable(call, parameters.required('id'))
  await session.change('deletePlaylist', id)
  return {}
}

export const playlistMethods: Readonly<Record<string, Method>> = {
  getPlaylists,
  getPlaylist: call => playlistWithTracks(call, call.parameters.required('id')),
  createPlaylist,
  updatePlaylist,
  deletePlaylist
}
