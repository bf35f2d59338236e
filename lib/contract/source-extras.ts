import type { MutationSuccess, Playlist } from '../../schemas/index.ts'

/** What becomes of a playlist, all of it or nothing. What is left out stays as it is. */
export interface PlaylistEdit {
  /** One of the account's own. Without it a new one is made, for which there is a `name`. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** Ids of all the tracks that it has afterwards, in this order. Those that it has already may be gone. */
  readonly tracks?: readonly string[] | undefined
  /** Places of tracks that go, as they are stored now; 0 = the first. */
  readonly remove?: readonly number[] | undefined
  /** Ids of tracks that come at the end, after the others went. One that is in the list already may be gone. */
  readonly add?: readonly string[] | undefined
}

/** What can be a favourite. */
export interface FavoriteItem {
  readonly kind: 'track' | 'album' | 'artist' | 'playlist'
  readonly id: string
}

/** How far a source is with looking for what has changed in its music. */
export interface ScanStatus {
  readonly scanning: boolean
  /** Tracks that it has by now. */
  readonly count: number
}

/**
 * Methods that change several things. Each is optional: what a source cannot do in one step, the SDK does by the
 * methods of the contract, and takes back what was done when a part of it fails.
 *
 * @see docs/guide/adapter.md, Changes of several things
 */
export interface SourceChanges {
  /**
   * Changes one of the account's playlists, or makes one, all of it or nothing, and answers it as it is then. Ids of
   * tracks that do not exist, and are not in the list, are refused by a NotFoundError that names one; places that the
   * list does not have by a BadRequestError.
   */
  editPlaylist? (edit: PlaylistEdit): Playlist | Promise<Playlist>
  /**
   * Makes all of them favourites of the account, or none of them. One that does not exist is refused by a NotFoundError
   * that names it; that something is no favourite any more needs nothing to be there.
   */
  setFavorites? (items: readonly FavoriteItem[], status: boolean): MutationSuccess | Promise<MutationSuccess>
}

/** Methods of an adapter that no operation of `/v1` has. Each is optional. */
export interface SourceExtras extends SourceChanges {
  /** Begins to look for what has changed, and does not wait for the end. Subsonic apps offer it as a button. */
  startScan? (): ScanStatus | Promise<ScanStatus>
  /** How far that is; without it apps are told how far `/rest` is with reading the library. */
  getScanStatus? (): ScanStatus | Promise<ScanStatus>
}
