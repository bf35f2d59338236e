import t from 'tap'
import { adapter, ask, serve, type Query } from '../helper.ts'

const stateless = { context: { stateless: true } }

for (const [method, query, code, message] of [
  ['star', {}, 10, 'Required parameter is missing: id, albumId or artistId'],
  ['unstar', {}, 10, 'Required parameter is missing: id, albumId or artistId'],
  ['star', { id: 'sp-daily' }, 50, 'This list cannot be a favourite'],
  ['star', { id: 'tl-c0' }, 50, 'This list cannot be a favourite'],
  ['star', { id: '17' }, 70, 'There is nothing with the id 17'],
  ['setRating', { id: 'tr-t0' }, 10, 'Required parameter is missing: rating'],
  ['setRating', { rating: 1 }, 10, 'Required parameter is missing: id'],
  ['setRating', { id: '17', rating: 1 }, 70, 'There is nothing with the id 17'],
  ['setRating', { id: 'tr-t0', rating: 6 }, 10, 'Parameter rating must be 0 to 5'],
  ...[-1, 'x', '0x1', '1,5', 'Infinity', '1e999', '1 2', 'e1', '.'].flatMap(value => [
    ['setRating', { id: 'tr-t0', rating: value }, 10, 'Parameter rating must be a number of 0 or more'],
    ['createBookmark', { id: 'tr-t0', position: value }, 10, 'Parameter position must be a number of 0 or more']
  ]),
  ...['size', 'offset', 'limit', 'fromYear', 'toYear'].map(name =>
    ['getAlbumList2', { type: 'newest', [name]: 'x' }, 10, `Parameter ${name} must be a number of 0 or more`]),
  ['getIndexes', { ifModifiedSince: 'x' }, 10, 'Parameter ifModifiedSince must be a number of 0 or more'],
  ['search3', { query: '', songOffset: -1 }, 10, 'Parameter songOffset must be a number of 0 or more'],
  ['savePlayQueueByIndex', { id: ['tr-1', 'tr-2'], currentIndex: 'x' }, 10,
    'Parameter currentIndex must be a number of 0 or more'],
  ...[2, 60, undefined].map(currentIndex => ['savePlayQueueByIndex', { id: ['tr-1', 'tr-2'], currentIndex }, 10,
    'Parameter currentIndex must be the index of one of the 2 songs']),
  ['createBookmark', { id: 'tr-t0' }, 10, 'Required parameter is missing: position'],
  ['createBookmark', { id: 'al-b0', position: 1 }, 70, 'This is not the id of a track: al-b0'],
  ['createBookmark', { id: 'tr-none', position: 1 }, 70, /./],
  ['deleteBookmark', {}, 10, 'Required parameter is missing: id'],
  ['savePlayQueue', { id: 'al-b0' }, 70, 'This is not the id of a track: al-b0'],
  ['getUser', { username: 'eve' }, 50, 'Only the own user can be looked at'],
  ['getVideoInfo', {}, 70, 'This server has no videos'],
  ...['getUsers', 'jukeboxControl', 'createShare'].map(method => [method, {}, 0, 'This server does not offer that']),
  ['getArtist', { id: 'al-b0' }, 70, 'This is not the id of an artist: al-b0'],
  ['getAlbum', { id: 'ar-a0' }, 70, 'This is not the id of an album: ar-a0'],
  ['getMusicDirectory', { id: 'tr-t0' }, 70, 'This is not the id of a folder'],
  ['getMusicDirectory', {}, 10, 'Required parameter is missing: id'],
  ['getAlbumInfo2', { id: 'ar-a0' }, 70, 'This is not the id of an album'],
  ['getArtistInfo2', { id: 'pl-p0' }, 70, 'Artist not found'],
  ['getSimilarSongs', { id: 'pl-p0' }, 70, 'This is not the id of an artist, an album or a track'],
  ['getPlaylist', { id: 'sp-other' }, 70, 'Playlist not found'],
  ['getPlaylist', { id: 'al-b0' }, 70, 'Playlist not found'],
  ['updatePlaylist', {}, 10, 'Required parameter is missing: playlistId'],
  ...['ar-a0', 'al-b0', 'tr-t0'].map(playlistId =>
    ['updatePlaylist', { playlistId }, 70, 'This is not the id of a playlist']),
  ...['tl-c0', 'sp-daily', 'pl-p0'].map(playlistId =>
    ['updatePlaylist', { playlistId }, 50, 'This playlist cannot be changed']),
  ['createPlaylist', {}, 10, 'Required parameter is missing: name'],
  ['createPlaylist', { name: 'x', songId: 'al-b0' }, 70, 'This is not the id of a track: al-b0'],
  ['getAlbumList2', {}, 10, 'Required parameter is missing: type'],
  ['getAlbumList2', {
    type: 'loud'
  }, 10, 'Parameter type must be one of newest, highest, byYear, recent, frequent, random, starred, ' +
      'alphabeticalByName, alphabeticalByArtist, byGenre'],
  ['getAlbumList2', { type: 'byGenre' }, 10, 'Required parameter is missing: genre'],
  ...[{}, { fromYear: 1 }, { toYear: 1 }].map(years =>
    ['getAlbumList2', { type: 'byYear', ...years }, 10, 'Required parameters are missing: fromYear and toYear']),
  ['getTopSongs', {}, 10, 'Required parameter is missing: artist'],
  ['getSongsByGenre', {}, 10, 'Required parameter is missing: genre'],
  ['nothing', {}, 0, 'Unknown method nothing']
] as [string, Query, number, string | RegExp][]) {
  t.test(`${method} with ${JSON.stringify(query)} is error ${code}: ${message}`, async t => {
    const { status, error } = await ask(await serve(t, { adapter }), method, query)
    t.equal(status, 'failed')
    t.equal(error.code, code)
    if (typeof message === 'string') t.equal(error.message, message)
  })
}

