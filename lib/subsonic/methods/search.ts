import type { Album, Artist, SearchSuggest, Track } from '../../../schemas/index.ts'
import { fold } from '../account/item-index.ts'
import { itemMapper, listingOf, pagedList, type Call, type Method } from '../call.ts'
import { everyPage } from '../every-page.ts'
import type { Session } from '../session.ts'

interface Page { readonly size: number, readonly offset: number }

/** One kind of things that are searched for. */
interface Kind<T> {
  readonly name: 'artist' | 'album' | 'song'
  /** A page of the source's own search. */
  readonly search: (
    session: Session, keyword: string, offset: number, limit: number
  ) => Promise<{ items: T[], hasMore: boolean } | undefined>
  /** Where they are among suggestions. */
  readonly suggested: (suggestions: SearchSuggest) => readonly T[]
  /** All that the library has. */
  readonly all: (call: Call) => Promise<readonly T[]>
  /** What a keyword must be found in. */
  readonly text: (item: T) => string
}

const artists: Kind<Artist> = {
  name: 'artist',
  search: (session, ...page) => session.read('searchArtists', ...page),
  suggested: suggestions => suggestions.artists,
  all: async call => (await listingOf(call)).artists,
  text: ({ name }) => name
}

const albums: Kind<Album> = {
  name: 'album',
  search: (session, ...page) => session.read('searchAlbums', ...page),
  suggested: suggestions => suggestions.albums,
  all: async call => (await listingOf(call)).albums,
  text: ({ name, artistName = '' }) => `${name} ${artistName}`
}

const songs: Kind<Track> = {
  name: 'song',
  search: (session, ...page) => session.read('searchTracks', ...page),
  suggested: suggestions => suggestions.songs,
  all: ({ session }) => session.account.library.songs(session),
  text: ({ title, artists }) => [title, ...artists.map(({ name }) => name)].join(' ')
}

/** What a search is for: one pair of quotes and a trailing `*` mean nothing to sources. `''` lists everything. */
const keywordOf = (query = ''): string =>
  query.trim().replace(/\*$/, '').replace(/^"(.*)"$/s, '$1').replace(/\*$/, '').trim()

/** The items in which all words of a keyword are, in any case and without accents. */
function matching<T> (items: readonly T[], keyword: string, text: (item: T) => string): readonly T[] {
  if (keyword === '') return items
  const words = [...new Set(fold(keyword).split(/\s+/))]
  return items.filter(item => {
    const folded = fold(text(item))
    return words.every(word => folded.includes(word))
  })
}

type Suggest = () => Promise<SearchSuggest | undefined>

/** Suggestions of the source, which are asked for once at most. */
function suggestionsFor ({ session }: Call, keyword: string): Suggest {
  let suggestions: ReturnType<Suggest> | undefined
  return () => {
    suggestions ??= session.read('searchSuggest', keyword)
    return suggestions
  }
}

/** A page of what is found: by the source's search, else by its suggestions, else in the library. */
async function find<T> (
  call: Call, kind: Kind<T>, keyword: string, { size, offset }: Page, suggest = suggestionsFor(call, keyword)
): Promise<readonly T[]> {
  if (size === 0) return []
  if (keyword !== '') {
    const found = await everyPage(size, 100, (from, limit) => kind.search(call.session, keyword, from, limit), offset)
    if (found !== undefined) return found
    // Suggestions are a first page, with nothing after it.
    const suggestions = await suggest()
    if (suggestions !== undefined) return offset > 0 ? [] : kind.suggested(suggestions).slice(0, size)
  }
  const listed = await pagedList(call, ['search', kind.name, keyword], offset, async () =>
    matching(await kind.all(call), keyword, kind.text))
  return listed.slice(offset, offset + size)
}

const search = (member: 'searchResult2' | 'searchResult3'): Method => async call => {
  const { session, parameters } = call
  const keyword = keywordOf(parameters.first('query'))
  // Apps that keep a copy page through everything, however much they ask for at once.
  const most = keyword === '' ? Infinity : 500
  const suggest = suggestionsFor(call, keyword)
  const findPage = <T>(kind: Kind<T>) =>
    find(call, kind, keyword, parameters.page(`${kind.name}Count`, `${kind.name}Offset`, 20, most), suggest)
  const [artist, album, song] = await Promise.all([findPage(artists), findPage(albums), findPage(songs)])
  const mapper = await itemMapper(call, artist, album, song)
  const { latest } = session.account.library
  // Songs first: they tell whose an album is.
  const described = song.map(mapper.song)
  const isOld = member === 'searchResult2'
  return {
    [member]: {
      artist: artist.map(item => isOld ? mapper.artistFolder(item, latest) : mapper.artist(item, latest)),
      album: album.map(item => isOld ? mapper.folder(item) : mapper.album(item)),
      song: described
    }
  }
}

/** The search of the oldest apps: songs only. */
const searchSongs: Method = async call => {
  const { parameters } = call
  const parts = ['artist', 'album', 'title'].map(name => parameters.first(name))
  const keyword = keywordOf(parameters.first('any') ?? parts.filter(Boolean).join(' '))
  const page = parameters.page('count', 'offset', 20)
  const found = await find(call, songs, keyword, page)
  const mapper = await itemMapper(call, found)
  const totalHits = page.offset + found.length
  return { searchResult: { offset: page.offset, totalHits, match: found.map(mapper.song) } }
}

export const searchMethods: Readonly<Record<string, Method>> = {
  search: searchSongs,
  search2: search('searchResult2'),
  search3: search('searchResult3')
}
