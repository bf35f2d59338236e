import { extras, type SourceAdapter } from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import t from 'tap'
import { ask, ids, serve } from './helper.ts'
import { albumOf, artistOf, trackOf } from './library.ts'

const albums = [0, 1, 2].map(albumOf)
const tracks = [0, 1, 2].map(index => trackOf(index, 0))
const artists = [0, 1, 2].map(artistOf)

t.test('an item that is gone between two questions is in no search', async t => {
  const whole = createLibrary({ artists, albums, tracks })
  const library = {
    ids: whole.ids.bind(whole),
    facets: whole.facets.bind(whole),
    revision: '1',
    changedAt: 0,
    items: async (kind: 'tracks', asked: readonly string[], call: any) =>
      (await whole.items(kind, asked, call)).map((item, at) => asked[at] === 't1-0' ? undefined : item)
  } as SourceAdapter['library']
  const app = await serve(t, { adapter: { library } })
  const { searchResult3 } = await ask(app, 'search3', { query: 'song' })
  t.strictSame(ids(searchResult3.song), ['tr-t0-0', 'tr-t2-0'])
})

t.test('albums that are rated alike are in the order of their names', async t => {
  const app = await serve(t, { adapter: { library: createLibrary({ artists, albums, tracks }) } })
  for (const id of ['al-b2', 'al-b1']) await ask(app, 'setRating', { id, rating: 4 })
  const { album } = (await ask(app, 'getAlbumList2', { type: 'highest' })).albumList2
  t.strictSame(ids(album), ['al-b1', 'al-b2', 'al-b0'])
})

t.test('plays of what is gone, or is on no album, are in no list of albums', async t => {
  const alone = { ...trackOf(1, 0), album: { ...albumOf(1), id: '' } }
  const adapter: SourceAdapter = {
    getPlays: () => [
      { id: 'gone', plays: 9, last: 9 }, { id: 'alone', plays: 8, last: 8 }, { id: 't0', plays: 1, last: 1 }
    ],
    getTrackDetail: id => {
      if (id === 'gone') throw Object.assign(new Error('gone'), { statusCode: 404 })
      return { ...id === 'alone' ? alone : trackOf(0, 0), id }
    }
  }
  const app = await serve(t, { adapter, context: { account: 'ada' } })
  for (const type of ['frequent', 'recent']) {
    t.strictSame(ids((await ask(app, 'getAlbumList2', { type })).albumList2.album), ['al-b0'])
  }
})

t.test('the artist of an album is that of its extras where its details name none', async t => {
  const adapter: SourceAdapter = {
    getAlbumDetail: id => ({ ...albumOf(0), id, tracks: [], [extras]: { artists: [{ id: 'a5', name: 'Five' }] } }),
    getArtistDetail: id => ({ id, name: id, tracks: [] })
  }
  const app = await serve(t, { adapter })
  t.equal((await ask(app, 'getArtistInfo2', { id: 'al-b0' })).status, 'ok')
})

t.test('the year of an album is that of its extras, else that of its date', async t => {
  const dated = [{ ...albums[0]!, [extras]: { year: 1999 } }, ...albums.slice(1)]
  const app = await serve(t, {
    adapter: { library: createLibrary({ artists, albums: dated as never, tracks: [] }) }
  })
  const query = { type: 'byYear', fromYear: 1999, toYear: 1999 }
  t.strictSame(ids((await ask(app, 'getAlbumList2', query)).albumList2.album), ['al-b0'])
})
