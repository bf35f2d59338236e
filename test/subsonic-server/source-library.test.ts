import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fastify, { type FastifyInstance } from 'fastify'
import {
  extras, NotFoundError, SourceError, type LibraryQuery, type PlayEvent, type SourceLibrary, type Track
} from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import subsonic from 'fastify-source-origin/subsonic'
import t, { type Test } from 'tap'
import { ItemIndex } from '../../lib/subsonic-server/account/item-index.ts'
import { ask, callOnce, get, registerSource, roomy, serve, type Query } from './helper.ts'
import { albumOf, artistOf, trackOf } from './library.ts'

// A source that has a library, of which ids of lists are kept and nothing else.

const albums = Array.from({ length: 150 }, (_empty, index) => index)
const all = albums.flatMap(album => [trackOf(album, 0), trackOf(album, 1)])
const lists = { artists: [0, 1, 2, 3, 4, 5, 6].map(artistOf), albums: albums.map(albumOf) }

/** @param more members of the library in the place of these */
function sourceOf (more: Partial<SourceLibrary> = {}) {
  const library = createLibrary({ ...lists, tracks: all })
  /** What is there; those that are taken out are gone. */
  const tracks = new Map(all.map(track => [track.id, library.items('tracks', [track.id], none) as never]))
  for (const id of tracks.keys()) tracks.set(id, (tracks.get(id) as any)[0] as never)
  const queries: LibraryQuery[] = []
  const reads: (readonly string[])[] = []
  const face: SourceLibrary = {
    ids: (query, call) => {
      queries.push(query)
      return library.ids(query, call)
    },
    items: ((kind: 'tracks', ids: readonly string[], call: any) => {
      if (kind !== 'tracks') return library.items(kind, ids, call)
      reads.push(ids)
      return ids.map(id => tracks.get(id))
    }) as SourceLibrary['items'],
    facets: (kind, call) => library.facets(kind, call),
    revision: '1',
    changedAt: 1,
    ...more
  }
  return { tracks: tracks as Map<string, Track>, reads, queries, library: face }
}
const none = { signal: new AbortController().signal }

const songsOf = async (app: FastifyInstance, query: Query = {}) =>
  (await ask(app, 'search3', { query: '', artistCount: 0, albumCount: 0, ...query })).searchResult3.song

t.test('an app that pages through the songs waits for ids alone, and sees their places', async t => {
  const { library, reads, queries } = sourceOf()
  const app = await serve(t, { adapter: { library }, context: { account: 'ann' } })
  const first = await songsOf(app, { songCount: 3 })
  t.match(first, [{ track: 1 }, { track: 2 }, { track: 1 }])
  t.equal(reads.flat().length, 3)
  t.equal((await songsOf(app, { songCount: 250, songOffset: 253 })).length, 47)
  t.equal((await songsOf(app, { songCount: 3, c: 'another app' })).length, 3)
  t.strictSame(queries, [{ kind: 'tracks' }], 'the ids are asked for once')
})

t.test('ids are asked for again with another revision; what an app pages through stays as it was', async t => {
  let revision = '1'
  let ids = ['t0-0', 't0-1', 't1-0']
  const { library, tracks } = sourceOf({ ids: () => ids })
  const face = { ...library, get revision () { return revision } }
  const app = await serve(t, { adapter: { library: face }, context: { account: 'ann' } })
  const titles = async (songOffset: number) =>
    (await songsOf(app, { songCount: 2, songOffset })).map(({ id }: any) => id.slice(3))
  t.strictSame(await titles(0), ['t0-0', 't0-1'])
  tracks.set('new', { ...trackOf(0, 0), id: 'new' })
  ids = ['new', ...ids]
  t.strictSame(await titles(0), ['t0-0', 't0-1'])
  revision = '2'
  t.strictSame(await titles(2), ['t1-0'])
  t.strictSame(await titles(0), ['new', 't0-0'])
})

for (const [title, more] of [
  ['ids that are none', { ids: () => [1] as never }],
  ['ids that are no list', { ids: () => 'abc' as never }],
  ['fewer items than ids', { items: (() => []) as never }],
  ['items that are no list', { items: (() => ({})) as never }]
] as [string, Partial<SourceLibrary>][]) {
  t.test(`${title} fail the call`, async t => {
    const app = await serve(t, { adapter: { library: sourceOf(more).library } })
    t.match(await ask(app, 'search3', { query: '' }), { status: 'failed' })
  })
}

