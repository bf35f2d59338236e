import fc from 'fast-check'
import {
  extras, NotFoundError, type Album, type LibraryKind, type LibraryQuery, type SourceLibrary, type Track
} from 'fastify-source-origin'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary, foldText, letterOf, withoutArticle } from 'fastify-source-origin/library'
import { join } from 'node:path'
import t from 'tap'
import { compareValues, sortValueOf } from '../../lib/library/internal.ts'
import { Catalogue } from '../../example/catalogue/catalogue.ts'
import { changeIndex } from '../../example/catalogue/change-index.ts'
import { Describer } from '../../example/source/describe.ts'
import { FolderLibrary } from '../../example/source/folder-library.ts'
import { libraryInMemory } from '../../example/index/open-index.ts'
import { sourceOf } from '../combine/helper.ts'
import { blocks, type Block } from '../doc-blocks.ts'
import { audioFile } from '../example/catalogue/audio-file.ts'
import { countTimedTurns } from '../count-turns.ts'
import { replace } from '../replace.ts'
import { wholeList } from '../whole-list.ts'
import { storedLibraryOf } from './stored-library.ts'

// Every library is what a plain list of its tracks says it is.

const call = { signal: new AbortController().signal }
const names = ['Ada', '"Weird Al"', 'The Who', 'Los Lobos', '山下', 'ßeta', '10cc', '9 Lives', 'Émile', 'B']
const name = fc.constantFrom(...names)
const song = fc.record({
  artist: name,
  album: name,
  genre: fc.constantFrom(undefined, 'Rock', 'Folk', 'Älter'),
  year: fc.integer({ min: 1999, max: 2003 })
})
const songs = fc.array(song, { maxLength: 12 }).map(songs => songs.map((song, at) => ({ ...song, title: `Song ${at}` })))
const query: fc.Arbitrary<LibraryQuery> = fc.record({
  kind: fc.constantFrom<LibraryKind>('artists', 'albums', 'tracks'),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  sort: fc.constantFrom<LibraryQuery['sort']>(undefined, 'name', 'artist', 'album', 'year', 'added'),
  letter: fc.option(fc.constantFrom(...names).map(letterOf), { nil: undefined, freq: 1 }),
  genre: fc.option(fc.constantFrom('rock', 'Folk', 'älter', 'None'), { nil: undefined, freq: 1 }),
  years: fc.option(fc.tuple(fc.integer({ min: 1999, max: 2003 }), fc.integer({ min: 1999, max: 2003 })), {
    nil: undefined, freq: 1
  })
})
interface Song { artist: string, album: string, title: string, genre: string | undefined, year: number }

/** What the query names by a look at each song: names of artists, names of albums with their artists, titles. */
function expected (songs: readonly Song[], { kind, letter, genre, years }: LibraryQuery): string[] {
  const keyOf = ({ artist, album, title }: Song) =>
    kind === 'artists' ? artist : kind === 'albums' ? `${album} by ${artist}` : title
  const nameOf = ({ artist, album }: Song) => kind === 'artists' ? withoutArticle(artist) : album
  const isOf = (song: Song) => (genre === undefined || foldText(song.genre ?? '') === foldText(genre)) &&
    (years === undefined || (song.year >= years[0] && song.year <= years[1]))
  const hasLetter = (song: Song) => kind === 'tracks' || letter === undefined || letterOf(nameOf(song)) === letter
  return [...new Set(songs.flatMap(song => isOf(song) && hasLetter(song) ? [keyOf(song)] : []))].sort()
}

async function keysOf (library: SourceLibrary, { kind }: LibraryQuery, ids: readonly string[]) {
  const items = await library.items(kind, ids, call)
  return items.map(item => {
    if ('title' in item!) return item.title
    return 'artistName' in item! ? `${item.name} by ${item.artistName}` : item!.name
  })
}

/** Each id of a list has its item, and the items are in the order of their sort values. */
async function checkOrder (library: SourceLibrary, query: LibraryQuery, ids: readonly string[]) {
  const items = await library.items(query.kind, ids, call)
  if (items.some((item, at) => item?.id !== ids[at])) throw new Error(`${items.map(item => item?.id)} for ${ids}`)
  if (query.kind === 'tracks' && query.sort === undefined) return
  const values = items.map(item => sortValueOf(query, item!))
  if (values.some((value, at) => at > 0 && compareValues(query, values[at - 1]!, value) > 0)) {
    throw new Error(`${JSON.stringify(values)} is not in the order of ${JSON.stringify(query)}`)
  }
}

