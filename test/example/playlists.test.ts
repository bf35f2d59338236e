import t from 'tap'
import { mp3, start, startWith, write } from './helper.ts'

const titlesOf = ({ tracks }: any) => tracks.map(({ title }: any) => title)
const namesOf = ({ items }: any) => items.map(({ name }: any) => name)

t.test('the demo has its playlist file first, then a playlist for each genre, the largest first', async t => {
  const { data } = await start(t)
  const { items } = await data('/v1/playlist/list')
  t.same(items.map(({ name, trackCount }: any) => [name, trackCount]), [
    ['Favourites', 4], ['Classical', 4], ['World', 3], ['Ambient', 1], ['Folk', 1]
  ])
  t.match(items[0], { tags: ['Classical', 'World'], coverUrl: /^http.*\/media\/cover\// })
})

t.test('categories are the playlist files and the genres, and each has its playlists', async t => {
  const { data } = await start(t)
  const categories = await data('/v1/playlist/category')
  t.same(categories.map(({ label }: any) => label), ['Playlist files', 'Classical', 'World', 'Ambient', 'Folk'])
  const listed = await Promise.all(categories.map(async ({ key }: any) =>
    namesOf(await data(`/v1/playlist/list?category=${encodeURIComponent(key)}`))))
  t.same(listed, [['Favourites'], ['Favourites', 'Classical'], ['Favourites', 'World'], ['Ambient'], ['Folk']])
  t.same(namesOf(await data('/v1/playlist/list?category=nothing')), [])
})

t.test('without playlist files there is no category for them', async t => {
  const { data } = await startWith(t, {
    'a.mp3': mp3({ title: 'A', artist: 'B', genre: 'Rock; rock; Pop' }),
    'b.mp3': mp3({ title: 'B', artist: 'B', genre: 'ROCK' })
  })
  t.same(await data('/v1/playlist/category'), [
    { key: 'genre:rock', label: 'Rock' }, { key: 'genre:pop', label: 'Pop' }
  ])
})

const files = {
  'a.mp3': mp3({ title: 'Song 10', artist: 'Beta', album: 'X' }),
  'b.mp3': mp3({ title: 'Song 9', artist: 'alpha', album: 'Z' }),
  'c.mp3': mp3({ title: 'another', artist: 'Gamma', album: 'Y' }),
  'list.m3u': 'b.mp3\nc.mp3\nnothing.mp3\na.mp3\nb.mp3'
}

const orders: [query: string, titles: string[]][] = [
  ['', ['Song 9', 'another', 'Song 10', 'Song 9']],
  ['&trackLimit=2', ['Song 9', 'another']],
  ['&trackLimit=0', []],
  ['&order=desc', ['Song 9', 'another', 'Song 10', 'Song 9']],
  ['&sort=title', ['another', 'Song 9', 'Song 9', 'Song 10']],
  ['&sort=title&order=desc', ['Song 10', 'Song 9', 'Song 9', 'another']],
  ['&sort=artist', ['Song 9', 'Song 9', 'Song 10', 'another']],
  ['&sort=album', ['Song 10', 'another', 'Song 9', 'Song 9']],
  ['&sort=title&order=desc&trackLimit=1', ['Song 10']]
]
for (const [query, titles] of orders) {
  t.test(`a playlist file has its tracks in order, twice if they are: ${query}`, async t => {
    const { data } = await startWith(t, files)
    const { items: [list] } = await data('/v1/playlist/list?category=files')
    t.same(titlesOf(await data(`/v1/playlist/detail?id=${list.id}${query}`)), titles)
  })
}

t.test('the orders are declared, and another one is a 400', async t => {
  const { call, data } = await startWith(t, files)
  t.same((await data('/v1/status')).playlistSortOptions.map(({ key }: any) => key), [
    'title', 'artist', 'album', 'added'
  ])
  t.equal((await call('/v1/playlist/detail?id=x&sort=mood')).statusCode, 400)
})

t.test('every declared order is answered', async t => {
  const { data } = await startWith(t, files)
  const { items: [list] } = await data('/v1/playlist/list')
  for (const { key } of (await data('/v1/status')).playlistSortOptions) {
    t.equal((await data(`/v1/playlist/detail?id=${list.id}&sort=${key}`)).tracks.length, 4)
  }
})

t.test('recommended are all playlists, in an order of the day', async t => {
  const { data } = await start(t)
  const names = namesOf(await data('/v1/playlist/recommended'))
  t.same(names.toSorted(), namesOf(await data('/v1/playlist/list')).toSorted())
  t.same(namesOf(await data('/v1/playlist/recommended')), names)
})

t.test('playlists are found by name and by genre', async t => {
  const { data } = await start(t)
  t.same(namesOf(await data('/v1/search/playlists?keyword=fav')), ['Favourites'])
  t.same(namesOf(await data('/v1/search/playlists?keyword=world')), ['World', 'Favourites'])
})

t.test('a genre of a playlist that is written in several ways counts once', async t => {
  const { data } = await startWith(t, {
    'a.mp3': mp3({ title: 'A', artist: 'B', genre: 'Pop' }),
    'b.mp3': mp3({ title: 'B', artist: 'B', genre: 'Rock' }),
    'c.mp3': mp3({ title: 'C', artist: 'B', genre: 'ROCK' }),
    'list.m3u': 'a.mp3\nb.mp3\nc.mp3'
  })
  const { items } = await data('/v1/playlist/list')
  t.same(items.find(({ name }: any) => name === 'list').tags, ['Rock', 'Pop'])
})

t.test('a playlist without a single known file is empty, without a cover', async t => {
  const { data } = await startWith(t, { 'empty.m3u8': '#EXTM3U\nnothing.mp3' })
  t.match(await data('/v1/playlist/list'), { items: [{ name: 'empty', trackCount: 0, coverUrl: '', tags: [] }] })
})

t.test('a line of a playlist with a NUL character means no file', async t => {
  const { data } = await startWith(t, { ...files, 'list.m3u': 'a.mp3\0\na.mp3\0b\nc.mp3' })
  const { items: [list] } = await data('/v1/playlist/list')
  t.same(titlesOf(await data(`/v1/playlist/detail?id=${list.id}`)), ['another'])
})

t.test('one track of a playlist may be any file of a recording', async t => {
  const tags = { title: 'A', artist: 'B', album: 'C' }
  const { data } = await startWith(t, { 'a.mp3': mp3(tags), 'b.mp3': mp3(tags), 'list.m3u': 'b.mp3\na.mp3' })
  t.match(await data('/v1/playlist/list'), { items: [{ trackCount: 2 }] })
})

t.test('of what two tabs and an app do to one playlist nothing is lost, however old what a tab shows is', async t => {
  const source = await start(t, { PAGE: 'true' })
  const { items } = await source.data('/v1/search/tracks?keyword=a&limit=50')
  const all: string[] = items.map(({ id }: any) => id)
  const { id } = await write(source, 'playlist/create', { name: 'Ours' })
  const read = async (): Promise<string[]> =>
    (await source.data(`/v1/playlist/detail?id=${id}&trackLimit=-1`)).tracks.map((track: any) => track.id)
  const edit = async (payload: object) => {
    const answer = await source.call('/page/playlist', { method: 'POST', payload: { id, ...payload } })
    t.equal(answer.statusCode, 200, answer.body)
  }
  let seed = 1
  const lot = (below: number) => (seed = seed * 48_271 % 2_147_483_647) % below
  const one = <T>(of: readonly T[]) => of[lot(of.length)]!
  const there = new Set<string>()
  /** What each tab shows. */
  const shown: string[][] = [[], []]
  for (let count = 0; count < 500; count++) {
    const tab = lot(2)
    const seen = shown[tab]!
    const track = one(all)
    const deed = lot(6)
    if (deed < 2 && !there.has(track)) {
      await write(source, 'playlist/addTrack', { playlistId: id, trackId: track })
      there.add(track)
    } else if (deed === 2 && there.delete(track)) {
      await write(source, 'playlist/removeTrack', { playlistId: id, trackId: track })
    } else if (deed > 2 && seen.length > 0) {
      const moved = one(seen)
      const left = seen.filter(id => id !== moved)
      const isRemoval = deed === 3
      const tracks = isRemoval ? left : left.toSpliced(lot(seen.length), 0, moved)
      await edit({ tracks, seen })
      if (isRemoval) there.delete(moved)
      const now = await read()
      t.strictSame(now.filter(id => tracks.includes(id)), tracks.filter(id => there.has(id)), 'in the order of the tab')
      // Undone by the next one, or looked at again.
      if (isRemoval && lot(2) === 0) {
        await edit({ tracks: seen, seen: left })
        there.add(moved)
      }
      shown[tab] = await read()
    } else if (seen.length === 0) shown[tab] = await read()
    t.strictSame(new Set(await read()), there)
  }
  t.ok(there.size > 0)
})
