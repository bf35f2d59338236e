import type { Test } from 'tap'
import { countNames } from './find.ts'
import type { Home } from './house.ts'
import { commonArtist, music, words, type SourceName } from './music.ts'

/** Lists of `/v1` and the page that have something of each source. */
export const lists = [
  '/v1/toplist/list',
  '/v1/track/new',
  '/v1/track/daily',
  '/v1/track/roam',
  '/v1/artist/top',
  '/v1/search/suggest?keyword=tune',
  '/v1/search/tracks?keyword=tune&limit=100',
  '/v1/search/artists?keyword=Band&limit=100',
  '/v1/search/playlists?keyword=p&limit=100',
  '/v1/user/playlist/list'
]

/** Lists of everything, which the page and apps take for complete. */
export const wholes = [
  '/page/browse?kind=albums&limit=200',
  '/page/browse?kind=artists&limit=200',
  '/rest/getArtists',
  '/rest/getIndexes',
  '/rest/getAlbumList2?type=alphabeticalByName&size=500',
  '/rest/getAlbumList2?type=alphabeticalByArtist&size=500',
  '/rest/getAlbumList2?type=newest&size=500',
  '/rest/getAlbumList2?type=byYear&fromYear=1990&toYear=2010&size=500',
  '/rest/getAlbumList2?type=byGenre&genre=Folk&size=500',
  '/rest/getAlbumList2?type=highest&size=500',
  '/rest/getAlbumList?type=alphabeticalByName&size=500',
  '/rest/getRandomSongs?size=500',
  '/rest/getSongsByGenre?genre=Folk&count=500',
  '/rest/search3?query=&songCount=500&albumCount=500&artistCount=500',
  '/rest/search2?query=tune&songCount=100',
  '/rest/getPlaylists'
]

/** Milliseconds that a list may take. */
export const longestList = 4000

/** What is read of a list that does not end. */
const endless = { status: 0, headers: new Headers(), body: Buffer.from('no end'), took: Infinity }

/** Reads a list, by `/rest` with the login in the query. */
export async function readList (listener: Home['owner'], path: string) {
  const [, method, query] = /^\/rest\/(\w+)\??(.*)$/.exec(path) ?? []
  const asked = method === undefined
    ? listener.ask(path, undefined, longestList + 1000)
    : listener.askRest(method, Object.fromEntries(new URLSearchParams(query)), longestList + 1000)
  const answer = await asked.catch(error => {
    if (error.name !== 'TimeoutError') throw error
    return endless
  })
  const text = String(answer.body)
  const isAnswered = answer.status === 200 && !text.includes('"status":"failed"')
  return { text, isAnswered, took: answer.took, status: answer.status, missing: answer.headers.get('source-partial') }
}

/** Each list has something of each source. */
export function checkLists (t: Test, house: Home): void {
  const { owner } = house
  for (const path of [...lists, ...wholes]) {
    t.test(`${path} has all sources`, async t => {
      const { text, isAnswered, took, missing } = await readList(owner, path)
      t.ok(isAnswered, text.slice(0, 300))
      t.equal(missing, null)
      const none = Object.entries(countNames(text)).filter(([, count]) => count === 0).map(([source]) => source)
      t.strictSame(none, [])
      t.ok(took < longestList, `${took} ms`)
    })
  }

  t.test('categories and lists of genres are those of all sources', async t => {
    const { text } = await readList(owner, '/v1/playlist/category')
    for (const { key } of JSON.parse(text).data) {
      const list = await owner.data(`/v1/playlist/list?category=${encodeURIComponent(key)}&limit=50`)
      t.type(list.items, Array, key)
    }
  })

  t.test('playlists that others at the servers share are listed', async t => {
    const { items } = await owner.data('/v1/playlist/list?limit=50')
    const own = await owner.data('/v1/user/playlist/list')
    const names = [...items, ...own].map(({ name }: any) => name)
    t.ok(names.some(name => name.endsWith(`${words.subsonic} tina public`)))
    t.ok(names.includes(`${words.friend} public`))
    t.notOk(names.some(name => /tina private|secret/.test(name)))
  })

  t.test('toplists are opened', async t => {
    const groups = await owner.data('/v1/toplist/list')
    for (const { id } of groups.flatMap(({ list }: any) => list)) {
      const { tracks } = await owner.data(`/v1/toplist/detail?id=${encodeURIComponent(id)}`)
      // Nobody has heard anything of the first server yet.
      t.ok(tracks.length > 0 || id === 'subsonic:recent', id)
    }
  })

  t.test('playlists of all sources are opened by both protocols', async t => {
    const own = await owner.data('/v1/user/playlist/list')
    const { playlists } = await owner.rest('getPlaylists')
    for (const word of Object.values(words)) {
      const name = `${word} private`
      const { id } = own.find((list: any) => list.name === name)
      const detail = await owner.data(`/v1/playlist/detail?id=${encodeURIComponent(id)}`)
      t.ok(detail.tracks[0]?.title.startsWith(word), name)
      const there = playlists.playlist.find((list: any) => list.name === name)
      const { playlist } = await owner.rest('getPlaylist', { id: there.id })
      t.strictSame(playlist.entry.map(({ title }: any) => title), detail.tracks.map(({ title }: any) => title))
      t.equal(there.public ?? false, false, `${name} is private`)
    }
  })

  t.test('ids of the folder are those that it has without other sources', async t => {
    const { items } = await owner.data(`/v1/search/tracks?keyword=${words.home}&limit=100`)
    const ids: string[] = items.filter(({ title }: any) => title.startsWith(words.home)).map(({ id }: any) => id)
    t.equal(ids.length, music.home.length)
    t.strictSame(ids.filter(id => id.includes(':')), [])
  })

  t.test('an artist of several sources is in the index once', async t => {
    for (const method of ['getArtists', 'getIndexes'] as const) {
      const data = await owner.rest(method)
      const artists = (data.artists ?? data.indexes).index.flatMap(({ artist }: any) => artist)
      t.equal(artists.filter(({ name }: any) => name === commonArtist).length, 1, method)
    }
  })

  t.test('artists say how many albums they have', async t => {
    for (const [name, count] of Object.entries(albumCounts('home'))) {
      const { artists } = await owner.rest('getArtists')
      const { searchResult3 } = await owner.rest('search3', { query: name, artistCount: 100 })
      const all = artists.index.flatMap(({ artist }: any) => artist)
      for (const listed of [all, searchResult3.artist]) {
        const artist = listed.find((artist: any) => artist.name === name)
        t.ok(artist.albumCount >= count, `${name}: ${artist.albumCount}`)
      }
    }
  })

  t.test('an album of a Subsonic server that has no cover has a picture', async t => {
    const { searchResult3 } = await owner.rest('search3', { query: 'Harbour Fog', albumCount: 10 })
    const { id, coverArt } = searchResult3.album.find(({ name }: any) => name === 'Harbour Fog')
    for (const cover of new Set([coverArt ?? id, id])) {
      const { status, headers, body } = await owner.askRest('getCoverArt', { id: cover, size: 100 })
      t.equal(status, 200, String(body.subarray(0, 300)))
      t.match(headers.get('content-type'), /^image\//)
    }
  })
}

/** Albums of artists of a source, of that name alone. */
function albumCounts (source: SourceName): Record<string, number> {
  const artists = [...new Set(music[source].map(({ artist }) => artist))]
  return Object.fromEntries(artists.map(artist =>
    [artist, new Set(music[source].filter(song => song.artist === artist).map(({ album }) => album)).size]))
}