/** Random ids are ids of the list, each at most once: all of them if as many are wanted. */
async function checkRandom (library: SourceLibrary, query: LibraryQuery, ids: readonly string[]) {
  for (const count of [0, 1, ids.length, ids.length + 1]) {
    const chosen = await library.randomIds?.(query, count, call)
    if (chosen === undefined) return
    const { ids: found, total } = chosen
    const known = new Set(found.filter(id => ids.includes(id)))
    const due = Math.min(count, ids.length)
    if (found.length !== due || known.size !== due) throw new Error(`${count} random ids: ${found} of ${ids}`)
    if (count > ids.length && total !== ids.length) throw new Error(`${total} instead of ${ids.length}`)
  }
}

const genresOf = (genre: string | undefined) => genre === undefined ? [] : [genre]

/** The artists, albums and tracks of songs. */
function listsOf (songs: readonly Song[]) {
  const artists = [...new Set(songs.map(({ artist }) => artist))].map(name => ({ id: name, name }))
  // The first song counts.
  const albums = new Map(songs.toReversed().map(({ artist, album, year }): [string, Album] => {
    const id = `${album} by ${artist}`
    return [id, { id, name: album, artistName: artist, coverUrl: '', publishTime: Date.UTC(year) }]
  }))
  const tracks = songs.map(({ artist, album, title, genre, year }): Track => ({
    id: title,
    title,
    durationMs: 1000,
    artists: [{ id: artist, name: artist }],
    album: albums.get(`${album} by ${artist}`)!,
    [extras]: { genres: genresOf(genre), year }
  }))
  return { artists, albums: [...albums.values()], tracks }
}

/** The library over SQL of docs/reference/library.md, without its rows. */
async function importDocumented (): Promise<{
  readonly add: (table: string, id: string, name: string, ...values: unknown[]) => void
  readonly library: SourceLibrary
  readonly database: { exec (sql: string): void }
}> {
  const isIt = ({ document, code }: Block) => document === 'docs/reference/library.md' && code.includes('CREATE TABLE')
  const lines = blocks.find(isIt)!.code.split('\n').filter(line => !/^(?:add|console)\b/.test(line))
  const folder = t.testdir({ 'library.mjs': [...lines, 'export { add, library, database }'].join('\n') })
  return import(join(folder, 'library.mjs'))
}
const documented = await importDocumented()

const libraries: Record<string, (songs: readonly Song[]) => Promise<[SourceLibrary, () => void]>> = {
  'of a folder': async songs => {
    const db = await libraryInMemory()
    const files = songs.map(({ artist, album, title, genre, year }) => audioFile(`${title}.mp3`, title, {
      artists: [artist], albumArtists: [artist], album, genres: genresOf(genre), year, publishTime: Date.UTC(year)
    }))
    db.transaction(() => changeIndex(db, { files }))
    const signer = { sign: (path: string) => path, signStable: (path: string) => path }
    return [new FolderLibrary(new Catalogue(db), new Describer('http://a.example', signer as never)), () => db.close()]
  },
  'of arrays': async songs => [createLibrary(listsOf(songs)), () => {}],
  'of another server': async songs => [await storedLibraryOf(listsOf(songs)), () => {}],
  // An artist is of one source only: libraries of the same artists are compared in test/combine/library-model.ts.
  'of two sources': async songs => {
    const isFirst = ({ artist }: Song) => names.indexOf(artist) % 2 === 0
    const sources = [songs.filter(isFirst), songs.filter(song => !isFirst(song))]
      .map((songs, at) => sourceOf(`s${at}`, { library: createLibrary(listsOf(songs)) }))
    return [combineSources(sources).adapter.library!, () => {}]
  },
  'of a source that lists favourites only': async songs => {
    const { artists, albums, tracks } = listsOf(songs)
    const adapter = {
      userFavoriteTracks: () => tracks,
      userAlbums: () => albums,
      userArtists: () => artists,
      getAlbumDetail () { throw new NotFoundError() }
    }
    const sources = [sourceOf('empty', { library: createLibrary(listsOf([])) }), sourceOf('listed', adapter)]
    return [combineSources(sources).adapter.library!, () => {}]
  },
  'over SQL in the documents': async songs => {
    const { add, library, database } = documented
    const { artists, albums, tracks } = listsOf(songs)
    for (const { id, name } of artists) {
      add('artist', id, name, albums.filter(({ artistName }) => artistName === name).length)
    }
    for (const { id, name, artistName, publishTime } of albums) {
      add('album', id, name, artistName, artistName, new Date(publishTime!).getUTCFullYear(), 0, 1, 1)
    }
    for (const [at, { id, title, artists: [artist], album }] of tracks.entries()) {
      const { genre = null, year } = songs[at]!
      const key = genre && foldText(genre)
      add('track', id, title, artist!.id, artist!.name, album.id, album.name, at, genre, key, year, 1, 0)
    }
    return [library, () => database.exec('DELETE FROM artist; DELETE FROM album; DELETE FROM track')]
  }
}

