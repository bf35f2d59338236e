import {
  extras, NotFoundError, SourceError, type FavoriteItem, type Playlist, type PlaylistDetail, type PlaylistEdit,
  type PlaylistSharing
} from 'fastify-source-origin'
import type { CatalogueTrack } from '../catalogue/catalogue-items.ts'
import { hidesTracks } from '../catalogue/limits.ts'
import { matchNames } from '../catalogue/match-names.ts'
import { describeAll, limitOf, page } from '../source/pages.ts'
import { validateId, validateText, isId } from '../catalogue/validate-input.ts'
import type { FavoriteKind } from './favorites.ts'
import { ListenerSource } from './listener-source.ts'
import type { Describer } from '../source/describe.ts'
import type { MusicFolder } from '../index/music-folder.ts'
import type { Entry } from '../catalogue/listened.ts'
import { notFound } from '../text/not-found.ts'
import type { OwnPlaylist } from './own-playlists.ts'
import type { State, Viewer } from './state.ts'

const readOnly = 'This playlist is made of the music folder and cannot be changed here: ' +
  'change its file, or the tags of the music'

/** The title of a playlist's track that is restricted for the account. The position in the playlist is preserved. */
const unseen = 'Not for this account'

/** The title of a playlist's track whose source was removed from the combination. */
const externalTitle = 'Of another source'

/** A music folder as a source that stores the data of an account: the adapter of one request. */
export class StatefulSource extends ListenerSource {
  /** Returns whether an id belongs to a track of another source. Playlists store these ids without a lookup. */
  readonly #isForeign: (id: string) => boolean

  constructor (
    folder: MusicFolder, describer: () => Describer, state: State, viewer: Viewer, isForeign = (_id: string) => false
  ) {
    super(folder, describer, state, viewer)
    this.#isForeign = isForeign
  }

  getUserMe () {
    return { userId: this.account, nickname: this.account, avatar: '', platform: 'folder' }
  }

