import type { Playlist } from '../../../schemas/index.ts'
import { forEachLimited } from '../../async/limit-concurrency.ts'
import { itemMapper, type Call, type Method } from '../call.ts'
import { lengthOf } from '../item-mapper.ts'
import { readId, readIdOf, writeId } from '../ids.ts'
import { SubsonicError } from '../subsonic-error.ts'
import type { JsonObject } from '../write-xml.ts'
import { dailyId, dailyTracks, findPlaylist } from './find-playlist.ts'

const getPlaylists: Method = async call => {
  const { session, options: { lists, name: server }, username } = call
  const [own = [], daily, toplists = [], recommended, all] = await Promise.all([
    session.read('getUserPlaylist'),
    lists.daily ? dailyTracks(call) : undefined,
    lists.toplists ? session.read('getToplist') : undefined,
    lists.recommended ? session.read('getRecommendedPlaylist', 0, 20) : undefined,
    session.isStateful ? undefined : session.read('getPlaylists', 0, 50)
  ])
  const charts = toplists.flatMap(group => group.list)
  await noteTotals(call, [
    ...own.map(({ id }) => writeId('playlist', id)), ...charts.map(({ id }) => writeId('toplist', id))
  ])
  if (daily !== undefined) session.account.items.notePlaylist(writeId('special', dailyId), daily.tracks)
  const mapper = await itemMapper(call)
  const listed = new Map<string, JsonObject>()
  const list = (id: string, playlist: Playlist, owner?: string) => {
    if (!listed.has(id)) listed.set(id, mapper.playlist(playlist, { id, owner, server }))
  }
  for (const playlist of own) list(writeId('playlist', playlist.id), playlist, username)
  if (daily !== undefined && daily.tracks.length > 0) list(writeId('special', dailyId), daily.playlist)
  for (const { id, name, coverUrl } of charts) {
    list(writeId('toplist', id), { id, name, coverUrl })
  }
  for (const playlist of [...recommended?.items ?? [], ...all?.items ?? []]) {
    list(writeId('playlist', playlist.id), playlist)
  }
  return { playlists: { playlist: [...listed.values()] } }
}

/** Lists that are read for their totals in one call. */
const mostTotals = 100

/** Reads the lists whose totals are not known: apps show how many songs they have, and how long they are. */
async function noteTotals (call: Call, ids: readonly string[]): Promise<void> {
  const { items } = call.session.account
  const unknown = ids.filter(id => !items.playlists.has(id)).slice(0, mostTotals)
  await forEachLimited(unknown, 4, async text => {
    const { kind, id } = readId(text)
    const found = await findPlaylist(call, kind, id).catch(() => undefined)
    if (found !== undefined) items.notePlaylist(text, found.tracks)
  })
}

/** A playlist with its tracks, as the answer of several methods. */
async function playlistWithTracks (call: Call, text: string): Promise<JsonObject> {
  const { kind, id } = readId(text)
  const { playlist, tracks } = await findPlaylist(call, kind, id)
  call.session.account.items.notePlaylist(text, tracks)
  const owner = kind === 'playlist' && await owns(call, id) ? call.username : undefined
  const mapper = await itemMapper(call, tracks)
  return {
    playlist: {
      ...mapper.playlist(playlist, { id: text, owner, server: call.options.name }),
      songCount: tracks.length,
      duration: lengthOf(tracks),
      entry: tracks.map(mapper.song)
    }
  }
}

async function owns ({ session }: Call, id: string): Promise<boolean> {
  return (await session.read('getUserPlaylist') ?? []).some(playlist => playlist.id === id)
}

/**
 * The id of a playlist that may be changed.
 *
 * @throws SubsonicError 50 for one that is not the user's own
 */
async function editable (call: Call, text: string): Promise<string> {
  const { kind, id } = readId(text)
  if (kind === 'artist' || kind === 'album' || kind === 'track') {
    throw new SubsonicError(70, 'This is not the id of a playlist')
  }
  if (kind !== 'playlist' || !(call.session.has('getUserPlaylist') ? await owns(call, id) : call.session.isStateful)) {
    throw new SubsonicError(50, 'This playlist cannot be changed')
  }
  return id
}

const trackIdsOf = (call: Call, name: string): string[] => call.parameters.all(name).map(id => readIdOf('track', id))

const createPlaylist: Method = async call => {
  const { session, parameters } = call
  const wanted = trackIdsOf(call, 'songId')
  const given = parameters.first('playlistId')
  const name = parameters.first('name')
  if (given === undefined) {
    const { id } = await session.change('createPlaylist', parameters.required('name'))
    await editTracks(call, id, [], new Set(wanted))
    return playlistWithTracks(call, writeId('playlist', id))
  }
  const id = await editable(call, given)
  const { playlist, tracks } = await findPlaylist(call, 'playlist', id)
  if (name !== undefined && name !== playlist.name) {
    await session.change('updatePlaylist', id, name, playlist.description ?? '')
  }
  const before = tracks.map(track => track.id)
  const kept = commonBeginning(before, wanted)
  const stays = new Set(before.slice(0, kept))
  const added = new Set(wanted.slice(kept).filter(track => !stays.has(track)))
  await editTracks(call, id, new Set(before.slice(kept)), added)
  return playlistWithTracks(call, given)
}

/**
 * How many tracks stay where they are. The source removes a track wherever it stands, so that none of them stands again
 * among those that go.
 */
function commonBeginning (before: readonly string[], wanted: readonly string[]): number {
  let kept = 0
  while (kept < before.length && before[kept] === wanted[kept]) kept++
  const removed = new Set(before.slice(kept))
  for (let index = kept - 1; index >= 0; index--) {
    if (!removed.has(before[index]!)) continue
    for (const id of before.slice(index, kept)) removed.add(id)
    kept = index
  }
  return kept
}

/** Removes tracks and adds others, in order. */
async function editTracks (
  { session }: Call, id: string, removed: Iterable<string>, added: Iterable<string>
): Promise<void> {
  for (const track of removed) await session.change('removeTrack', id, track)
  for (const track of added) await session.change('addTrackToPlaylist', id, track)
}

const updatePlaylist: Method = async call => {
  const { session, parameters } = call
  const id = await editable(call, parameters.required('playlistId'))
  const added = trackIdsOf(call, 'songIdToAdd')
  const indices = new Set(parameters.integers('songIndexToRemove'))
  const name = parameters.first('name')
  const comment = parameters.first('comment')
  const { playlist, tracks } = await findPlaylist(call, 'playlist', id)
  if (name !== undefined || comment !== undefined) {
    await session.change('updatePlaylist', id, name ?? playlist.name, comment ?? playlist.description ?? '')
  }
  // Where they stood before the call. The source removes by id, so what stands there again is put back, at the end.
  const removed = new Set(tracks.filter((_track, index) => indices.has(index)).map(track => track.id))
  const stays = new Set(tracks.filter(({ id }, index) => removed.has(id) && !indices.has(index)).map(track => track.id))
  await editTracks(call, id, removed, [...stays, ...added])
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
