import { extras, type SourceAdapter, type Track } from 'fastify-source-origin'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { sourcePage } from 'fastify-source-origin/page'
import t, { type Test } from 'tap'
import { readId, writeId } from '../../lib/subsonic-server/ids.ts'
import { ask, serve, token } from '../subsonic-server/helper.ts'
import { sourceOf, trackOf } from './helper.ts'

// Ratings, plays, bookmarks and favourites of an item that several sources have are found by each of its ids.

const artist = { id: 'ada', name: 'Ada' }
const songs = ['one', 'two'].map(id => trackOf(id, `Song ${id}`, {
  artists: [artist], album: { id: 'dawn', name: 'Dawn', coverUrl: '', artistName: 'Ada' }
}))

/** A source with a library of two songs, which says of all ids what they are now. */
const source = (more: object = {}) => ({
  library: Object.assign(createLibrary({
    artists: [artist], albums: [{ ...songs[0]!.album }], tracks: songs
  }), { currentIds: (_kind: string, ids: string[]) => new Map(ids.map(id => [id, id])) }),
  getTrackDetail: (id: string) => songs.find(song => song.id === id),
  userFavoriteTracks: () => [],
  ...more
})

interface Household { a?: object, b?: object, duplicates?: 'keep' | 'merge', isNested?: boolean }

/** Two sources with the same songs, of which the second one can be removed. */
async function household (t: Test, { a, b, duplicates = 'merge', isNested = false }: Household = {}) {
  const state = { isAlone: false }
  const app = await serve(t, {
    resolveContext: ({ authorization }) => {
      if (authorization !== token) return null
      const parts = [sourceOf('a', source(a)), ...state.isAlone ? [] : [sourceOf('b', source(b))]]
      const inner = combineSources(parts, { duplicates })
      return { ...isNested ? combineSources([sourceOf('all', inner.adapter as SourceAdapter)]) : inner, account: 'x' }
    }
  })
  await app.register(sourcePage)
  const page = async (path: string) =>
    (await app.inject({ url: `/page/${path}`, headers: { authorization: token } })).json().data
  const search = async () => {
    const { searchResult3 } = await ask(app, 'search3', { query: '', albumCount: 1, artistCount: 1 })
    const { album } = await ask(app, 'getAlbum', { id: searchResult3.album[0].id })
    return { song: album.song as any[], artist: searchResult3.artist as any[] }
  }
  return { app, state, page, search }
}

for (const isNested of [false, true]) {
  t.test(`a rating of a song of two sources is shown${isNested ? ' through another combination' : ''}`, async t => {
    const { app, search, page } = await household(t, { isNested })
    const [{ id }] = (await search()).song
    await ask(app, 'setRating', { id, rating: 4 })
    t.match((await search()).song, [{ userRating: 4 }, { userRating: undefined }])
    const track = encodeURIComponent(readId(id).id)
    t.strictSame(Object.values((await page(`ratings?track=${track}`)).ratings), [4])
    await ask(app, 'setRating', { id, rating: 0 })
    t.match((await search()).song, [{ userRating: undefined }])
  })
}

t.test('a rating of an artist of two sources is shown', async t => {
  const { app, search } = await household(t, { duplicates: 'keep' })
  const [{ id }] = (await search()).artist
  await ask(app, 'setRating', { id, rating: 4 })
  t.match((await search()).artist, [{ userRating: 4 }])
})

t.test('a rating is that of the song while one of its sources is removed, and later', async t => {
  const { app, state, search } = await household(t)
  const rate = async (rating: number) => ask(app, 'setRating', { id: (await search()).song[0].id, rating })
  const shown = async () => (await search()).song[0].userRating
  state.isAlone = true
  await rate(3)
  state.isAlone = false
  t.equal(await shown(), 3)
  await rate(4)
  state.isAlone = true
  t.equal(await shown(), 4)
  await rate(5)
  state.isAlone = false
  t.equal(await shown(), 5)
  await rate(0)
  t.equal(await shown(), undefined)
})

t.test('plays of all sources are those of the song', async t => {
  const of = (plays: number, last: number) => ({ getPlays: () => [{ id: 'one', plays, last }] })
  const { app, page, search } = await household(t, { a: of(7, 1_700_000_000_000), b: of(3, 1_600_000_000_000) })
  const [song, other] = (await search()).song
  t.match([song, other], [{ playCount: 10, played: /^2023/ }, { playCount: 0 }])
  const { items } = await page('plays?offset=0')
  t.strictSame(items.map(({ title }: Track) => title), ['Song one'])
  const { albumList2 } = await ask(app, 'getAlbumList2', { type: 'frequent' })
  t.strictSame(albumList2.album.map(({ name }: any) => name), ['Dawn'])
})

t.test('what items say of plays and albums is added', async t => {
  const told: object[] = [
    { albumCount: 1 }, { playCount: 2, played: '2020', starred: '2023' }, { albumCount: 2 },
    { playCount: 3, played: '2021', starred: '2022' }, { played: '2019', starred: '2024' }
  ]
  const sources = told.map((more, at) => sourceOf(`s${at}`, { getNewTracks: () => [{ ...songs[0], [extras]: more }] }))
  const { adapter } = combineSources(sources, { duplicates: 'merge' })
  t.strictSame((await adapter!.getNewTracks!())[0]![extras], {
    playCount: 5, played: '2021', starred: '2022', albumCount: 3
  })
})

t.test('a song has one bookmark, whatever its sources were when it was made', async t => {
  const { app, state, search } = await household(t)
  const mark = async (position: number) => ask(app, 'createBookmark', { id: (await search()).song[0].id, position })
  const positions = async () =>
    ((await ask(app, 'getBookmarks')).bookmarks.bookmark as any[]).map(({ position }) => position)
  state.isAlone = true
  await mark(1)
  state.isAlone = false
  await mark(2)
  t.strictSame([await positions(), (await search()).song[0].bookmarkPosition], [[2], 2])
  await ask(app, 'deleteBookmark', { id: (await search()).song[0].id })
  t.strictSame(await positions(), [])
})

t.test('a favourite of one source is a favourite', async t => {
  const { search } = await household(t, { b: { userFavoriteTracks: () => [songs[1]] } })
  t.match((await search()).song, [{ starred: undefined }, { starred: /^\d{4}/ }])
})

t.test('an id that is no list of ids has no rating to remove', async t => {
  const { app } = await household(t)
  t.equal((await ask(app, 'setRating', { id: writeId('track', '+x'), rating: 0 })).status, 'ok')
})
