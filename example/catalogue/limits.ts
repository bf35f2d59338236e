/** What an account may not do, and what it does not see. Empty for most: they see and do all. */
export interface Limits {
  /** Names of genres: it sees tracks that have one of them. */
  readonly genres?: readonly string[] | undefined
  /** Folders below that of the music: it sees tracks that have a file in one of them. */
  readonly folders?: readonly string[] | undefined
  /** `false`: it sees no track that is marked as explicit. */
  readonly explicit?: false | undefined
  /** bit/s of the files that it gets, where a track has such a file; else its smallest. */
  readonly bitrate?: number | undefined
  /** `false`: it saves no files. */
  readonly download?: false | undefined
  /** `false`: it deletes no playlist. */
  readonly delete?: false | undefined
  /** `false`: it shares no playlist with others. */
  readonly share?: false | undefined
}

/** Whether a part of the music is not there for an account. */
export const hidesTracks = ({ genres, folders, explicit }: Limits): boolean =>
  genres !== undefined || folders !== undefined || explicit === false

/** What makes the music that an account sees another one, as text; empty where it sees all of it as it is. */
export function viewKey (limits: Limits): string {
  const { genres, folders, explicit, bitrate } = limits
  return hidesTracks(limits) || bitrate !== undefined ? JSON.stringify({ genres, folders, explicit, bitrate }) : ''
}
