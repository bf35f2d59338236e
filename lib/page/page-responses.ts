import type { AlbumExtras, TrackExtras } from '../../schemas/extras.ts'
import type { Playlist, PlaylistDetail, Track } from '../../schemas/index.ts'
import type { Report } from '../check/index.ts'
import type { QueueOffer } from '../queue/index.ts'
import type { QueueAnswer } from '../queue/internal.ts'
import type { PlaylistSharing } from '../contract/source-extras.ts'
import type { LibraryComposer, LibraryFacets } from '../contract/source-library.ts'

/** Additional metadata of an album or of tracks. */
export interface ShownExtras {
  /** The extras of the album, if one was requested. */
  readonly album?: AlbumExtras | undefined
  /** The extras by track id. Tracks without extras are left out. */
  readonly tracks: Readonly<Record<string, TrackExtras>>
}

/** A part of all albums or artists, with filters and sort orders; empty without a library. */
type BrowsePage = Partial<Omit<LibraryFacets, 'sorts' | 'composers'> & {
  /** The number of composers, for a list of artists. */
  readonly composers: number
  readonly sorts: readonly string[]
  readonly items: readonly unknown[]
  readonly total: number
  readonly offset: number
  readonly limit: number
  readonly hasMore: boolean
}>

/**
 * A part of the complete library of a source, without data of the account. It is empty without a library. A library
 * that has no lists yet has no `revision`.
 */
export interface LibraryPart {
  readonly revision?: string
  /** The time of the last change, in Unix milliseconds. */
  readonly changedAt?: number
  /** The ids of the sources that the library lacks. */
  readonly missing?: readonly string[]
  /** Items of `/v1`, each with its extras as the property `extras`. */
  readonly items?: readonly Readonly<Record<string, unknown>>[]
  /** The number of items of the kind, if it is known. */
  readonly total?: number
  readonly hasMore?: boolean
}

/** Empty if the source has no scan. */
export interface ShownScan { readonly scanning?: boolean, readonly count?: number }

/** An app password, or a token of a browser or a link. Times are Unix milliseconds. */
export interface AppPassword {
  readonly id: string
  readonly name?: string | undefined
  readonly createdAt: number
  readonly usedAt?: number | undefined
  /** The app or device that last used it. */
  readonly usedBy?: string | undefined
}

/** A service that receives the plays of an account. */
export interface ListenService {
  /** The id for the other methods. */
  readonly service: string
  /** The display name. */
  readonly title: string
  /** The user name at the service, if connected. */
  readonly user?: string | undefined
  /** The reason why plays are currently not sent. */
  readonly problem?: string | undefined
  /** Whether the listener connects it by entering a secret. */
  readonly takesToken: boolean
}

/** A source of a combination, as its operator sees it. */
export interface ShownSource {
  readonly id: string
  readonly name: string
  readonly available: boolean
  /** The time of the last change, in Unix milliseconds. */
  readonly since: number
  /** The reason why it is not available. */
  readonly reason?: string | undefined
}

/** A limit of an account: a setting with its values. */
export interface HouseholdLimit {
  readonly setting: 'genres' | 'folders' | 'explicit' | 'bitrate' | 'download' | 'delete' | 'share'
  /**
   * Names of genres or folders, or kbit/s, or `off`. In a change, `all` (genres, folders, kbit/s) or `on` (the others)
   * removes the limit.
   */
  readonly values: readonly string[]
}

/** An account, as the account that manages it sees it. */
export interface HouseholdAccount {
  readonly name: string
  /** Whether it manages the others. Its limits are not changed on the page. */
  readonly isOwner: boolean
  /** The limits that it has; empty without limits. */
  readonly limits: readonly HouseholdLimit[]
  readonly tokens: readonly (AppPassword & { readonly isApp: boolean })[]
}

/** All accounts of a source, with the genres that a limit may name. */
export interface HouseholdList {
  readonly accounts: readonly HouseholdAccount[]
  readonly genres: readonly string[]
}

/** A token for one sign-in. */
export interface HouseholdLink {
  readonly name: string
  readonly token: string
  /** The link of the token. Default: the page makes one with its own address. */
  readonly link?: string | undefined
}

/** A service that receives the plays of an account, or another source that an account can log in to. */
export interface HouseholdConnection extends Omit<ListenService, 'takesToken'> {
  /** The secret that connects it: a token, or a name and a password, a line each. */
  readonly takes: 'token' | 'login'
}

/** The details of one account, which the list of accounts omits. */
export interface HouseholdDetails {
  readonly playlists: readonly { readonly id: string, readonly name: string }[]
  /** Whether other accounts see what this one plays now. */
  readonly sharesPlaying: boolean
  readonly connections: readonly HouseholdConnection[]
}

/** The result of an operation. */
export interface HouseholdResult {
  /** A message about the change, for users. */
  readonly message?: string
  /** A new token or app password, which is shown once. */
  readonly secret?: string
  /** A file for the browser to save. */
  readonly file?: { readonly name: string, readonly text: string }
}

