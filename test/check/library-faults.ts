import { extras, type Album, type LibraryQuery, type SourceLibrary } from 'fastify-source-origin'
import type { RuleId } from 'fastify-source-origin/check'
import { createLibrary } from 'fastify-source-origin/library'
import { wholeList } from '../whole-list.ts'

const artists = ['Ada', 'The Bees', 'Cleo', 'Émile'].map((name, at) => ({ id: `r${at}`, name }))
const albums = ['Dawn', '10 Songs', '9 Lives', 'Élan', 'Zoo'].map((name, at): Album => ({
  id: `a${at}`,
  name,
  artistName: artists[at % 4]!.name,
  coverUrl: '',
  ...at > 0 && { publishTime: Date.UTC(2000 + at, 5) },
  ...at > 1 && { [extras]: { created: new Date(Date.UTC(2024, at)).toISOString() } }
}))
const tracks = albums.flatMap((album, at) => ['One', 'Two'].map((title, place) => ({
  id: `t${at}${place}`,
  title,
  album,
  // Cleo plays with the Bees on an album of theirs.
  artists: place === 1 && at === 1 ? [artists[1]!, artists[2]!] : [artists[at % 4]!],
  durationMs: 180_000,
  [extras]: { genres: [at % 2 ? 'Rock' : 'Älter'], year: 2000 + at, created: '2024-01-02T03:04:05.000Z' }
})))
export { albums, artists, tracks }
export const sound = createLibrary({ artists, albums, tracks })

type Change = Partial<Record<keyof SourceLibrary, any>>

/** The sound library with some members that are others. */
export function faulty (change: Change): SourceLibrary {
  const { revision, changedAt } = sound
  return {
    revision,
    changedAt,
    ids: sound.ids.bind(sound),
    items: sound.items.bind(sound),
    facets: sound.facets.bind(sound),
    ...change
  } as SourceLibrary
}

const call = { signal: new AbortController().signal }
export const ids = (change: (ids: string[], query: LibraryQuery) => unknown): Change =>
  ({ ids: async (query: LibraryQuery) => change([...await wholeList(sound.ids(query, call))], query) })
export const facets = (change: (facets: any, kind: string) => unknown): Change =>
  ({ facets: async (kind: 'albums') => change({ ...await sound.facets(kind, call) }, kind) })
const items = (change: (item: any, kind: string, id: string) => unknown): Change => ({
  items: async (kind: 'albums', ids: string[]) =>
    (await sound.items(kind, ids, call)).map((item, at) => change(item && { ...item }, kind, ids[at]!))
})
/** How often something was asked for that is another one each time. */
export const asked = { times: 0 }

const firstOf = 'r0'

