import t from 'tap'
import { mp3, startWith, token } from './helper.ts'

const songs = [
  { album: 'Émile', artist: 'Zoe', date: '1999', genre: 'Jazz' },
  { album: 'Zebra', artist: 'Ada', date: '2010', genre: 'Folk' },
  { album: 'apple', artist: 'Ada', genre: 'Folk' },
  { album: 'Undated', artist: '茉莉', genre: 'Jazz' },
  { album: '1984', artist: 'Bob', date: '1984-05-01', genre: 'Folk' }
]

const { call } = await startWith(t, Object.fromEntries(songs.map((tags, index) =>
  [`${index}.mp3`, mp3({ title: `Song ${index}`, albumArtist: tags.artist, ...tags })])), { PAGE: 'true' })
/** Asks the page of the folder with these albums for a list. */
const list = async (query: string) => (await call(`/page/browse?${query}`)).json().data
const names = async (query: string) => (await list(query)).items.map(({ name }: any) => name)

t.test('the page of a folder lists its albums and artists, as they are filtered and sorted', async t => {
  t.match(await list(''), {
    total: 5,
    hasMore: false,
    sorts: ['name', 'artist', 'year', 'added', 'plays', 'played', 'random'],
    letters: ['#', 'A', 'E', 'U', 'Z'],
    years: [2010, 1999, 1984],
    genres: [{ name: 'Folk', tracks: 3 }, { name: 'Jazz', tracks: 2 }]
  })
  t.strictSame(await names(''), ['1984', 'apple', 'Émile', 'Undated', 'Zebra'])
  t.strictSame(await names('order=desc&limit=2'), ['Zebra', 'Undated'])
  t.strictSame(await names('sort=year'), ['1984', 'Émile', 'Zebra', 'apple', 'Undated'])
  t.strictSame(await names('sort=year&order=desc'), ['Zebra', 'Émile', '1984', 'apple', 'Undated'])
  t.strictSame((await names('sort=added')).sort(), ['1984', 'Undated', 'Zebra', 'apple', 'Émile'])
  t.strictSame(await names('letter=E'), ['Émile'])
  t.strictSame(await names('genre=Folk&year=1984'), ['1984'])
  const ofArtists = { total: 4, sorts: ['name', 'added', 'random'], letters: ['A', 'B', 'Z', '#'], years: [] }
  t.match(await list('kind=artists'), ofArtists)
  t.strictSame(await names('kind=artists&genre=Jazz'), ['Zoe', '茉莉'])
  t.strictSame(await names('kind=artists&year=1984'), [])
  t.strictSame(await names('kind=artists&offset=1&limit=1'), ['Bob'])
})

t.test('albums are of the years of all their tracks', async t => {
  const song = (title: string, date?: string) => mp3({ title, artist: 'Ada', album: 'Both', ...date && { date } })
  const files = { '1.mp3': song('A', '2001-07'), '2.mp3': song('B', '1950'), '3.mp3': song('C') }
  const { call } = await startWith(t, files, { PAGE: 'true' })
  const list = async (query: string) => (await call(`/page/browse?${query}`)).json().data
  t.strictSame((await list('')).years, [2001, 1950])
  for (const [year, total] of [[2001, 1], [1950, 1], [1951, 0], [2002, 0]]) {
    t.equal((await list(`year=${year}`)).total, total)
  }
})

