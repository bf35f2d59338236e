import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fastify, { type FastifyInstance } from 'fastify'
import { NotFoundError, SourceError, type PlayEvent, type Track } from 'fastify-source-origin'
import subsonic, { type SubsonicOptions } from 'fastify-source-origin/subsonic'
import t, { type Test } from 'tap'
import { ItemIndex } from '../../lib/subsonic-server/account/item-index.ts'
import { ListingBuilder } from '../../lib/subsonic-server/account/listing-builder.ts'
import { ask, get, login, queryOf, registerSource, roomy, serve, type Query } from './helper.ts'
import { albumOf, artistOf, trackOf } from './library.ts'

// A source that lists itself and reads tracks by their ids, of which no more than these is kept.

const albums = Array.from({ length: 150 }, (_empty, index) => index)
const all = albums.flatMap(album => [trackOf(album, 0), trackOf(album, 1)])

/** @param tracks what is there; those that are taken out are gone */
function sourceOf (tracks = new Map(all.map(track => [track.id, track]))) {
  const reads: (readonly string[])[] = []
  const library = () => ({
    artists: Array.from({ length: 7 }, (_empty, index) => artistOf(index)),
    albums: albums.map(albumOf),
    tracks: () => tracks.values()
  })
  const tracksByIds = (ids: readonly string[]) => {
    reads.push(ids)
    return ids.flatMap(id => tracks.get(id) ?? []).reverse()
  }
  return { tracks, reads, options: { library, tracksByIds } satisfies Partial<SubsonicOptions> }
}

/** The same source, which lists ids of its tracks. */
const listing = ({ library, tracksByIds }: ReturnType<typeof sourceOf>['options']): Partial<SubsonicOptions> => ({
  library: () => ({
    artists: library().artists,
    albums: albums.map(index => ({ ...albumOf(index), durationMs: 120_000, artistIds: [artistOf(index % 7).id] }))
  }),
  tracksByIds,
  trackIds: async () => albums.map(index =>
    ({ albumId: albumOf(index).id, trackIds: [0, 1].map(track => trackOf(index, track).id) }))
})

const calls: readonly (readonly [method: string, query: Query])[] = [
  ['search3', { query: '', songCount: 1000, albumCount: 200, artistCount: 20 }],
  ['search3', { query: '', songCount: 7, songOffset: 122, albumCount: 0, artistCount: 0 }],
  ['search3', { query: 'song 1 artist 3', songCount: 100 }],
  ['search2', { query: 'nothing of the kind' }],
  ['search', { any: 'sóng 0 of 149' }],
  ['getSongsByGenre', { genre: 'rock', count: 500 }],
  ['getSongsByGenre', { genre: 'folk', count: 10, offset: 70 }],
  ['getGenres', {}],
  ['getArtists', {}],
  ['getArtist', { id: 'ar-a3' }],
  ['getAlbum', { id: 'al-b17' }],
  ['getMusicDirectory', { id: 'al-b140' }],
  ['getSong', { id: 'tr-t17-1' }],
  ['getSong', { id: 'tr-t150-0' }],
  ['getAlbumList2', { type: 'byYear', fromYear: 1960, toYear: 1999, size: 100 }],
  ['getScanStatus', {}]
]

for (const [method, query] of calls) {
  t.test(`${method} ${JSON.stringify(query)} answers as if the tracks were kept`, async t => {
    const { options } = sourceOf()
    const kinds: Partial<SubsonicOptions>[] = [{ library: options.library }, options, listing(options)]
    const [wanted, ...got] = await Promise.all(kinds.map(async kind => {
      const app = await serve(t, kind)
      await ask(app, 'getArtists')
      const answer = await ask(app, method, query)
      delete answer.artists?.lastModified
      return answer
    }))
    for (const answer of got) t.strictSame(answer, wanted)
  })
}

const songsOf = async (app: FastifyInstance, query: Query = {}) =>
  (await ask(app, 'search3', { query: '', artistCount: 0, albumCount: 0, ...query })).searchResult3.song

