import { requestOf } from '../../client/internal.ts'
import { capabilities } from '../../contract/capabilities.ts'
import { operationOf, operations, type AdapterMethod } from '../../contract/operations.ts'
import { callOperation, sendable, unknownId } from '../probe/call-operation.ts'
import type { Pool } from '../probe/create-pool.ts'
import type { Inspection, Location } from '../probe/inspection.ts'
import { expectStatus, wordsOf } from '../probe/check-answer.ts'
import type { RuleId } from '../rules.ts'
import { checkBodies } from './check-bodies.ts'

/** Where a finding is when no single request shows it. */
const locationOf = (method: AdapterMethod): Location =>
  ({ operation: method, request: `POST ${operationOf(method).path}` })

/** Where a finding about what is left is: findings about operations that are not wanted are not kept. */
function wantedLocation (inspection: Inspection, method: AdapterMethod): Location {
  return locationOf(inspection.wants(method) ? method : mutations.find(inspection.wants)!)
}

const writing = operations.filter(({ method }) => method === 'POST')
const mutations = capabilities.find(({ name }) => name === 'playlistMutation')!.methods

interface Favorite {
  readonly method: AdapterMethod
  /** The list that has the item while it is a favourite. */
  readonly shownBy: AdapterMethod
  readonly kind: 'track' | 'artist' | 'album' | 'playlist'
}

const favorites: readonly Favorite[] = [
  { method: 'favoriteTrack', shownBy: 'userFavoriteTracks', kind: 'track' },
  { method: 'favoriteArtist', shownBy: 'userArtists', kind: 'artist' },
  { method: 'favoriteAlbum', shownBy: 'userAlbums', kind: 'album' },
  { method: 'favoritePlaylist', shownBy: 'getUserPlaylist', kind: 'playlist' }
]

/**
 * Calls every operation that writes, with a playlist of its own and with favourites, and undoes what it did. A
 * stateless source must refuse them all.
 */
export async function checkWrites (inspection: Inspection): Promise<void> {
  if (inspection.gaveUp) return
  const wanted = writing.filter(({ adapterMethod }) => inspection.wants(adapterMethod))
  // Without an id nothing can become a favourite.
  const harmless = wanted.find(({ parameters }) => parameters.includes('status')) ?? wanted[0]
  if (harmless !== undefined) await checkBodies(inspection, harmless.adapterMethod)

  if (inspection.status?.stateless === false) {
    if (mutations.some(inspection.wants)) await tryPlaylist(inspection)
    for (const favorite of favorites) if (inspection.wants(favorite.method)) await tryFavorite(inspection, favorite)
  } else if (inspection.status?.stateless === true) {
    const unknown = { id: unknownId, playlistId: unknownId, trackId: unknownId, name: 'Made by a check', status: false }
    for (const operation of wanted) {
      // If the source made a playlist, there would be no way to delete it.
      if (operation.adapterMethod !== 'createPlaylist') await callOperation(inspection, operation, unknown)
    }
  }
}

interface Change { success?: unknown, status?: unknown, id?: unknown, name?: unknown }

