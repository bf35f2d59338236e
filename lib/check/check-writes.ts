import { capabilities } from '../capabilities.ts'
import { requestOf } from '../client/send-request.ts'
import { operations, type AdapterMethod, type Operation } from '../operations.ts'
import { callOperation } from './call-operation.ts'
import type { Pool } from './create-pool.ts'
import type { Inspection, Place } from './inspection.ts'
import { expectStatus } from './judge-answer.ts'
import type { RuleId } from './rules.ts'

/** Where a finding is when no one request shows it. */
const placeOf = (method: AdapterMethod): Place => ({ operation: method, request: `POST ${operationOf(method).path}` })
const operationOf = (method: AdapterMethod): Operation => operations.find(({ adapterMethod }) => adapterMethod === method)!

interface Favorite {
  readonly method: AdapterMethod
  /** The list that has it when it is one. */
  readonly shownBy: AdapterMethod
  readonly kind: 'track' | 'artist' | 'album' | 'playlist'
}

const favorites: readonly Favorite[] = [
  { method: 'favoriteTrack', shownBy: 'userFavoriteTracks', kind: 'track' },
  { method: 'favoriteArtist', shownBy: 'userArtists', kind: 'artist' },
  { method: 'favoriteAlbum', shownBy: 'userAlbums', kind: 'album' },
  { method: 'favoritePlaylist', shownBy: 'getUserPlaylist', kind: 'playlist' }
]

/** Tries every operation that writes, on a playlist of its own and on favourites, and undoes what it did. */
export async function checkWrites (inspection: Inspection): Promise<void> {
  if (capabilities.find(({ name }) => name === 'playlistMutation')!.methods.some(inspection.wants)) await tryPlaylist(inspection)
  for (const favorite of favorites) if (inspection.wants(favorite.method)) await tryFavorite(inspection, favorite)
}

interface Change { success?: unknown, status?: unknown, id?: unknown, name?: unknown }

/** Makes a change. `undefined` when it did not succeed: that is noted. */
async function change (
  inspection: Inspection, method: AdapterMethod, parameters: Record<string, unknown>
): Promise<Place & { data: Change } | undefined> {
  const outcome = await callOperation(inspection, operationOf(method), parameters)
  const { status, data } = outcome
  if (data === undefined) {
    const isRefusal = (status >= 400 && status < 500) || status === 501
    if (!isRefusal) inspection.find('write-not-undone', placeOf(method), 'without a good answer nobody knows whether it was done')
    return undefined
  }
  if ((data as Change).success !== false) return { ...outcome, data: data as Change }
  inspection.find('write-refused', outcome, 'answered success: false')
  return undefined
}

/** Ids in a list or in the tracks of a detail; `undefined` when they cannot be seen. */
async function idsShown (
  inspection: Inspection, method: AdapterMethod, parameters: Record<string, unknown> = {}
): Promise<unknown[] | undefined> {
  if (!inspection.good.has(method)) return undefined
  const { status, data } = await callOperation(inspection, operationOf(method), parameters, [404])
  if (status === 404) return []
  const items = Array.isArray(data) ? data : (data as { tracks?: unknown } | undefined)?.tracks
  return Array.isArray(items) ? items.map(item => item?.id) : undefined
}

/** Notes a change that a later answer does not show. */
function expectShown (inspection: Inspection, changed: Place, ids: unknown[] | undefined, id: unknown, wanted: boolean): void {
  if (ids === undefined || ids.includes(id) === wanted) return
  inspection.find('write-no-effect', changed, `${id} is ${wanted ? 'not ' : 'still '}there after it`)
}

/** A body that must be refused. */
async function refuse (inspection: Inspection, rule: RuleId, method: AdapterMethod, body: object): Promise<void> {
  const answer = await inspection.ask(method, { ...requestOf(operationOf(method), []), body: JSON.stringify(body) })
  expectStatus(inspection, answer, 400, rule)
}

async function tryPlaylist (inspection: Inspection): Promise<void> {
  const created = await change(inspection, 'createPlaylist', { name: 'Made by a check' })
  if (created === undefined) return
  const { id } = created.data
  if (typeof id !== 'string') return inspection.find('write-not-undone', created, 'without an id the playlist cannot be deleted')
  expectShown(inspection, created, await idsShown(inspection, 'getUserPlaylist'), id, true)

  const name = 'Renamed by a check'
  const updated = await change(inspection, 'updatePlaylist', { id, name, description: 'It will be deleted.' })
  if (updated !== undefined) {
    if (updated.data.name !== name) inspection.find('write-no-effect', updated, `the name is ${updated.data.name}`)
    await refuse(inspection, 'parameter-missing', 'updatePlaylist', { id })
  }

  const [trackId] = inspection.pool.track.keys()
  if (trackId !== undefined) {
    for (const [method, wanted] of [['addTrackToPlaylist', true], ['removeTrack', false]] as const) {
      const changed = await change(inspection, method, { playlistId: id, trackId })
      if (changed === undefined) break
      expectShown(inspection, changed, await idsShown(inspection, 'getPlaylistDetail', { id }), trackId, wanted)
    }
  }

  const deleted = await change(inspection, 'deletePlaylist', { id })
  const left = await idsShown(inspection, 'getUserPlaylist')
  if (deleted === undefined || left?.includes(id)) {
    inspection.find('write-not-undone', placeOf('deletePlaylist'), `the playlist ${id} is still there`)
  }
}

async function tryFavorite (inspection: Inspection, { method, shownBy, kind }: Favorite): Promise<void> {
  const before = await idsShown(inspection, shownBy)
  const picked = pick(inspection.pool, kind, before)
  if (picked === undefined) {
    return inspection.find('nothing-found', placeOf(method), `no ${kind} is known of which the state could be restored`)
  }
  const { id, status } = picked

  const changed = await change(inspection, method, { id, status: !status })
  if (changed === undefined) return
  const { data } = changed
  if (data.status !== !status) inspection.find('write-status', changed, `status is ${data.status} after a change to ${!status}`)
  expectShown(inspection, changed, await idsShown(inspection, shownBy), id, !status)

  const undone = await change(inspection, method, { id, status })
  const after = await idsShown(inspection, shownBy)
  if (undone === undefined || (after !== undefined && after.includes(id) !== status)) {
    return inspection.find('write-not-undone', placeOf(method), `the ${kind} ${id} is no longer as it was`)
  }
  // Both would change nothing if they were taken.
  await refuse(inspection, 'body-coerced', method, { id, status: String(status) })
  await refuse(inspection, 'body-unknown-member', method, { id, status, unknownMember: 1 })
}

/** Something whose state is known: rather no favourite than one, so that a failure does the least harm. */
function pick (pool: Pool, kind: Favorite['kind'], listed?: unknown[]): { id: string, status: boolean } | undefined {
  const states = [...pool[kind].values()].flatMap(item => {
    const status = listed?.includes(item.id) ?? ('favorite' in item ? item.favorite : undefined)
    return typeof status === 'boolean' ? [{ id: item.id, status }] : []
  })
  return states.find(({ status }) => !status) ?? states[0]
}