t.test('an app that pages through the songs waits for ids alone, and sees their places', async t => {
  const { options, reads } = sourceOf()
  const library = () => t.fail('is not read') as never
  const app = await serve(t, { ...listing(options), library, sharedLibrary: true })
  const first = await songsOf(app, { songCount: 3 })
  t.match(first, [{ track: 1 }, { track: 2 }, { id: 'tr-t1-0', track: 1 }])
  t.strictSame(reads.flat(), ['t0-0', 't0-1', 't1-0'])
  t.equal((await ask(app, 'getScanStatus')).scanStatus.count, 300)
  t.equal((await songsOf(app, { songCount: 250, songOffset: 253 })).length, 47)
})

t.test('ids are read again after a scan; what an app pages through stays as it was', async t => {
  const { options, tracks } = sourceOf()
  let ids = ['t0-0', 't0-1', 't1-0']
  const app = await serve(t, { ...listing(options), trackIds: () => [{ albumId: 'b0', trackIds: ids }] })
  const titles = async (songOffset: number) =>
    (await songsOf(app, { songCount: 2, songOffset })).map(({ id }: any) => id.slice(3))
  t.strictSame(await titles(0), ['t0-0', 't0-1'])
  tracks.set('new', { ...trackOf(0, 0), id: 'new' })
  ids = ['new', ...ids]
  await ask(app, 'startScan')
  t.strictSame(await titles(2), ['t1-0'])
  t.strictSame(await titles(0), ['new', 't0-0'])
})

t.test('of an id that comes twice one counts, and an album that is not listed has its tracks', async t => {
  const { options } = sourceOf()
  const trackIds = () => [
    { albumId: 'b0', trackIds: ['t0-0', 't0-1', 't0-0'] }, { albumId: 'gone', trackIds: ['t1-0'] }
  ]
  const library = () => ({ artists: [], albums: [albumOf(0), null as never] })
  const app = await serve(t, { ...options, library, trackIds })
  t.strictSame((await songsOf(app)).map(({ id }: any) => id), ['tr-t0-0', 'tr-t0-1', 'tr-t1-0'])
  t.match((await ask(app, 'getSongsByGenre', { genre: 'Folk' })).songsByGenre.song, { length: 2 })
  const { album } = (await ask(app, 'getAlbumList2', { type: 'alphabeticalByName' })).albumList2
  t.match(album, [{ duration: 0, songCount: 2 }], 'its tracks take an unknown time')
})

t.test('ids that are none fail the call', async t => {
  const { options } = sourceOf()
  const trackIds = () => [{ albumId: 'b0', trackIds: [1] as never }]
  t.match(await ask(await serve(t, { ...options, trackIds }), 'search3', { query: '' }), { status: 'failed' })
})

t.test('random songs of a genre and of some years are of those, each once', async t => {
  const { options, reads } = sourceOf()
  const app = await serve(t, options)
  const { song } = (await ask(app, 'getRandomSongs', { genre: 'Rock', fromYear: 1961, toYear: 1970, size: 500 }))
    .randomSongs
  const fitting = all.filter(({ album: { genre, publishTime } }) =>
    genre === 'Rock' && publishTime! >= Date.UTC(1961) && publishTime! < Date.UTC(1971))
  t.strictSame(song.map(({ id }: any) => id).sort(), fitting.map(({ id }) => `tr-${id}`).sort())
  reads.length = 0
  t.equal((await ask(app, 'getRandomSongs', { genre: 'Rock', size: 5 })).randomSongs.song.length, 5)
  t.strictSame(reads.map(ids => ids.length), [5], 'no more are read than are shown')
})

t.test('at most 100 tracks are read at a time, with the context of who asks', async t => {
  const { options, tracks } = sourceOf()
  const contexts: [number, string | undefined][] = []
  const app = fastify(roomy)
  t.teardown(() => app.close())
  registerSource(app, {
    resolveContext: ({ authorization }) => ({ adapter: {}, stateless: false, account: authorization })
  })
  await app.register(subsonic, {
    library: options.library,
    tracksByIds: (ids, { account }) => {
      contexts.push([ids.length, account])
      return ids.map(id => ({ ...tracks.get(id)!, favorite: account === 'ada' }))
    },
    sharedLibrary: true,
    resolveLogin: ({ secret }) => secret
  })
  for (const p of ['ada', 'eve']) {
    const { song } = (await ask(app, 'search3', { p, query: '', songCount: 250 })).searchResult3
    t.notOk(song.some(({ starred }: any) => starred), 'what the tracks say of favourites is left out')
  }
  t.strictSame(contexts, ['ada', 'eve'].flatMap(account => [[100, account], [100, account], [50, account]]))
})