t.test('an item that cannot be shown leaves the others in their places', async t => {
  const items: any = (_kind: string, ids: readonly string[]) => ids.map(id =>
    id === 't0-1' ? { id: '' } : id === 't1-0' ? undefined : all.find(track => track.id === id))
  const { library } = sourceOf({ ids: () => ['t0-0', 't0-1', 't1-0', 't1-1'], items })
  const app = await serve(t, { adapter: { library } })
  t.strictSame((await songsOf(app)).map(({ id }: any) => id), ['tr-t0-0', 'tr-t1-1'])
})

t.test('random songs of a genre and of some years are of those, each once', async t => {
  const { library, reads, queries } = sourceOf()
  const app = await serve(t, { adapter: { library } })
  const { song } = (await ask(app, 'getRandomSongs', { genre: 'Rock', fromYear: 1961, toYear: 1970, size: 500 }))
    .randomSongs
  const fitting = all.filter(({ album: { genre, publishTime } }) =>
    genre === 'Rock' && publishTime! >= Date.UTC(1961) && publishTime! < Date.UTC(1971))
  t.strictSame(song.map(({ id }: any) => id).sort(), fitting.map(({ id }) => `tr-${id}`).sort())
  reads.length = 0
  const { song: some } = (await ask(app, 'getRandomSongs', { genre: 'Rock', size: 5 })).randomSongs
  t.equal(new Set(some.map(({ id }: any) => id)).size, 5)
  t.strictSame(reads.map(ids => ids.length), [5], 'no more are read than are shown')
  await ask(app, 'getRandomSongs', { toYear: 1970 })
  await ask(app, 'getRandomSongs', { fromYear: 1970 })
  t.strictSame(queries.map(({ years }) => years), [[1961, 1970], undefined, [0, 1970], [1970, 9999]])
})

t.test('at most 200 items are read at a time, by the adapter of who asks', async t => {
  const reads: [number, string | undefined][] = []
  const app = fastify(roomy)
  t.teardown(() => app.close())
  registerSource(app, {
    resolveContext: ({ authorization }) => {
      const { library } = sourceOf()
      const items: any = (kind: 'tracks', ids: readonly string[]) => {
        reads.push([ids.length, authorization])
        const tracks = library.items(kind, ids, none) as Track[]
        return tracks.map(track => ({ ...track, favorite: authorization === 'ada' }))
      }
      return { adapter: { library: { ...library, items } }, stateless: false, account: authorization }
    }
  })
  await app.register(subsonic, { resolveLogin: ({ secret }) => secret })
  for (const p of ['ada', 'eve']) {
    const song = await songsOf(app, { p, songCount: 250 })
    t.equal(song.filter(({ starred }: any) => starred).length, p === 'ada' ? 250 : 0, 'items are of the account')
  }
  t.strictSame(reads, ['ada', 'eve'].flatMap(account => [[200, account], [50, account]]))
})

t.test('a source without an account keeps the ids of nobody', async t => {
  const { library, queries } = sourceOf()
  const app = await serve(t, { adapter: { library } })
  await songsOf(app)
  await songsOf(app)
  t.equal(queries.length, 2)
})

t.test('lists by plays are asked for each time, where the source sorts by them', async t => {
  const { library, queries } = sourceOf()
  const sorts = ['name', 'artist', 'year', 'added', 'plays', 'played'] as const
  const facets: SourceLibrary['facets'] = async (kind, call) => ({ ...await library.facets(kind, call), sorts })
  const app = await serve(t, { adapter: { library: { ...library, facets } }, context: { account: 'ann' } })
  for (const type of ['frequent', 'recent', 'frequent']) await ask(app, 'getAlbumList2', { type })
  t.strictSame(queries.map(({ sort, order }) => [sort, order]),
    [['plays', 'desc'], ['played', 'desc'], ['plays', 'desc']])
})

