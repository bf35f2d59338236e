import fc from 'fast-check'
import {
  extras, type Album, type LibraryKind, type LibraryQuery, type SourceLibrary, type Track
} from 'fastify-source-origin'
import { compareNames, foldText, letterOf, withoutArticle } from '../../lib/text/names.ts'
import { createLibrary } from 'fastify-source-origin/library'
import t from 'tap'
import { Catalogue } from '../../example/catalogue/catalogue.ts'
import { changeIndex } from '../../example/catalogue/change-index.ts'
import { Describer } from '../../example/source/describe.ts'
import { FolderLibrary } from '../../example/source/folder-library.ts'
import { libraryInMemory } from '../../example/index/open-index.ts'
import { audioFile } from '../example/catalogue/audio-file.ts'
import { countTimedTurns } from '../count-turns.ts'
import { replace } from '../replace.ts'
import { wholeList } from '../whole-list.ts'
import { storedLibraryOf } from './stored-library.ts'

// A library is what a plain list of its tracks says it is: that of a folder, which is rows, and that of arrays.

const call = { signal: new AbortController().signal }
const names = ['Ada', '"Weird Al"', 'The Who', 'Los Lobos', '山下', 'ßeta', '10cc', '9 Lives', 'Émile', 'B']
const name = fc.constantFrom(...names)
const song = fc.record({
  artist: name, album: name, genre: fc.constantFrom('Rock', 'Folk', 'Älter'), year: fc.integer({ min: 1999, max: 2003 })
})
const query: fc.Arbitrary<LibraryQuery> = fc.record({
  kind: fc.constantFrom<LibraryKind>('artists', 'albums', 'tracks'),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  sort: fc.constantFrom<LibraryQuery['sort']>(undefined, 'name', 'artist', 'year'),
  letter: fc.option(fc.constantFrom(...names).map(letterOf), { nil: undefined }),
  genre: fc.option(fc.constantFrom('rock', 'Folk', 'älter', 'None'), { nil: undefined }),
  years: fc.option(fc.tuple(fc.integer({ min: 1999, max: 2003 }), fc.integer({ min: 1999, max: 2003 })), {
    nil: undefined
  })
})
interface Song { artist: string, album: string, genre: string, year: number }

/** What the query names by a look at each song: names of artists, names of albums with their artists, titles. */
function expected (songs: readonly Song[], { kind, letter, genre, years }: LibraryQuery): string[] {
  const keyOf = (song: Song, at: number) =>
    kind === 'artists' ? song.artist : kind === 'albums' ? `${song.album} by ${song.artist}` : `Song ${at}`
  const nameOf = ({ artist, album }: Song) => kind === 'artists' ? withoutArticle(artist) : album
  const isOf = (song: Song) => (genre === undefined || foldText(song.genre) === foldText(genre)) &&
    (years === undefined || (song.year >= years[0] && song.year <= years[1] && kind !== 'artists'))
  const hasLetter = (song: Song) => kind === 'tracks' || letter === undefined || letterOf(nameOf(song)) === letter
  return [...new Set(songs.flatMap((song, at) => isOf(song) && hasLetter(song) ? [keyOf(song, at)] : []))].sort()
}

async function keysOf (library: SourceLibrary, { kind }: LibraryQuery, ids: readonly string[]) {
  const items = await library.items(kind, ids, call)
  return items.map(item => {
    if ('title' in item!) return item.title
    return 'artistName' in item! ? `${item.name} by ${item.artistName}` : item!.name
  })
}

/** Whether a list is in the order of a query, as far as what items tell says so. */
async function isSorted (library: SourceLibrary, { kind, sort = 'name', order }: LibraryQuery, ids: readonly string[]) {
  const items = await library.items(kind, ids, call) as Album[]
  const sign = order === 'desc' ? -1 : 1
  const values = (item: Album): number | string => {
    if (sort === 'year') return item[extras]?.year ?? new Date(item.publishTime!).getUTCFullYear()
    const artist = kind === 'artists' ? item.name : item.artistName!
    return withoutArticle(sort === 'artist' || kind === 'artists' ? artist : item.name)
  }
  const compare = (a: Album, b: Album) => {
    const [first, second] = [values(a), values(b)]
    return typeof first === 'number' ? first - (second as number) : compareNames(first, second as string)
  }
  return items.every((item, at) => at === 0 || sign * compare(items[at - 1]!, item) <= 0)
}

