import { BadRequestError, NotFoundError, SourceError, type Playlist, type PlaylistDetail, type Toplist, type ToplistGroup, type Track } from 'fastify-source-origin'
import type { CatalogueTrack } from '../catalogue/build-catalogue.ts'
import { tagsOf } from '../catalogue/build-catalogue.ts'
import { heardLast, newTracks, shuffleForToday, similarTracks } from '../catalogue/pick-tracks.ts'
import type { Describer } from '../describe.ts'
import { FolderSource, found, most, sortTracks } from '../folder-source.ts'
import type { Library } from '../library.ts'
import type { Caller, Kind, OwnPlaylist, State } from './state.ts'

const day = 24 * 60 * 60 * 1000
/** Milliseconds for which a track counts as heard lately. */
const lately = 14 * day
/** Tracks that a toplist has. */
const toplistLength = 200

interface ToplistKind {
  readonly name: string
  readonly description: string
  readonly group: string
  readonly updateFrequency: string
  readonly tracks: (source: StatefulSource) => Promise<CatalogueTrack[]> | CatalogueTrack[]
}

const toplists: Readonly<Record<string, ToplistKind>> = {
  week: mostPlayed('Most played this week', 'What you played most in the last seven days', 7 * day),
  month: mostPlayed('Most played this month', 'What you played most in the last thirty days', 30 * day),
  ever: mostPlayed('Most played ever', 'What you played most'),
  recent: {
    name: 'Recently played',
    description: 'What you played last',
    group: 'My plays',
    updateFrequency: 'With each play',
    tracks: async source => source.known((await source.heard()).sort((a, b) => b.last - a.last))
  },
  added: {
    name: 'Recently added',
    description: 'What came to the folder last',
    group: 'Library',
    updateFrequency: 'With each scan',
    tracks: source => newTracks(source.allTracks())
  }
}

function mostPlayed (name: string, description: string, time = Infinity): ToplistKind {
  return {
    name, description, group: 'My plays', updateFrequency: 'With each play', tracks: async source => source.known(await source.heard(Math.max(0, Date.now() - time)))
  }
}

/** A music folder as a source that keeps what an account does: the adapter of one request. */
export class StatefulSource extends FolderSource {
  readonly #state: State
  readonly #account: string

  constructor (library: Library, describe: Describer, state: State, { account }: Caller) {
    super(library, describe)
    this.#state = state
    this.#account = account
  }

