import type { PlaylistEdit } from 'fastify-source-origin'
import t from 'tap'
import { editInTabs } from '../edit-in-tabs.ts'
import { mp3, start, startWith, token, write } from './helper.ts'

const files = {
  'a.mp3': mp3({ title: 'Song 10', artist: 'Beta', album: 'X', genre: 'Pop' }),
  'b.mp3': mp3({ title: 'Song 9', artist: 'alpha', album: 'Z', genre: 'Rock' }),
  'c.mp3': mp3({ title: 'another', artist: 'Gamma', album: 'Y', genre: 'ROCK' }),
  'list.m3u': 'b.mp3\nc.mp3\nnothing.mp3\na.mp3\nb.mp3',
  'empty.m3u8': '#EXTM3U\nnothing.mp3',
  'NUL.m3u': 'a.mp3\0\na.mp3\0b\nc.mp3',
  'genres.m3u': 'a.mp3\nb.mp3\nc.mp3',
  'one.mp3': mp3({ title: 'A', artist: 'B', album: 'C' }),
  'two.mp3': mp3({ title: 'A', artist: 'B', album: 'C' }),
  'recording.m3u': 'two.mp3\none.mp3'
}
/** The demo, where only the last test makes something. */
const demo = await start(t, { PAGE: 'true' })
const { data } = demo
const made = await startWith(t, files)

const titlesOf = ({ tracks }: any) => tracks.map(({ title }: any) => title)
const listOf = async (name: string) =>
  (await made.data('/v1/playlist/list?category=files')).items.find((list: any) => list.name === name)
const namesOf = ({ items }: any) => items.map(({ name }: any) => name)

t.test('the demo has its playlist file first, then a playlist for each genre, the largest first', async t => {
  const { items } = await data('/v1/playlist/list')
  t.same(items.map(({ name, trackCount }: any) => [name, trackCount]), [
    ['Favourites', 4], ['Classical', 4], ['World', 3], ['Ambient', 1], ['Folk', 1]
  ])
  t.match(items[0], { tags: ['Classical', 'World'], coverUrl: /^http.*\/media\/cover\// })
})

t.test('categories are the playlist files and the genres, and each has its playlists', async t => {
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

const orders: [query: string, titles: string[]][] = [
  ['', ['Song 9', 'another', 'Song 10', 'Song 9']],
  ['&trackLimit=2', ['Song 9', 'another']],
  ['&trackLimit=0', []],
  ['&sort=title', ['another', 'Song 9', 'Song 9', 'Song 10']],
  ['&sort=title&order=desc', ['Song 10', 'Song 9', 'Song 9', 'another']],
  ['&sort=artist', ['Song 9', 'Song 9', 'Song 10', 'another']],
  ['&sort=album', ['Song 10', 'another', 'Song 9', 'Song 9']],
  ['&sort=title&order=desc&trackLimit=1', ['Song 10']]
]
for (const [query, titles] of orders) {
  t.test(`a playlist file has its tracks in order, twice if they are: ${query}`, async t => {
    const { id } = await listOf('list')
    t.same(titlesOf(await made.data(`/v1/playlist/detail?id=${id}${query}`)), titles)
  })
}

t.test('the orders are declared, and another one is a 400', async t => {
  const { call, data } = made
  t.same((await data('/v1/status')).playlistSortOptions.map(({ key }: any) => key), [
    'title', 'artist', 'album', 'added'
  ])
  t.equal((await call('/v1/playlist/detail?id=x&sort=mood')).statusCode, 400)
})

t.test('every declared order is answered', async t => {
  const { id } = await listOf('list')
  for (const { key } of (await made.data('/v1/status')).playlistSortOptions) {
    t.equal((await made.data(`/v1/playlist/detail?id=${id}&sort=${key}`)).tracks.length, 4)
  }
})

t.test('recommended are all playlists, in an order of the day', async t => {
  const names = namesOf(await data('/v1/playlist/recommended'))
  t.same(names.toSorted(), namesOf(await data('/v1/playlist/list')).toSorted())
  t.same(namesOf(await data('/v1/playlist/recommended')), names)
})

t.test('playlists are found by name and by genre', async t => {
  t.same(namesOf(await data('/v1/search/playlists?keyword=fav')), ['Favourites'])
  t.same(namesOf(await data('/v1/search/playlists?keyword=world')), ['World', 'Favourites'])
})

t.test('a genre of a playlist that is written in several ways counts once', async t => {
  t.same((await listOf('genres')).tags, ['Rock', 'Pop'])
})

t.test('a playlist without a single known file is empty, without a cover', async t => {
  t.match(await listOf('empty'), { name: 'empty', trackCount: 0, coverUrl: '', tags: [] })
})

t.test('a line of a playlist with a NUL character means no file', async t => {
  const { id } = await listOf('NUL')
  t.same(titlesOf(await made.data(`/v1/playlist/detail?id=${id}`)), ['another'])
})

t.test('one track of a playlist may be any file of a recording', async t => {
  t.match(await listOf('recording'), { trackCount: 2 })
})

t.test('of changes of one playlist by two tabs and an app none is lost, and no track comes by itself', async t => {
  const source = demo
  const { items } = await source.data('/v1/search/tracks?keyword=a&limit=50')
  const { id } = await write(source, 'playlist/create', { name: 'Ours' })
  const list = {
    add: (trackId: string) => write(source, 'playlist/addTrack', { playlistId: id, trackId }),
    async remove (place: number) {
      const query = new URLSearchParams({ u: 'x', p: token, f: 'json', playlistId: `pl-${id}`, songIndexToRemove: `${place}` })
      t.match((await source.app.inject(`/rest/updatePlaylist?${query}`)).json()['subsonic-response'], { status: 'ok' })
    },
    removeAll: (trackId: string) => write(source, 'playlist/removeTrack', { playlistId: id, trackId }),
    async edit ({ tracks, base }: Pick<PlaylistEdit, 'tracks' | 'base'>) {
      const answer = await source.call('/page/playlist', { method: 'POST', payload: { id, tracks, seen: base } })
      t.equal(answer.statusCode, 200, answer.body)
    },
    read: async () => (await source.data(`/v1/playlist/detail?id=${id}&trackLimit=-1`)).tracks.map(({ id }: any) => id)
  }
  await editInTabs(t, list, items.slice(0, 3).map(({ id }: any) => id), 100)
})
