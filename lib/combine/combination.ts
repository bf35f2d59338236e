import type { PlaylistDetail } from '../../schemas/index.ts'
import { readWhole } from '../async/read-whole.ts'
import { BadRequestError, NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { AdapterMethod, Operation } from '../contract/operations.ts'
import { markPartial, partialOf } from '../contract/partial.ts'
import { Answer, type AnswerOptions, type Target } from './answer.ts'
import type { NamespacedSource } from './namespaced-source.ts'
import { idsIn, isExternalId, storedId } from './combined-ids.ts'
import { ExternalTracks } from './external-tracks.ts'

/** Options of a combination's calls to its sources. */
export interface CombinationOptions extends AnswerOptions {
  /**
   * The id of the source in which new playlists are created, and which stores tracks of other sources. Default: the
   * first that can.
   */
  readonly playlistSource?: string | undefined
}

/** Parameters that name the source of a call. */
const namesSource = ['playlistId', 'id', 'category']

/** Returns the name of the parameter that names the source in a call; `undefined` for a call of all sources. */
const idParameterOf = ({ parameters }: Operation, args: readonly unknown[]): string | undefined =>
  namesSource.find(name => args[parameters.indexOf(name)] !== undefined)

/** Tags of operations on items that never have duplicates in other sources. */
const isOne = new Set(['playlist', 'toplist'])

/** The sources of a combination. An id selects its source; other calls go to all of them. */
export class Combination {
  readonly sources: readonly NamespacedSource[]
  readonly #options: CombinationOptions

  constructor (sources: readonly NamespacedSource[], options: CombinationOptions) {
    this.sources = sources
    this.#options = options
  }

  /** Returns the sources that offer an operation. */
  able (method: AdapterMethod): readonly NamespacedSource[] { return this.sources.filter(source => source.has(method)) }

  async call (row: Operation, args: readonly unknown[]): Promise<unknown> {
    const targets = this.#targetsOf(row, args)
    if (row.method === 'POST') return this.#change(row, targets, args)
    const [first] = targets
    // A response of a single source is returned unchanged, and so is its error.
    if (targets.length === 1) {
      const answer = await first!.source.ask(row.adapterMethod, first!.args).catch(error => {
        // A failure of a single item does not make the source unavailable.
        if (idParameterOf(row, args) === undefined) first!.source.fail(error)
        throw error
      })
      const isMixed = row.adapterMethod === 'getPlaylistDetail' && first!.source.keepsOthers
      return isMixed ? this.#withForeign(first!.source, answer) : answer
    }
    return new Answer(row.adapterMethod, targets, this.#options).read()
  }

  /**
   * Returns the sources to call, in the order of the list.
   *
   * @throws NotFoundError for an id of an unknown source; UnsupportedFeatureError if the source does not offer the
   *   operation
   */
  #targetsOf (row: Operation, args: readonly unknown[]): readonly Target[] {
    const { adapterMethod: method, parameters, tag } = row
    const name = idParameterOf(row, args)
    if (name === undefined) return this.able(method).map(source => ({ source, args }))
    const id = args[parameters.indexOf(name)]
    const first = this.ownerOf(id)
    const owners = isOne.has(tag) ? [first] : this.sources.filter(source => source.own(id) !== undefined)
    const targets = owners.filter(source => source.has(method)).map(source => ({
      source, args: args.map((value, at) => parameters[at] === name ? source.own(id) : value)
    }))
    if (targets.length === 0) throw new UnsupportedFeatureError(`${first.name} does not offer this`)
    return targets
  }

  /**
   * Returns the first source that an id belongs to.
   *
   * @throws NotFoundError
   */
  ownerOf (id: unknown): NamespacedSource {
    const owner = this.sources.find(source => source.own(id) !== undefined)
    if (owner === undefined) throw new NotFoundError('No source has what this id names')
    return owner
  }

  /** Returns the source for new playlists, among those able to create them. */
  playlistSource (able: readonly NamespacedSource[]): NamespacedSource {
    return able.find(({ id }) => id === this.#options.playlistSource) ?? able[0]!
  }

  async #change (
    { adapterMethod: method, parameters }: Operation, targets: readonly Target[], given: readonly unknown[]
  ): Promise<unknown> {
    const [first] = targets
    if (method === 'createPlaylist') return this.playlistSource(this.able(method)).ask(method, given)
    const track = parameters.indexOf('trackId')
    if (track !== -1) {
      const { source, args } = first!
      const id = String(given[track])
      const stored = this.trackIn(source, id)
      if (method === 'addTrackToPlaylist') await this.checkExternal(source, [id])
      return source.ask(method, args.with(track, stored))
    }
    // A merged item is a favourite in each of its sources. One success is enough to set it, and all are needed to
    // remove it.
    const asked = await Promise.allSettled(targets.map(({ source, args }) => source.ask(method, args)))
    const answers = asked.flatMap(one => one.status === 'fulfilled' ? [one.value] : [])
    const failed = asked.find(one => one.status === 'rejected')
    const done = answers.find(({ success }) => success !== false)
    if (given[parameters.indexOf('status')] === true && done !== undefined) return done
    if (failed !== undefined) throw failed.reason
    return answers.find(({ success }) => success === false) ?? answers[0]
  }

  /** Returns a playlist in which tracks of other sources have their current metadata. */
  async #withForeign<T extends { readonly tracks?: unknown }> (holder: NamespacedSource, playlist: T): Promise<T> {
    const tracks: readonly any[] = Array.isArray(playlist?.tracks) ? playlist.tracks : []
    const isOther = (track: any) =>
      typeof track?.id === 'string' && (isExternalId(track.id) || holder.own(track.id) === undefined)
    const ids = tracks.filter(isOther).map(({ id }): string => id)
    if (ids.length === 0) return playlist
    const found = new ExternalTracks(this.#options)
    await found.read(this.sources, [...new Set(ids)].filter(id => !isExternalId(id)))
    const shown = tracks.map(track => isOther(track) ? found.shown(track.id, this.sources) : track)
    return markPartial({ ...playlist, tracks: shown }, [...partialOf(playlist), ...found.missing])
  }

  /**
   * Checks that tracks of other sources exist before a source stores them. Tracks of an unresponsive source are
   * accepted.
   *
   * @param playlist id of the playlist in that source; its current tracks may be missing
   * @throws NotFoundError
   */
  async checkExternal (holder: NamespacedSource, ids: readonly string[], playlist?: string): Promise<void> {
    const isForeignTo = (id: string) => holder.own(id) === undefined
    if (!ids.some(isForeignTo)) return
    const read = (most: number): Promise<PlaylistDetail> => holder.ask('getPlaylistDetail', [playlist, most])
    const before = playlist === undefined ? undefined : await readWhole(read)
    const kept = new Set(before?.tracks.map(({ id }) => id))
    const come = [...new Set(ids)].filter(id => isForeignTo(id) && !kept.has(id))
    // External tracks of an outer combination are checked there.
    for (const id of come) if (!isExternalId(id)) this.ownerOf(id)
    const found = new ExternalTracks(this.#options)
    await found.read(this.sources, come.flatMap(idsIn))
    const gone = come.find(id => idsIn(id).every(id => found.isGone(id)))
    if (gone !== undefined) throw new NotFoundError(`Track not found: ${gone}`)
  }

  /**
   * Returns the id under which a source stores a track in its playlists.
   *
   * @throws BadRequestError for a track of another source, unless this source stores mixed playlists
   */
  trackIn (source: NamespacedSource, id: string): string {
    const own = source.own(id)
    if (own !== undefined) return own
    if (source.keepsOthers) return storedId(id)
    const other = this.ownerOf(id)
    throw new BadRequestError(`This playlist is in ${source.name}, which does not keep tracks of ${other.name}`)
  }
}
