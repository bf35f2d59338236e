import type { MutationSuccess, Playlist } from '../../schemas/index.ts'
import type { SourceLibrary } from './source-library.ts'

/** What becomes of a playlist, all of it or nothing. What is left out stays as it is. */
export interface PlaylistEdit {
  /** One of the account's own. Without it a new one is made, for which there is a `name`. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** Ids of all the tracks that it has afterwards, in this order. Those that it has already may be gone. */
  readonly tracks?: readonly string[] | undefined
  /**
   * Ids of the tracks that the list had when `tracks` was worked out. Tracks that others have added since then stay,
   * each after the track that it follows now; tracks that others have removed stay removed. Default: the list becomes
   * exactly `tracks`.
   */
  readonly seen?: readonly string[] | undefined
  /** Places of tracks that go, as they are stored now; 0 = the first. */
  readonly remove?: readonly number[] | undefined
  /** Ids of tracks that come at the end, after the others went. One that is in the list already may be gone. */
  readonly add?: readonly string[] | undefined
}

/** What another account may do with a playlist. */
export type PlaylistShare = 'no' | 'hear' | 'edit'

/** With whom an account shares one of its playlists. */
export interface PlaylistSharing {
  /** What all others may. */
  readonly everyone?: PlaylistShare | undefined
  /** What single accounts may besides, by their names. */
  readonly people?: Readonly<Record<string, PlaylistShare>> | undefined
}

/** What can be a favourite. */
export interface FavoriteItem {
  readonly kind: 'track' | 'album' | 'artist' | 'playlist'
  readonly id: string
}

/** What `setFavorites` answers. */
export interface FavoritesSet extends MutationSuccess {
  /** Those of the items that were otherwise before: what is cached of the others stays. Default: all of them. */
  readonly changed?: readonly FavoriteItem[] | undefined
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
  setFavorites? (items: readonly FavoriteItem[], status: boolean): FavoritesSet | Promise<FavoritesSet>
  /**
   * Shares one of the account's playlists, or no more: all of it or nothing. What is left out stays as it is. Others
   * then have it in `getUserPlaylist`, with its `creator`, and with `readOnly: false` in its extras where they may
   * change it. A name that no account has is a NotFoundError.
   */
  sharePlaylist? (id: string, sharing: PlaylistSharing): MutationSuccess | Promise<MutationSuccess>
}

/** What a player has told of a play. Times are Unix milliseconds, `position` is that of the track in milliseconds. */
export interface PlayEvent {
  /** The same for all events of one play. */
  readonly id: string
  /** Id of the track; it may be gone. */
  readonly track: string
  /** That of the context. */
  readonly account: string | undefined
  /** Name of the app. */
  readonly client: string
  /** When the play began. An app that was offline tells plays of long ago. */
  readonly startedAt: number
  readonly position: number
  readonly state: 'starting' | 'playing' | 'paused' | 'stopped'
  /**
   * Whether half of the track or four minutes have been played by now: `true` in one event of each play, however often
   * apps tell it.
   */
  readonly heard: boolean
}

/** How often an account has heard a track. */
export interface PlayCount {
  /** Id of the track; it may be gone. */
  readonly id: string
  /** How often; at least 1. */
  readonly plays: number
  /** When it was played last, in Unix milliseconds. */
  readonly last: number
}

/** Members of an adapter that no operation of `/v1` has. Each is optional. */
export interface SourceExtras extends SourceChanges {
  /**
   * All the music of the source, where it can list that: for the page, Subsonic apps and whatever needs lists of all.
   * Read whenever a request needs it, so a getter works; a library of lists in memory is made once (`createLibrary`).
   */
  library?: SourceLibrary | undefined
  /**
   * Is told of plays, one event of an account after the other. Nobody waits for it but the server when it closes, and
   * where there is `getPlays`, a player that tells of something heard: it tells it again after a SourceError of 5xx.
   * Errors are logged, and a call may take 30 s. Where it is too slow, events are left out.
   */
  onPlay? (event: PlayEvent): unknown
  /**
   * What the account has heard, where the source keeps it itself: the history of the page, `recent` and `frequent` of
   * Subsonic apps, and the `playCount` and `played` of songs where extras do not tell them. For these it is called
   * again after a minute, or when `onPlay` was told of something that was heard. Without it the Subsonic plugin
   * keeps the last 500 plays in its `store`, and the page what was heard in this browser.
   *
   * @param since only plays that began then or later count, in Unix milliseconds. A source that knows sums alone may
   * leave it out of account: what was last played before is not shown. Default: all
   */
  getPlays? (since?: number): readonly PlayCount[] | Promise<readonly PlayCount[]>
  /** With whom one of the account's playlists is shared; `people` has all others, those who may not do anything too. */
  getPlaylistSharing? (id: string): PlaylistSharing | Promise<PlaylistSharing>
  /** Begins to look for what has changed, and does not wait for the end. Subsonic apps offer it as a button. */
  startScan? (): ScanStatus | Promise<ScanStatus>
  /** How far that is; without it apps are told how far `/rest` is with reading the library. */
  getScanStatus? (): ScanStatus | Promise<ScanStatus>
}
