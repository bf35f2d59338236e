import t from 'tap'
import { extras } from 'fastify-source-origin'
import { ada, adapter, album, bare, first, second } from './extras-fixture.ts'
import { ask, get, ids, login, queryOf, serve } from './helper.ts'

t.test('songs, albums and artists have what their extras tell', async t => {
  const app = await serve(t, { adapter })
  const { album: { song: [one, two], ...shown } } = await ask(app, 'getAlbum', { id: 'al-a' })
  t.match(shown, {
    year: 2001,
    genre: 'Pop',
    genres: [{ name: 'Pop' }, { name: 'Folk' }],
    version: 'Remastered',
    releaseTypes: ['EP'],
    isCompilation: true,
    recordLabels: [{ name: 'Blue' }],
    originalReleaseDate: { year: 1999, month: 3 },
    releaseDate: { year: 2001 },
    discTitles: [{ disc: 2, title: 'Live', coverArt: 'al-a' }],
    displayArtist: 'Ada & Bo',
    artists: [{ id: 'ar-ada', name: 'Ada' }, { id: 'ar-bo', name: 'Bo' }],
    explicitStatus: 'clean',
    moods: [],
    created: '2020-01-02T03:04:05.000Z',
    playCount: 3,
    musicBrainzId: '',
    sortName: ''
  })
  t.match(two, {
    discNumber: 2,
    track: 1,
    year: 2002,
    genre: 'Jazz',
    genres: [{ name: 'Jazz' }, { name: 'Rock' }],
    isrc: ['DE1'],
    musicBrainzId: 'mbid',
    bpm: 120,
    comment: '',
    samplingRate: 44100,
    bitDepth: 16,
    channelCount: 2,
    sortName: '',
    replayGain: { trackGain: -7.5, trackPeak: 0.98 },
    albumArtists: [{ id: 'ar-ada', name: 'Ada' }],
    displayArtist: 'Ada feat. Bo',
    displayAlbumArtist: 'Ada Plume',
    displayComposer: 'Cy',
    moods: ['calm'],
    explicitStatus: '',
    works: [{ name: 'Work' }],
    played: '2026-01-02T03:04:05.678Z',
    path: 'Ada Plume/Both/2-01 - One.mp3',
    created: '2001-01-01T00:00:00.000Z'
  })
  t.strictSame(two.contributors, [
    { role: 'composer', artist: { id: 'ar-cy', name: 'Cy' } },
    { role: 'performer', subRole: 'flute', artist: { id: 'ar-ada', name: 'Ada' } }
  ])
  t.match(one, { discNumber: 1, track: 1, year: 2001, genre: 'Pop', displayArtist: 'Ada' })
  for (const name of ['replayGain', 'contributors', 'bpm', 'comment', 'playCount']) t.notOk(name in one, name)
  const { artist } = await ask(app, 'getArtist', { id: 'ar-ada' })
  t.match(artist, { sortName: 'Ada', disambiguation: '', roles: ['composer', 'artist'], album: [{ duration: 1 * 2 }] })
  t.equal(artist.averageRating, 4.5)
  const { playlist } = await ask(app, 'getPlaylist', { id: 'pl-p' })
  t.equal(playlist.validUntil, '2026-01-02T03:04:05.000Z')
  t.match((await get(app, 'getSong', { id: 'tr-2' })).body, '<replayGain trackGain="-7.5" trackPeak="0.98"/>')
})

t.test('members that extras do not tell are empty', async t => {
  const app = await serve(t, {
    adapter: { getAlbumDetail: () => ({ ...bare, tracks: [{ ...first, album: bare, [extras]: {} }] }) }
  })
  const { album: { song: [song], ...shown } } = await ask(app, 'getAlbum', { id: 'al-b' })
  t.match(shown, { version: '', recordLabels: [], isCompilation: false, releaseTypes: [], discTitles: [], moods: [] })
  t.match(song, { replayGain: {}, contributors: [], comment: '', isrc: [], displayComposer: '', genres: [], track: 1 })
})

t.test('apps that do not know OpenSubsonic get nothing nested of it', async t => {
  const app = await serve(t, { adapter })
  const { body } = await app.inject(`/rest/getAlbum?${queryOf({ ...login, v: '1.8.0', id: 'al-a' })}`)
  t.match(body, / discNumber="2"/)
  t.notMatch(body, /<(?!\?|\/|subsonic-response|album |song )/)
})

const others = [
  { ...album, id: 'b', name: 'C', genre: 'Pop', trackCount: 9, [extras]: undefined },
  { ...album, id: 'c', name: 'D', genre: '', [extras]: undefined }
]
const third = { ...first, id: '3', album: { ...others[0]!, [extras]: {} }, [extras]: {} }
const unlisted = { ...first, id: '4', album: { id: 'z', name: 'Z', coverUrl: '' }, [extras]: { genres: ['Blues'] } }
const library = () => ({ artists: [ada], albums: [album, ...others], tracks: [first, second, third, unlisted] })
const counts = [
  { value: 'Blues', songCount: 1, albumCount: 0 }, { value: 'Folk', songCount: 1, albumCount: 1 },
  { value: 'Jazz', songCount: 1, albumCount: 1 }, { value: 'Pop', songCount: 2, albumCount: 2 },
  { value: 'Rock', songCount: 1, albumCount: 1 }
]

t.test('lists of genres and years are by the songs\' own', async t => {
  const app = await serve(t, { adapter, library })
  const { genre } = (await ask(app, 'getGenres')).genres
  t.strictSame(genre, counts)
  const songs = async (genre: string) => ids((await ask(app, 'getSongsByGenre', { genre })).songsByGenre.song)
  t.strictSame(await songs('jazz'), ['tr-2'])
  const albums = async (query: object) => ids((await ask(app, 'getAlbumList2', query as any)).albumList2.album)
  t.strictSame(await albums({ type: 'byGenre', genre: 'rock' }), ['al-a'])
  t.strictSame(await albums({ type: 'byGenre', genre: 'pop' }), ['al-a', 'al-b'])
  t.strictSame(await albums({ type: 'byYear', fromYear: 2001, toYear: 2001 }), ['al-a', 'al-b', 'al-c'])
  t.strictSame(await albums({ type: 'byYear', fromYear: 2003, toYear: 2002 }), ['al-a'])
  const random = async (year: number) =>
    ids((await ask(app, 'getRandomSongs', { fromYear: year, toYear: year })).randomSongs.song)
  t.strictSame(await random(2002), ['tr-2'])
})