t.test('what apps keep by an id that was another one before stays with what has it now', async t => {
  const { library, tracks } = sourceOf()
  const current = new Map<string, string>()
  const items: any = (kind: 'tracks', ids: readonly string[]) =>
    library.items(kind, ids.map(id => current.get(id) ?? id), none)
  let revision = '1'
  const currentIds: SourceLibrary['currentIds'] = (kind, ids) =>
    new Map(kind === 'tracks' ? ids.flatMap(id => current.has(id) ? [[id, current.get(id)!]] : []) : [])
  const face = { ...library, items, currentIds, get revision () { return revision } }
  const app = await serve(t, { adapter: { library: face } })
  await ask(app, 'setRating', { id: 'tr-t0-0', rating: 4 })
  await ask(app, 'createBookmark', { id: 'tr-t0-0', position: 7 })
  t.match(await ask(app, 'getSong', { id: 'tr-t0-0' }), { song: { userRating: 4, bookmarkPosition: 7 } })
  tracks.set('new', { ...tracks.get('t0-0')!, id: 'new' })
  current.set('t0-0', 'new')
  revision = '2'
  t.match(await ask(app, 'getSong', { id: 'tr-t0-0' }), { song: { id: 'tr-new', userRating: 4, bookmarkPosition: 7 } })
  await ask(app, 'setRating', { id: 'tr-new', rating: 0 })
  await ask(app, 'deleteBookmark', { id: 'tr-new' })
  const { song } = await ask(app, 'getSong', { id: 'tr-new' })
  t.strictSame([song.userRating, song.bookmarkPosition], [undefined, undefined])
})

t.test('an album and an artist that the adapter has no details of come from the library', async t => {
  const { library } = sourceOf()
  const app = await serve(t, { adapter: { library } })
  const { album } = await ask(app, 'getAlbum', { id: 'al-b17' })
  t.strictSame([album.artistId, album.song.map(({ id, track }: any) => [id, track])],
    ['ar-a3', [['tr-t17-0', 1], ['tr-t17-1', 2]]])
  const { artist } = await ask(app, 'getArtist', { id: 'ar-a3' })
  t.equal(artist.albumCount, artist.album.length)
  t.ok(artist.album.some(({ id }: any) => id === 'al-b17'))
  for (const [method, id] of [['getAlbum', 'al-x'], ['getArtist', 'ar-x'], ['getSong', 'tr-x']] as const) {
    t.match(await ask(app, method, { id }), { error: { code: 70 } })
  }
  for (const id of ['al-b17', 'tr-t17-0', 'ar-a3']) {
    t.match((await get(app, 'getCoverArt', { id })).body, 'This item has no picture')
  }
})

t.test('indexes that have not changed since are empty, and nothing is read for them', async t => {
  const { library, queries } = sourceOf({ changedAt: 1000 })
  const app = await serve(t, { adapter: { library } })
  t.strictSame((await ask(app, 'getIndexes', { ifModifiedSince: 1000 })).indexes.index, [])
  t.equal(queries.length, 0)
  t.match((await ask(app, 'getIndexes', { ifModifiedSince: 999 })).indexes, { lastModified: 1000, index: [{}] })
})

/** Pages through all songs, and calls `then` after each page. */
async function songs (t: Test, size: number, then: (tracks: Map<string, Track>, shown: string[]) => void) {
  const { library, tracks } = sourceOf()
  const app = await serve(t, { adapter: { library } })
  const pages: string[][] = []
  do {
    const query = { query: '', artistCount: 0, albumCount: 0, songCount: size, songOffset: pages.flat().length }
    const { song } = (await ask(app, 'search3', query)).searchResult3
    pages.push(song.map(({ id }: any) => id.slice(3)))
    then(tracks, pages.flat())
  } while (pages.at(-1)!.length > 0)
  return pages
}

t.test('pages stay full and lose nothing while tracks that they have not reached go', async t => {
  const deleted = new Set<string>()
  const pages = await songs(t, 20, (tracks, shown) => {
    const next = all.findIndex(({ id }) => id === shown.at(-1)) + 1
    for (const { id } of [0, 1, 5, 60].flatMap(ahead => all[next + ahead] ?? [])) {
      tracks.delete(id)
      deleted.add(id)
    }
  })
  t.ok(pages.slice(0, -2).every(({ length }) => length === 20), String(pages.map(({ length }) => length)))
  const listed = pages.flat()
  t.equal(new Set(listed).size, listed.length, 'none comes twice')
  t.ok(deleted.size > 30)
  t.strictSame(new Set([...listed, ...deleted]), new Set(all.map(({ id }) => id)), 'and none is left out')
})

