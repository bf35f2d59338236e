import type {
  Artist, PlayEvent, PlaylistDetail, SourceLibrary, Toplist, ToplistGroup, Track
} from 'fastify-source-origin'
import type { CatalogueArtist, CatalogueTrack } from '../catalogue/catalogue-items.ts'
import { heardLast } from '../catalogue/pick-tracks.ts'
import type { Describer } from '../source/describe.ts'
import { FolderLibrary } from '../source/folder-library.ts'
import { FolderSource } from '../source/folder-source.ts'
import type { MusicFolder } from '../index/music-folder.ts'
import { limits } from '../source/pages.ts'
import type { Heard } from '../catalogue/listened.ts'
import { mergeHeard } from './kept-plays.ts'
import type { Viewer, State } from './state.ts'
import { findToplist, toplists, type ToplistKind } from './toplists.ts'
import { artistNames } from '../text/artist-names.ts'

/** The time in milliseconds after the end of a track within which a play may still continue after pauses. */
const latestNote = 3_600_000
/** The time in milliseconds within which a track counts as recently played. */
const lately = 14 * 24 * 60 * 60 * 1000

/** A music folder as a source with the plays of an account. */
export class ListenerSource extends FolderSource {
  protected readonly state: State
  /** The revision of the account at the time of the request. */
  protected readonly revision: string
  readonly #listener: string

  constructor (folder: MusicFolder, describer: () => Describer, state: State, viewer: Viewer) {
    const { account, revision, listener, limits } = viewer
    super(folder, describer, account, limits)
    this.state = state
    this.revision = revision
    this.#listener = listener
  }

  /** Returns the toplists that have tracks. */
  async getToplist (): Promise<ToplistGroup[]> {
    const groups = new Map<string, Toplist[]>()
    const heard = await this.#heardFor(toplists)
    for (const [index, { id, name, group, updateFrequency, choose }] of toplists.entries()) {
      const first = (await choose(this, heard[index]!)).slice(0, 3)
      if (first.length === 0) continue
      const list = groups.get(group) ?? []
      groups.set(group, list)
      const tracks = first.map(track => ({
        name: track.title, artistName: artistNames(track.artists)
      }))
      list.push({ id, name, coverUrl: this.cover(first[0]), updateFrequency, tracks })
    }
    return [...groups].map(([name, list]) => ({ name, list }))
  }

  async getToplistTracks (id: string, offset: number, limit: number): Promise<PlaylistDetail> {
    const toplist = findToplist(id)
    const { name, description } = toplist
    const [heard] = await this.#heardFor([toplist])
    const all = await toplist.choose(this, heard!)
    const tracks = all.slice(offset, offset + limit).map(this.describe.track)
    return { id, name, description, coverUrl: this.cover(all[0]), trackCount: all.length, tracks }
  }

  async #heardFor (kinds: readonly ToplistKind[]): Promise<Heard[][]> {
    const now = Date.now()
    const heard = await this.state.plays.heardSince(this.account, kinds.map(({ time }) => Math.max(0, now - time)))
    return Promise.all(heard.map(some => this.#asNow(some)))
  }

  override async getSimilarTracks (id: string): Promise<Track[]> {
    const similar = this.catalogue.similarTracks(this.track(id), limits.sample)
    return this.#first(heardLast(similar, await this.#heardLately(Date.now())), limits.similar)
  }

  override get library (): SourceLibrary { return new FolderLibrary(this.catalogue, this.describe, this) }

  /** Returns the plays by album, cached for a minute or until this process counts a play or the data changes. */
  heardAlbums (): Promise<ReadonlyMap<string, Heard>> {
    const { heardAlbums } = this.folder
    const key = this.#heardKey
    const kept = heardAlbums.get(key)
    if (kept !== undefined) return kept
    const sums = this.heard().then(heard => this.catalogue.heardAlbums(heard))
    heardAlbums.set(key, sums)
    sums.catch(() => heardAlbums.delete(key))
    return sums
  }

  /** The cache key. The revision of an account contains its listener. */
  get #heardKey (): string { return `${this.revision} ${this.catalogue.revision}` }

  /** Returns the artists that the account plays most, then the artists with the most tracks. */
  override async getTopArtists (): Promise<Artist[]> {
    const heard = await this.heard()
    const plays = new Map(heard.map(({ id, plays }) => [id, plays]))
    const artists = new Map<string, { readonly artist: CatalogueArtist, plays: number }>()
    for (const { id, artists: all } of await this.known(heard, limits.sample)) {
      for (const artist of all) {
        const known = artists.get(artist.id) ?? { artist, plays: 0 }
        artists.set(artist.id, { artist, plays: known.plays + plays.get(id)! })
      }
    }
    const played = [...artists.values()].sort((a, b) => b.plays - a.plays).map(({ artist }) => artist)
    const others = this.catalogue.topArtists(limits.topArtists).filter(({ id }) => !artists.has(id))
    return [...played, ...others].slice(0, limits.topArtists).map(this.describe.artist)
  }

  /** Returns the tracks of the day. Plays of today affect only the selection of tomorrow. */
  override async getDailyTracks (): Promise<Track[]> {
    const today = this.tracksOfDay()
    return this.#first(heardLast(today, await this.#heardLately(new Date().setHours(0, 0, 0, 0))), limits.daily)
  }

  /** Returns the weights of tracks: plays of the account first, then occurrences in playlist files. */
  protected override async heat (): Promise<ReadonlyMap<string, number>> {
    const more = this.catalogue.playlists.size + 1
    return new Map((await this.heard()).map(({ id, plays }) => [id, plays * more]))
  }

  /** Returns the play counts of the account since a time (Unix milliseconds), sorted by count. */
  async heard (from?: number, to?: number): Promise<Heard[]> {
    return this.#asNow(await this.state.plays.heard(this.account, from, to))
  }

  /** Merges the plays of tracks that have become one track. */
  async #asNow (heard: readonly Heard[]): Promise<Heard[]> {
    return mergeHeard(heard, await this.catalogue.currentIds('track', heard.map(({ id }) => id)))
  }

  async onPlay ({ id, counted, track, startedAt, state }: PlayEvent) {
    this.state.silent.tell(this.#listener)
    const { listens } = this.state
    const known = this.catalogue.tracks.get(track)
    const listened = known && listens.describe(track)
    // Plays that an app reports after it was offline are over, so they are not shown as current.
    if (listened !== undefined && state === 'playing' && startedAt + listened.length + latestNote > Date.now()) {
      listens.onPlaying(this.account, id, listened)
    }
    if (!counted || known === undefined) return
    await this.state.plays.add(this.#listener, { track, playedAt: startedAt, length: known.durationMs })
    this.folder.heardAlbums.delete(this.#heardKey)
  }

  getPlays (since?: number) {
    return this.heard(since)
  }

  /** Returns the first tracks that currently have files. */
  known (items: Iterable<{ readonly id: string }>, limit: number): Promise<CatalogueTrack[]> {
    return this.catalogue.knownTracks(Array.from(items, ({ id }) => id), limit)
  }

  newTracks (limit: number): CatalogueTrack[] {
    return this.catalogue.newTracks(limit)
  }

  async #heardLately (until: number): Promise<Set<string>> {
    return new Set((await this.heard(until - lately, until)).map(({ id }) => id))
  }

  #first (tracks: readonly CatalogueTrack[], count: number): Track[] {
    return tracks.slice(0, count).map(this.describe.track)
  }

  protected cover (track: CatalogueTrack | undefined): string {
    return track === undefined ? '' : this.describe.album(track.album).coverUrl
  }
}
