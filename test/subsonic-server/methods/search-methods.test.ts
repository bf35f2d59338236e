import { UnsupportedFeatureError, type SourceAdapter } from 'fastify-source-origin'
import t from 'tap'
import { ask, ids, serve, type Query } from '../helper.ts'
import { albumOf, artistOf, trackOf, wholeLibrary } from '../library.ts'

t.test('a search asks in pages until there is enough, and suggestions stand in for it', async t => {
  const asked: unknown[] = []
  const all: SourceAdapter = {
    searchTracks: (keyword, offset, limit) => {
      asked.push([keyword, offset, limit])
      return {
        items: Array.from({ length: 20 }, (_empty, index) => trackOf(offset + index, 0)), offset, limit, hasMore: true
      }
    },
    searchSuggest: () => ({ songs: [], artists: [artistOf(1), artistOf(2)], albums: [albumOf(1)] })
  }
  const app = await serve(t, { adapter: all })
  const { song, artist, album } =
    (await ask(app, 'search3', { query: ' "word"* ', songCount: 50, songOffset: 7, artistCount: 1 })).searchResult3
  t.strictSame([song.length, artist.length, album.length], [50, 1, 1])
  t.strictSame(asked, [['word', 7, 50], ['word', 27, 30], ['word', 47, 10]])
  t.strictSame((await ask(app, 'search3', { query: 'word', songCount: 0, artistOffset: 1 })).searchResult3.artist, [])
  t.match((await ask(app, 'search', { artist: 'a', title: 'b', count: 3 })).searchResult, { offset: 0, totalHits: 3 })
  t.strictSame(asked.at(-1), ['a b', 0, 3])
  const without = await serve(t, { adapter: { ...all, searchSuggest: () => { throw new UnsupportedFeatureError() } } })
  t.strictSame((await ask(without, 'search3', { query: 'word', songCount: 0 })).searchResult3.artist, [])
})

for (const [query, keyword] of [
  ['a b', 'a b'], [' a ', 'a'], ['"a b"', 'a b'], ['a*', 'a'], ['"a*"', 'a'],
  ['artist:"a b" AND title:"c"', 'a b c'], ['title:a', 'title:a'], ['"a"*', 'a'], ['a*b', 'a*b'],
  ['"a', '"a'], ['a"b"', 'a"b"'], ['"a\nb"', 'a\nb']
] as const) {
  t.test(`a search for ${JSON.stringify(query)} is one for ${JSON.stringify(keyword)}`, async t => {
    const asked: string[] = []
    const searchTracks = (keyword: string, offset: number, limit: number) => {
      asked.push(keyword)
      return { items: [], offset, limit, hasMore: false }
    }
    const app = await serve(t, { adapter: { searchTracks, searchArtists: searchTracks, searchAlbums: searchTracks } })
    await ask(app, 'search3', { query, artistCount: 0, albumCount: 0 })
    await ask(app, 'search', { any: query })
    t.strictSame(asked, [keyword, keyword])
  })
}

for (const query of ['', '""', '*', '"*"', ' " " ']) {
  t.test(`a search for ${JSON.stringify(query)} lists the library, and asks the source nothing`, async t => {
    const no = () => { throw new Error('asked') }
    const app = await serve(t, {
      library: wholeLibrary(30), adapter: { searchTracks: no, searchArtists: no, searchAlbums: no, searchSuggest: no }
    })
    const { artist, album, song } = (await ask(app, 'search3', { query, songCount: 1000 })).searchResult3
    t.strictSame([artist.length, album.length, song.length], [7, 20, 60])
  })
}

t.test('a search of a library finds what has all words, in any order, without case and accents', async t => {
  const album = (id: string, name: string, artistName?: string) =>
    ({ id, name, coverUrl: '', ...(artistName && { artistName }) })
  const albums = [album('x', 'Grüne Äpfel', 'Zoë'), album('y', 'Gruene', 'Zoe'), album('z', 'Apfel')]
  const track = { ...trackOf(1, 0), title: 'Über Nacht', artists: [artistOf(1), { id: 'z', name: 'Zoë' }] }
  const app = await serve(t, { library: () => ({ artists: [{ id: 'z', name: 'Zoë Ä' }], albums, tracks: [track] }) })
  const found = async (query: string) => {
    const { artist, album, song } = (await ask(app, 'search3', { query })).searchResult3
    return ids([...artist, ...album, ...song])
  }
  t.strictSame(await found('apfel'), ['al-z', 'al-x'])
  t.strictSame(await found('ZOE  apf'), ['al-x'])
  t.strictSame(await found('zoe'), ['ar-z', 'al-y', 'al-x', 'tr-t1-0'])
  t.strictSame(await found('nacht zoe 1'), ['tr-t1-0'])
  t.strictSame(await found('zoe zoe nobody'), [])
})

t.test('how many are found: twenty of each, as many as are asked for, 500 at most, none if not wanted', async t => {
  const asked: string[] = []
  const of = <T>(kind: string, make: (index: number) => T) => (_keyword: string, offset: number, limit: number) => {
    asked.push(kind)
    return {
      items: Array.from({ length: limit }, (_empty, index) => make(offset + index)), offset, limit, hasMore: true
    }
  }
  const app = await serve(t, {
    adapter: {
      searchArtists: of('artist', artistOf),
      searchAlbums: of('album', albumOf),
      searchTracks: of('song', index => trackOf(index, 0))
    } satisfies SourceAdapter
  })
  const found = async (query: Query) => {
    const { artist, album, song } = (await ask(app, 'search2', { query: 'x', ...query })).searchResult2
    return [artist.length, album.length, song.length]
  }
  t.strictSame(await found({}), [20, 20, 20])
  t.strictSame(await found({ artistCount: 1, albumCount: 2, songCount: 501 }), [1, 2, 500])
  asked.length = 0
  t.strictSame(await found({ artistCount: 0, albumCount: 1, songCount: 0 }), [0, 1, 0])
  t.strictSame(asked, ['album'])
  t.strictSame(
    await ask(app, 'search', { any: 'x', offset: 3 }).then(({ searchResult: { offset, totalHits, match } }) =>
      [offset, totalHits, match.length, match[0].id]),
    [3, 23, 20, 'tr-t3-0']
  )
})

t.test('suggestions are one page, cut to what is asked for', async t => {
  const searchSuggest = () =>
    ({ songs: [trackOf(1, 0), trackOf(1, 1)], artists: [artistOf(1), artistOf(2)], albums: [albumOf(1), albumOf(2)] })
  const app = await serve(t, { adapter: { searchSuggest }, library: wholeLibrary(9) })
  const found = async (query: Query) =>
    Object.values<any[]>((await ask(app, 'search3', { query: 'album', ...query })).searchResult3).map(ids)
  t.strictSame(await found({ artistCount: 1, albumCount: 1, songCount: 1 }), [['ar-a1'], ['al-b1'], ['tr-t1-0']])
  t.strictSame(await found({ artistOffset: 1, albumOffset: 1, songOffset: 1 }), [[], [], []])
})
