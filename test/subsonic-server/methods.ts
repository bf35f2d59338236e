import type { Query } from './helper.ts'

/**
 * A call of every method that answers with an envelope, for the reference source, and the lists that its answer always
 * has.
 */
export const calls: { method: string, query?: Query, lists?: string[], refused?: boolean }[] = [
  { method: 'ping' },
  { method: 'getLicense' },
  { method: 'tokenInfo' },
  { method: 'getOpenSubsonicExtensions', lists: ['openSubsonicExtensions'] },
  { method: 'getUser', query: { username: 'Ada' }, lists: ['user.folder'] },
  { method: 'getMusicFolders', lists: ['musicFolders.musicFolder'] },
  { method: 'getArtists', lists: ['artists.index'] },
  { method: 'getIndexes', lists: ['indexes.index', 'indexes.shortcut', 'indexes.child'] },
  { method: 'getArtist', query: { id: 'ar-a0' }, lists: ['artist.album'] },
  { method: 'getAlbum', query: { id: 'al-b0' }, lists: ['album.song'] },
  { method: 'getSong', query: { id: 'tr-t0' } },
  { method: 'getMusicDirectory', query: { id: '1' }, lists: ['directory.child'] },
  { method: 'getMusicDirectory', query: { id: 'ar-a0' }, lists: ['directory.child'] },
  { method: 'getMusicDirectory', query: { id: 'al-b0' }, lists: ['directory.child'] },
  { method: 'getMusicDirectory', query: { id: 'tl-c0' }, lists: ['directory.child'] },
  { method: 'getAlbumInfo', query: { id: 'al-b0' } },
  { method: 'getAlbumInfo2', query: { id: 'tr-t0' } },
  { method: 'getArtistInfo', query: { id: 'ar-a0' } },
  { method: 'getArtistInfo2', query: { id: 'al-b0' } },
  { method: 'getTopSongs', query: { artist: 'Ada Quartet' }, lists: ['topSongs.song'] },
  { method: 'getTopSongs', query: { id: 'ar-a0' }, lists: ['topSongs.song'] },
  { method: 'getSimilarSongs', query: { id: 'tr-t0' }, lists: ['similarSongs.song'] },
  { method: 'getSimilarSongs2', query: { id: 'ar-a0' }, lists: ['similarSongs2.song'] },
  { method: 'getSimilarSongs2', query: { id: 'al-b0' }, lists: ['similarSongs2.song'] },
  ...[
    'newest', 'recent', 'frequent', 'highest', 'random', 'starred', 'alphabeticalByName', 'alphabeticalByArtist'
  ].flatMap(type => [
    { method: 'getAlbumList', query: { type }, lists: ['albumList.album'] },
    { method: 'getAlbumList2', query: { type }, lists: ['albumList2.album'] }
  ]),
  { method: 'getAlbumList2', query: { type: 'byYear', fromYear: 2030, toYear: 1990 }, lists: ['albumList2.album'] },
  { method: 'getAlbumList2', query: { type: 'byGenre', genre: 'Rock' }, lists: ['albumList2.album'] },
  { method: 'getRandomSongs', query: { size: 30 }, lists: ['randomSongs.song'] },
  { method: 'getRandomSongs', query: { genre: 'Rock', fromYear: 1990 }, lists: ['randomSongs.song'] },
  { method: 'getSongsByGenre', query: { genre: 'Rock' }, lists: ['songsByGenre.song'] },
  { method: 'getGenres', lists: ['genres.genre'] },
  { method: 'search', query: { any: 'Morning' }, lists: ['searchResult.match'] },
  {
    method: 'search2',
    query: { query: 'Morning' },
    lists: ['searchResult2.artist', 'searchResult2.album', 'searchResult2.song']
  },
  {
    method: 'search3',
    query: { query: '""' },
    lists: ['searchResult3.artist', 'searchResult3.album', 'searchResult3.song']
  },
  { method: 'getStarred', lists: ['starred.artist', 'starred.album', 'starred.song'] },
  { method: 'getStarred2', lists: ['starred2.artist', 'starred2.album', 'starred2.song'] },
  { method: 'setRating', query: { id: 'tr-t0', rating: 3 } },
  { method: 'scrobble', query: { id: 'tr-t0', submission: false } },
  { method: 'scrobble', query: { id: ['tr-t0', 'tr-t1'], time: [1_700_000_000_000, 1_700_000_100_000] } },
  { method: 'getNowPlaying', lists: ['nowPlaying.entry'] },
  { method: 'getPlaylists', lists: ['playlists.playlist'] },
  { method: 'getPlaylist', query: { id: 'pl-p0' }, lists: ['playlist.entry'] },
  { method: 'getPlaylist', query: { id: 'sp-daily' }, lists: ['playlist.entry'] },
  { method: 'getLyricsBySongId', query: { id: 'tr-t0', enhanced: true }, lists: ['lyricsList.structuredLyrics'] },
  { method: 'getLyrics', query: { artist: 'Ada Quartet', title: 'Morning Song 0' } },
  { method: 'savePlayQueue', query: { id: ['tr-t0', 'tr-t1'], current: 'tr-t1', position: 1000 } },
  { method: 'getPlayQueue', lists: ['playQueue.entry'] },
  { method: 'savePlayQueueByIndex', query: { id: ['tr-t0', 'tr-t1'], currentIndex: 1, position: 1000 } },
  { method: 'getPlayQueueByIndex', lists: ['playQueueByIndex.entry'] },
  { method: 'createBookmark', query: { id: 'tr-t0', position: 1000 } },
  { method: 'getBookmarks', lists: ['bookmarks.bookmark'] },
  { method: 'deleteBookmark', query: { id: 'tr-t0' } },
  { method: 'getScanStatus' },
  { method: 'startScan' },
  { method: 'getPodcasts', lists: ['podcasts.channel'] },
  { method: 'getNewestPodcasts', lists: ['newestPodcasts.episode'] },
  { method: 'getInternetRadioStations', lists: ['internetRadioStations.internetRadioStation'] },
  { method: 'getShares', lists: ['shares.share'] },
  { method: 'getVideos', lists: ['videos.video'] },
  { method: 'getChatMessages', lists: ['chatMessages.chatMessage'] },
  ...[
    'getUsers', 'createUser', 'updateUser', 'deleteUser', 'changePassword', 'jukeboxControl', 'createShare',
    'updateShare', 'deleteShare', 'addChatMessage',
    'refreshPodcasts', 'createPodcastChannel', 'deletePodcastChannel', 'deletePodcastEpisode', 'downloadPodcastEpisode',
    'createInternetRadioStation', 'updateInternetRadioStation', 'deleteInternetRadioStation', 'getVideoInfo',
    'getCaptions', 'getTranscodeDecision', 'noSuchMethod'
  ].map(method => ({ method, refused: true }))
]

