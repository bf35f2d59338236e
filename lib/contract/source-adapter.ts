// Generated from the operations table and the schemas: change those, then npm run generate.
import type {
  Album, AlbumDetail, AlbumPage, Artist, ArtistDetail, ArtistPage, MutationStatus, MutationSuccess, Playlist,
  PlaylistCategory, PlaylistDetail, PlaylistPage, SearchSuggest, ToplistGroup, Track, TrackLyrics, TrackPage,
  TrackUrl, UserProfile
} from '../../schemas/index.ts'
import type { Answered } from './answered.ts'
import type { SourceExtras } from './source-extras.ts'

/**
 * The object that a source project writes. Every method is optional: an operation without its method answers 501, and
 * clients see that in the capabilities. Arguments have their defaults filled in; an optional one that is absent is
 * `undefined`. Methods are called on the adapter (`this`). They throw the classes of `errors`, or any error with a
 * `status` or `statusCode`.
 *
 * @see docs/reference/adapter.md
 */
export interface SourceAdapter extends SourceExtras {
  /**
   * List playlists.
   * Returns one page of the playlists of the source, of one category if one is given.
   *
   * @param offset Number of items to skip
   * @param limit Number of items on the page (1 to 50)
   * @param category Key of a category; blank = all
   */
  getPlaylists? (
    offset: number, limit: number, category?: string
  ): Answered<PlaylistPage> | Promise<Answered<PlaylistPage>>

  /**
   * List the categories of playlists.
   * Returns the categories that getPlaylists can be asked for.
   */
  getPlaylistCategories? (): Answered<PlaylistCategory[]> | Promise<Answered<PlaylistCategory[]>>

  /**
   * List recommended playlists.
   * Returns one page of the playlists that the source recommends to this caller.
   *
   * @param offset Number of items to skip
   * @param limit Number of items on the page (1 to 50)
   */
  getRecommendedPlaylist? (offset: number, limit: number): Answered<PlaylistPage> | Promise<Answered<PlaylistPage>>

  /**
   * Get a playlist with its tracks.
   * Returns the playlist and its tracks, in the order of the source or in the one asked for.
   *
   * @param id Id of the playlist
   * @param trackLimit Number of tracks at most; -1 = the source decides (-1 to 1000)
   * @param sort Key of one of the playlistSortOptions; blank = the order of the source
   * @param order Direction of sort; asc if left out, ignored without sort
   */
  getPlaylistDetail? (
    id: string, trackLimit: number, sort?: string, order?: 'asc' | 'desc'
  ): Answered<PlaylistDetail> | Promise<Answered<PlaylistDetail>>

  /**
   * Create a playlist.
   * Creates an empty playlist of the account and returns it.
   *
   * @param name Name of the playlist
   */
  createPlaylist? (name: string): Answered<Playlist> | Promise<Answered<Playlist>>

  /**
   * Change the name and description of a playlist.
   * Replaces name and description of one of the account's playlists and returns it as it is then.
   *
   * @param id Id of the playlist
   * @param name Name of the playlist
   * @param description About the playlist; left out = empty
   */
  updatePlaylist? (id: string, name: string, description: string): Answered<Playlist> | Promise<Answered<Playlist>>

  /**
   * Delete a playlist.
   * Deletes one of the account's playlists.
   *
   * @param id Id of the playlist
   */
  deletePlaylist? (id: string): Answered<MutationSuccess> | Promise<Answered<MutationSuccess>>

  /**
   * Add a track to a playlist.
   * Adds a track to one of the account's playlists.
   *
   * @param playlistId Id of the playlist
   * @param trackId Id of the track
   */
  addTrackToPlaylist? (
    playlistId: string, trackId: string
  ): Answered<MutationSuccess> | Promise<Answered<MutationSuccess>>

  /**
   * Remove a track from a playlist.
   * Removes a track from one of the account's playlists.
   *
   * @param playlistId Id of the playlist
   * @param trackId Id of the track
   */
  removeTrack? (playlistId: string, trackId: string): Answered<MutationSuccess> | Promise<Answered<MutationSuccess>>

  /**
   * Add a playlist to the favourites or remove it.
   * Sets whether the playlist is one of the account's favourites, and returns the state after the call.
   *
   * @param id Id of the playlist
   * @param status The state wanted: true = favourite
   */
  favoritePlaylist? (id: string, status: boolean): Answered<MutationStatus> | Promise<Answered<MutationStatus>>

  /**
   * List the toplists.
   * Returns all toplists in groups, each with its first tracks in short.
   */
  getToplist? (): Answered<ToplistGroup[]> | Promise<Answered<ToplistGroup[]>>