for (const [title, more, playlistRole] of [
  ['that can change playlists', {}, true],
  ['that cannot change playlists', { removeTrack: undefined }, false],
  ['without accounts', stateless, false],
  ['without audio', { getTrackUrl: undefined }, true]
] as [string, any, boolean][]) {
  t.test(`the roles of a user of a source ${title}`, async t => {
    const { context, ...methods } = more
    const app = await serve(t, { adapter: { ...adapter, ...methods }, ...(context && { context }) })
    t.strictSame((await ask(app, 'getUser')).user, {
      username: 'ada',
      scrobblingEnabled: true,
      adminRole: false,
      settingsRole: false,
      downloadRole: !('getTrackUrl' in methods),
      uploadRole: false,
      playlistRole,
      coverArtRole: false,
      commentRole: false,
      podcastRole: false,
      streamRole: !('getTrackUrl' in methods),
      jukeboxRole: false,
      shareRole: false,
      videoConversionRole: false,
      folder: [1]
    })
  })
}

for (const [limits, downloadRole, maxBitRate] of [
  [{ download: false }, false, undefined],
  [{ bitrate: 128_500 }, true, 128],
  [{ download: true, bitrate: undefined }, true, undefined],
  [null, true, undefined]
] as const) {
  t.test(`getUser of an account with the limits ${JSON.stringify(limits)}`, async t => {
    const app = await serve(t, { adapter, context: { limits } as any })
    const { user } = await ask(app, 'getUser')
    t.strictSame([user.downloadRole, user.maxBitRate], [downloadRole, maxBitRate])
  })
}

t.test('what the server tells of itself', async t => {
  const app = await serve(t, { title: 'Mine', context: { accountName: 'Ada L' } })
  const { status, version, type, serverVersion, openSubsonic, ...rest } = await ask(app, 'getMusicFolders')
  t.strictSame([status, type, openSubsonic], ['ok', 'fastify-source-origin', true])
  t.strictSame(rest, { musicFolders: { musicFolder: [{ id: 1, name: 'Mine' }] } })
  t.strictSame((await ask(app, 'getLicense')).license, { valid: true })
  t.strictSame((await ask(app, 'tokenInfo')).tokenInfo, { username: 'Ada L' })
  t.strictSame((await ask(await serve(t), 'tokenInfo')).tokenInfo, { username: 'ada' })
  const { openSubsonicExtensions } = await ask(app, 'getOpenSubsonicExtensions')
  t.strictSame(Object.fromEntries(openSubsonicExtensions.map(({ name, versions }: any) => [name, versions])),
    {
      formPost: [1],
      songLyrics: [1, 2],
      indexBasedQueue: [1],
      topSongsByArtistId: [1],
      playbackReport: [1],
      apiKeyAuthentication: [1]
    })
  const { ignoredArticles, lastModified, ...indexes } = (await ask(app, 'getIndexes')).indexes
  t.strictSame(indexes, { shortcut: [], index: [], child: [] })
})
