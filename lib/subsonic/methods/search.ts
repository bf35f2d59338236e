import type { Album, Artist, Track } from '../../../schemas/index.ts'
import { fold } from '../account/memory.ts'
import { describerOf, type Call, type Method } from '../call.ts'
import { everyPage } from '../every-page.ts'

interface Page { readonly size: number, readonly offset: number }

/** What a search is for: one pair of quotes and a trailing `*` mean nothing to sources. `''` lists everything. */
const keywordOf = (query = ''): string =>
  query.trim().replace(/\*$/, '').replace(/^"(.*)"$/s, '$1').replace(/\*$/, '').trim()

const cut = <T>(items: readonly T[], { offset, size }: Page): readonly T[] => items.slice(offset, offset + size)

const matching = <T>(items: readonly T[], keyword: string, text: (item: T) => string): T[] => {
  const words = [...new Set(fold(keyword).split(/\s+/))]
  return items.filter(item => {
    const folded = fold(text(item))
    return words.every(word => folded.includes(word))
  })
}

const search = (member: 'searchResult2' | 'searchResult3'): Method => async call => {
  const { session, parameters } = call
  const keyword = keywordOf(parameters.first('query'))
  // Apps that keep a copy page through everything, however much they ask for at once.
  const most = keyword === '' ? Infinity : 500
  const [artist, album, song] = (['artist', 'album', 'song'] as const).map(kind => parameters.page(`${kind}Count`, `${kind}Offset`, 20, most))
  const [artists, albums, tracks] = await Promise.all([
    artistsFor(call, keyword, artist!), albumsFor(call, keyword, album!), tracksFor(call, keyword, song!)
  ])
  const describer = await describerOf(call, artists, albums, tracks)
  const listing = keyword === '' && artists.length > 0 ? await session.account.shelf.listing(session) : undefined
  // Songs first: they tell whose an album is.
  const described = tracks.map(describer.song)
  const isOld = member === 'searchResult2'
  return {
    [member]: {
      artist: artists.map(artist => isOld ? describer.artistFolder(artist, listing) : describer.artist(artist, listing)),
      album: albums.map(album => isOld ? describer.folder(album) : describer.album(album)),
      song: described
    }
  }
}

async function artistsFor (call: Call, keyword: string, page: Page): Promise<readonly Artist[]> {
  const { session } = call
  if (page.size === 0) return []
  if (keyword !== '' && session.has('searchArtists')) {
    return everyPage(page.size, 100, (offset, limit) => session.read('searchArtists', keyword, offset, limit), page.offset)
  }
  const suggested = await suggestions(call, keyword, page)
  if (suggested !== undefined) return suggested.artists
  const { artists } = await session.account.shelf.listing(session)
  return cut(keyword === '' ? artists : matching(artists, keyword, ({ name }) => name), page)
}

async function albumsFor (call: Call, keyword: string, page: Page): Promise<readonly Album[]> {
  const { session } = call
  if (page.size === 0) return []
  if (keyword !== '' && session.has('searchAlbums')) {
    return everyPage(page.size, 100, (offset, limit) => session.read('searchAlbums', keyword, offset, limit), page.offset)
  }
  const suggested = await suggestions(call, keyword, page)
  if (suggested !== undefined) return suggested.albums
  const { albums } = await session.account.shelf.listing(session)
  return cut(keyword === '' ? albums : matching(albums, keyword, ({ name, artistName = '' }) => `${name} ${artistName}`), page)
}

async function tracksFor (call: Call, keyword: string, page: Page): Promise<readonly Track[]> {
  const { session } = call
  if (page.size === 0) return []
  if (keyword !== '' && session.has('searchTracks')) {
    return everyPage(page.size, 100, (offset, limit) => session.read('searchTracks', keyword, offset, limit), page.offset)
  }
  const suggested = await suggestions(call, keyword, page)
  if (suggested !== undefined) return suggested.songs
  const tracks = await session.account.shelf.songs(session)
  return cut(keyword === '' ? tracks : matching(tracks, keyword, ({ title, artists }) => [title, ...artists.map(({ name }) => name)].join(' ')), page)
}

/** What a source without the search itself may have: the first page, and nothing after it. */
async function suggestions ({ session }: Call, keyword: string, { offset, size }: Page) {
  if (keyword === '' || !session.has('searchSuggest')) return undefined
  if (offset > 0) return { artists: [], albums: [], songs: [] }
  const { artists, albums, songs } = await session.read('searchSuggest', keyword) ?? { artists: [], albums: [], songs: [] }
  return { artists: artists.slice(0, size), albums: albums.slice(0, size), songs: songs.slice(0, size) }
}

/** The search of the oldest apps: songs only. */
const searchSongs: Method = async call => {
  const { parameters } = call
  const keyword = keywordOf(parameters.first('any') ?? [parameters.first('artist'), parameters.first('album'), parameters.first('title')].filter(Boolean).join(' '))
  const { size, offset } = parameters.page('count', 'offset', 20)
  const tracks = await tracksFor(call, keyword, { size, offset })
  const describer = await describerOf(call, tracks)
  return { searchResult: { offset, totalHits: offset + tracks.length, match: tracks.map(describer.song) } }
}

export const searchMethods: Readonly<Record<string, Method>> = {
  search: searchSongs,
  search2: search('searchResult2'),
  search3: search('searchResult3')
}