/** The bytes of each part of the data that a server stores. */
export interface StoredBytes {
  readonly index: number
  readonly accounts: number
  readonly covers: number
  readonly transcoded: number
  readonly removed: number
  readonly other: number
}

/** The state of a server. Times are Unix milliseconds. */
export interface HouseholdServer {
  readonly stored: StoredBytes
  /** The free bytes of the disk; `undefined` for a file system that does not report them. */
  readonly free?: number | undefined
  /** The names of the backups that `restore` takes, the last one first. */
  readonly backups: readonly string[]
  /** The last scan of the library; `undefined` before it. */
  readonly scan?: {
    readonly endedAt: number
    readonly tracks: number
    readonly read: number
    readonly gone: number
    /** Whether it failed. */
    readonly failed: boolean
  } | undefined
  /** Files that scans left out, with the reason, one message each. */
  readonly leftOut: readonly string[]
  /** The errors of today, with the messages of the last ones. */
  readonly errors: { readonly count: number, readonly last: readonly { readonly at: number, readonly text: string }[] }
}

/** The queue of an account after a request, for one of its devices. Empty without a queue of the account. */
export interface ShownListening extends Partial<QueueAnswer> {
  /** The clock of the server, in Unix milliseconds. */
  readonly time?: number
  /** The name of the device that played last. */
  readonly device?: string | undefined
  /** The queue that a Subsonic app saved while a page played. */
  readonly offer?: QueueOffer | undefined
}

/** The responses of the page's routes. */
export interface OwnAnswers {
  /** Features of the source for the account, and the account's name, if any. */
  'GET offers': {
    readonly library: boolean
    /** `false` if the source has no recommended playlists. No capability stands for them. */
    readonly recommended?: boolean
    /** Whether there are several sources. */
    readonly sources?: boolean
    /** Whether playlists can be shared. */
    readonly sharing?: boolean
    /** Whether the account has a queue, which its devices share. */
    readonly queue?: boolean
    /** Whether tracks can be rated. */
    readonly ratings?: boolean
    /** Whether the account may see file paths. */
    readonly files?: boolean
    /** Whether the account manages the others. */
    readonly household?: boolean
    readonly account?: string | undefined
    /** The end of the validity of an account that is bound to a provider, in Unix milliseconds. */
    readonly validUntil?: number
  }
  'GET browse': BrowsePage
  /** Empty if the source does not know composers. */
  'GET composers': { readonly items: readonly LibraryComposer[] }
  'GET library': LibraryPart
  'GET cover': never
  'GET download': { readonly url: string }
  'GET extras': ShownExtras
  'GET playlist': PlaylistDetail
  'POST playlist': Playlist
  /** Empty if the source does not share playlists. `people` contains all other accounts. */
  'GET sharing': PlaylistSharing & { readonly editable?: readonly string[] }
  'POST sharing': { readonly success: boolean }
  /** Empty if the source does not store plays. */
  'GET plays': { readonly items?: readonly Track[], readonly limit?: number, readonly hasMore?: boolean }
  'POST plays': object
  /** `tracks` has the current track and some that follow. */
  'GET listening': ShownListening & { readonly tracks?: readonly Track[] }
  'POST listening': ShownListening
  /** Missing tracks are left out. */
  'GET tracks': { readonly items: readonly Track[] }
  /** Empty if no files are being read. */
  'GET progress': { readonly done?: number, readonly total?: number | undefined }
  'GET scan': ShownScan
  'POST scan': ShownScan
  /** Empty for a fixed token, which apps use directly as their password. */
  'GET app-passwords': {
    readonly username?: string
    readonly items?: readonly AppPassword[]
    /** The other signed-in devices. `isThis`: the device of the request. */
    readonly devices?: readonly (AppPassword & { readonly isThis: boolean })[]
  }
  'POST app-passwords': { readonly username: string, readonly password: string }
  'POST app-passwords/revoke': { readonly success: boolean }
  /** Empty for accounts that do not operate the source. */
  /** The ids of the sources that are not available. Ids of their items begin with these ids and a colon. */
  'GET unavailable': { readonly items: readonly string[] }
  'GET sources': { readonly items: readonly ShownSource[] }
  'GET household': HouseholdList
  'GET household/server': HouseholdServer
  'GET household/removal': { readonly playlists: number, readonly favorites: number }
  'POST household/add': HouseholdLink
  'POST household/link': HouseholdLink
  'POST household/limits': { readonly success: boolean }
  'POST household/revoke': { readonly success: boolean }
  'POST household/remove': { readonly file: string }
  'GET household/account': HouseholdDetails
  'POST household/run': HouseholdResult
  'GET services': { readonly items: readonly ListenService[] }
  'POST services': { readonly success: boolean }
  'POST services/end': { readonly success: boolean }
  /** By track id; empty without ratings. */
  'GET ratings': { readonly ratings?: Readonly<Record<string, number>> }
  'POST ratings': { readonly success: boolean }
  /** Empty for accounts that may not see file paths. */
  'GET files': {
    readonly folder?: string
    readonly leftOut?: readonly string[]
    /** The path of the requested track. */
    readonly path?: string | undefined
  }
  'POST check': Report
}