/** Random ids are ids of the list, each at most once: all of them if as many are wanted. */
async function checkRandom (library: SourceLibrary, query: LibraryQuery, ids: readonly string[]) {
  for (const count of [0, 1, ids.length, ids.length + 1]) {
    const { ids: found, total } = (await library.randomIds!(query, count, call))!
    const known = new Set(found.filter(id => ids.includes(id)))
    const due = Math.min(count, ids.length)
    if (found.length !== due || known.size !== due) throw new Error(`${count} random ids: ${found} of ${ids}`)
    if (count > ids.length && total !== ids.length) throw new Error(`${total} instead of ${ids.length}`)
  }
}

/** The artists, albums and tracks of songs. */
function listsOf (songs: readonly Song[]) {
  const artists = [...new Set(songs.map(({ artist }) => artist))].map(name => ({ id: name, name }))
  // The first song counts.
  const albums = new Map(songs.toReversed().map(({ artist, album, year }): [string, Album] => {
    const id = `${album} by ${artist}`
    return [id, { id, name: album, artistName: artist, coverUrl: '', publishTime: Date.UTC(year) }]
  }))
  const tracks = songs.map(({ artist, album, genre, year }, at): Track => ({
    id: `${at}`,
    title: `Song ${at}`,
    durationMs: 1000,
    artists: [{ id: artist, name: artist }],
    album: albums.get(`${album} by ${artist}`)!,
    [extras]: { genres: [genre], year }
  }))
  return { artists, albums: [...albums.values()], tracks }
}

const libraries: Record<string, (songs: readonly Song[]) => Promise<[SourceLibrary, () => void]>> = {
  'of a folder': async songs => {
    const db = await libraryInMemory()
    const files = songs.map(({ artist, album, genre, year }, at) => audioFile(`${at}.mp3`, `Song ${at}`, {
      artists: [artist], albumArtists: [artist], album, genres: [genre], year, publishTime: Date.UTC(year)
    }))
    db.transaction(() => changeIndex(db, { files }))
    const signer = { sign: (path: string) => path, signStable: (path: string) => path }
    return [new FolderLibrary(new Catalogue(db), new Describer('http://a.example', signer as never)), () => db.close()]
  },
  'of arrays': async songs => [createLibrary(listsOf(songs)), () => {}],
  'of another server': async songs => [await storedLibraryOf(listsOf(songs)), () => {}]
}

for (const [title, make] of Object.entries(libraries)) {
  t.test(`the library ${title} answers as a look at each song does`, async t => {
    await fc.assert(fc.asyncProperty(fc.array(song, { maxLength: 12 }), fc.array(query, { minLength: 1, maxLength: 4 }),
      async (songs, queries) => {
        const [library, close] = await make(songs)
        try {
          for (const query of queries) {
            const { kind } = query
            const sort = kind === 'tracks' ? undefined : kind === 'artists' ? undefined : query.sort
            const asked = { ...query, sort, ...kind === 'tracks' && { letter: undefined } }
            const ids = await wholeList(library.ids(asked, call))
            if (new Set(ids).size !== ids.length) throw new Error('an id comes twice')
            const found = (await keysOf(library, asked, ids)).sort()
            const due = expected(songs, asked)
            if (found.join('\n') !== due.join('\n')) throw new Error(`${found}\ninstead of\n${due}`)
            await checkRandom(library, asked, ids)
            if (kind !== 'tracks' && !await isSorted(library, asked, ids)) throw new Error('not in its order')
          }
          for (const kind of ['artists', 'albums', 'tracks'] as const) {
            const { total, genres, letters } = await library.facets(kind, call)
            const all = await wholeList(library.ids({ kind }, call))
            if (total !== all.length) throw new Error(`${total} of ${all.length} ${kind}`)
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
    t.strictSame(await library.ids({ kind: 'albums', artist: 'x' }, call), [])
    close()
  })
}

for (const [title, make] of Object.entries(libraries)) {
  t.test(`each item of the library ${title} comes sooner or later`, async t => {
    const songs = [1, 2, 3].map(at => ({ artist: `A${at}`, album: `B${at}`, genre: 'Rock', year: 2000 }))
    const [library, close] = await make(songs)
    for (const kind of ['artists', 'albums', 'tracks'] as const) {
      const found = new Set<string>()
      for (let times = 0; times < 300; times++) {
        for (const id of (await library.randomIds!({ kind }, 1, call))!.ids) found.add(id)
      }
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
