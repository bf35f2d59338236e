import type { SearchSuggest } from '../../../schemas/index.ts'
import type { LibraryItems, LibraryKind } from '../../contract/source-library.ts'
import { foldText } from '../../text/names.ts'
import type { Page } from '../../library/internal.ts'
import { itemMapper, libraryOf, pageOf, readItems, type Call, type Method } from '../call.ts'
import { everyPage } from '../../async/every-page.ts'
import type { RestSession } from '../session.ts'
import { described } from '../write-xml.ts'

/** The number of items that are searched per batch. */
const idsAtATime = 1000

/** A kind of item that can be searched. */
interface SearchedKind<K extends LibraryKind> {
  readonly name: 'artist' | 'album' | 'song'
  readonly kind: K
  /** Returns a page of the source's search. */
  readonly search: (
    session: RestSession, keyword: string, offset: number, limit: number
  ) => Promise<{ items: LibraryItems[K][], hasMore: boolean } | undefined>
  /** Returns the items of the kind from suggestions. */
  readonly suggested: (suggestions: SearchSuggest) => readonly LibraryItems[K][]
  /** Returns the text that a keyword is searched in. */
  readonly text: (item: LibraryItems[K]) => string
}

const artists: SearchedKind<'artists'> = {
  name: 'artist',
  kind: 'artists',
  search: (session, ...page) => session.read('searchArtists', ...page),
  suggested: suggestions => suggestions.artists,
  text: ({ name }) => name
}

const albums: SearchedKind<'albums'> = {
  name: 'album',
  kind: 'albums',
  search: (session, ...page) => session.read('searchAlbums', ...page),
  suggested: suggestions => suggestions.albums,
  text: ({ name, artistName = '' }) => `${name} ${artistName}`
}

const songs: SearchedKind<'tracks'> = {
  name: 'song',
  kind: 'tracks',
  search: (session, ...page) => session.read('searchTracks', ...page),
  suggested: suggestions => suggestions.songs,
  text: ({ title, artists }) => [title, ...artists.map(({ name }) => name)].join(' ')
}

/** The syntax that some apps use for an album by its artist: `artist:"Ann" AND album:"First"`. */
const fields = /(?:^| AND )(?:artist|album|title):"([^"]*)"/g

/**
 * Returns the keyword of a search, without enclosing quotes and a trailing `*`, which mean nothing to sources. `''`
 * lists everything.
 */
const keywordOf = (query = ''): string =>
  query.trim().replace(fields, ' $1').trim().replace(/\*$/, '').replace(/^"(.*)"$/s, '$1').replace(/\*$/, '').trim()

/** Returns ids of library items that contain all words of a keyword, ignoring case and accents. */
async function matching<K extends LibraryKind> (
  call: Call, { kind, text }: SearchedKind<K>, keyword: string
): Promise<readonly string[]> {
  const ids = await (await libraryOf(call)).ids({ kind })
  const words = [...new Set(foldText(keyword).split(/\s+/))]
  const found: string[] = []
  for (let from = 0; from < ids.length; from += idsAtATime) {
    const some = ids.slice(from, from + idsAtATime)
    for (const [index, item] of (await readItems(call, kind, some)).entries()) {
      if (item === undefined) continue
      const folded = foldText(text(item))
      if (words.every(word => folded.includes(word))) found.push(some[index]!)
    }
  }
  return found
}

type Suggest = () => Promise<SearchSuggest | undefined>

/** Returns a function that requests the source's suggestions at most once. */
function suggestionsFor ({ session }: Call, keyword: string): Suggest {
  let suggestions: ReturnType<Suggest> | undefined
  return () => {
    suggestions ??= session.read('searchSuggest', keyword)
    return suggestions
  }
}

/** Returns a page of results: from the source's search, else its suggestions, else the library. */
async function find<K extends LibraryKind> (
  call: Call, kind: SearchedKind<K>, keyword: string, page: Page, suggest = suggestionsFor(call, keyword)
): Promise<readonly LibraryItems[K][]> {
  const { size, offset } = page
  if (size === 0) return []
  if (keyword !== '') {
    const found = await everyPage(size, 100, (from, limit) => kind.search(call.session, keyword, from, limit), offset)
    if (found !== undefined) return found
    // Suggestions are a single page.
    const suggestions = await suggest()
    if (suggestions !== undefined) return offset > 0 ? [] : kind.suggested(suggestions).slice(0, size)
  }
  return pageOf(call, kind.kind, ['search', kind.name, keyword], page, async () => keyword === ''
    ? (await libraryOf(call)).list({ kind: kind.kind })
    : matching(call, kind, keyword))
}

const search = (member: 'searchResult2' | 'searchResult3'): Method => async call => {
  const { session, parameters } = call
  const keyword = keywordOf(parameters.first('query'))
  // Apps that mirror the library page through everything, whatever their page size.
  const most = keyword === '' ? Infinity : 500
  const suggest = suggestionsFor(call, keyword)
  const findPage = <K extends LibraryKind>(kind: SearchedKind<K>) =>
    find(call, kind, keyword, parameters.page(`${kind.name}Count`, `${kind.name}Offset`, 20, most), suggest)
  const [artist, album, song] = await Promise.all([findPage(artists), findPage(albums), findPage(songs)])
  const mapper = await itemMapper(call, { artists: artist, albums: album, tracks: song })
  // Songs contain the artists of albums.
  for (const track of song) session.account.items.noteArtistsOf(track)
  const isOld = member === 'searchResult2'
  return {
    [member]: {
      artist: described(artist, item => isOld ? mapper.artistFolder(item) : mapper.artist(item)),
      album: described(album, item => isOld ? mapper.folder(item) : mapper.album(item)),
      song: described(song, mapper.song)
    }
  }
}

/** Handles the search of the oldest apps: songs only. */
const searchSongs: Method = async call => {
  const { parameters } = call
  const parts = ['artist', 'album', 'title'].map(name => parameters.first(name))
  const keyword = keywordOf(parameters.first('any') ?? parts.filter(Boolean).join(' '))
  const page = parameters.page('count', 'offset', 20)
  const found = await find(call, songs, keyword, page)
  const mapper = await itemMapper(call, { tracks: found })
  const totalHits = page.offset + found.length
  return { searchResult: { offset: page.offset, totalHits, match: found.map(mapper.song) } }
}

export const searchMethods: Readonly<Record<string, Method>> = {
  search: searchSongs,
  search2: search('searchResult2'),
  search3: search('searchResult3')
}