  /**
   * Get a toplist with its tracks.
   * Returns a toplist as a playlist with the tracks from offset on.
   *
   * @param id Id of the toplist
   * @param offset Number of items to skip
   * @param limit Number of items on the page (1 to 200)
   */
  getToplistTracks? (
    id: string, offset: number, limit: number
  ): Answered<PlaylistDetail> | Promise<Answered<PlaylistDetail>>

  /**
   * Get a track.
   * Returns one track.
   *
   * @param id Id of the track
   */
  getTrackDetail? (id: string): Answered<Track> | Promise<Answered<Track>>

  /**
   * List similar tracks.
   * Returns tracks that are like the given one.
   *
   * @param id Id of the track
   */
  getSimilarTracks? (id: string): Answered<Track[]> | Promise<Answered<Track[]>>

  /**
   * Get the URL of a track's audio.
   * Returns a URL that a player can open without any header, and the quality that it really has. Where the quality
   * asked for is not available, the source may answer another one.
   *
   * @param id Id of the track
   * @param quality Key of the quality wanted, one of the qualityMap; blank = the source chooses
   */
  getTrackUrl? (id: string, quality?: string): Answered<TrackUrl> | Promise<Answered<TrackUrl>>

  /**
   * Get the lyrics of a track.
   * Returns the lyrics, with word times and a translation where the source has them. A track without lyrics has
   * empty ones.
   *
   * @param id Id of the track
   */
  getTrackLyrics? (id: string): Answered<TrackLyrics> | Promise<Answered<TrackLyrics>>

  /**
   * List new tracks.
   * Returns tracks that are new in the source, the newest first.
   */
  getNewTracks? (): Answered<Track[]> | Promise<Answered<Track[]>>

  /**
   * List the tracks of the day.
   * Returns a selection of tracks that stays the same for a day.
   */
  getDailyTracks? (): Answered<Track[]> | Promise<Answered<Track[]>>

  /**
   * List tracks for endless playback.
   * Returns the next tracks of a radio without end: each call gives other ones.
   */
  getRoamTracks? (): Answered<Track[]> | Promise<Answered<Track[]>>

  /**
   * Add a track to the favourites or remove it.
   * Sets whether the track is one of the account's favourites, and returns the state after the call.
   *
   * @param id Id of the track
   * @param status The state wanted: true = favourite
   */
  favoriteTrack? (id: string, status: boolean): Answered<MutationStatus> | Promise<Answered<MutationStatus>>

  /**
   * Suggest matches while typing.
   * Returns a few of the best tracks, artists and albums for a keyword that may not be complete yet.
   *
   * @param keyword What to search for
   */
  searchSuggest? (keyword: string): Answered<SearchSuggest> | Promise<Answered<SearchSuggest>>

  /**
   * Search tracks.
   * Returns one page of the tracks that match, the best first.
   *
   * @param keyword What to search for
   * @param offset Number of items to skip
   * @param limit Number of items on the page (1 to 100)
   */
  searchTracks? (keyword: string, offset: number, limit: number): Answered<TrackPage> | Promise<Answered<TrackPage>>

  /**
   * Search artists.
   * Returns one page of the artists that match, the best first.
   *
   * @param keyword What to search for
   * @param offset Number of items to skip
   * @param limit Number of items on the page (1 to 100)
   */
  searchArtists? (keyword: string, offset: number, limit: number): Answered<ArtistPage> | Promise<Answered<ArtistPage>>

  /**
   * Search albums.
   * Returns one page of the albums that match, the best first.
   *
   * @param keyword What to search for
   * @param offset Number of items to skip
   * @param limit Number of items on the page (1 to 100)
   */
  searchAlbums? (keyword: string, offset: number, limit: number): Answered<AlbumPage> | Promise<Answered<AlbumPage>>

  /**
   * Search playlists.
   * Returns one page of the playlists that match, the best first.
   *
   * @param keyword What to search for
   * @param offset Number of items to skip
   * @param limit Number of items on the page (1 to 100)
   */
  searchPlaylists? (
    keyword: string, offset: number, limit: number
  ): Answered<PlaylistPage> | Promise<Answered<PlaylistPage>>

  /**
   * List the top artists.
   * Returns the artists that the source ranks highest, the first one first.
   */
  getTopArtists? (): Answered<Artist[]> | Promise<Answered<Artist[]>>