t.test('albums are those that the account plays most or last, or any', async t => {
  const { items } = (await call('/v1/search/tracks?keyword=Song&limit=10')).json().data
  const tell = async (title: string, day: number) => {
    const id = `tr-${items.find((item: any) => item.title === title).id}`
    const time = `${(1_735_689_600 + day * 86_400) * 1000}`
    const query = new URLSearchParams({ u: 'x', p: token, c: 'app', id, time })
    t.match((await call(`/rest/scrobble?${query}`)).body, '"ok"')
  }
  t.match(await list('sort=plays'), { items: [], total: 0 })
  for (const [day, title] of ['Song 0', 'Song 1', 'Song 0', 'Song 4'].entries()) await tell(title, day)
  t.strictSame((await names('sort=plays&order=desc'))[0], 'Émile')
  t.strictSame(await names('sort=played&order=desc'), ['1984', 'Émile', 'Zebra'])
  t.strictSame(await names('sort=played&order=desc&genre=Folk'), ['1984', 'Zebra'])
  const second = await list('sort=played&order=desc&limit=1&offset=1')
  t.match(second, { items: [{ name: 'Émile' }], total: 3, hasMore: true })
  const random = await list('sort=random&limit=3')
  t.match(random, { total: 3, hasMore: false })
  t.equal(new Set(random.items.map(({ name }: any) => name)).size, 3)
  t.strictSame((await names('sort=random')).sort(), ['1984', 'Undated', 'Zebra', 'apple', 'Émile'])
  t.strictSame((await names('kind=artists&sort=random')).sort(), ['Ada', 'Bob', 'Zoe', '茉莉'])
})

t.test('a folder without accounts has no plays to sort by', async t => {
  const { call } = await startWith(t, { 'a.mp3': mp3({ title: 'A' }) }, { PAGE: 'true', STATELESS: 'true' })
  t.strictSame((await call('/page/browse?sort=plays')).json().data.sorts,
    ['name', 'artist', 'year', 'added', 'random'])
})

t.test('artists stand in the lists of page and apps without the articles that apps are told', async t => {
  const query = new URLSearchParams({ u: 'a', p: token, f: 'json', v: '1.16.1', c: 'test' })
  const { artists: { ignoredArticles } } = (await call(`/rest/getArtists?${query}`)).json()['subsonic-response']
  const words: string[] = ignoredArticles.split(' ')
  t.ok(words.includes('The'))
  const names = [...words.map((word, index) => `${word} Bob ${index}`), 'Theo', 'the Ada', 'Zoe']
  const files = Object.fromEntries(names.map((artist, index) => [`${index}.mp3`, mp3({ title: `${index}`, artist })]))
  const source = await startWith(t, files, { PAGE: 'true' })
  const { items, letters } = (await source.call('/page/browse?kind=artists')).json().data
  const { artists: { index } } = (await source.call(`/rest/getArtists?${query}`)).json()['subsonic-response']
  const expected = ['the Ada', ...names.slice(0, words.length), 'Theo', 'Zoe']
  t.strictSame(items.map(({ name }: any) => name), expected)
  t.strictSame(letters, ['A', 'B', 'T', 'Z'])
  t.strictSame(index.flatMap(({ artist }: any) => artist.map(({ name }: any) => name)), expected)
  t.strictSame(index.map(({ name }: any) => name), letters)
})

t.test('odd names stand under the same letters and in the same places in the page and in apps', async t => {
  const names = ['"Weird Al"', '山下達郎', 'ßtraße', '(hed)', '!!!', '$ign', '가수', 'ユニコーン', 'ｆｕｌｌ', "'68", 'Øl', 'Ab']
  const files = Object.fromEntries(names.map((artist, at) =>
    [`${at}.mp3`, mp3({ title: `${at}`, artist, album: `${artist} sings` })]))
  const { call } = await startWith(t, files, { PAGE: 'true' })
  const data = async (kind: string) => (await call(`/page/browse?kind=${kind}`)).json().data
  const rest = async (method: string) => (await call(
    `/rest/${method}&${new URLSearchParams({ u: 'a', p: token, f: 'json', c: 'test' })}`)).json()['subsonic-response']
  const { items, letters } = await data('artists')
  const { artists: { index } } = await rest('getArtists?')
  t.strictSame(index.map(({ name }: any) => name), letters)
  t.strictSame(index.flatMap(({ artist }: any) => artist.map(({ id }: any) => id.slice(3))).sort(),
    items.map(({ id }: any) => id).sort())
  const { albumList2: { album } } = await rest('getAlbumList2?type=alphabeticalByName&size=50')
  t.strictSame(album.map(({ name }: any) => name), (await data('albums')).items.map(({ name }: any) => name))
})