/** Pages through all songs, and calls `then` after each page. */
async function songs (t: Test, size: number, then: (tracks: Map<string, Track>, shown: string[]) => void) {
  const { options, tracks } = sourceOf()
  const app = await serve(t, options)
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
  const { options, reads } = sourceOf()
  const app = await serve(t, { ...options, adapter: { getTrackDetail: () => t.fail('is not asked') } })
  await ask(app, 'savePlayQueue', { id: all.map(({ id }) => `tr-${id}`) })
  const { entry } = (await ask(app, 'getPlayQueue')).playQueue
  t.strictSame(entry.map(({ id }: any) => id), all.map(({ id }) => `tr-${id}`))
  t.strictSame(reads.map(ids => ids.length), [100, 100, 100])
})

t.test('songs and albums have how often and when last they were played, as the source says', async t => {
  const { options } = sourceOf()
  const counts = new Map([
    ['t1-0', { plays: 2, last: 5000 }], ['t1-1', { plays: 1, last: 9000 }], ['gone', { plays: 9, last: 1 }]
  ])
  let reads = 0
  let isAway = false
  const adapter = {
    onPlay: ({ track, heard, startedAt }: PlayEvent) => {
      if (isAway) throw new SourceError(503, 'away')
      if (heard) counts.set(track, { plays: (counts.get(track)?.plays ?? 0) + 1, last: startedAt })
    },
    getPlays: () => {
      reads++
      if (isAway) throw new Error('away')
      return [...counts].map(([id, count]) => ({ id, ...count }))
    }
  }
  const app = await serve(t, { ...listing(options), adapter, context: { account: 'ann' } })
  const songs = async () => (await ask(app, 'getAlbum', { id: 'al-b1' })).album.song
    .map(({ playCount, played }: any) => [playCount, played])
  const albums = async (type: string, size: number) =>
    (await ask(app, 'getAlbumList2', { type, size })).albumList2.album
      .map(({ id, playCount, played }: any) => [id, playCount, played])
  t.strictSame(await songs(), [[2, '1970-01-01T00:00:05.000Z'], [1, '1970-01-01T00:00:09.000Z']])
  t.strictSame(await albums('alphabeticalByName', 2), [
    ['al-b0', 0, undefined], ['al-b1', 3, '1970-01-01T00:00:09.000Z']
  ])
  t.equal(reads, 1, 'read once for several calls')
  await ask(app, 'scrobble', { id: 'tr-t1-0', time: 1_700_000_000 })
  await setImmediate()
  t.equal((await songs())[0][0], 3, 'the source was told')
  t.strictSame(await albums('frequent', 1), [['al-b1', 4, '2023-11-14T22:13:20.000Z']])
  isAway = true
  const report = { mediaId: 'tr-t2-0', mediaType: 'song', state: 'stopped', positionMs: 0 }
  t.equal((await ask(app, 'reportPlayback', report)).status, 'ok', 'it was not heard')
  t.match(await ask(app, 'scrobble', { id: 'tr-t2-0' }), { status: 'failed', error: { code: 0, message: 'away' } })
  const other = await serve(t, { ...listing(options), adapter })
  t.notOk('playCount' in (await ask(other, 'getAlbum', { id: 'al-b1' })).album.song[0], 'shown without them')
})

t.test('a track that is gone is in no queue and no bookmark, though it was shown', async t => {
  const { options, tracks } = sourceOf()
  const app = await serve(t, { ...options, adapter: { getTrackDetail: find } })
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
  const { options } = sourceOf()
  const app = await serve(t, { library: options.library, tracksByIds: () => { throw new Error('secret') } })
  const answer = await ask(app, 'search3', { query: '' })
  t.match(answer, { status: 'failed', error: { code: 0 } })
  t.notMatch(JSON.stringify(answer), 'secret')
})

/** A library of 2,000 tracks of 20 kB each, which are made when they are asked for. */
const large = {
  library: () => ({
    artists: [artistOf(0)],
    albums: [albumOf(0)],
    * tracks () { for (let index = 0; index < 2000; index++) yield largeTrack(`t0-${index}`) }
  }),
  tracksByIds: (ids: readonly string[]) => ids.map(largeTrack)
}
const largeTrack = (id: string): Track =>
  ({ ...trackOf(0, 0), id, title: Buffer.alloc(20_000, `${id} `).toString('latin1') })

