/** The restrictions of an account. Empty for most accounts. */
export interface Limits {
  /** Names of genres: the account sees only tracks with one of them. */
  readonly genres?: readonly string[] | undefined
  /** Folders below the music folder: the account sees only tracks with a file in one of them. */
  readonly folders?: readonly string[] | undefined
  /** `false`: the account sees no explicit tracks. */
  readonly explicit?: false | undefined
  /** The maximum bitrate of its files in bit/s, if a track has such a file; else its smallest. */
  readonly bitrate?: number | undefined
  /** `false`: the account cannot download files. */
  readonly download?: false | undefined
  /** `false`: the account cannot delete playlists. */
  readonly delete?: false | undefined
  /** `false`: the account cannot share playlists. */
  readonly share?: false | undefined
}

/** Returns whether a part of the music is hidden from an account. */
export const hidesTracks = ({ genres, folders, explicit }: Limits): boolean =>
  genres !== undefined || folders !== undefined || explicit === false

/** Returns a key of the restrictions that change the visible music; empty without such restrictions. */
export function viewKey (limits: Limits): string {
  const { genres, folders, explicit, bitrate } = limits
  return hidesTracks(limits) || bitrate !== undefined ? JSON.stringify({ genres, folders, explicit, bitrate }) : ''
}