t.test('pages end where all that is left of a list is gone', async t => {
  const pages = await songs(t, 100, tracks => tracks.clear())
  t.strictSame(pages.map(({ length }) => length), [100, 0])
})

t.test('what was played, however much it is, is read by ids and not one by one', async t => {
  const { library, reads } = sourceOf()
  const app = await serve(t, { adapter: { library, getTrackDetail: () => t.fail('is not asked') } })
  await ask(app, 'savePlayQueue', { id: all.map(({ id }) => `tr-${id}`) })
  const { entry } = (await ask(app, 'getPlayQueue')).playQueue
  t.strictSame(entry.map(({ id }: any) => id), all.map(({ id }) => `tr-${id}`))
  t.strictSame(reads.map(ids => ids.length), [200, 100])
})

t.test('songs and albums have how often and when last they were played, as the source says', async t => {
  const noTime = 8.64e15
  const counts = new Map([
    ['t1-0', { plays: 2, last: 5000 }], ['t1-1', { plays: 1, last: noTime }], ['gone', { plays: 9, last: 1 }]
  ])
  const played = { playCount: 3, played: '1970-01-01T00:00:09.000Z' }
  let reads = 0
  let isAway = false
  const { library } = sourceOf()
  const items: any = async (kind: 'albums', ids: readonly string[]) =>
    (await library.items(kind, ids, none)).map(item =>
      kind === 'albums' && item?.id === 'b1' ? { ...item, [extras]: { ...item[extras], ...played } } : item)
  const adapter = {
    library: { ...library, items },
    getAlbumDetail: (id: string) => ({ ...albumOf(Number(id.slice(1))), tracks: [trackOf(1, 0), trackOf(1, 1)] }),
    onPlay: ({ track, counted, startedAt }: PlayEvent) => {
      if (isAway) throw new SourceError(503, 'away')
      if (counted) counts.set(track, { plays: (counts.get(track)?.plays ?? 0) + 1, last: startedAt })
    },
    getPlays: () => {
      reads++
      if (isAway) throw new Error('away')
      return [...counts].map(([id, count]) => ({ id, ...count }))
    }
  }
  const app = await serve(t, { adapter, context: { account: 'ann' } })
  const album = async () => (await ask(app, 'getAlbum', { id: 'al-b1' })).album
  const songs = async () => (await album()).song.map(({ playCount, played }: any) => [playCount, played])
  t.strictSame(await songs(), [[2, '1970-01-01T00:00:05.000Z'], [1, '1970-01-01T00:00:00.000Z']])
  t.match(await album(), played, 'what the library has is newer than the answer of an operation')
  t.match((await ask(app, 'getAlbumList2', { type: 'alphabeticalByName' })).albumList2.album, [{}, played])
  t.equal(reads, 1, 'read once for several calls')
  await ask(app, 'scrobble', { id: 'tr-t1-0', time: 1_700_000_000 })
  await setImmediate()
  t.equal((await songs())[0][0], 3, 'the source was told')
  isAway = true
  const report = { mediaId: 'tr-t2-0', mediaType: 'song', state: 'stopped', positionMs: 0 }
  t.equal((await ask(app, 'reportPlayback', report)).status, 'ok', 'it was not heard')
  t.match(await ask(app, 'scrobble', { id: 'tr-t2-0' }), { status: 'failed', error: { code: 0, message: 'away' } })
  const other = await serve(t, { adapter })
  t.notOk('playCount' in (await ask(other, 'getAlbum', { id: 'al-b1' })).album.song[0], 'shown without them')
})

t.test('a track of a source without a library is asked for by itself', async t => {
  const app = await serve(t, { adapter: { getTrackDetail: (id: string) => ({ ...trackOf(1, 0), id }) } })
  await ask(app, 'savePlayQueue', { id: ['tr-other', 'tr-t1-0'] })
  t.match((await ask(app, 'getPlayQueue')).playQueue.entry, [{ id: 'tr-other' }, { id: 'tr-t1-0' }])
})

