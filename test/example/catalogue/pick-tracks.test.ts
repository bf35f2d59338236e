import t from 'tap'
import { roam } from '../../../example/catalogue/pick-tracks.ts'
import { folder, mp3, put, start, startWith, token } from '../helper.ts'

const titlesOf = (tracks: any) => tracks.map(({ title }: any) => title)
const idsOf = (tracks: any) => tracks.map(({ id }: any) => id)
const song = (title: string, more = {}) => mp3({ title, artist: 'One', album: 'Album', ...more })

const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at}.mp3`, song(`Song ${at}`)]))
const ofMany = await startWith(t, many)
/** Each of these tests has artists and genres of its own. */
const { data } = await startWith(t, {
  'similar/a.mp3': song('Origin', { artist: 'Kin', genre: 'Rock', date: '1990' }),
  'similar/b.mp3': song('Artist and genre', { artist: 'Kin', genre: 'Rock', date: '1960' }),
  'similar/c.mp3': song('Genre and era', { artist: 'Other', genre: 'Rock', date: '1994' }),
  'similar/d.mp3': song('Genre', { artist: 'Other', genre: 'Rock', date: '2020' }),
  'similar/e.mp3': song('Era alone', { artist: 'Other', genre: 'Pop', date: '1990' }),
  'similar/f.mp3': song('Artist', { artist: 'Kin', genre: 'Pop' }),
  'tracks/a.mp3': song('B', { artist: 'Hot', date: '1990' }),
  'tracks/b.mp3': song('A', { artist: 'Hot', date: '2000-05' }),
  'tracks/c.mp3': song('C', { artist: 'Hot' }),
  'tracks/d.mp3': song('D', { artist: 'Hot' }),
  'tracks/1.m3u': 'c.mp3',
  'tracks/2.m3u': 'c.mp3\na.mp3\na.mp3',
  'albums/a.mp3': song('A', { album: 'Undated' }),
  'albums/b.mp3': song('B', { album: 'Old', date: '1980' }),
  'albums/c.mp3': song('C', { album: 'New', date: '2020' }),
  'albums/d.mp3': song('D', { album: 'Collection', albumArtist: 'Various Artists' }),
  'albums/e.mp3': song('E', { album: 'Ancient' })
})

t.test('similar are tracks of the same artists or genre, those of the era first, never the track itself', async t => {
  const { items: [{ id }] } = await data('/v1/search/tracks?keyword=origin')
  t.same(titlesOf(await data(`/v1/track/similar?id=${id}`)), ['Artist and genre', 'Artist', 'Genre and era', 'Genre'])
  const { items: [yearless] } = await data('/v1/search/tracks?keyword=artist')
  t.equal(yearless.title, 'Artist')
  t.same(titlesOf(await data(`/v1/track/similar?id=${yearless.id}`)).sort(), ['Artist and genre', 'Era alone', 'Origin'])
})

t.test('new tracks are those that arrived last', async t => {
  const MUSIC_DIR = folder(t)
  for (const [at, title] of ['Old', 'Newest', 'Newer'].entries()) {
    put(MUSIC_DIR, `${title}.mp3`, song(title, { album: title }), [1, 3, 2][at]! * 1_000_000)
  }
  const { data } = await start(t, { MUSIC_DIR })
  t.same(titlesOf(await data('/v1/track/new')), ['Newest', 'Newer', 'Old'])
})

t.test('daily tracks are the same all day and others tomorrow', async t => {
  const { data } = ofMany
  const today = idsOf(await data('/v1/track/daily'))
  t.equal(new Set(today).size, 30)
  t.same(idsOf(await data('/v1/track/daily')), today)
  const RealDate = Date
  const tomorrow = RealDate.now() + 24 * 60 * 60 * 1000
  t.intercept(globalThis, 'Date', {
    value: class extends RealDate {
      constructor () { super(tomorrow) }
    }
  })
  t.not(idsOf(await data('/v1/track/daily')).join(), today.join())
})

t.test('roaming never gives a track twice in a row', async t => {
  let last: string[] = []
  for (let round = 0; round < 10; round++) {
    const tracks = idsOf(await ofMany.data('/v1/track/roam'))
    t.equal(new Set(tracks).size, 20)
    t.notOk(tracks.some((id: string) => last.includes(id)))
    last = tracks
  }
})

t.test('roaming with two tracks takes turns, with one it has no choice, with none it gives none', t => {
  const [a, b] = [{ id: 'a' }, { id: 'b' }]
  t.same(roam([a, b], new Set(['a']), 20), [b])
  t.same(roam([a, b], new Set(['b']), 20), [a])
  t.equal(roam([a, b], undefined, 20).length, 1)
  for (const last of [undefined, new Set(['a'])]) t.same(roam([a], last, 20), [a])
  t.same(roam([], undefined, 20), [])
  t.end()
})

for (const STATELESS of ['true', 'false']) {
  t.test(`top artists have the most tracks, and at least one: STATELESS=${STATELESS}`, async t => {
    const { data } = await start(t, { STATELESS })
    t.same((await data('/v1/artist/top')).map(({ name }: any) => name), [
      'Ada Plume', 'Nils Öhlin', 'The Talking Machine', '纸灯笼'
    ])
  })
}

t.test('top artists are those of what the account plays most, as often as it does', async t => {
  const by = (artist: string, title: string) => mp3({ artist, title, album: 'All' })
  const source = await startWith(t, {
    'a.mp3': by('Many', 'A'),
    'b.mp3': by('Many', 'B'),
    'c.mp3': by('Twice', 'C'),
    'd.mp3': by('Often', 'D'),
    'e.mp3': by('Often', 'E'),
    'f.mp3': by('Often', 'F'),
    'g.mp3': by('Never', 'G')
  })
  const { items } = await source.data('/v1/search/tracks?keyword=All&limit=10')
  const tell = (title: string, day: number) => {
    const id = `tr-${items.find((item: any) => item.title === title).id}`
    const time = `${(1_735_689_600 + day * 86_400) * 1000}`
    return source.app.inject(`/rest/scrobble?${new URLSearchParams({ u: 'x', p: token, c: 'app', id, time })}`)
  }
  for (const [day, title] of ['C', 'D', 'E', 'F', 'C'].entries()) await tell(title, day)
  t.same((await source.data('/v1/artist/top')).map(({ name }: any) => name), ['Often', 'Twice', 'Many', 'Never'])
})

t.test('tracks of an artist are hot by playlists, new by date, or by title', async t => {
  const { items: [{ id }] } = await data('/v1/search/artists?keyword=hot')
  const tracks = async (query: string) => titlesOf((await data(`/v1/artist/tracks?id=${id}${query}`)).items)
  t.same(await tracks(''), ['C', 'B', 'A', 'D'])
  t.same(await tracks('&order=hot'), ['C', 'B', 'A', 'D'])
  t.same((await tracks('&order=new')).slice(0, 2), ['A', 'B'])
  t.same(await tracks('&order=title'), ['A', 'B', 'C', 'D'])
  t.same(await tracks('&order=title&offset=1&limit=1'), ['B'])
  t.same(await tracks('&order=toString'), ['C', 'B', 'A', 'D'])
})

t.test('albums of an artist are the newest first, then those of others with tracks of the artist', async t => {
  const { items: [{ id }] } = await data('/v1/search/artists?keyword=one')
  t.same((await data(`/v1/artist/albums?id=${id}`)).items.map(({ name }: any) => name), [
    'New', 'Old', 'Ancient', 'Undated', 'Collection'
  ])
})
