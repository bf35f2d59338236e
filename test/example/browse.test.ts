import t from 'tap'
import { mp3, startWith, token } from './helper.ts'

const songs = [
  { album: 'Émile', artist: 'Zoe', date: '1999', genre: 'Jazz' },
  { album: 'Zebra', artist: 'Ada', date: '2010', genre: 'Folk' },
  { album: 'apple', artist: 'Ada', genre: 'Folk' },
  { album: 'Undated', artist: '茉莉', genre: 'Jazz' },
  { album: '1984', artist: 'Bob', date: '1984-05-01', genre: 'Folk' }
]

/** Asks the page of a folder with these albums for lists. */
async function open (t: Parameters<typeof startWith>[0]) {
  const files = Object.fromEntries(songs.map((tags, index) =>
    [`${index}.mp3`, mp3({ title: `Song ${index}`, albumArtist: tags.artist, ...tags })]))
  const { call } = await startWith(t, files, { PAGE: 'true' })
  const list = async (query: string) => (await call(`/page/browse?${query}`)).json().data
  return { call, list, names: async (query: string) => (await list(query)).items.map(({ name }: any) => name) }
}

t.test('the page of a folder lists its albums and artists, as they are filtered and sorted', async t => {
  const { list, names } = await open(t)
  t.match(await list(''), {
    total: 5,
    hasMore: false,
    sorts: ['name', 'year', 'added'],
    letters: ['#', 'A', 'E', 'U', 'Z'],
    years: [2010, 1999, 1984],
    genres: ['Folk', 'Jazz']
  })
  t.strictSame(await names(''), ['1984', 'apple', 'Émile', 'Undated', 'Zebra'])
  t.strictSame(await names('order=desc&limit=2'), ['Zebra', 'Undated'])
  t.strictSame(await names('sort=year'), ['1984', 'Émile', 'Zebra', 'apple', 'Undated'])
  t.strictSame(await names('sort=year&order=desc'), ['Zebra', 'Émile', '1984', 'apple', 'Undated'])
  t.strictSame((await names('sort=added')).sort(), ['1984', 'Undated', 'Zebra', 'apple', 'Émile'])
  t.strictSame(await names('letter=E'), ['Émile'])
  t.strictSame(await names('genre=Folk&year=1984'), ['1984'])
  t.match(await list('kind=artists'), { total: 4, sorts: ['name', 'added'], letters: ['A', 'B', 'Z', '漢'], years: [] })
  t.strictSame(await names('kind=artists&genre=Jazz'), ['Zoe', '茉莉'])
  t.strictSame(await names('kind=artists&offset=1&limit=1'), ['Bob'])
})

t.test('artists stand in the lists of page and apps without the articles that apps are told', async t => {
  const apps = await startWith(t, { 'a.mp3': mp3({ title: 'A', artist: 'Ada' }) }, { PAGE: 'true' })
  const query = new URLSearchParams({ u: 'a', p: token, f: 'json', v: '1.16.1', c: 'test' })
  const { artists: { ignoredArticles } } = (await apps.call(`/rest/getArtists?${query}`)).json()['subsonic-response']
  const words: string[] = ignoredArticles.split(' ')
  t.ok(words.includes('The'))
  const names = [...words.map((word, index) => `${word} Bob ${index}`), 'Theo', 'the Ada', 'Zoe']
  const files = Object.fromEntries(names.map((artist, index) => [`${index}.mp3`, mp3({ title: `${index}`, artist })]))
  const { call } = await startWith(t, files, { PAGE: 'true' })
  const { items, letters } = (await call('/page/browse?kind=artists')).json().data
  const { artists: { index } } = (await call(`/rest/getArtists?${query}`)).json()['subsonic-response']
  const expected = ['the Ada', ...names.slice(0, words.length), 'Theo', 'Zoe']
  t.strictSame(items.map(({ name }: any) => name), expected)
  t.strictSame(letters, ['A', 'B', 'T', 'Z'])
  t.strictSame(index.flatMap(({ artist }: any) => artist.map(({ name }: any) => name)), expected)
  t.strictSame(index.map(({ name }: any) => name), letters)
})

t.test('who has no token gets no list', async t => {
  const { call } = await open(t)
  t.equal((await call('/page/browse', { headers: {} })).statusCode, 401)
  t.equal((await call('/page/browse', { headers: { authorization: `${token}!` } })).statusCode, 401)
})