t.test('a track that is gone is in no queue and no bookmark, though it was shown', async t => {
  const { library, tracks } = sourceOf()
  const app = await serve(t, { adapter: { library, getTrackDetail: find } })
  function find (id: string) {
    if (!tracks.has(id)) throw new NotFoundError('gone')
    return tracks.get(id)
  }
  const id = ['tr-t0-0', 'tr-t0-1']
  await ask(app, 'savePlayQueue', { id })
  for (const one of id) await ask(app, 'createBookmark', { id: one, position: 1 })
  const shown = async () => [
    ...(await ask(app, 'getPlayQueue')).playQueue.entry,
    ...(await ask(app, 'getBookmarks')).bookmarks.bookmark.map(({ entry }: any) => entry)
  ].map(({ id }) => id)
  t.strictSame(await shown(), [...id, ...id])
  tracks.delete('t0-0')
  t.strictSame(await shown(), ['tr-t0-1', 'tr-t0-1'])
})

t.test('a queue is whole though each of its tracks is asked for by itself', async t => {
  const id = Array.from({ length: 101 }, (_empty, index) => `tr-${index}`)
  const app = await serve(t, { adapter: { getTrackDetail: (id: string) => ({ ...all[0]!, id }) } })
  await ask(app, 'savePlayQueue', { id })
  t.equal((await ask(app, 'getPlayQueue')).playQueue.entry.length, 101)
})

t.test('where tracks cannot be read the call fails, and no page is short', async t => {
  const { library } = sourceOf({ items: () => { throw new Error('secret') } })
  const app = await serve(t, { adapter: { library } })
  const answer = await ask(app, 'search3', { query: '' })
  t.match(answer, { status: 'failed', error: { code: 0 } })
  t.notMatch(JSON.stringify(answer), 'secret')
})

/** A library of 2,000 tracks of 20 kB each, which are made when they are asked for. */
const large: SourceLibrary = {
  ids: ({ kind }) => kind === 'tracks' ? Array.from({ length: 2000 }, (_empty, index) => `t0-${index}`) : [],
  items: ((_kind: string, ids: readonly string[]) => ids.map(largeTrack)) as SourceLibrary['items'],
  facets: () => ({ total: 2000, sorts: [], letters: [], years: [], genres: [] }),
  revision: '1',
  changedAt: 1
}
const largeTrack = (id: string): Track =>
  ({ ...trackOf(0, 0), id, title: Buffer.alloc(20_000, `${id} `).toString('latin1') })

t.test('nothing is kept of the tracks of a library', async t => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const inUse = async () => {
    // What the last answer leaves behind is let go of some turns later.
    for (let turn = 0; turn < 5; turn++) {
      await setImmediate()
      gc()
    }
    return process.memoryUsage().heapUsed
  }
  const app = await serve(t, { adapter: { library: large } })
  const before = await inUse()
  for (let songOffset = 0; songOffset < 2000; songOffset += 200) await songsOf(app, { songCount: 200, songOffset })
  await songsOf(app, { songCount: 1 })
  const took = await inUse() - before
  t.ok(took < 4_000_000, `it takes ${took} bytes`)
})

t.test('tracks that were shown are kept where the source has no library', async t => {
  const shown = (isKept: boolean) => {
    const index = new ItemIndex(isKept)
    for (let album = 0; album < 1000; album++) index.noteTrack(trackOf(album, 0))
    return index.tracks.size
  }
  t.equal(shown(true), 1000)
  t.equal(shown(false), 0)
})

/** Asks for pages of 20 songs at once, in this order. */
const pagesOf = async (app: FastifyInstance, numbers: readonly number[]): Promise<string[]> =>
  (await Promise.all(numbers.map(async number => {
    const query = { query: '', artistCount: 0, albumCount: 0, songCount: 20, songOffset: 20 * number }
    return (await ask(app, 'search3', query)).searchResult3.song.map(({ id }: any) => id.slice(3))
  }))).flat()

const others = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]

for (const [title, waves] of [
  ['that are asked for at once', [[1, 0], [2, 3], others]],
  ['of which a later one comes first', [[0], [2], [1], [3], others]],
  ['that are asked for again', [[0], [1], [2], [1], [3], others, [0], others]]
] as const) {
  t.test(`pages ${title} lose nothing while tracks go`, async t => {
    const { library, tracks } = sourceOf()
    const app = await serve(t, { adapter: { library } })
    await ask(app, 'getArtists')
    const listed: string[] = []
    for (const [index, wave] of waves.entries()) {
      for (const [place, { id }] of all.entries()) if ([3, 4, 5, 24].includes(place % 40 - 2 * index)) tracks.delete(id)
      listed.push(...await pagesOf(app, wave))
    }
    t.strictSame([...tracks.keys()].filter(id => !listed.includes(id)), [])
  })
}

