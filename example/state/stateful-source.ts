import {
  NotFoundError, SourceError, type FavoriteItem, type Playlist, type PlaylistDetail, type PlaylistEdit
} from 'fastify-source-origin'
import type { CatalogueTrack } from '../catalogue/items.ts'
import { matchNames } from '../catalogue/match-names.ts'
import { describeAll, limitOf, page, type ById } from '../lists.ts'
import { validateId, validateText, isId } from './validate-input.ts'
import type { Kind } from './favorites.ts'
import { ListenerSource } from './listener-source.ts'
import type { Entry, OwnPlaylist } from './playlists.ts'

const readOnly = 'This playlist is made of the music folder and cannot be changed here: ' +
  'change its file, or the tags of the music'

/** A music folder as a source that keeps what an account does: the adapter of one request. */
export class StatefulSource extends ListenerSource {
  getUserMe () {
    return { userId: this.account, nickname: this.account, avatar: '', platform: 'folder' }
  }

  /** The account's own playlists, then those that it has as favourites. */
  async getUserPlaylist () {
    const own = await this.state.playlists.list(this.account)
    const favorites = await this.#favorites('playlist', this.catalogue.playlists)
    return [...own.map(playlist => this.#ownPlaylist(playlist)), ...favorites.map(this.describe.playlist)]
  }

  /** The account's own playlists that match, then those of the folder. */
  override async searchPlaylists (keyword: string, offset: number, limit: number) {
    const all = await this.state.playlists.list(this.account)
    const own = matchNames(all, ({ name, description }) => ({ name, more: description }), keyword)
    return page([...own, ...this.matchingPlaylists(keyword)], offset, limit, playlist =>
      'genres' in playlist ? this.describe.playlist(playlist) : this.#ownPlaylist(playlist))
  }

  async userFavoriteTracks () {
    return describeAll(await this.#favorites('track', this.catalogue.tracks), this.describe.track)
  }

  async userArtists () {
    return (await this.#favorites('artist', this.catalogue.artists)).map(this.describe.artist)
  }

  async userAlbums () {
    return (await this.#favorites('album', this.catalogue.albums)).map(this.describe.album)
  }

  async favoriteTrack (id: string, status: boolean) {
    return this.#setFavorite('track', id, status)
  }

  async favoriteArtist (id: string, status: boolean) {
    return this.#setFavorite('artist', id, status)
  }

  async favoriteAlbum (id: string, status: boolean) {
    return this.#setFavorite('album', id, status)
  }

  /** A playlist of one's own is always in the list of one's playlists. */
  async favoritePlaylist (id: string, status: boolean) {
    return this.#setFavorite('playlist', id, status)
  }

  override async getPlaylistDetail (
    id: string, trackLimit: number, sort?: string, order?: 'asc' | 'desc'
  ): Promise<PlaylistDetail> {
    if (this.catalogue.playlists.has(id)) return super.getPlaylistDetail(id, trackLimit, sort, order)
    const { playlist, ids } = await this.state.playlists.whole(this.account, this.revision, validateId(id))
    const sorted = sort === undefined ? ids : this.catalogue.sortIds(ids, { sort, order })
    const items = await this.#itemsOf(id, sorted.slice(0, limitOf(trackLimit)))
    const tracks = await describeAll(items, item =>
      isThere(item) ? this.describe.track(item) : this.describe.goneTrack(item))
    return { ...this.#ownPlaylist(playlist), tracks }
  }

  async createPlaylist (name: string) {
    return this.#ownPlaylist(await this.state.playlists.create(this.account, validateText(name, 'name')))
  }

  async updatePlaylist (id: string, name: string, description: string) {
    this.#checkOwn(id)
    const texts = [validateText(name, 'name'), validateText(description, 'description')] as const
    return this.#ownPlaylist(await this.state.playlists.update(this.account, id, ...texts))
  }

  async deletePlaylist (id: string) {
    this.#checkOwn(id)
    await this.state.playlists.delete(this.account, id)
    return { success: true }
  }

  async addTrackToPlaylist (playlistId: string, trackId: string) {
    this.#checkOwn(playlistId)
    const { id, title } = this.track(trackId)
    const [there = id] = await this.#idsIn(playlistId, id)
    await this.state.playlists.addTrack(this.account, playlistId, { id: there, title })
    return { success: true }
  }

  /** The file of the track may be gone. */
  async removeTrack (playlistId: string, trackId: string) {
    this.#checkOwn(playlistId)
    const ids = [validateId(trackId), ...await this.#idsIn(playlistId, trackId)]
    await this.state.playlists.removeTracks(this.account, playlistId, ids)
    return { success: true }
  }

  /** The ids by which a playlist has a track. */
  async #idsIn (playlist: string, track: string): Promise<string[]> {
    const { ids } = await this.state.playlists.whole(this.account, this.revision, playlist)
    const current = this.catalogue.currentIds('track', [...ids, track])
    const wanted = current.get(track) ?? track
    return ids.filter(id => (current.get(id) ?? id) === wanted)
  }

  async editPlaylist (edit: PlaylistEdit) {
    const { id, name, description } = edit
    if (id !== undefined) this.#checkOwn(id)
    if (name !== undefined) validateText(name, 'name')
    if (description !== undefined) validateText(description, 'description')
    const known = {
      titleOf: (track: string) => this.catalogue.tracks.get(track)?.title,
      currentIds: (tracks: readonly string[]) => this.catalogue.currentIds('track', tracks)
    }
    return this.#ownPlaylist(await this.state.playlists.edit(this.account, edit, known))
  }

  /** The tracks of a playlist; of one whose file is gone what is kept of it. */
  async #itemsOf (playlist: string, ids: readonly string[]): Promise<(CatalogueTrack | Entry)[]> {
    const items = await describeAll(ids, id => this.catalogue.tracks.get(id) ?? id)
    if (items.every(item => typeof item !== 'string')) return items
    const entries = new Map((await this.state.playlists.entries(playlist)).map(({ id, title }) =>
      [id, { id, title: this.catalogue.goneTitle(id) ?? title }]))
    return items.map(item => typeof item === 'string' ? entries.get(item) : item).filter(item => item !== undefined)
  }

  /** The favourites of a kind that are in the folder now. */
  async #favorites<T> (kind: Kind, items: ById<T>): Promise<T[]> {
    const ids = await this.state.favorites.list(this.account, kind)
    const found = await describeAll(ids, id => items.get(id))
    return [...new Set(found)].filter(item => item !== undefined)
  }

  /** What is no longer in the folder can be taken from the favourites. */
  async setFavorites (items: readonly FavoriteItem[], status: boolean) {
    for (const { kind, id } of items) {
      if ((status || !isId(id)) && this.catalogue[`${kind}s`].get(id) === undefined) {
        throw new NotFoundError(`There is no such ${kind}: ${id}`)
      }
    }
    await this.state.favorites.set(this.account, status ? items : await this.#withFormer(items), status)
    return { success: true }
  }

  /** Items, and those favourites that they were before. */
  async #withFormer (items: readonly FavoriteItem[]): Promise<FavoriteItem[]> {
    const all = new Map<string, FavoriteItem>()
    for (const kind of new Set(items.map(({ kind }) => kind))) {
      const current = (id: string) => this.catalogue[`${kind}s`].get(id)?.id ?? id
      const wanted = new Set(items.filter(item => item.kind === kind).map(({ id }) => current(id)))
      for (const id of await this.state.favorites.list(this.account, kind)) {
        if (wanted.has(current(id))) all.set(id, { kind, id })
      }
    }
    return [...all.values()]
  }

  async #setFavorite (kind: Kind, id: string, status: boolean) {
    return { ...await this.setFavorites([{ kind, id }], status), status }
  }

  /** @throws SourceError (422) for a playlist of the folder */
  #checkOwn (id: string): void {
    if (this.catalogue.playlists.has(id)) {
      throw new SourceError(422, readOnly)
    }
    validateId(id)
  }

  #ownPlaylist ({ first, ...playlist }: OwnPlaylist): Playlist {
    const creator = { id: this.account, name: this.account, avatarUrl: '' }
    const track = first === undefined ? undefined : this.catalogue.tracks.get(first)
    return { ...playlist, coverUrl: this.cover(track), creator }
  }
}

const isThere = (item: CatalogueTrack | Entry): item is CatalogueTrack => 'files' in item
