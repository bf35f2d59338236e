import type { Album, Artist, SearchSuggest, Track } from '../../../schemas/index.ts'
import { foldText } from '../../text/names.ts'
import type { Page } from '../account/paged-list.ts'
import { itemMapper, listingOf, pageOf, readTracks, type Call, type Method, type Read } from '../call.ts'
import { everyPage } from '../every-page.ts'
import type { RestSession } from '../session.ts'
import { described } from '../write-xml.ts'

interface Item { readonly id: string }

/** Items that are looked into at a time. */
const atATime = 1000

/** One kind of things that are searched for. */
interface Kind<T extends Item, L extends Item = T> {
  readonly name: 'artist' | 'album' | 'song'
  /** A page of the source's own search. */
  readonly search: (
    session: RestSession, keyword: string, offset: number, limit: number
  ) => Promise<{ items: T[], hasMore: boolean } | undefined>
  /** Where they are among suggestions. */
  readonly suggested: (suggestions: SearchSuggest) => readonly T[]
  /** All that the library has. */
  readonly all: (call: Call) => Promise<readonly L[]>
  readonly read: Read<L, T>
  /** What a keyword must be found in. */
  readonly text: (item: T) => string
}

const artists: Kind<Artist> = {
  name: 'artist',
  search: (session, ...page) => session.read('searchArtists', ...page),
  suggested: suggestions => suggestions.artists,
  all: async call => (await listingOf(call)).artists,
  read: async (_call, listed) => listed,
  text: ({ name }) => name
}

const albums: Kind<Album> = {
  name: 'album',
  search: (session, ...page) => session.read('searchAlbums', ...page),
  suggested: suggestions => suggestions.albums,
  all: async call => (await listingOf(call)).albums,
  read: async (_call, listed) => listed,
  text: ({ name, artistName = '' }) => `${name} ${artistName}`
}

const songs: Kind<Track, Item> = {
  name: 'song',
  search: (session, ...page) => session.read('searchTracks', ...page),
  suggested: suggestions => suggestions.songs,
  all: ({ session }) => session.account.library.everySong(session),
  read: readTracks,
  text: ({ title, artists }) => [title, ...artists.map(({ name }) => name)].join(' ')
}

/** What a search is for: one pair of quotes and a trailing `*` mean nothing to sources. `''` lists everything. */
const keywordOf = (query = ''): string =>
  query.trim().replace(/\*$/, '').replace(/^"(.*)"$/s, '$1').replace(/\*$/, '').trim()

/** What the library has in which all words of a keyword are, in any case and without accents. */
async function matching<T extends Item, L extends Item> (
  call: Call, { all, read, text }: Kind<T, L>, keyword: string
): Promise<readonly L[]> {
  const listed = await all(call)
  if (keyword === '') return listed
  const words = [...new Set(foldText(keyword).split(/\s+/))]
  const found = new Set<string>()
  for (let from = 0; from < listed.length; from += atATime) {
    for (const item of await read(call, listed.slice(from, from + atATime))) {
      const folded = foldText(text(item))
      if (words.every(word => folded.includes(word))) found.add(item.id)
    }
  }
  return listed.filter(({ id }) => found.has(id))
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
async function find<T extends Item, L extends Item> (
  call: Call, kind: Kind<T, L>, keyword: string, page: Page, suggest = suggestionsFor(call, keyword)
): Promise<readonly T[]> {
  const { size, offset } = page
  if (size === 0) return []
  if (keyword !== '') {
    const found = await everyPage(size, 100, (from, limit) => kind.search(call.session, keyword, from, limit), offset)
    if (found !== undefined) return found
    // Suggestions are a first page, with nothing after it.
    const suggestions = await suggest()
    if (suggestions !== undefined) return offset > 0 ? [] : kind.suggested(suggestions).slice(0, size)
  }
  return pageOf(call, ['search', kind.name, keyword], page, () => matching(call, kind, keyword), kind.read)
}

const search = (member: 'searchResult2' | 'searchResult3'): Method => async call => {
  const { session, parameters } = call
  const keyword = keywordOf(parameters.first('query'))
  // Apps that keep a copy page through everything, however much they ask for at once.
  const most = keyword === '' ? Infinity : 500
  const suggest = suggestionsFor(call, keyword)
  const findPage = <T extends Item, L extends Item>(kind: Kind<T, L>) =>
    find(call, kind, keyword, parameters.page(`${kind.name}Count`, `${kind.name}Offset`, 20, most), suggest)
  const [artist, album, song] = await Promise.all([findPage(artists), findPage(albums), findPage(songs)])
  const mapper = await itemMapper(call, artist, album, song)
  const { latest } = session.account.library
  // Songs tell whose an album is.
  for (const track of song) session.account.items.noteArtistsOf(track)
  const isOld = member === 'searchResult2'
  return {
    [member]: {
      artist: described(artist, item => isOld ? mapper.artistFolder(item, latest) : mapper.artist(item, latest)),
      album: described(album, item => isOld ? mapper.folder(item) : mapper.album(item)),
      song: described(song, mapper.song)
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