/** Makes a change. `undefined` when it did not succeed, which is a finding. */
async function change (
  inspection: Inspection, method: AdapterMethod, parameters: Record<string, unknown>
): Promise<Location & { data: Change } | undefined> {
  const wasSilent = inspection.isSilent(method)
  const outcome = await callOperation(inspection, operationOf(method), parameters)
  const { status, data } = outcome
  if (data === undefined) {
    // Without a status it was answered with 429, or was not sent, or had no answer.
    const hadNoAnswer = inspection.isSilent(method) && !wasSilent
    const isRefusal = status === 0 ? !hadNoAnswer : (status >= 400 && status < 500) || status === 501
    const seen = `${method} had no valid answer and may have made its change`
    if (!isRefusal) inspection.find('write-not-undone', wantedLocation(inspection, method), seen)
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

/** Adds a finding when a later answer does not show a change. */
function expectShown (
  inspection: Inspection, changed: Location, ids: unknown[] | undefined, id: unknown, wanted: boolean
): void {
  if (ids === undefined || ids.includes(id) === wanted) return
  inspection.find('write-no-effect', changed, `${id} is ${wanted ? 'not ' : 'still '}there after it`)
}

/** Sends a body that must be refused. */
async function refuse (inspection: Inspection, rule: RuleId, method: AdapterMethod, body: object): Promise<void> {
  const answer = await inspection.ask(method, { ...requestOf(operationOf(method), []), body: JSON.stringify(body) })
  expectStatus(inspection, answer, 400, rule)
}

/** Whether a new playlist could be deleted again: all methods are declared, or this one answers. */
async function canDelete (inspection: Inspection): Promise<boolean> {
  if (inspection.status!.capabilities.includes('playlistMutation')) return true
  return isOffered(inspection, 'deletePlaylist', [unknownId], [404, 501])
}

/**
 * Whether an operation answers.
 *
 * @param values with an id that no source has, so that nothing changes
 */
async function isOffered (
  inspection: Inspection, method: AdapterMethod, values: unknown[], missing: readonly number[] = [501]
): Promise<boolean> {
  const answer = await inspection.ask(method, requestOf(operationOf(method), values))
  if (answer === undefined) return false
  if (!missing.includes(answer.status)) return true
  inspection.served.set(method, 'not offered')
  return false
}

async function tryPlaylist (inspection: Inspection): Promise<void> {
  if (!await canDelete(inspection)) return
  const created = await change(inspection, 'createPlaylist', { name: 'Made by a check' })
  if (created === undefined) return
  const { id } = created.data
  if (typeof id !== 'string') {
    const where = wantedLocation(inspection, 'createPlaylist')
    return inspection.find('write-not-undone', where, 'a new playlist has no id and cannot be deleted')
  }
  try {
    await usePlaylist(inspection, created, id)
  } finally {
    await inspection.finish(() => removePlaylist(inspection, id))
  }
}

async function usePlaylist (inspection: Inspection, created: Location, id: string): Promise<void> {
  expectShown(inspection, created, await idsShown(inspection, 'getUserPlaylist'), id, true)

  const name = 'Renamed by a check'
  const updated = await change(inspection, 'updatePlaylist', { id, name, description: 'It will be deleted.' })
  if (updated !== undefined) {
    const seen = `the name is ${wordsOf(updated.data.name)}`
    if (updated.data.name !== name) inspection.find('write-no-effect', updated, seen)
    await refuse(inspection, 'parameter-missing', 'updatePlaylist', { id })
  }

  const [trackId] = inspection.pool.track.keys()
  if (trackId === undefined) return
  for (const [method, wanted] of [['addTrackToPlaylist', true], ['removeTrack', false]] as const) {
    const changed = await change(inspection, method, { playlistId: id, trackId })
    if (changed === undefined) return
    const ids = await idsShown(inspection, 'getPlaylistDetail', { id: sendable(id) })
    expectShown(inspection, changed, ids, trackId, wanted)
  }
}

async function removePlaylist (inspection: Inspection, id: string): Promise<void> {
  const deleted = await change(inspection, 'deletePlaylist', { id })
  const left = await idsShown(inspection, 'getUserPlaylist')
  if (deleted !== undefined && !left?.includes(id)) return
  inspection.find('write-not-undone', wantedLocation(inspection, 'deletePlaylist'), `the playlist ${id} is still there`)
}

async function tryFavorite (inspection: Inspection, { method, shownBy, kind }: Favorite): Promise<void> {
  const before = await idsShown(inspection, shownBy)
  const picked = pick(inspection.pool, kind, before)
  if (picked === undefined) {
    if (!await isOffered(inspection, method, [unknownId, false])) return
    return inspection.find('nothing-found', locationOf(method), `no ${kind} is known whose state could be restored`)
  }
  const { id, status } = picked

  const changed = await change(inspection, method, { id, status: !status })
  if (changed === undefined) return
  const { data } = changed
  let restored: boolean
  try {
    if (data.status !== !status) {
      inspection.find('write-status', changed, `status is ${wordsOf(data.status)} after a change to ${!status}`)
    }
    expectShown(inspection, changed, await idsShown(inspection, shownBy), id, !status)
  } finally {
    restored = await inspection.finish(async () => {
      const undone = await change(inspection, method, { id, status })
      const after = await idsShown(inspection, shownBy)
      return undone !== undefined && (after === undefined || after.includes(id) === status)
    })
    if (!restored) inspection.find('write-not-undone', locationOf(method), `the ${kind} ${id} is not as it was`)
  }
  if (!restored) return
  // Neither would change anything if it were accepted.
  await refuse(inspection, 'body-coerced', method, { id, status: String(status) })
  await refuse(inspection, 'body-unknown-member', method, { id, status, unknownMember: 1 })
}

/** An item whose state is known. One that is no favourite comes first, since a failure does less harm to it. */
function pick (pool: Pool, kind: Favorite['kind'], ids?: unknown[]): { id: string, status: boolean } | undefined {
  const listed = ids && new Set(ids)
  const states = [...pool[kind].values()].flatMap(item => {
    const status = listed?.has(item.id) ?? ('favorite' in item ? item.favorite : undefined)
    return typeof status === 'boolean' ? [{ id: item.id, status }] : []
  })
  return states.find(({ status }) => !status) ?? states[0]
}
