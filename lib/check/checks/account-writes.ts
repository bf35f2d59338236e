import { requestOf } from '../../client/internal.ts'
import { capabilities } from '../../contract/capabilities.ts'
import { operationOf, type AdapterMethod } from '../../contract/operations.ts'
import { callOperation, idsIn, sendable, unknownId } from '../probe/call-operation.ts'
import { expectStatus, wordsOf } from '../probe/check-answer.ts'
import type { Pool } from '../probe/create-pool.ts'
import type { Find, Location } from '../probe/findings.ts'
import type { Inspection } from '../probe/inspection.ts'
import type { RuleId } from '../rules.ts'
import { expectStates } from './compare-items.ts'

/** Returns the location of a finding that no single request shows. */
const locationOf = (method: AdapterMethod): Location =>
  ({ operation: method, request: `POST ${operationOf(method).path}` })

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

const details = {
  track: 'getTrackDetail', artist: 'getArtistDetail', album: 'getAlbumDetail', playlist: 'getPlaylistDetail'
} as const

interface Change { success?: unknown, status?: unknown, id?: unknown, name?: unknown }

/** Changes an account, with a temporary playlist and with favourites, and undoes its changes. */
export class AccountWrites {
  readonly #inspection: Inspection
  readonly #find: Find

  constructor (inspection: Inspection) {
    this.#inspection = inspection
    this.#find = inspection.find
  }

  async check (): Promise<void> {
    const { wants } = this.#inspection
    if (mutations.some(wants)) await this.#tryPlaylist()
    for (const favorite of favorites) if (wants(favorite.method)) await this.#tryFavorite(favorite)
  }

