import type { PlaylistDetail, Toplist, ToplistGroup, Track } from 'fastify-source-origin'
import { tagsOf } from '../catalogue/build-catalogue.ts'
import type { CatalogueTrack } from '../catalogue/catalogue-track.ts'
import { heardLast, shuffleForToday, similarTracks } from '../catalogue/pick-tracks.ts'
import type { Describer } from '../describe.ts'
import { FolderSource, most } from '../folder-source.ts'
import type { Library } from '../library.ts'
import type { Caller, State } from './state.ts'
import { findToplist, toplists } from './toplists.ts'

/** Milliseconds for which a track counts as heard lately. */
const lately = 14 * 24 * 60 * 60 * 1000

/** A music folder as a source that knows what an account has played. */
export class ListenerSource extends FolderSource {
  protected readonly state: State
  protected readonly account: string
  /** Of the account, when the request came. */
  protected readonly revision: string

  constructor (library: Library, describe: Describer, state: State, { account, revision }: Caller) {
    super(library, describe)
    this.state = state
    this.account = account
    this.revision = revision
  }

  /** The toplists that have tracks. */
  async getToplist (): Promise<ToplistGroup[]> {
    const groups = new Map<string, Toplist[]>()
    for (const { id, name, group, updateFrequency, tracks: choose } of toplists) {
      const first = (await choose(this)).slice(0, 3)
      if (first.length === 0) continue
      const list = groups.get(group) ?? []
      groups.set(group, list)
      const tracks = first.map(track => ({
        name: tagsOf(track).title, artistName: track.artists.map(({ name }) => name).join(', ')
      }))
      list.push({ id, name, coverUrl: this.cover(first[0]), updateFrequency, tracks })
    }
    return [...groups].map(([name, list]) => ({ name, list }))
  }

  async getToplistTracks (id: string, offset: number, limit: number): Promise<PlaylistDetail> {
    const { name, description, tracks: choose } = findToplist(id)
    const all = await choose(this)
    const tracks = all.slice(offset, offset + limit).map(this.describe.track)
    return { id, name, description, coverUrl: this.cover(all[0]), trackCount: all.length, tracks }
  }

  override async getSimilarTracks (id: string): Promise<Track[]> {
    const similar = similarTracks(this.track(id), this.catalogue.tracks.values())
    return this.first(heardLast(similar, await this.#heardLately(Date.now())), most.similar)
  }

  /** What is heard today changes nothing until tomorrow. */
  override async getDailyTracks (): Promise<Track[]> {
    const today = shuffleForToday(this.catalogue.tracks.values())
    return this.first(heardLast(today, await this.#heardLately(new Date().setHours(0, 0, 0, 0))), most.daily)
  }

  /** What the account plays most; then what is in most playlist files. */
  protected override async heat (): Promise<Map<CatalogueTrack, number>> {
    const heat = await super.heat()
    const more = this.catalogue.playlists.size + 1
    for (const { id, plays } of await this.heard()) {
      const track = this.catalogue.tracks.get(id)
      if (track !== undefined) heat.set(track, (heat.get(track) ?? 0) + plays * more)
    }
    return heat
  }

  /** What the account has heard since a time (Unix milliseconds), most often first. */
  heard (from?: number, to?: number) {
    return this.state.plays.heard(this.account, from, to)
  }

  /** The tracks that have files now. */
  known (items: Iterable<{ readonly id: string }>): CatalogueTrack[] {
    return Array.from(items).flatMap(({ id }) => this.catalogue.tracks.get(id) ?? [])
  }

  allTracks (): Iterable<CatalogueTrack> {
    return this.catalogue.tracks.values()
  }

  async #heardLately (until: number): Promise<Set<string>> {
    return new Set((await this.heard(until - lately, until)).map(({ id }) => id))
  }

  protected cover (track: CatalogueTrack | undefined): string {
    return track === undefined ? '' : this.describe.album(track.album).coverUrl
  }
}
