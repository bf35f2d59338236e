import { withHandled } from '../async/handled.ts'
import { UnsupportedFeatureError } from '../contract/errors.ts'
import { keepsPlays, keepsPlaysOf, keepsSome, type PartlyKeeping } from '../contract/keeps-plays.ts'
import type { PlayCount, PlayEvent, PlaylistEdit, ScanStatus, SourceExtras } from '../contract/source-extras.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import type { Combination } from './combination.ts'

type ExtraMethod = Exclude<keyof SourceExtras, 'library'>

/** Methods for the account's own playlists. A source without accounts does not support them, whatever login it uses. */
const ofAccount = new Set<ExtraMethod>(['editPlaylist', 'sharePlaylist', 'getPlaylistSharing'])

const lacks = (source: NamespacedSource, method: ExtraMethod) =>
  typeof source.adapter[method] !== 'function' || (ofAccount.has(method) && !source.isStateful) ||
  (source.isShared && method !== 'getScanStatus')

/**
 * Combines adapter methods that are not operations. Calls for an item go to its source, playlist edits require support
 * in each source with playlists, and plays are reported to each source that accepts them.
 */
export function extraMethods (combination: Combination): SourceExtras & PartlyKeeping {
  const { sources } = combination
  const having = (method: ExtraMethod) => sources.filter(source => !lacks(source, method))
  const withPlaylists = sources.filter(source => source.has('addTrackToPlaylist'))
  const offered = new Set<ExtraMethod>()
  const some = ['onPlay', 'getPlays', 'sharePlaylist', 'getPlaylistSharing', 'startScan', 'getScanStatus'] as const
  for (const method of some) {
    if (having(method).length > 0) offered.add(method)
  }
  const isEvery = (some: readonly NamespacedSource[], method: ExtraMethod) =>
    some.length > 0 && some.every(source => !lacks(source, method))
  if (isEvery(withPlaylists, 'editPlaylist')) offered.add('editPlaylist')

  /** @throws NotFoundError, UnsupportedFeatureError */
  const ownerOf = (id: string, method: ExtraMethod) => {
    const source = combination.ownerOf(id)
    if (lacks(source, method)) throw new UnsupportedFeatureError(`${source.name} does not offer this`)
    return { source, adapter: source.adapter, own: source.own(id)! }
  }
  const sumOf = async (ask: (source: NamespacedSource) => unknown, method: ExtraMethod): Promise<ScanStatus> => {
    const all = await Promise.all(having(method).map(async source => await ask(source) as ScanStatus))
    return { scanning: all.some(({ scanning }) => scanning), count: all.reduce((sum, { count }) => sum + count, 0) }
  }
  const methods = withHandled({
    async onPlay (event: PlayEvent) {
      const source = having('onPlay').find(source => source.own(event.track) !== undefined)
      await source?.adapter.onPlay!({ ...event, track: source.own(event.track)!, account: source.context.account })
    },
    async getPlays (since?: number): Promise<readonly PlayCount[]> {
      const all = await Promise.all(having('getPlays').map(async ({ adapter, rename }) =>
        (await adapter.getPlays!(since)).map(play => ({ ...play, id: rename(play.id) }))))
      return all.flat()
    },
    async editPlaylist ({ id, tracks, base, add, ...edit }: PlaylistEdit) {
      const source =
        id === undefined ? combination.playlistSource(withPlaylists) : ownerOf(id, 'editPlaylist').source
      const own = (ids: readonly string[] | undefined) => ids?.map(id => combination.trackIn(source, id))
      const edited = { tracks: own(tracks), base: own(base), add: own(add) }
      await combination.checkExternal(source, [...tracks ?? [], ...add ?? []], id && source.own(id))
      const answer = await source.adapter.editPlaylist!({
        ...edit, ...edited, id: id && source.own(id)
      })
      return source.renameAnswer('updatePlaylist', answer)
    },
    sharePlaylist: async (id: string, sharing: object) => {
      const { adapter, own } = ownerOf(id, 'sharePlaylist')
      return adapter.sharePlaylist!(own, sharing)
    },
    getPlaylistSharing: async (id: string) => {
      const { adapter, own } = ownerOf(id, 'getPlaylistSharing')
      return adapter.getPlaylistSharing!(own)
    },
    startScan: () => sumOf(({ adapter }) => adapter.startScan!(), 'startScan'),
    getScanStatus: () => sumOf(({ adapter }) => adapter.getScanStatus!(), 'getScanStatus')
  })
  const keeping = having('getPlays')
  return {
    ...Object.fromEntries(Object.entries(methods).filter(([name]) => offered.has(name as ExtraMethod))),
    ...keeping.length > 0 && (keeping.length < sources.length || keeping.some(({ adapter }) => keepsSome(adapter))) && {
      [keepsPlays]: (track: string) => keeping.some(source => {
        const there = source.own(track)
        return there !== undefined && keepsPlaysOf(source.adapter, there)
      })
    }
  }
}
