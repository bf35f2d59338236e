import t from 'tap'
import { extras, type SourceAdapter, type TrackQuality } from 'fastify-source-origin'
import { ada, album, first } from './extras-fixture.ts'
import { ask, get, login, queryOf, serve, tokenLogin } from './helper.ts'

const played: SourceAdapter = {
  getTrackDetail: () => first,
  getArtistDetail: id => ({ ...ada, id, [extras]: { ...ada[extras], musicBrainzId: 'of the artist' }, tracks: [] }),
  getArtistAlbums: (_id, offset, limit) => ({ items: [album], offset, limit, hasMore: false }),
  getAlbumDetail: id =>
    ({ ...album, id, favorite: true, [extras]: { ...album[extras], musicBrainzId: 'of the album' }, tracks: [first] }),
  favoriteArtist: (_id, status) => ({ success: true, status })
}

t.test('artists and albums have their MusicBrainz ids in getArtistInfo and getAlbumInfo', async t => {
  const app = await serve(t, { adapter: played })
  for (const [method, id, member, musicBrainzId] of [
    ['getArtistInfo', 'ar-ada', 'artistInfo', 'of the artist'],
    ['getArtistInfo2', 'ar-ada', 'artistInfo2', 'of the artist'],
    ['getAlbumInfo', 'al-a', 'albumInfo', 'of the album'], ['getAlbumInfo2', 'al-a', 'albumInfo', 'of the album'],
    ['getAlbumInfo2', 'tr-1', 'albumInfo', undefined]
  ] as const) t.equal((await ask(app, method, { id }))[member].musicBrainzId, musicBrainzId, `${method} of ${id}`)
  t.match((await get(app, 'getAlbumInfo2', { id: 'al-a' })).body,
    '<notes></notes><musicBrainzId>of the album</musicBrainzId><smallImageUrl>')
  const library = () => ({
    artists: [{ id: 'ada', name: 'Ada', [extras]: { musicBrainzId: 'listed' } }],
    albums: [{ ...album, [extras]: { musicBrainzId: 'listed' } }]
  })
  const listed = await serve(t, {
    library,
    adapter: {
      getArtistDetail: (id: string) => ({ id, name: 'Ada', tracks: [] }),
      getAlbumDetail: (id: string) => ({ id, name: 'Both', coverUrl: '', tracks: [] })
    }
  })
  t.equal((await ask(listed, 'getArtistInfo2', { id: 'ar-ada' })).artistInfo2.musicBrainzId, 'listed')
  t.equal((await ask(listed, 'getAlbumInfo2', { id: 'al-a' })).albumInfo.musicBrainzId, 'listed')
})

t.test('a directory has the favourite, the rating and the plays of its artist or album', async t => {
  const app = await serve(t, { adapter: played })
  for (const [id, rating] of [['ar-ada', 4], ['al-a', 2]]) await ask(app, 'setRating', { id, rating })
  await ask(app, 'star', { artistId: 'ar-ada' })
  const of = async (id: string, v = '1.16.1') => {
    const query = queryOf({ ...login, v, f: 'json', id })
    return (await app.inject(`/rest/getMusicDirectory?${query}`)).json()['subsonic-response'].directory
  }
  t.match(await of('ar-ada'), { parent: '1', starred: /T/, userRating: 4 })
  t.match(await of('al-a'), { parent: 'ar-ada', starred: /T/, userRating: 2, playCount: 3 })
  t.match(await of('al-a', '1.8.0'), { starred: /T/, userRating: 2, playCount: 3 }, 'old apps know them too')
  t.match((await ask(app, 'getMusicDirectory', { id: 'ar-ada' })).directory.child, [{ id: 'al-a' }])
})

t.test('a music folder that does not exist is error 70', async t => {
  const app = await serve(t, { adapter: played })
  for (const method of ['getArtists', 'getIndexes', 'getAlbumList2', 'getRandomSongs', 'search3', 'getStarred2']) {
    const list = (musicFolderId: string | number) => ask(app, method, { musicFolderId, type: 'newest', query: 'x' })
    t.equal((await list(1)).status, 'ok', method)
    t.equal((await list('')).status, 'ok', `${method}, blank`)
    for (const id of [2, 'x']) {
      t.match(await list(id), { error: { code: 70, message: 'Music folder not found' } }, method)
    }
  }
})