/** Faults of a library of which each shows itself in findings of one rule. */
export const libraryFaults: [rule: RuleId, title: string, change: Change][] = [
  ['library-answer', 'ids that are numbers', ids(ids => ids.map((_id, at) => at))],
  ['library-answer', 'ids that are no list', ids(() => ({}))],
  ['library-answer', 'ids that fail', { ids () { throw new Error('no database') } }],
  ['library-answer', 'one list that fails',
    ids((ids, { letter }) => { if (letter !== undefined) throw new Error('no such column'); return ids })],
  ['library-answer', 'one order that fails',
    ids((ids, { sort }) => { if (sort === 'year') throw new Error('no such column'); return ids })],
  ['library-answer', 'facets that fail', { facets () { throw new Error('no database') } }],
  ['library-answer', 'facets without years', facets(({ years, ...rest }) => rest)],
  ['library-answer', 'genres without counts', facets(({ genres, ...rest }) => ({ ...rest, genres: ['Rock'] }))],
  ['library-answer', 'fewer items than ids', { items: () => [] }],
  ['library-answer', 'items that fail', { items () { throw new Error('no database') } }],
  ['library-answer', 'a number as revision', { revision: 1 }],
  ['library-answer', 'a date as text', { changedAt: '2024-01-01' }],
  ['time-in-seconds', 'a time in seconds', { changedAt: 1_700_000_000 }],
  ['library-repeats', 'an id in two parts', {
    async * ids (query: LibraryQuery) {
      const list = await wholeList(sound.ids(query, call))
      yield list
      if (query.letter !== undefined && query.kind !== 'tracks') yield list
    }
  }],
  ['library-repeats', 'an id twice', ids((ids, { letter, kind }) =>
    letter === undefined || kind === 'tracks' ? ids : [...ids, ...ids])],
  ['library-facets', 'another total',
    facets((facets, kind) => ({ ...facets, total: facets.total + (kind === 'albums' ? 1 : 0) }))],
  ['library-facets', 'an order that is due',
    facets((facets, kind) => kind === 'albums' ? { ...facets, sorts: ['name'] } : facets)],
  ['library-items', 'an item that is gone', items((item, _kind, id) => id === 'a1' ? undefined : item)],
  ['library-items', 'the item of another id', items((item, _kind, id) => id === 'a1' ? { ...item, id: 'a2' } : item)],
  ['library-items', 'something for every id', items((item, kind) => item ?? (kind === 'albums' ? albums[0] : item))],
  ['library-answer', 'an album without a cover', items((item, kind) =>
    item && kind === 'albums' ? { id: item.id, name: item.name } : item)],
  ['library-answer', 'extras that are none', items(item => item && { ...item, [extras]: { year: 'MM' } })],
  ['library-order', 'descending is ascending', ids((ids, { order, sort, kind }) =>
    order === 'desc' && sort === 'year' && kind === 'albums' ? ids.reverse() : ids)],
  ['library-order', 'what has no year comes first', ids((ids, { sort, order }) =>
    sort === 'year' && order === 'asc' ? ['a0', ...ids.filter(id => id !== 'a0')] : ids)],
  ['library-order', 'names as a database sorts them', ids((ids, { kind, sort, order }) =>
    kind === 'artists' && sort === 'name' && order === 'asc' ? ['r0', 'r2', 'r1', 'r3'] : ids)],
  ['library-order', 'albums of an artist in any order', ids((ids, { kind, sort }) =>
    kind === 'albums' && sort === 'artist' ? ['a4', 'a0', ...ids.filter(id => id !== 'a4' && id !== 'a0')] : ids)],
  ['library-order', 'by when it came, the wrong way round', ids((ids, { sort }) =>
    sort === 'added' ? ids.reverse() : ids)],
  ['library-order', 'some are left out', ids((ids, { sort }) => sort === 'added' ? ids.slice(1) : ids)],
  ['library-order', 'others are there', ids((ids, { sort }) => sort === 'artist' ? ['a9', ...ids.slice(1)] : ids)],
  ['library-filter', 'letters are not looked at', ids((ids, query) =>
    query.letter === undefined || query.kind !== 'artists' ? ids : ['r0'])],
  ['library-filter', 'nothing under a letter', ids((ids, { letter, kind }) =>
    letter === undefined || kind === 'tracks' ? ids : [])],
  ['library-filter', 'nothing in a year', ids((ids, { years }) => years === undefined ? ids : [])],
  ['library-filter', 'tracks of another album', ids((ids, { album }) => album === undefined ? ids : ['t00', 't01'])],
  ['library-filter', 'no albums of an artist', ids((ids, { artist }) => artist === undefined ? ids : [])],
  ['library-genres', 'genres in their own case only', ids((ids, { genre }) => genre === 'ROCK' ? [] : ids)],
  ['library-extras', 'artists without a number of albums',
    items((item, kind) => kind === 'artists' && item ? { ...item, [extras]: undefined } : item)],
  ['library-revision', 'another revision each time', { get revision () { return String(asked.times++) } }],
  ['library-answer', 'single ids in an async generator', {
    async * ids (query: LibraryQuery) { for (const id of await wholeList(sound.ids(query, call))) yield id as never }
  }],
  ['library-items', 'another current id for each one',
    { currentIds: (_kind: string, ids: string[]) => new Map(ids.map(id => [id, `${id}-new`])) }],
  ['library-answer', 'albums that fail',
    ids((ids, { album }) => { if (album !== undefined) throw new Error('no such column'); return ids })],
  ['library-answer', 'current ids that are an object', { currentIds: () => ({}) }],
  ['library-random', 'random ids of which one is there twice',
    { randomIds: () => ({ ids: [firstOf, firstOf], total: 9 }) }],
  ['library-random', 'random ids of another kind', { randomIds: () => ({ ids: ['x'], total: 1 }) }],
  ['library-random', 'more random ids than asked for',
    { randomIds: () => ({ ids: Array.from({ length: 20 }, (_, at) => `${at}`), total: 20 }) }],
  ['library-answer', 'random ids without a total', { randomIds: () => ({ ids: [] }) as never }],
  ['library-random', 'random ids of nothing', { randomIds: () => ({ ids: [], total: 0 }) }],
  ['library-facets', 'a letter that an artist has', facets((facets, kind) =>
    kind === 'artists' ? { ...facets, letters: facets.letters.slice(1) } : facets)],
  ['library-facets', 'a genre that a track has', facets((facets, kind) =>
    kind === 'tracks' ? { ...facets, genres: facets.genres.slice(1) } : facets)],
  ['library-facets', 'a year that a track has', facets((facets, kind) =>
    kind === 'tracks' ? { ...facets, years: facets.years.slice(1) } : facets)],
  ['library-filter', 'a letter has one of its names', ids((ids, { letter, kind }) =>
    letter === 'E' && kind === 'albums' ? [] : ids)],
  ['library-filter', 'tracks of all years', ids((ids, { years, kind }) =>
    years === undefined || kind !== 'tracks' ? ids : tracks.map(({ id }) => id))],
  ['library-filter', 'the first year of a range', {
    async ids (query: LibraryQuery) {
      const { years } = query
      return sound.ids(years === undefined ? query : { ...query, years: [years[0], years[0]] }, call)
    }
  }],
  ['library-filter', 'everything for a genre that nothing has', {
    async ids (query: LibraryQuery) {
      const ids = await wholeList(sound.ids(query, call))
      return query.genre === undefined || ids.length > 0 ? ids : sound.ids({ kind: query.kind }, call)
    }
  }],
  ['library-filter', 'everything for an artist that does not exist', {
    async ids (query: LibraryQuery) {
      return sound.ids(/^r\d$/.test(query.artist ?? 'r0') ? query : { kind: query.kind }, call)
    }
  }],
  ['library-filter', 'albums of all artists', {
    async ids ({ artist, ...query }: LibraryQuery) {
      return sound.ids(artist === undefined || !/^r/.test(artist) ? { artist, ...query } : query, call)
    }
  }],
  ['library-filter', 'only the own albums of an artist', ids((ids, { artist }) =>
    artist === 'r2' ? ids.filter(id => id === 'a2') : ids)],
  ['library-order', 'the tracks of an album in reverse', ids((ids, { album }) =>
    album === undefined ? ids : ids.reverse())],
  ['track-count', 'the number of tracks of an album', items((item, kind) =>
    item && kind === 'albums' ? { ...item, trackCount: 9 } : item)],
  ['library-revision', 'another time of the last change each time',
    { get changedAt () { return Date.now() + asked.times++ } }],
  ['library-unstable', 'another order each time', ids((ids, query) =>
    Object.keys(query).length === 1 && asked.times++ % 2 ? ids.reverse() : ids)]
]