for (const [title, make] of Object.entries(libraries)) {
  t.test(`the library ${title} has what each song has, in the order of sort values, and as many as its total`, async t => {
    await fc.assert(fc.asyncProperty(songs, fc.array(query, { minLength: 1, maxLength: 4 }),
      async (songs, queries) => {
        const [library, close] = await make(songs)
        try {
          for (const query of queries) {
            const { kind } = query
            const { sorts, years } = await library.facets(kind, call)
            const sort = sorts.find(sort => sort === query.sort)
            const letter = kind === 'tracks' ? undefined : query.letter
            const asked = { ...query, sort, letter, years: years.length > 0 ? query.years : undefined }
            const ids = await wholeList(library.ids(asked, call))
            if (new Set(ids).size !== ids.length) throw new Error('an id comes twice')
            const found = (await keysOf(library, asked, ids)).sort()
            const due = expected(songs, asked)
            if (found.join('\n') !== due.join('\n')) throw new Error(`${found}\ninstead of\n${due}`)
            await checkRandom(library, asked, ids)
            await checkOrder(library, asked, ids)
          }
          for (const kind of ['artists', 'albums', 'tracks'] as const) {
            const { total, sorts, genres, letters } = await library.facets(kind, call)
            for (const sort of [undefined, ...sorts]) {
              for (const order of ['asc', 'desc'] as const) {
                const all = await wholeList(library.ids({ kind, sort, order }, call))
                if (total !== all.length) throw new Error(`${total} of ${all.length} ${kind}`)
                await checkOrder(library, { kind, sort, order }, all)
              }
            }
            for (const letter of kind === 'tracks' ? [] : letters) {
              if ((await wholeList(library.ids({ kind, letter }, call))).length === 0) throw new Error(`nothing under ${letter}`)
            }
            for (const { name, tracks, albums } of genres) {
              const counts = [tracks, albums].join()
              const lists = [await wholeList(library.ids({ kind: 'tracks', genre: name }, call)),
                await wholeList(library.ids({ kind: 'albums', genre: name }, call))].map(({ length }) => length).join()
              if (counts !== lists) throw new Error(`${name} has ${counts}, not ${lists}`)
            }
          }
          for (const album of await wholeList(library.ids({ kind: 'albums' }, call))) {
            const tracks = await wholeList(library.ids({ kind: 'tracks', album }, call))
            const ofAlbum = await library.items('tracks', tracks, call)
            if (ofAlbum.length === 0 || ofAlbum.some(track => track!.album.id !== album)) throw new Error('others')
          }
          for (const artist of await wholeList(library.ids({ kind: 'artists' }, call))) {
            const [item] = await library.items('artists', [artist], call)
            const own = await wholeList(library.ids({ kind: 'albums', artist }, call))
            if (item![extras]!.albumCount !== own.length) throw new Error('another number of albums')
          }
        } finally {
          close()
        }
      }), { numRuns: 40, seed: 1 })
    t.pass('it does')
  })
}

for (const [title, make] of Object.entries(libraries)) {
  t.test(`what is not in the library ${title} has no item, and no list`, async t => {
    const [library, close] = await make([])
    t.strictSame(await library.items('albums', ['0123456789abcdef0123', 'x'], call), [undefined, undefined])
    t.strictSame(await wholeList(library.ids({ kind: 'tracks', album: 'x' }, call)), [])
    t.strictSame(await wholeList(library.ids({ kind: 'albums', artist: 'x' }, call)), [])
    close()
  })
}