t.test('a page that is asked for again is the same', async t => {
  const { library, tracks } = sourceOf()
  const app = await serve(t, { adapter: { library } })
  await pagesOf(app, [0])
  tracks.delete('t15-0')
  const page = await pagesOf(app, [1])
  t.strictSame(page.at(-1), 't20-0')
  t.strictSame(await pagesOf(app, [1]), page)
})

t.test('a list that could not be made is made at the next page', async t => {
  let isBroken = true
  const { library } = sourceOf()
  const ids: SourceLibrary['ids'] = (query, call) => {
    if (isBroken) throw new Error('secret')
    return library.ids(query, call)
  }
  const app = await serve(t, { adapter: { library: { ...library, ids } }, context: { account: 'ann' } })
  t.match(await ask(app, 'getSongsByGenre', { genre: 'Rock' }), { status: 'failed' })
  isBroken = false
  t.equal((await ask(app, 'getSongsByGenre', { genre: 'Rock', offset: 10 })).songsByGenre.song.length, 10)
})

t.test('a source that takes too long is told that nobody waits', async t => {
  let given!: AbortSignal
  const items: SourceLibrary['items'] = (_kind, _ids, { signal }) => {
    given = signal
    return new Promise(() => {})
  }
  const app = await serve(t, { adapter: { library: sourceOf({ items }).library }, adapterTimeout: 50 })
  const message = 'The source did not answer within 50 ms'
  t.match(await ask(app, 'search3', { query: 'song' }), { error: { code: 0, message } })
  t.equal(given.aborted, true)
})

t.test('no more tracks are read when the client has left', async t => {
  const { library } = sourceOf()
  const events = new EventEmitter()
  const items: any = async (kind: 'tracks', ids: readonly string[], call: { signal: AbortSignal }) => {
    if (kind !== 'tracks') return library.items(kind, ids, call)
    events.emit('asked', call.signal)
    await once(events, 'go')
    return library.items(kind, ids, call)
  }
  const app = await serve(t, { adapter: { library: { ...library, items } } })
  await app.listen({ port: 0 })
  const asked = once(events, 'asked')
  const leaving = callOnce(app, 'search3', { query: 'song' })
  const [signal] = await asked
  const left = once(signal, 'abort')
  leaving.destroy()
  await left
  events.on('asked', () => t.fail('is not asked again'))
  events.emit('go')
  await app.close()
})

t.test('what is shown by an id is as the source has it now', async t => {
  let title = 'Old'
  const { library } = sourceOf()
  const items: any = (kind: 'tracks', ids: readonly string[]) =>
    kind === 'tracks' ? ids.map(id => ({ ...trackOf(1, 0), id, title })) : library.items(kind, ids, none)
  const app = await serve(t, { adapter: { library: { ...library, items } } })
  await ask(app, 'getAlbum', { id: 'al-b1' })
  await ask(app, 'createBookmark', { id: 'tr-t1-0', position: 1 })
  title = 'New'
  t.match(await ask(app, 'getSong', { id: 'tr-t1-0' }), { song: { title } })
  t.match(await ask(app, 'getBookmarks'), { bookmarks: { bookmark: [{ entry: { title } }] } })
})

t.test('the quality for a player is chosen of a track that was not shown', async t => {
  const asked: unknown[] = []
  const qualities = [
    { key: 'high', label: 'High', format: 'flac', bitrate: 900_000, size: 9 },
    { key: 'low', label: 'Low', format: 'mp3', bitrate: 96_000, size: 1 }
  ]
  const items: any = (_kind: string, ids: string[]) => ids.map(id => ({ ...trackOf(1, 0), id, qualities }))
  const app = await serve(t, {
    adapter: {
      library: sourceOf({ items }).library,
      getTrackUrl: (...args: unknown[]) => { asked.push(args); return { url: 'https://media.example/1' } }
    },
    media: 'redirect'
  })
  t.equal((await get(app, 'stream', { id: 'tr-t1-0', maxBitRate: 128 })).statusCode, 302)
  t.strictSame(asked, [['t1-0', 'low']])
})
