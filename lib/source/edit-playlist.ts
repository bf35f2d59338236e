import type { Playlist } from '../../schemas/index.ts'
import { applyEdit } from '../contract/apply-edit.ts'
import { NotFoundError, UpstreamError } from '../contract/errors.ts'
import type { PlaylistEdit } from '../contract/source-extras.ts'
import type { SourceCalls, Changed } from './source-calls.ts'
import { findAll, named } from './find-all.ts'
import { rejectMany } from './max-ids.ts'
import { planEdit, type EditPlan } from './plan-edit.ts'
import { isCut, readWhole } from '../async/read-whole.ts'

/**
 * Changes or creates a playlist atomically: by the source's own method, or by the methods of the contract.
 *
 * @throws SourceError if the source does not support or rejects the change; NotFoundError and BadRequestError that name
 * the track
 */
export async function editPlaylist (source: SourceCalls, edit: PlaylistEdit): Promise<Playlist> {
  rejectMany(edit.tracks ?? [], edit.base ?? [], edit.add ?? [], edit.remove ?? [])
  const { id } = edit
  // If the client disconnected in the middle, the change would be incomplete.
  source.share()
  // Two edits of the same stored list would both remove and add again the copies of a track, and so add them twice.
  return id === undefined
    ? makeEdit(source, edit, () => makePlaylist(source, edit))
    : source.alone(id, () => makeEdit(source, edit, () => changePlaylist(source, id, edit)))
}

const makeEdit = async (source: SourceCalls, edit: PlaylistEdit, byContract: () => Promise<Playlist>) =>
  source.has('editPlaylist')
    ? source.changeAtOnce('editPlaylist', [edit], made => changedBy(edit, made))
    : byContract()

function changedBy (edit: PlaylistEdit, made: Playlist | undefined): Changed[] {
  const { id = made?.id, name, description, tracks, remove = [], add = [] } = edit
  if (id === undefined) return []
  const changed: Changed[] = []
  if (edit.id === undefined) changed.push({ operation: 'createPlaylist', args: [name], id })
  else if (name !== undefined || description !== undefined) {
    changed.push({ operation: 'updatePlaylist', args: [id, name, description], id })
  }
  const [track] = tracks ?? add
  if (track !== undefined) changed.push({ operation: 'addTrackToPlaylist', args: [id, track], id })
  if (tracks !== undefined || remove.length > 0) changed.push({ operation: 'removeTrack', args: [id], id })
  return changed
}

async function makePlaylist (source: SourceCalls, edit: PlaylistEdit): Promise<Playlist> {
  const { name = '', description } = edit
  const { added } = applyEdit([], edit)
  await findTracks(source, added)
  const made = await source.change('createPlaylist', name)
  try {
    await applyPlan(source, made.id, { removed: [], added })
    return description ? await source.change('updatePlaylist', made.id, name, description) : made
  } catch (error) {
    await takeBack(source, () => source.change('deletePlaylist', made.id))
    throw error
  }
}

async function changePlaylist (source: SourceCalls, id: string, edit: PlaylistEdit): Promise<Playlist> {
  const { tracks: items, ...playlist } = await readStored(source, id)
  const before = items.map(track => track.id)
  // A merged track is stored by the id of one source.
  const stored = new Set(before)
  const storedIds = (ids: readonly string[] | undefined) =>
    ids?.map(id => source.idsOf(id).find(part => stored.has(part)) ?? id)
  const { tracks: after } = applyEdit(before, {
    ...edit, tracks: storedIds(edit.tracks), base: storedIds(edit.base), add: storedIds(edit.add)
  })
  const plan = planEdit(before, after)
  await findTracks(source, plan.added)
  try {
    await applyPlan(source, id, plan)
    const { name = playlist.name, description = playlist.description ?? '' } = edit
    if (name === playlist.name && description === (playlist.description ?? '')) return playlist
    return await source.change('updatePlaylist', id, name, description)
  } catch (error) {
    await takeBack(source, async () => {
      const { tracks } = await readStored(source, id)
      await applyPlan(source, id, planEdit(tracks.map(track => track.id), before))
    })
    throw error
  }
}

/** Checks that tracks exist. A repeated one is requested once. */
const findTracks = (source: SourceCalls, ids: readonly string[]) =>
  findAll(source, [...new Set(ids)].map(id => ({ kind: 'track', id })))

/** Returns the stored playlist with all tracks, uncached. */
async function readStored (source: SourceCalls, id: string) {
  const detail = await readWhole(trackLimit => source.readAgain('getPlaylistDetail', id, trackLimit))
  if (detail === undefined) throw new NotFoundError('Playlist not found')
  if (isCut(detail)) {
    throw new UpstreamError('This playlist cannot be changed: the source does not show all of its tracks')
  }
  return detail
}

/** Adds tracks first: if the source rejects one, nothing has been removed. */
async function applyPlan (source: SourceCalls, id: string, { removed, added }: EditPlan): Promise<void> {
  const moved = new Set(removed)
  const isMove = added.some(track => moved.has(track))
  const remove = async () => {
    for (const track of removed) await named(track, source.change('removeTrack', id, track))
  }
  if (isMove) await remove()
  for (const track of added) await named(track, source.change('addTrackToPlaylist', id, track))
  if (!isMove) await remove()
}

/** Rolls back a partial change. Only the error of the change itself reaches the caller. */
export async function takeBack (source: SourceCalls, undo: () => Promise<unknown>): Promise<void> {
  try {
    await undo()
  } catch (error) {
    source.warn(error, 'rollback failed')
  }
}