  getUserMe () {
    return { userId: this.#account, nickname: this.#account, avatar: '', platform: 'folder' }
  }

  /** The account's own playlists, then those that it has as favourites. */
  async getUserPlaylist () {
    const own = await this.#state.playlists(this.#account)
    const favorites = await this.#favorites('playlist', this.catalogue.playlists)
    return [...own.map(playlist => this.#ownPlaylist(playlist)), ...favorites.map(this.describe.playlist)]
  }

  async userFavoriteTracks () {
    return (await this.#favorites('track', this.catalogue.tracks)).map(this.describe.track)
  }

  async userArtists () {
    return (await this.#favorites('artist', this.catalogue.artists)).map(this.describe.artist)
  }

  async userAlbums () {
    return (await this.#favorites('album', this.catalogue.albums)).map(this.describe.album)
  }

  async favoriteTrack (id: string, status: boolean) {
    return this.#setFavorite('track', this.catalogue.tracks, id, status)
  }

  async favoriteArtist (id: string, status: boolean) {
    return this.#setFavorite('artist', this.catalogue.artists, id, status)
  }

  async favoriteAlbum (id: string, status: boolean) {
    return this.#setFavorite('album', this.catalogue.albums, id, status)
  }

  /** A playlist of one's own is always in the list of one's playlists. */
  async favoritePlaylist (id: string, status: boolean) {
    return this.#setFavorite('playlist', this.catalogue.playlists, id, status)
  }

  override async getPlaylistDetail (id: string, trackLimit: number, sort?: string, order?: 'asc' | 'desc'): Promise<PlaylistDetail> {
    if (this.catalogue.playlists.has(id)) return super.getPlaylistDetail(id, trackLimit, sort, order)
    const playlist = await this.#state.playlist(this.#account, checkId(id))
    const entries = await this.#state.entries(id)
    const length = trackLimit === -1 ? most.tracks : trackLimit
    let tracks: Track[]
    if (sort === undefined) {
      tracks = entries.slice(0, length).map(entry => {
        const track = this.catalogue.tracks.get(entry.id)
        return track === undefined ? this.describe.goneTrack(entry) : this.describe.track(track)
      })
    } else {
      const gone = entries.filter(({ id }) => !this.catalogue.tracks.has(id)).map(entry => this.describe.goneTrack(entry))
      tracks = [...sortTracks(this.known(entries), sort, order).slice(0, length).map(this.describe.track), ...gone].slice(0, length)
    }
    return { ...this.#ownPlaylist(playlist), tracks }
  }

  async createPlaylist (name: string) {
    return this.#ownPlaylist(await this.#state.createPlaylist(this.#account, checkText(name, 'name')))
  }

  async updatePlaylist (id: string, name: string, description: string) {
    this.#checkOwn(id)
    return this.#ownPlaylist(await this.#state.updatePlaylist(this.#account, id, checkText(name, 'name'), checkText(description, 'description')))
  }

  async deletePlaylist (id: string) {
    this.#checkOwn(id)
    await this.#state.deletePlaylist(this.#account, id)
    return { success: true }
  }

  async addTrackToPlaylist (playlistId: string, trackId: string) {
    this.#checkOwn(playlistId)
    const track = this.track(trackId)
    await this.#state.addTrack(this.#account, playlistId, { id: track.id, title: tagsOf(track).title })
    return { success: true }
  }

  /** The file of the track may be gone. */
  async removeTrack (playlistId: string, trackId: string) {
    this.#checkOwn(playlistId)
    await this.#state.removeTrack(this.#account, playlistId, checkId(trackId))
    return { success: true }
  }

  /** The toplists that have tracks. */
  async getToplist (): Promise<ToplistGroup[]> {
    const groups = new Map<string, Toplist[]>()
    for (const [id, { name, group, updateFrequency, tracks }] of Object.entries(toplists)) {
      const first = (await tracks(this)).slice(0, 3)
      if (first.length === 0) continue
      const list = groups.get(group) ?? []
      groups.set(group, list)
      list.push({
        id,
        name,
        coverUrl: this.#cover(first[0]),
        updateFrequency,
        tracks: first.map(track => ({ name: tagsOf(track).title, artistName: track.artists.map(({ name }) => name).join(', ') }))
      })
    }
    return [...groups].map(([name, list]) => ({ name, list }))
  }

  async getToplistTracks (id: string, offset: number, limit: number): Promise<PlaylistDetail> {
    const toplist = Object.hasOwn(toplists, id) ? toplists[id] : undefined
    if (toplist === undefined) throw new NotFoundError('There is no such toplist')
    const { name, description } = toplist
    const tracks = (await toplist.tracks(this)).slice(0, toplistLength)
    return {
      id, name, description, coverUrl: this.#cover(tracks[0]), trackCount: tracks.length, tracks: tracks.slice(offset, offset + limit).map(this.describe.track)
    }
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
    return this.#state.heard(this.#account, from, to)
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

  /** The favourites of a kind that are in the folder now. */
  async #favorites<T> (kind: Kind, items: ReadonlyMap<string, T>): Promise<T[]> {
    return (await this.#state.favorites(this.#account, kind)).flatMap(id => items.get(id) ?? [])
  }

  async #setFavorite (kind: Kind, items: ReadonlyMap<string, unknown>, id: string, status: boolean) {
    // What is no longer in the folder can be taken from the favourites.
    if (status || !/^[0-9a-f]{20}$/.test(id)) found(items, id, kind)
    await this.#state.setFavorite(this.#account, kind, id, status)
    return { success: true, status }
  }

  /** @throws SourceError (422) for a playlist of the folder */
  #checkOwn (id: string): void {
    if (this.catalogue.playlists.has(id)) {
      throw new SourceError(422, 'This playlist is made of the music folder and cannot be changed here: change its file, or the tags of the music')
    }
    checkId(id)
  }

  #ownPlaylist ({ first, ...playlist }: OwnPlaylist): Playlist {
    return { ...playlist, coverUrl: this.#cover(first === undefined ? undefined : this.catalogue.tracks.get(first)), creator: { id: this.#account, name: this.#account, avatarUrl: '' } }
  }

  #cover (track: CatalogueTrack | undefined): string {
    return track === undefined ? '' : this.describe.album(track.album).coverUrl
  }
}

/** Ids are what we made: anything else is not even asked for. */
function checkId (id: string): string {
  if (!/^[0-9a-f]{20}$/.test(id)) throw new NotFoundError('There is no such playlist or track')
  return id
}

/** Databases do not take NUL, nor half of a character; names have an end. */
function checkText (text: string, name: 'name' | 'description'): string {
  const longest = name === 'name' ? 300 : 10_000
  if (/[\0\p{Cs}]/u.test(text)) throw new BadRequestError(`Invalid parameter ${name}: it has characters that cannot be kept`)
  if (text.length > longest) throw new BadRequestError(`Invalid parameter ${name}: ${longest} characters at most`)
  return text
}