for (const [title, make] of Object.entries(libraries)) {
  t.test(`each item of the library ${title} comes sooner or later`, async t => {
    const songs = [1, 2, 3].map(at => ({ artist: `A${at}`, album: `B${at}`, title: `${at}`, genre: 'Rock', year: 2000 }))
    const [library, close] = await make(songs)
    for (const kind of ['artists', 'albums', 'tracks'] as const) {
      const draw = async () => library.randomIds?.({ kind }, 1, call)
      // Its callers choose from `ids`.
      if (await draw() === undefined) continue
      const found = new Set<string>()
      for (let times = 0; times < 300; times++) for (const id of (await draw())!.ids) found.add(id)
      t.equal(found.size, 3, kind)
    }
    close()
  })
}

t.test('the tracks of an album are in its order, or in that of their names if a query says so', async t => {
  const album: Album = { id: 'b', name: 'B', coverUrl: '' }
  const tracks = ['Two', 'One'].map((title): Track => ({ id: title, title, durationMs: 1, artists: [], album }))
  const library = createLibrary({ artists: [], albums: [album], tracks })
  const ids = async (query: Partial<LibraryQuery>) =>
    wholeList(library.ids({ kind: 'tracks', album: 'b', ...query }, call))
  t.strictSame(await ids({}), ['Two', 'One'])
  t.strictSame(await ids({ sort: 'name' }), ['One', 'Two'])
  t.strictSame(await ids({ sort: 'artist', order: 'desc' }), ['Two', 'One'])
})

t.test('artists have no year', async t => {
  const [library] = await libraries['of arrays']!([{ artist: 'A', album: 'B', title: '1', genre: 'Rock', year: 2000 }])
  t.strictSame(await wholeList(library.ids({ kind: 'artists', years: [2000, 2000] }, call)), [])
})

t.test('random tracks of a folder are those that are left, in the holes of many deleted ones too', async t => {
  const db = await libraryInMemory()
  t.teardown(() => db.close())
  const files = Array.from({ length: 300 }, (_empty, at) => audioFile(`${at}.mp3`, `Song ${at}`))
  db.transaction(() => changeIndex(db, { files }))
  db.transaction(() => changeIndex(db, { gone: files.slice(2, -2).map(({ path }) => path) }))
  const library = new FolderLibrary(new Catalogue(db), new Describer('', {} as never))
  const left = await wholeList(library.ids({ kind: 'tracks' }))
  t.equal(left.length, 4)
  await checkRandom(library, { kind: 'tracks' }, left)
})

t.test('a long list of a folder is not read for some of its tracks', async t => {
  const db = await libraryInMemory()
  t.teardown(() => db.close())
  const files = Array.from({ length: 2000 }, (_empty, at) =>
    audioFile(`${at}.mp3`, `Song ${at}`, { genres: at % 40 === 0 ? ['Rare'] : ['Rock'] }))
  db.transaction(() => changeIndex(db, { files }))
  const statements: string[] = []
  const { all } = db
  const noted: any = (sql: string, ...values: any[]) => { statements.push(sql); return all.call(db, sql, ...values) }
  replace(t, db, 'all', noted)
  const library = new FolderLibrary(new Catalogue(db), new Describer('', {} as never))
  for (const genre of [undefined, 'rock', 'rare']) {
    const { ids, total } = library.randomIds({ kind: 'tracks', genre }, 10)
    t.equal(new Set(ids).size, 10)
    t.ok(total > 10 && total <= 2000, `${total}`)
  }
  t.notOk(statements.some(sql => sql.includes('json_group_array')), 'no list is read')
  t.ok(statements.length > 0)
})

t.test('a library of thousands of albums has its lists, and others have their turn meanwhile', async t => {
  const albumOf = (_empty: unknown, at: number): Album => ({ id: `${at}`, name: `Album ${at}`, coverUrl: '' })
  const albums = Array.from({ length: 2000 }, albumOf)
  const library = createLibrary({ artists: [], albums: albums.toReversed(), tracks: [] })
  const { result, turns } = await countTimedTurns(t, () => wholeList(library.ids({ kind: 'albums' }, call)))
  t.strictSame(result, albums.map(({ id }) => id))
  t.ok(turns > 100, `${turns} turns`)
})