  /**
   * Get an artist with tracks.
   * Returns the artist and a selection of its tracks; getArtistTracks pages through all of them.
   *
   * @param id Id of the artist
   * @param trackLimit Number of tracks at most; -1 = the source decides (-1 to 1000)
   */
  getArtistDetail? (id: string, trackLimit: number): Answered<ArtistDetail> | Promise<Answered<ArtistDetail>>

  /**
   * List the tracks of an artist.
   * Returns one page of the tracks of an artist in the given order.
   *
   * @param id Id of the artist
   * @param order Order of the tracks, one that the source knows
   * @param offset Number of items to skip
   * @param limit Number of items on the page (1 to 100)
   */
  getArtistTracks? (
    id: string, order: string, offset: number, limit: number
  ): Answered<TrackPage> | Promise<Answered<TrackPage>>

  /**
   * List the albums of an artist.
   * Returns one page of the albums of an artist.
   *
   * @param id Id of the artist
   * @param offset Number of items to skip
   * @param limit Number of items on the page (1 to 100)
   */
  getArtistAlbums? (id: string, offset: number, limit: number): Answered<AlbumPage> | Promise<Answered<AlbumPage>>

  /**
   * Add an artist to the favourites or remove it.
   * Sets whether the artist is one of the account's favourites, and returns the state after the call.
   *
   * @param id Id of the artist
   * @param status The state wanted: true = favourite
   */
  favoriteArtist? (id: string, status: boolean): Answered<MutationStatus> | Promise<Answered<MutationStatus>>

  /**
   * Get an album with its tracks.
   * Returns the album, its artist if the source knows it, and its tracks in order.
   *
   * @param id Id of the album
   * @param trackLimit Number of tracks at most; -1 = the source decides (-1 to 1000)
   */
  getAlbumDetail? (id: string, trackLimit: number): Answered<AlbumDetail> | Promise<Answered<AlbumDetail>>

  /**
   * Add an album to the favourites or remove it.
   * Sets whether the album is one of the account's favourites, and returns the state after the call.
   *
   * @param id Id of the album
   * @param status The state wanted: true = favourite
   */
  favoriteAlbum? (id: string, status: boolean): Answered<MutationStatus> | Promise<Answered<MutationStatus>>

  /**
   * Get the account.
   * Returns the profile of the account behind this source.
   */
  getUserMe? (): Answered<UserProfile> | Promise<Answered<UserProfile>>

  /**
   * List the playlists of the account.
   * Returns the playlists that the account made and those among its favourites, all of them.
   */
  getUserPlaylist? (): Answered<Playlist[]> | Promise<Answered<Playlist[]>>

  /**
   * List the favourite tracks of the account.
   * Returns the favourite tracks, all of them.
   */
  userFavoriteTracks? (): Answered<Track[]> | Promise<Answered<Track[]>>

  /**
   * List the favourite artists of the account.
   * Returns the favourite artists, all of them.
   */
  userArtists? (): Answered<Artist[]> | Promise<Answered<Artist[]>>

  /**
   * List the favourite albums of the account.
   * Returns the favourite albums, all of them.
   */
  userAlbums? (): Answered<Album[]> | Promise<Answered<Album[]>>
}

/** The data of each operation, as clients receive it. */
export interface OperationData {
  getPlaylists: PlaylistPage
  getPlaylistCategories: PlaylistCategory[]
  getRecommendedPlaylist: PlaylistPage
  getPlaylistDetail: PlaylistDetail
  createPlaylist: Playlist
  updatePlaylist: Playlist
  deletePlaylist: MutationSuccess
  addTrackToPlaylist: MutationSuccess
  removeTrack: MutationSuccess
  favoritePlaylist: MutationStatus
  getToplist: ToplistGroup[]
  getToplistTracks: PlaylistDetail
  getTrackDetail: Track
  getSimilarTracks: Track[]
  getTrackUrl: TrackUrl
  getTrackLyrics: TrackLyrics
  getNewTracks: Track[]
  getDailyTracks: Track[]
  getRoamTracks: Track[]
  favoriteTrack: MutationStatus
  searchSuggest: SearchSuggest
  searchTracks: TrackPage
  searchArtists: ArtistPage
  searchAlbums: AlbumPage
  searchPlaylists: PlaylistPage
  getTopArtists: Artist[]
  getArtistDetail: ArtistDetail
  getArtistTracks: TrackPage
  getArtistAlbums: AlbumPage
  favoriteArtist: MutationStatus
  getAlbumDetail: AlbumDetail
  favoriteAlbum: MutationStatus
  getUserMe: UserProfile
  getUserPlaylist: Playlist[]
  userFavoriteTracks: Track[]
  userArtists: Artist[]
  userAlbums: Album[]
}
