import type { AlbumDetail } from '../../../schemas/index.ts'
import type { LibraryFacets, LibraryKind, LibraryQuery } from '../../contract/source-library.ts'
import { foldText, letterOf, withoutArticle } from '../../text/names.ts'
import { idsIn } from '../probe/call-operation.ts'
import { sortValueOf } from '../../library/internal.ts'
import { isText, itemOf, LibraryQuestions, madeUp, mostItems, type Shown, spread } from './library-questions.ts'

const letterOfItem = (kind: LibraryKind, { item: { name = '' } }: Shown) =>
  letterOf(kind === 'artists' ? withoutArticle(name) : name)

const genresOf = ({ extras, item }: Shown) => [extras?.genres, item.genre].flat().filter(isText)

const yearOf = (shown: Shown) => sortValueOf({ kind: 'tracks', sort: 'year' }, itemOf(shown)).first

const names = (shown: Shown, { id, name }: { id: string, name?: string | undefined }) =>
  idsIn(shown.extras?.artists).includes(id) || idsIn(shown.item.artists).includes(id) ||
  (name !== undefined && shown.item.artistName?.includes(name) === true)

/** Checks that lists of a letter, year, genre, artist or album contain the right items. */
export async function checkFilters (
  library: LibraryQuestions, kind: LibraryKind, facets: LibraryFacets, shown: readonly Shown[]
): Promise<void> {
  const { letters, years, genres } = facets
  for (const letter of kind === 'tracks' ? [] : spread(letters, library.samples)) {
    await expect(library, { kind, letter }, shown => letterOfItem(kind, shown) === letter)
  }
  for (const year of spread(years, library.samples)) {
    const ids = await expect(library, { kind, years: [year, year] }, shown =>
      kind !== 'tracks' || yearOf(shown) === undefined || yearOf(shown) === year)
    const range = { kind, years: [Math.min(...years), Math.max(...years)] } as const
    if (ids !== undefined) await expectAll(library, range, ids.slice(0, 1))
  }
  for (const { name, tracks, albums } of kind === 'artists' ? [] : spread(genres, library.samples)) {
    // The case of a genre in a query does not matter.
    const query = { kind, genre: /^[ -~]*$/.test(name) ? name.toUpperCase() : name }
    const [ids, count] = [await library.ids(query), kind === 'tracks' ? tracks : albums]
    if (ids !== undefined && ids.length !== count) {
      library.find('library-genres', { ask: 'ids', query }, `has ${ids.length}, and facets say ${count}`)
    }
  }
  await expectNothing(library, { kind, genre: madeUp })
  await checkFacets(library, kind, facets, shown)
  for (const some of spread(shown, library.samples)) {
    const { id } = some.item
    if (kind !== 'tracks') await expectAll(library, { kind, letter: letterOfItem(kind, some) }, [id])
    const [genre] = kind === 'artists' ? [] : genresOf(some)
    if (genre !== undefined) await expectAll(library, { kind, genre }, [id])
  }
  if (kind === 'artists') await checkArtists(library, shown)
  else if (kind === 'albums') await checkAlbums(library, shown)
  else await checkTracks(library, shown)
}

/** Checks that the facets contain the letters, genres and years of some items. */
async function checkFacets (
  library: LibraryQuestions, kind: LibraryKind, { letters, years, genres }: LibraryFacets, shown: readonly Shown[]
): Promise<void> {
  const folded = new Set(genres.map(({ name }) => foldText(name)))
  for (const some of shown) {
    const letter = kind === 'tracks' ? undefined : letterOfItem(kind, some)
    const genre = kind === 'artists' ? undefined : genresOf(some).find(name => !folded.has(foldText(name)))
    const year = kind === 'tracks' ? yearOf(some) as number | undefined : undefined
    const missing = letter !== undefined && !letters.includes(letter)
      ? `letter ${letter}`
      : genre !== undefined
        ? `genre ${genre}`
        : year !== undefined && !years.includes(year) ? `year ${year}` : undefined
    if (missing === undefined) continue
    return library.find('library-facets', { ask: 'facets', kind }, `has not the ${missing} of ${some.item.id}`)
  }
}