t.test('a library is kept without its tracks', async t => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const inUse = () => {
    gc()
    return process.memoryUsage().heapUsed
  }
  const app = await serve(t, large)
  const before = inUse()
  t.equal((await ask(app, 'getArtists')).artists.index.length, 1)
  const took = inUse() - before
  t.ok(took < 4_000_000, `it takes ${took} bytes`)
})

t.test('what is kept of tracks that are read by their ids counts for less', async t => {
  const bytes = (areRead: boolean) => {
    const kept = { listed: new Set<never>(), isWhole: true, areRead }
    return new ListingBuilder(new ItemIndex(), kept).add({ tracks: all }).build().bytes
  }
  t.equal(bytes(false), 1500 * all.length)
  t.equal(bytes(true), 100 * all.length)
  const shown = (areRead: boolean) => {
    const index = new ItemIndex(areRead)
    for (let album = 0; album < 1000; album++) index.noteTrack(trackOf(album, 0))
    return index.tracks.size
  }
  t.equal(shown(false), 1000)
  t.equal(shown(true), 0)
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
    const { options, tracks } = sourceOf()
    const app = await serve(t, options)
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
  const { options, tracks } = sourceOf()
  const app = await serve(t, options)
  await pagesOf(app, [0])
  tracks.delete('t15-0')
  const page = await pagesOf(app, [1])
  t.strictSame(page.at(-1), 't20-0')
  t.strictSame(await pagesOf(app, [1]), page)
})

t.test('a list that could not be made is made at the next page', async t => {
  const { options } = sourceOf()
  let isBroken = true
  const library = () => {
    if (isBroken) throw new Error('secret')
    return options.library()
  }
  const app = await serve(t, { ...options, library })
  t.match(await ask(app, 'getSongsByGenre', { genre: 'Rock' }), { status: 'failed' })
  isBroken = false
  t.equal((await ask(app, 'getSongsByGenre', { genre: 'Rock', offset: 10 })).songsByGenre.song.length, 10)
})

t.test('a source that takes too long is told that nobody waits', async t => {
  let given!: AbortSignal
  const tracksByIds: SubsonicOptions['tracksByIds'] = (_ids, _context, { signal }) => {
    given = signal
    return new Promise(() => {})
  }
  const app = await serve(t, { ...sourceOf().options, tracksByIds, adapterTimeout: 50 })
  t.match(await ask(app, 'search3', { query: 'song' }), { error: { code: 0, message: 'No answer in time' } })
  t.equal(given.aborted, true)
})

t.test('no more tracks are read when the client has left', async t => {
  const { options } = sourceOf()
  const events = new EventEmitter()
  const tracksByIds: SubsonicOptions['tracksByIds'] = async (ids, _context, { signal }) => {
    events.emit('asked', signal)
    await once(events, 'go')
    return options.tracksByIds(ids)
  }
  const app = await serve(t, { ...options, tracksByIds })
  await ask(app, 'getArtists')
  const url = await app.listen({ port: 0 })
  const leaving = new AbortController()
  const asked = once(events, 'asked')
  const call = fetch(`${url}/rest/search3?${queryOf({ ...login, query: 'song' })}`, { signal: leaving.signal })
  const [signal] = await asked
  const left = once(signal, 'abort')
  leaving.abort()
  await Promise.all([left, t.rejects(call)])
  events.on('asked', () => t.fail('is not asked again'))
  events.emit('go')
  await app.close()
})

t.test('what is shown by an id is as the source has it now', async t => {
  let title = 'Old'
  const tracksByIds = (ids: readonly string[]) => ids.map(id => ({ ...trackOf(1, 0), id, title }))
  const app = await serve(t, { ...sourceOf().options, tracksByIds })
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
  const app = await serve(t, {
    ...sourceOf().options,
    tracksByIds: ids => ids.map(id => ({ ...trackOf(1, 0), id, qualities })),
    adapter: { getTrackUrl: (...args: unknown[]) => { asked.push(args); return { url: 'https://media.example/1' } } },
    media: 'redirect'
  })
  t.equal((await get(app, 'stream', { id: 'tr-t1-0', maxBitRate: 128 })).statusCode, 302)
  t.strictSame(asked, [['t1-0', 'low']])
})
