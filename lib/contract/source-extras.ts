import type { MutationSuccess, Playlist } from '../../schemas/index.ts'
import type { SourceLibrary } from './source-library.ts'

/** A playlist edit. It is applied atomically. Omitted properties are unchanged. */
export interface PlaylistEdit {
  /** The id of one of the account's playlists. Default: a new playlist is created, which requires a `name`. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  /**
   * The ids of all tracks after the edit, in order, each as often as it is in the list. Tracks that are already in the
   * list may be deleted ones.
   */
  readonly tracks?: readonly string[] | undefined
  /**
   * The ids of the tracks in the list on which `tracks` is based. Tracks that others have added since then stay, each
   * after the track that it follows now. Tracks that others have removed stay removed. Default: the list becomes
   * exactly `tracks`.
   */
  readonly base?: readonly string[] | undefined
  /** The positions of tracks to remove, as currently stored, from 0. */
  readonly remove?: readonly number[] | undefined
  /** The ids of tracks to append after the removal. A track that is already in the list may be a deleted one. */
  readonly add?: readonly string[] | undefined
}

/** The permission of another account for a playlist. */
export type PlaylistShare = 'no' | 'hear' | 'edit'

/** The sharing settings of one of the account's playlists. */
export interface PlaylistSharing {
  /** The permission of all other accounts. */
  readonly everyone?: PlaylistShare | undefined
  /** Additional permissions of single accounts, by account name. */
  readonly people?: Readonly<Record<string, PlaylistShare>> | undefined
}

/** An item that can be a favourite. */
export interface FavoriteItem {
  readonly kind: 'track' | 'album' | 'artist' | 'playlist'
  readonly id: string
}

/** The return value of `setFavorites`. */
export interface FavoritesSet extends MutationSuccess {
  /** The items whose state has changed. Cached responses about the other items stay valid. Default: all items. */
  readonly changed?: readonly FavoriteItem[] | undefined
}

/** The progress of a scan of the source's music. */
export interface ScanStatus {
  readonly scanning: boolean
  /** The number of tracks found so far. */
  readonly count: number
}

/**
 * Methods for batch operations. All are optional. If a source has no such method, the SDK calls the methods of the
 * contract one after the other, and rolls back the changes if one of the calls fails.
 *
 * @see docs/reference/adapter.md, Changes of several things
 */
export interface SourceChanges {
  /**
   * Changes or creates one of the account's playlists atomically, and returns its new state.
   *
   * @throws NotFoundError that names a track, if the track does not exist and is not in the list
   * @throws BadRequestError for a position outside the list
   */
  editPlaylist? (edit: PlaylistEdit): Playlist | Promise<Playlist>
  /**
   * Adds all items to the favourites of the account, or removes all of them, atomically. A favourite can be removed
   * even if the item does not exist any more.
   *
   * @throws NotFoundError that names an item to add, if the item does not exist
   */
  setFavorites? (items: readonly FavoriteItem[], status: boolean): FavoritesSet | Promise<FavoritesSet>
  /**
   * Shares one of the account's playlists, or ends the sharing, atomically. Omitted properties are unchanged. The
   * playlist then appears in `getUserPlaylist` of the other accounts, with its `creator`. It has `readOnly: false` in
   * its extras if the account may change it.
   *
   * @throws NotFoundError for a name that no account has
   */
  sharePlaylist? (id: string, sharing: PlaylistSharing): MutationSuccess | Promise<MutationSuccess>
}

/** A play event from a player. Times are Unix milliseconds, `position` is the position in the track in milliseconds. */
export interface PlayEvent {
  /** The id of the play, the same for all its events. */
  readonly id: string
  /** The id of the track. The track may be deleted. */
  readonly track: string
  /** The account of the context. */
  readonly account: string | undefined
  /** The name of the app. */
  readonly client: string
  /** The start of the play. Apps that were offline may report plays of long ago. */
  readonly startedAt: number
  readonly position: number
  readonly state: 'starting' | 'playing' | 'paused' | 'stopped'
  /**
   * If `true`, half of the track or four minutes have been played. It is `true` in exactly one event of each play, even
   * if apps report the play several times.
   */
  readonly counted: boolean
}

/** The play count of a track for an account. */
export interface PlayCount {
  /** The id of the track. The track may be deleted. */
  readonly id: string
  /** The number of plays, at least 1. */
  readonly plays: number
  /** The start of the last play in Unix milliseconds. */
  readonly last: number
}

/** Properties of an adapter that are not operations of `/v1`. All are optional. */
export interface SourceExtras extends SourceChanges {
  /**
   * All music of the source, if the source can list it, for the page, Subsonic apps and other users of complete lists.
   * It is read at each request that needs it, so a getter works. Create a library of lists in memory only once
   * (`createLibrary`).
   */
  library?: SourceLibrary | undefined
  /**
   * Called with each play event. The events of an account are sent one after the other. Requests do not wait for the
   * call, with one exception: if `getPlays` exists, a player that reports a counted play waits, and reports it again
   * after a SourceError of 5xx. A closing server waits for pending calls. Errors are logged. A call may take 30 s. If
   * the calls are too slow, events are dropped.
   */
  onPlay? (event: PlayEvent): unknown
  /**
   * Returns the play counts of the account, if the source stores them. They are used for the history of the page,
   * `recent` and `frequent` of Subsonic apps, and the `playCount` and `played` of songs without these extras. The
   * result is cached for a minute, or until `onPlay` receives a counted play. Without this method the Subsonic plugin
   * stores the last 500 plays in its `store`, and the page stores the plays of the browser.
   *
   * @param since only plays that began then or later count, in Unix milliseconds. A source that stores only totals may
   * ignore it: tracks that were last played before are then hidden. Default: all plays
   */
  getPlays? (since?: number): readonly PlayCount[] | Promise<readonly PlayCount[]>
  /**
   * Returns the sharing of one of the account's playlists. `people` contains all other accounts, including those
   * without a permission.
   */
  getPlaylistSharing? (id: string): PlaylistSharing | Promise<PlaylistSharing>
  /** Starts a scan for changes and returns without waiting for its end. Subsonic apps offer it as a button. */
  startScan? (): ScanStatus | Promise<ScanStatus>
  /** Returns the progress of the scan. Without this method, apps get the progress of `/rest` in reading the library. */
  getScanStatus? (): ScanStatus | Promise<ScanStatus>
}