t.test('a song whose format few apps play has the format that it is converted to', async t => {
  const quality = (format: string): TrackQuality => ({ key: 'a', label: 'A', size: 1000, bitrate: 320_000, format })
  const adapter: SourceAdapter = { getTrackDetail: id => ({ ...first, id, qualities: [quality(id)] }) }
  const formats = ['mp3', 'flac'] as const
  const app = await serve(t, { adapter, transcoder: { formats, send: async () => {} } as never })
  const bare = await serve(t, { adapter })
  for (const [format, suffix, type] of [
    ['aiff', 'flac', 'audio/flac'], ['wma', 'mp3', 'audio/mpeg'],
    ['flac', undefined, undefined], ['mp3', undefined, undefined]
  ] as const) {
    const { transcodedSuffix, transcodedContentType } = (await ask(app, 'getSong', { id: `tr-${format}` })).song
    t.strictSame([transcodedSuffix, transcodedContentType], [suffix, type], format)
    t.notOk('transcodedSuffix' in (await ask(bare, 'getSong', { id: `tr-${format}` })).song, 'without a transcoder')
  }
})

t.test('a rejected login has the address of the server, whose page makes app passwords', async t => {
  const wrong = async (options: Parameters<typeof serve>[1], path: string) => {
    const app = await serve(t, options)
    const answer = await app.inject(`${path}/rest/ping?u=ada&p=wrong&f=json`)
    return answer.json()['subsonic-response'].error
  }
  t.match(await wrong({}, ''), { code: 40, helpUrl: 'http://localhost:80/' })
  t.match(await wrong({ prefix: '/music' }, '/music'), { code: 40, helpUrl: 'http://localhost:80/music/' })
  t.match(await wrong({ publicUrl: 'https://music.example' }, ''), { code: 40, helpUrl: 'https://music.example/' })
  const app = await serve(t)
  t.match((await app.inject('/rest/ping?u=ada&p=wrong')).body, / helpUrl="http:\/\/localhost:80\/"/)
  t.notOk('helpUrl' in (await ask(app, 'getSong', { id: 'tr-1', v: undefined })).error)
})

t.test('pictures have URLs that last: those that expire are of getCoverArt, with the digest of the app', async t => {
  const signed = (expires: number) => `https://cdn.example/ada.jpg?expires=${Math.floor(expires / 1000)}`
  let url = signed(Date.now() + 3_600_000)
  const artist = { id: 'ada', name: 'Ada' }
  const app = await serve(t, {
    media: 'redirect',
    library: () => ({ artists: [{ ...artist, coverUrl: url }] }),
    adapter: {
      getArtistDetail: () => ({ ...artist, coverUrl: url, tracks: [] }),
      getAlbumDetail: (id: string) => ({ ...album, id, coverUrl: url, tracks: [] })
    }
  })
  const byDigest = { ...tokenLogin(), p: undefined }
  const { artistInfo2 } = await ask(app, 'getArtistInfo2', { ...byDigest, id: 'ar-ada' })
  const { artistImageUrl } = (await ask(app, 'getArtists', byDigest)).artists.index[0].artist[0]
  const { albumInfo } = await ask(app, 'getAlbumInfo2', { ...byDigest, id: 'al-a' })
  for (const [stored, id] of [
    [artistInfo2.largeImageUrl, 'ar-ada'], [artistImageUrl, 'ar-ada'], [albumInfo.smallImageUrl, 'al-a']
  ]) {
    t.equal(stored, `http://localhost:80/rest/getCoverArt?${queryOf({ ...tokenLogin(), c: login.c, v: login.v, id })}`)
    const answer = await app.inject(stored)
    t.match(answer, { statusCode: 302, headers: { location: url } })
    const [, seconds] = /^private, max-age=(\d+)$/.exec(String(answer.headers['cache-control'])) ?? []
    t.ok(Number(seconds) > 3400 && Number(seconds) <= 3540, 'a cache keeps it as long as the picture can be loaded')
  }
  const { artistInfo2: byPassword } = await ask(app, 'getArtistInfo2', { id: 'ar-ada' })
  t.equal(byPassword.largeImageUrl, url, 'a password is in no response')
  url = signed(Date.now() + 30_000)
  t.match(await get(app, 'getCoverArt', { id: 'al-b' }), { statusCode: 302, headers: { 'cache-control': 'no-store' } })
  url = 'https://cdn.example/ada.jpg'
  t.equal((await ask(app, 'getArtistInfo2', { id: 'ar-ada' })).artistInfo2.largeImageUrl, url, 'it does not expire')
})