/** A call of every method that answers with bytes. */
export const mediaCalls: { method: string, query?: Query, refused?: boolean, account?: boolean }[] = [
  { method: 'stream', query: { id: 'tr-t0', maxBitRate: 128 } },
  { method: 'download', query: { id: 'tr-t0' } },
  { method: 'getCoverArt', query: { id: 'al-b0', size: 300 } },
  { method: 'getAvatar', query: { username: 'ada' }, account: true },
  { method: 'hls.m3u8', query: { id: 'tr-t0' }, refused: true },
  { method: 'getTranscodeStream', query: { mediaId: 'tr-t0', transcodeParams: 'e30' }, refused: true }
]

/**
 * Calls that change the source, in an order in which they all work.
 *
 * @param round how often they were made before
 */
export const changesOf = (round: number): { method: string, query: Query }[] => [
  { method: 'star', query: { id: ['tr-t2', 'al-b2'], artistId: 'ar-a2' } },
  { method: 'unstar', query: { id: 'tr-t2', albumId: 'al-b2', artistId: 'ar-a2' } },
  { method: 'createPlaylist', query: { name: 'Mine', songId: ['tr-t0', 'tr-t1'] } },
  { method: 'createPlaylist', query: { playlistId: `pl-own${round}`, songId: ['tr-t0', 'tr-t2'] } },
  {
    method: 'updatePlaylist',
    query: { playlistId: `pl-own${round}`, name: 'Ours', songIndexToRemove: 0, songIdToAdd: 'tr-t3' }
  },
  { method: 'deletePlaylist', query: { id: `pl-own${round}` } }
]
