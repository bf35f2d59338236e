import { extras, type LibraryKind, type LibraryQuery, type SourceLibrary } from 'fastify-source-origin'
import { combineSources, type CombinedSource } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import type { Random } from '../campaigns/support/random.ts'
import { storedLibraryOf } from '../library/stored-library.ts'
import { wholeList } from '../whole-list.ts'
import { artistsOf, sourceOf, trackOf } from './helper.ts'

const call = { signal: new AbortController().signal }
const names = ['Ada', 'The Who', 'who', 'Émile', '9 Lives', '10cc', '', 'ß', 'Ñandú', '東京', 'A Camp', 'x'.repeat(300)]
const sorts: Readonly<Record<LibraryKind, readonly LibraryQuery['sort'][]>> = {
  artists: [undefined, 'name'], albums: [undefined, 'name', 'artist', 'year', 'added'], tracks: [undefined, 'album']
}

interface Song { readonly artist: string, readonly album: string, readonly year: number, readonly genre: string }

const randomSongs = (random: Random, count: number): Song[] => Array.from({ length: count }, () => ({
  artist: random.chance(0.7) ? random.pick(names) : `Artist ${random.below(200)}`,
  album: random.chance(0.7) ? random.pick(names) : `Album ${random.below(200)}`,
  year: random.pick([0, 0, 1999, 2000, 2001]),
  genre: random.pick(['Rock', 'rock', 'Jazz', ''])
}))

/** Lists of a library, with ids that begin with a text. */
function listsOf (songs: readonly Song[], before: string) {
  const artists = new Map(songs.map(({ artist }) => [artist, { id: `${before}a ${artist}`, name: artist }]))
  const albums = new Map(songs.map(({ artist, album, year }) => [`${album} by ${artist}`, {
    id: `${before}b ${album} by ${artist}`,
    name: album,
    coverUrl: '',
    artistName: artist,
    [extras]: { ...year > 0 && { year }, artists: [artists.get(artist)!] }
  }]))
  const tracks = songs.map(({ artist, album, genre }, at) => trackOf(`${before}${at}`, `Song ${at}`, {
    artists: [artists.get(artist)!],
    album: albums.get(`${album} by ${artist}`)!,
    [extras]: { genres: genre === '' ? [] : [genre] }
  }))
  return { artists: [...artists.values()], albums: [...albums.values()], tracks }
}

interface Part { readonly before: string, readonly songs: readonly Song[] }

/** A combination of random libraries, some of which are combinations or stored. */
async function randomLibrary (
  random: Random, most: number, before: string, parts: Part[], depth = 0
): Promise<SourceLibrary> {
  const sources: CombinedSource[] = []
  for (const at of Array(1 + random.below(4)).keys()) {
    const id = `s${at}`
    if (depth < 2 && random.chance(0.2)) {
      const library = await randomLibrary(random, most, `${before}${id}:`, parts, depth + 1)
      sources.push(sourceOf(id, { library }))
      continue
    }
    const songs = randomSongs(random, random.below(random.pick([2, 30, most])))
    parts.push({ before: `${before}${id}:`, songs })
    const lists = listsOf(songs, '')
    sources.push(sourceOf(id, { library: random.chance(0.3) ? await storedLibraryOf(lists) : createLibrary(lists) }))
  }
  return combineSources(sources).adapter.library!
}

/**
 * Lists, facets and items of random libraries as one, beside those of one library of all.
 *
 * @throws where they differ
 */
export async function tryLibrary (random: Random, most: number): Promise<void> {
  const parts: Part[] = []
  const library = await randomLibrary(random, most, '', parts)
  const lists = parts.map(({ before, songs }) => listsOf(songs, before))
  const whole = createLibrary({
    artists: lists.flatMap(({ artists }) => artists),
    albums: lists.flatMap(({ albums }) => albums),
    tracks: lists.flatMap(({ tracks }) => tracks)
  })
  for (const kind of ['artists', 'albums', 'tracks'] as const) {
    for (const sort of sorts[kind]) {
      const { letters } = await whole.facets(kind, call)
      const filter = random.pick<Partial<LibraryQuery>>([
        {}, { genre: 'ROCK' }, { letter: random.pick([...letters, '#']) },
        ...kind === 'artists' ? [] : [{ years: [1999, 2000] as const }],
        ...kind === 'albums' && lists[0]!.artists.length > 0 ? [{ artist: random.pick(lists[0]!.artists).id }] : [],
        ...kind === 'tracks' && lists[0]!.albums.length > 0 ? [{ album: random.pick(lists[0]!.albums).id }] : []
      ])
      const query: LibraryQuery = { kind, sort, order: random.pick(['asc', 'desc', undefined]), ...filter }
      const [found, expected] = await Promise.all([library, whole].map(library => wholeList(library.ids(query, call))))
      // Tracks without an order come in any.
      const hasOrder = kind !== 'tracks' || sort !== undefined || query.album !== undefined
      const text = (ids: readonly string[]) =>
        kind === 'artists' ? artistsOf(ids) : (hasOrder ? ids : ids.toSorted()).join('\n')
      check(query, text(found!), text(expected!))
      const chosen = await library.randomIds!(query, expected!.length + 1, call)
      if (chosen !== undefined && query.album === undefined) {
        check({ ...query, random: true }, chosen.ids.toSorted().join('\n'), expected!.toSorted().join('\n'))
      }
      const known = expected!.length > 0 ? expected! : ['s0:gone']
      const some = [...random.some(5, () => random.pick(known)), 's0:x', 'x', '']
      const [items, all] = await Promise.all([library, whole].map(library => library.items(kind, some, call)))
      check({ query, some }, JSON.stringify(items), JSON.stringify(all))
    }
    const [facets, expected] = await Promise.all([library, whole].map(library => library.facets(kind, call)))
    // How a genre is written is that of the first one; what no letter stands for begins or ends the letters.
    const tidy = ({ genres, letters, ...more }: typeof facets & object) => JSON.stringify({
      ...more,
      letters: letters.toSorted(),
      genres: genres.map(genre => ({ ...genre, name: genre.name.toLowerCase() }))
    })
    check({ facets: kind }, tidy(facets!), tidy(expected!))
  }
}

function check (what: object, found: string, expected: string): void {
  if (found !== expected) throw new Error(`${JSON.stringify(what)}: ${found}\nis not ${expected}`)
}