  /** Returns the account's own playlists, then the shared ones, then its favourite ones. */
  async getUserPlaylist () {
    const own = await this.#playlists()
    const favorites = await this.#favorites('playlist', async ids => ids.map(id => this.catalogue.playlists.get(id)))
    return [...own.map(playlist => this.#ownPlaylist(playlist)), ...favorites.map(this.describe.playlist)]
  }

  async #playlists (): Promise<OwnPlaylist[]> {
    const { playlists } = this.state
    return [...await playlists.list(this.account), ...await playlists.listShared(this.account)]
  }

  /** Returns the matching playlists of the account and of others, then the matching ones of the folder. */
  override async searchPlaylists (keyword: string, offset: number, limit: number) {
    const all = await this.#playlists()
    const own = matchNames(all, ({ name, description }) => ({ name, more: description }), keyword)
    return page([...own, ...this.matchingPlaylists(keyword)], offset, limit, playlist =>
      'genres' in playlist ? this.describe.playlist(playlist) : this.#ownPlaylist(playlist))
  }

  async userFavoriteTracks () {
    return describeAll(await this.#favorites('track', ids => this.catalogue.tracks.find(ids)), this.describe.track)
  }

  async userArtists () {
    return (await this.#favorites('artist', ids => this.catalogue.artists.find(ids))).map(this.describe.artist)
  }

  async userAlbums () {
    return (await this.#favorites('album', ids => this.catalogue.albums.find(ids))).map(this.describe.album)
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

  /** Sets a favourite playlist. The account's own playlists are always in the list of its playlists. */
  async favoritePlaylist (id: string, status: boolean) {
    return this.#setFavorite('playlist', id, status)
  }

  override async getPlaylistDetail (
    id: string, trackLimit: number, sort?: string, order?: 'asc' | 'desc'
  ): Promise<PlaylistDetail> {
    if (this.catalogue.playlists.has(id)) return super.getPlaylistDetail(id, trackLimit, sort, order)
    const { playlist, ids } = await this.state.playlists.whole(this.account, this.revision, validateId(id))
    const sorted = sort === undefined ? ids : await this.catalogue.sortIds(ids, { sort, order })
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
    if (this.limits.delete === false) throw new SourceError(403, 'This account may not delete playlists')
    this.#checkOwn(id)
    await this.state.playlists.delete(this.account, id)
    return { success: true }
  }

  async addTrackToPlaylist (playlistId: string, trackId: string) {
    this.#checkOwn(playlistId)
    const { id, title } = this.#isForeign(trackId) ? { id: trackId, title: externalTitle } : this.track(trackId)
    await this.state.playlists.addTrack(this.account, playlistId, { id, title })
    return { success: true }
  }

  /** Removes every copy of a track, whose file may be deleted. */
  async removeTrack (playlistId: string, trackId: string) {
    this.#checkOwn(playlistId)
    const ids = [this.#isForeign(trackId) ? trackId : validateId(trackId), ...await this.#idsIn(playlistId, trackId)]
    await this.state.playlists.removeTracks(this.account, playlistId, ids)
    return { success: true }
  }

  async getPlaylistSharing (id: string): Promise<PlaylistSharing> {
    this.#checkShares(id)
    return this.state.playlists.sharing(this.account, id)
  }

  async sharePlaylist (id: string, sharing: PlaylistSharing) {
    this.#checkShares(id)
    await this.state.playlists.share(this.account, id, sharing)
    return { success: true }
  }

  #checkShares (id: string): void {
    if (this.limits.share === false) throw new SourceError(403, 'This account may not share playlists')
    this.#checkOwn(id)
  }

  /** Returns the ids under which a playlist stores a track. */
  async #idsIn (playlist: string, track: string): Promise<string[]> {
    const { ids } = await this.state.playlists.whole(this.account, this.revision, playlist)
    const current = await this.catalogue.currentIds('track', [...ids, track])
    const wanted = current.get(track) ?? track
    return ids.filter(id => (current.get(id) ?? id) === wanted)
  }

  async editPlaylist (edit: PlaylistEdit) {
    const { id, name, description } = edit
    if (id !== undefined) this.#checkOwn(id)
    if (name !== undefined) validateText(name, 'name')
    if (description !== undefined) validateText(description, 'description')
    const known = {
      titles: (tracks: readonly string[]) => new Map([
        ...this.catalogue.titles(tracks),
        ...tracks.filter(this.#isForeign).map(id => [id, externalTitle] as const)
      ]),
      currentIds: (tracks: Iterable<string>) => this.catalogue.currentIds('track', tracks)
    }
    return this.#ownPlaylist(await this.state.playlists.edit(this.account, edit, known))
  }

  /** Returns the tracks of a playlist. A track with a deleted file is returned as its stored entry. */
  async #itemsOf (playlist: string, ids: readonly string[]): Promise<(CatalogueTrack | Entry)[]> {
    const items = await this.catalogue.tracks.find(ids)
    const gone = ids.filter((_id, place) => items[place] === undefined)
    const entries = gone.length === 0 ? [] : await this.state.playlists.entries(playlist)
    const last = this.catalogue.goneTitles(gone)
    const hidden = await this.folder.catalogue.currentIds('track', hidesTracks(this.limits) ? gone : [])
    const titleOf = ({ id, title }: Entry) => hidden.has(id) ? unseen : last.get(id) ?? title
    const kept = new Map(entries.map(entry => [entry.id, { id: entry.id, title: titleOf(entry) }]))
    return items.map((item, place) => item ?? kept.get(ids[place]!)).filter(item => item !== undefined)
  }

  /** Returns the favourites of a kind that are currently in the folder. */
  async #favorites<T extends { readonly id: string }> (
    kind: FavoriteKind, find: (ids: readonly string[]) => Promise<(T | undefined)[]>
  ): Promise<T[]> {
    const found = await find(await this.state.favorites.list(this.account, kind))
    const byId = new Map(found.filter(item => item !== undefined).map(item => [item.id, item]))
    return [...byId.values()]
  }

  /** Sets favourites. Deleted items can only be removed from the favourites. */
  async setFavorites (items: readonly FavoriteItem[], status: boolean) {
    const current = await this.#currentOf(items)
    const gone = items.find(item => (status || !isId(item.id)) && !current.has(item))
    if (gone !== undefined) throw new NotFoundError(notFound(gone.kind, gone.id))
    const changed = await this.state.favorites.set(
      this.account, status ? items : await this.#withFormer(items), status)
    // Responses contain the current ids.
    const now = [...(await this.#currentOf(changed)).values()]
    return { success: true, changed: [...changed, ...now] }
  }

  /** Returns the current id of each item, without deleted items. */
  async #currentOf (items: readonly FavoriteItem[]): Promise<Map<FavoriteItem, FavoriteItem>> {
    const found = new Map<FavoriteItem, FavoriteItem>()
    for (const kind of new Set(items.map(({ kind }) => kind))) {
      const ofKind = items.filter(item => item.kind === kind)
      const ids = ofKind.map(({ id }) => id)
      const { playlists } = this.catalogue
      const current = kind === 'playlist'
        ? new Map(ids.filter(id => playlists.has(id)).map(id => [id, id]))
        : await this.catalogue.currentIds(kind, ids)
      for (const item of ofKind) {
        const id = current.get(item.id)
        if (id !== undefined) found.set(item, { kind, id })
      }
    }
    return found
  }

  /** Returns the stored favourites that match some items by a current or former id. */
  async #withFormer (items: readonly FavoriteItem[]): Promise<FavoriteItem[]> {
    const kinds = new Set(items.map(({ kind }) => kind))
    const lists = await Promise.all([...kinds].map(async kind =>
      (await this.state.favorites.list(this.account, kind)).map((id): FavoriteItem => ({ kind, id }))))
    const kept = lists.flat()
    const current = await this.#currentOf([...items, ...kept])
    const nameOf = (item: FavoriteItem) => Object.values(current.get(item) ?? item).join(' ')
    const wanted = new Set(items.map(nameOf))
    return kept.filter(item => wanted.has(nameOf(item)))
  }

  async #setFavorite (kind: FavoriteKind, id: string, status: boolean) {
    const { success } = await this.setFavorites([{ kind, id }], status)
    return { success, status }
  }

  /** @throws SourceError (422) for a playlist of the folder */
  #checkOwn (id: string): void {
    if (this.catalogue.playlists.has(id)) {
      throw new SourceError(422, readOnly)
    }
    validateId(id)
  }

  #ownPlaylist ({ first, owner, isPublic, mayEdit, ...playlist }: OwnPlaylist): Playlist {
    const creator = { id: owner, name: owner, avatarUrl: '' }
    const track = first === undefined ? undefined : this.catalogue.tracks.get(first)
    const more = { public: isPublic, readOnly: !mayEdit }
    return { ...playlist, coverUrl: this.cover(track), creator, [extras]: more }
  }
}

const isThere = (item: CatalogueTrack | Entry): item is CatalogueTrack => 'files' in item