  /** Returns the location of a finding about leftovers. Findings about operations that are not wanted are dropped. */
  #wantedLocation (method: AdapterMethod): Location {
    const { wants } = this.#inspection
    return locationOf(wants(method) ? method : mutations.find(wants)!)
  }

  /** Makes a change. Returns `undefined` after a failure, which is a finding. */
  async #change (
    method: AdapterMethod, parameters: Record<string, unknown>
  ): Promise<Location & { data: Change } | undefined> {
    const wasSilent = this.#inspection.isSilent(method)
    const outcome = await callOperation(this.#inspection, operationOf(method), parameters)
    const { status, data } = outcome
    if (data === undefined) {
      // Status 0 means a 429, an unsent request, or no response.
      const hadNoAnswer = this.#inspection.isSilent(method) && !wasSilent
      const isRefusal = status === 0 ? !hadNoAnswer : (status >= 400 && status < 500) || status === 501
      const seen = `${method} had no valid answer and may have made its change`
      if (!isRefusal) this.#find('write-not-undone', this.#wantedLocation(method), seen)
      return undefined
    }
    if ((data as Change).success !== false) return { ...outcome, data: data as Change }
    this.#find('write-refused', outcome, 'answered success: false')
    return undefined
  }

  /** Returns the ids in a list or in the tracks of a detail; `undefined` if they are not visible. */
  async #idsShown (method: AdapterMethod, parameters: Record<string, unknown> = {}): Promise<unknown[] | undefined> {
    if (!this.#inspection.good.has(method)) return undefined
    const outcome = await callOperation(this.#inspection, operationOf(method), parameters, [404])
    const { status, data } = outcome
    if (status === 404) return []
    // The list may have been empty before.
    expectStates(this.#inspection, outcome, data)
    const items = Array.isArray(data) ? data : (data as { tracks?: unknown } | undefined)?.tracks
    return Array.isArray(items) ? idsIn(items) : undefined
  }

  /**
   * Adds a finding if a later response does not show a change. @returns whether it shows the change, as far as visible
   */
  #expectShown (changed: Location, ids: unknown[] | undefined, id: unknown, wanted: boolean): boolean {
    if (ids === undefined || ids.includes(id) === wanted) return true
    this.#find('write-no-effect', changed, `${id} is ${wanted ? 'not ' : 'still '}there after it`)
    return false
  }

  /** Sends a body that must be rejected. */
  async #refuse (rule: RuleId, method: AdapterMethod, body: object): Promise<void> {
    const request = { ...requestOf(operationOf(method), []), body: JSON.stringify(body) }
    const answer = await this.#inspection.ask(method, request)
    expectStatus(this.#find, answer, 400, rule)
  }

  /** Returns whether a new playlist could be deleted: all methods are declared, or this one responds. */
  async #canDelete (): Promise<boolean> {
    if (this.#inspection.status!.capabilities.includes('playlistMutation')) return true
    return this.#isOffered('deletePlaylist', [unknownId], [404, 501])
  }

  /**
   * Returns whether an operation responds.
   *
   * @param values with an id that no source has, so that nothing changes
   */
  async #isOffered (method: AdapterMethod, values: unknown[], missing: readonly number[] = [501]): Promise<boolean> {
    const answer = await this.#inspection.ask(method, requestOf(operationOf(method), values))
    if (answer === undefined) return false
    if (!missing.includes(answer.status)) return true
    this.#inspection.served.set(method, 'not offered')
    return false
  }

  async #tryPlaylist (): Promise<void> {
    if (!await this.#canDelete()) return
    const created = await this.#change('createPlaylist', { name: 'Made by a check' })
    if (created === undefined) return
    const { id, name } = created.data
    if (typeof name === 'string' && name !== 'Made by a check') {
      this.#find('write-no-effect', created, `the name is ${wordsOf(name)}`)
    }
    if (typeof id !== 'string') {
      const where = this.#wantedLocation('createPlaylist')
      return this.#find('write-not-undone', where, 'a new playlist has no id and cannot be deleted')
    }
    try {
      await this.#usePlaylist(created, id)
    } finally {
      await this.#inspection.finish(() => this.#removePlaylist(id))
    }
  }

  async #usePlaylist (created: Location, id: string): Promise<void> {
    this.#expectShown(created, await this.#idsShown('getUserPlaylist'), id, true)

    const name = 'Renamed by a check'
    const updated = await this.#change('updatePlaylist', { id, name, description: 'It will be deleted.' })
    if (updated !== undefined) {
      const seen = `the name is ${wordsOf(updated.data.name)}`
      if (updated.data.name !== name) this.#find('write-no-effect', updated, seen)
      else await this.#expectName(updated, id, name)
      await this.#refuse('parameter-missing', 'updatePlaylist', { id })
    }

    const [first, ...tracks] = this.#inspection.pool.track.values()
    if (first === undefined) return
    const trackId = first.id
    // A combination has playlists of tracks of one source.
    const other = tracks.find(({ album }) => album?.id && album.id === first.album?.id)?.id
    if (other !== undefined) await this.#change('addTrackToPlaylist', { playlistId: id, trackId: other })
    let hasOther = false
    for (const [method, wanted] of [['addTrackToPlaylist', true], ['removeTrack', false]] as const) {
      const changed = await this.#change(method, { playlistId: id, trackId })
      if (changed === undefined) return
      const ids = await this.#idsShown('getPlaylistDetail', { id: sendable(id) })
      if (!this.#expectShown(changed, ids, trackId, wanted)) return
      const hadOther = hasOther
      hasOther = ids?.includes(other) === true
      if (hadOther && !hasOther) this.#find('write-others', changed, `${other} is not there after it`)
    }
  }

  /** Adds a finding if the detail of a playlist shows another name. */
  async #expectName (updated: Location, id: string, name: string): Promise<void> {
    if (!this.#inspection.good.has('getPlaylistDetail')) return
    const detail = await callOperation(this.#inspection, operationOf('getPlaylistDetail'), { id: sendable(id) }, [404])
    const { name: shown } = (detail.data ?? {}) as { name?: unknown }
    if (typeof shown !== 'string' || shown === name) return
    this.#find('write-no-effect', updated, `the name is ${wordsOf(shown)} in getPlaylistDetail after it`)
  }

  async #removePlaylist (id: string): Promise<void> {
    const deleted = await this.#change('deletePlaylist', { id })
    const left = await this.#idsShown('getUserPlaylist')
    if (deleted !== undefined && !left?.includes(id)) return
    this.#find('write-not-undone', this.#wantedLocation('deletePlaylist'), `the playlist ${id} is still there`)
  }

  /** Makes a change again. Adds a finding if it toggles the state. @returns whether it does */
  async #repeat (
    method: AdapterMethod, shownBy: AdapterMethod, first: unknown, change: { id: string, status: boolean }
  ): Promise<boolean> {
    const again = await this.#change(method, change)
    const ids = await this.#idsShown(shownBy)
    const isOther = again !== undefined && ((first === change.status && again.data.status !== first) ||
      (ids !== undefined && ids.includes(change.id) !== change.status))
    if (isOther) this.#find('write-toggles', again, `the state is ${!change.status} after a second ${change.status}`)
    return isOther
  }

  /** Adds a finding if the detail of an item shows another state. @returns whether it does not */
  async #expectFavorite (changed: Location, kind: Favorite['kind'], id: string, wanted: boolean): Promise<boolean> {
    const method = details[kind]
    if (this.#inspection.served.get(method) === 'not offered') return true
    const { data } = await callOperation(this.#inspection, operationOf(method), { id: sendable(id) }, [404])
    const { favorite } = (data ?? {}) as { favorite?: unknown }
    if (favorite !== !wanted) return true
    this.#find('write-no-effect', changed, `favorite is ${favorite} in ${method} after it`)
    return false
  }

  async #tryFavorite ({ method, shownBy, kind }: Favorite): Promise<void> {
    const before = await this.#idsShown(shownBy)
    const picked = pick(this.#inspection.pool, kind, before)
    if (picked === undefined) {
      if (!await this.#isOffered(method, [unknownId, false])) return
      return this.#find('nothing-found', locationOf(method), `no ${kind} is known whose state could be restored`)
    }
    const { id, status } = picked

    const changed = await this.#change(method, { id, status: !status })
    if (changed === undefined) return
    const { data } = changed
    let restored: boolean
    let isToggled = false
    try {
      if (data.status !== !status) {
        this.#find('write-status', changed, `status is ${wordsOf(data.status)} after a change to ${!status}`)
      }
      const isShown = this.#expectShown(changed, await this.#idsShown(shownBy), id, !status)
      if (isShown && await this.#expectFavorite(changed, kind, id, !status)) {
        isToggled = await this.#repeat(method, shownBy, data.status, { id, status: !status })
      }
    } finally {
      restored = await this.#inspection.finish(async () => {
        const undone = isToggled || await this.#change(method, { id, status })
        const after = await this.#idsShown(shownBy)
        return undone !== undefined && (after === undefined || after.includes(id) === status)
      })
      if (!restored) this.#find('write-not-undone', locationOf(method), `the ${kind} ${id} is not as it was`)
    }
    if (!restored) return
    // Neither request would change anything if it were accepted.
    await this.#refuse('body-coerced', method, { id, status: String(status) })
    await this.#refuse('body-unknown-member', method, { id, status, unknownMember: 1 })
  }
}

/**
 * Returns an item with a known state. Items that are not favourites come first, since a failure does less harm to them.
 */
function pick (pool: Pool, kind: Favorite['kind'], ids?: unknown[]): { id: string, status: boolean } | undefined {
  const listed = ids && new Set(ids)
  const items = [...pool[kind].values()]
  // In a combination, items of sources without favourites have no favourite flag.
  const saying = items.filter(item => 'favorite' in item && typeof item.favorite === 'boolean')
  const states = (saying.length > 0 ? saying : items).flatMap(item => {
    const status = listed?.has(item.id) ?? ('favorite' in item ? item.favorite : undefined)
    return typeof status === 'boolean' ? [{ id: item.id, status }] : []
  })
  return states.find(({ status }) => !status) ?? states[0]
}