async function checkArtists (library: LibraryQuestions, shown: readonly Shown[]): Promise<void> {
  for (const { item: { id, name }, extras } of spread(shown, library.samples)) {
    const query = { kind: 'albums', artist: id } as const
    const ids = await expect(library, query, () => true, Number(extras?.albumCount ?? 0)) ?? []
    for (const album of await library.items('albums', ids, library.samples)) {
      if (names(album, { id, name })) continue
      const tracks = await library.idsOrNone({ kind: 'tracks', album: album.item.id })
      const items = await library.items('tracks', tracks, mostItems)
      if (items.length === 0 || tracks.length > mostItems || items.some(track => names(track, { id, name }))) continue
      library.find('library-filter', { ask: 'ids', query }, `has ${album.item.id}, which has no track of the artist`)
    }
  }
  await expectNothing(library, { kind: 'albums', artist: madeUp })
}

async function checkAlbums (library: LibraryQuestions, shown: readonly Shown[]): Promise<void> {
  for (const { item: { id, trackCount } } of spread(shown, library.samples)) {
    const query = { kind: 'tracks', album: id } as const
    const ids = await expect(library, query, ({ item }) => item.album?.id === id, 0)
    if (ids === undefined) continue
    if (trackCount !== undefined && trackCount !== ids.length) {
      library.find('track-count', { ask: 'ids', query }, `has ${ids.length} tracks, and trackCount is ${trackCount}`)
    }
    const tracks = await library.items('tracks', ids, mostItems)
    const numbers = tracks.map(({ extras }) => Number(extras?.discNumber) * 1e6 + Number(extras?.track))
      .filter(number => !Number.isNaN(number))
    // Numbers that repeat, as in folders without the number of a disc, have no order.
    if (new Set(numbers).size === numbers.length && numbers.some((number, at) => number < numbers[at - 1]!)) {
      library.find('library-order', { ask: 'ids', query }, 'is not in the order of discs and numbers')
    }
  }
  for (const { operation, request, data } of library.detailsOfAlbums()) {
    const { id, trackCount } = data as AlbumDetail
    const query = { kind: 'tracks', album: id } as const
    const ids = await library.idsOrNone(query)
    // A library that is read from lists may lack the album.
    if (ids.length === 0) continue
    const own = idsIn(data)
    if (own.some((track, at) => track !== ids[at])) {
      const seen = `has ${own.slice(0, 5).join(', ')}, and the library ${ids.slice(0, 5).join(', ')}`
      library.findAt('tracks-unstable', { operation, request }, seen)
    } else if (trackCount !== undefined && trackCount !== ids.length) {
      const where = { operation, request, path: '/data/trackCount' }
      library.findAt('track-count', where, `is ${trackCount}, and the library has ${ids.length}`)
    }
  }
  await expectNothing(library, { kind: 'tracks', album: madeUp })
}

/** Checks that the albums of an artist include albums of others with a track of the artist. */
async function checkTracks (library: LibraryQuestions, shown: readonly Shown[]): Promise<void> {
  const guests = shown.flatMap(({ item: { artists = [], album } }) => artists
    .filter(({ id, name }) => isText(id) && isText(album?.id) && name !== album.artistName)
    .map(({ id }) => ({ artist: id, album: album!.id })))
  for (const { artist, album } of spread(guests, library.samples)) {
    await expectAll(library, { kind: 'albums', artist }, [album])
  }
}

/** Checks that a list contains some ids. */
async function expectAll (library: LibraryQuestions, query: LibraryQuery, wanted: readonly string[]): Promise<void> {
  const ids = await library.ids(query)
  const missing = wanted.find(id => ids !== undefined && !ids.includes(id))
  if (missing !== undefined) library.find('library-filter', { ask: 'ids', query }, `has not ${missing}`)
}

async function expectNothing (library: LibraryQuestions, query: LibraryQuery): Promise<void> {
  const ids = await library.idsOrNone(query)
  if (ids.length > 0) library.find('library-filter', { ask: 'ids', query }, `has ${ids.length} ids`)
}

/**
 * Checks that a list contains only items that fit.
 *
 * @param least the minimum number of items
 * @returns the list; `undefined` after a finding
 */
async function expect (
  library: LibraryQuestions, query: LibraryQuery, fits: (shown: Shown) => boolean, least = 1
): Promise<readonly string[] | undefined> {
  const ids = await library.ids(query)
  if (ids === undefined) return undefined
  const other = (await library.items(query.kind, ids, library.samples)).find(shown => !fits(shown))
  const seen = ids.length < least ? `${ids.length} instead of ${least}` : other?.item.id
  if (seen === undefined) return ids
  library.find('library-filter', { ask: 'ids', query }, `has ${seen}`)
  return undefined
}
