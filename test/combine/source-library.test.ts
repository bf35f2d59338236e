import { extras, UpstreamError, type LibraryKind } from 'fastify-source-origin'
import { createSourceClient } from 'fastify-source-origin/client'
import { combineSources, createSourceLibrary } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import t from 'tap'
import { lastFavourites, missingSources, stored, type OrderedLibrary } from '../../lib/contract/ordered-library.ts'
import { MemoryStore } from '../../lib/library/library-store.ts'
import { waits } from '../../lib/library/mirrored-library.ts'
import { pauses } from '../../lib/library/suspicion.ts'
import { replace } from '../replace.ts'
import { wholeList } from '../whole-list.ts'
import { albumOf, artistOf, call, libraryOf, readBy, startFriend, trackOf, until, visit } from './friend.ts'
import { sourceOf } from './helper.ts'

// The stored library of a friend's source: read part by part in the background, complete or not at all.

const idsOf = async (library: OrderedLibrary | undefined, kind: LibraryKind = 'tracks') =>
  wholeList(library!.ids({ kind }, call))

/** A store in memory that nothing else shares. @returns also all texts that it got */
function spiedStore () {
  const store = new MemoryStore()
  const texts: string[] = []
  return {
    texts,
    read: store.read.bind(store),
    async replace (name: string, given: AsyncIterable<readonly string[]>) {
      texts.push(name)
      await store.replace(name, (async function * () {
        for await (const some of given) {
          texts.push(...some)
          yield some
        }
      })())
    },
    close () {}
  }
}

t.test('the library has every artist, album and track of the friend, with their extras', async t => {
  const home = await visit(t, await startFriend(t, { library: libraryOf(['a', 'b']) }))
  const library = (await readBy(home)).adapter.library!
  t.strictSame(await idsOf(library, 'artists'), ['ar-a', 'ar-b'])
  t.strictSame(await idsOf(library, 'albums'), ['al-a', 'al-b'])
  t.strictSame(await idsOf(library), ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'])
  t.match(await library.facets('albums', call), { total: 2, genres: [{ name: 'Folk', tracks: 6 }], years: [2001] })
  const [track] = await library.items('tracks', ['a2'], call)
  t.match(track, { title: 'Song a2', [extras]: { track: 2 }, album: { [extras]: { year: 2001 } } })
  t.notMatch(Object.keys(track!), ['extras'])
  t.match(await library.items('albums', ['al-b'], call), [{ [extras]: { artists: [{ id: 'ar-b' }] } }])
})

t.test('a library of several pages is read to its end, each page after the last one', async t => {
  const host = await startFriend(t, { library: libraryOf(['a'], 1100) })
  const home = await visit(t, host)
  t.equal((await idsOf((await readBy(home)).adapter.library)).length, 1100)
  const reads = host.friend.requests.filter(({ path }) => path === '/page/library')
  t.equal(reads.length, 7)
  t.strictSame([...new Set(reads.map(({ headers }) => headers['source-path']))], ['me'])
})

const long = 'x'.repeat(1025)
const odd: Record<string, (part: any, url: URL) => unknown> = {
  'returns short pages': (part, url) => url.searchParams.get('kind') === 'tracks' && part.items
    ? { ...part, items: part.items.slice(0, 2), hasMore: url.searchParams.get('offset') === '0' }
    : part,
  'repeats ids': part => part.items ? { ...part, items: [...part.items, ...part.items] } : part,
  'sends items without a usable id or a name': part => part.items
    ? { ...part, items: [null, 'x', {}, { id: 'x' }, { id: 'x', title: 'X' }, { id: long, name: 'X' }, ...part.items] }
    : part,
  'names missing sources that are no ids': part => ({ ...part, missing: ['a b', 7] })
}

for (const [what, edit] of Object.entries(odd)) {
  t.test(`the library of a friend that ${what} is read`, async t => {
    const host = await startFriend(t, { library: libraryOf(['a'], 2) })
    host.friend.edit = edit
    const { adapter: { library } } = await readBy(await visit(t, host))
    t.strictSame(await idsOf(library), ['a1', 'a2'])
    t.strictSame(await idsOf(library, 'albums'), ['al-a'])
    t.strictSame((library as OrderedLibrary)[missingSources], [])
  })
}

t.test('a library that changes while it is read is read again', async t => {
  replace(t, pauses, 'look', 0)
  let library = libraryOf(['a'])
  const host = await startFriend(t, { get library () { return library } })
  let isChanged = false
  host.friend.edit = (part, url) => {
    if (url.searchParams.get('kind') === 'tracks' && !isChanged) {
      isChanged = true
      library = libraryOf(['a', 'b'])
    }
    return part
  }
  const { adapter } = await readBy(await visit(t, host))
  t.strictSame(await idsOf(adapter.library, 'albums'), ['al-a', 'al-b'])
})

t.test('a library that was not replaced keeps its revision, and a new album makes another one', async t => {
  replace(t, pauses, 'look', 0)
  let library = libraryOf(['a'])
  const home = await visit(t, await startFriend(t, { get library () { return library } }))
  const { adapter } = await readBy(home)
  const { revision } = adapter.library!
  library = libraryOf(['a', 'b'])
  await until(() => adapter.library!.revision !== revision)
  t.strictSame(await idsOf(adapter.library, 'albums'), ['al-a', 'al-b'])
})

for (const [what, adapter, page] of [
  ['without a page', { library: libraryOf(['a']) }, false], ['without a library', {}, {}]
] as const) {
  t.test(`a friend ${what} has no library`, async t => {
    const home = await visit(t, await startFriend(t, adapter, { page }))
    t.equal((await readBy(home)).adapter.library, undefined)
  })
}

t.test('a friend that returns pages for ever has no library', async t => {
  const host = await startFriend(t, { library: libraryOf(['a']) })
  host.friend.edit = (part, url) => url.searchParams.get('offset') ? { ...part, hasMore: true, items: [] } : part
  t.equal((await readBy(await visit(t, host))).adapter.library, undefined)
})

/** Opens a friend whose library cannot be read. @returns the line of the log */
async function failing (t: any, edit: (part: any) => unknown, authorization = 'good') {
  const lines: any[] = []
  const log = { warn: (details: object, text: string) => { lines.push({ ...details, text }) } }
  const host = await startFriend(t, { library: libraryOf(['a']) })
  const { status } = await visit(t, host)
  host.friend.edit = authorization === 'good' ? edit : undefined
  const home = await visit(t, host, { log, authorization, status, background: true })
  await until(() => lines.length > 0)
  return { line: lines[0], library: (await home.source()).adapter.library as OrderedLibrary, host }
}

t.test('a friend that refuses the token has a library that was not read, and the log says so', async t => {
  const { line, library } = await failing(t, part => part, 'bad')
  t.match(line, { text: 'library not read', server: 'friend.example', reason: 'Unauthorized' })
  t.equal(library[stored], false)
  t.strictSame(await idsOf(library), [])
})

t.test('a part that is no list fails the read', async t => {
  const { line, library } = await failing(t, part => ({ revision: '1', items: part.items && 'x' }))
  t.match(line, { reason: 'The library of the source cannot be read' })
  t.equal(library[stored], false)
})

t.test('a friend whose own libraries were not read yet is read later', async t => {
  replace(t, pauses, 'look', 0)
  const host = await startFriend(t, { library: libraryOf(['a']) })
  const home = await visit(t, host)
  host.friend.edit = () => ({ missing: ['nav'] })
  const reads = () => host.friend.requests.filter(({ path }) => path === '/page/library').length
  await until(async () => (await home.source()).adapter.library !== undefined && reads() > 2)
  t.equal(((await home.source()).adapter.library as OrderedLibrary)[stored], false)
  host.friend.edit = undefined
  t.strictSame(await idsOf((await readBy(home)).adapter.library, 'albums'), ['al-a'])
})

t.test('a friend that lacks a source is read in part, names it, and a part replaces no more than a part', async t => {
  replace(t, pauses, 'look', 0)
  const unread = Object.assign(libraryOf(['n']), { [stored]: false })
  let nav = unread
  const folder = libraryOf(['h'])
  const combine = () => combineSources([sourceOf('home', { library: folder }), sourceOf('nav', { library: nav })])
  const host = await startFriend(t, {})
  host.friend.context = () => ({ ...combine(), account: 'me', stateless: false })
  const lines: any[] = []
  const home = await visit(t, host, { log: { warn: (details: object) => { lines.push(details) } } })
  const { adapter } = await readBy(home)
  const library = () => adapter.library as OrderedLibrary
  t.strictSame([await idsOf(library(), 'albums'), library()[missingSources]], [['home:al-h'], ['nav']])
  const ours = combineSources([sourceOf('folder', { library: libraryOf(['f']) }), sourceOf('friend', adapter)])
  t.strictSame((ours.adapter!.library as OrderedLibrary)[missingSources], ['friend:nav'])

  nav = Object.assign(libraryOf(['n']), { [stored]: true })
  await until(() => library()[missingSources]!.length === 0)
  t.strictSame(await idsOf(library(), 'albums'), ['home:al-h', 'nav:al-n'])
  nav = unread
  const reads = () => host.friend.requests.length
  const before = reads()
  await until(() => library() !== undefined && reads() > before + 3)
  t.strictSame(await idsOf(library(), 'albums'), ['home:al-h', 'nav:al-n'])
  t.strictSame(lines, [{ server: 'friend.example', reason: 'It lacks sources that the stored library has' }])
})

t.test('favourites are those of the token now, no data of the account is stored, and no token', async t => {
  const favourite = { favorite: true, [extras]: { starred: '2020-01-01T00:00:00Z', playCount: 7 } }
  const library = createLibrary({
    artists: [artistOf('a')],
    albums: [albumOf('a', { favorite: true })],
    tracks: [trackOf('a', 1, favourite), trackOf('a', 2)]
  })
  const favourites = new Set(['a1'])
  const store = spiedStore()
  const home = await visit(t, await startFriend(t, {
    library,
    userFavoriteTracks: () => [...favourites].map(id => trackOf('a', Number(id.slice(1)))),
    userAlbums: () => [albumOf('a')],
    favoriteTrack (id: string, status: boolean) {
      if (status) favourites.add(id)
      else favourites.delete(id)
      return { success: true, status }
    }
  }), { store })
  const { adapter } = await readBy(home)
  const shown = async () => (await adapter.library!.items('tracks', ['a1', 'a2'], call)).map(item => item!.favorite)
  t.strictSame(await shown(), [true, false])
  await adapter.favoriteTrack!('a2', true)
  t.strictSame(await shown(), [true, true])
  t.match(await adapter.library!.items('albums', ['al-a'], call), [{ favorite: true }])
  t.equal((await adapter.library!.items('artists', ['ar-a'], call))[0]!.favorite, undefined)
  const library2 = adapter.library as OrderedLibrary
  t.strictSame(['tracks', 'albums', 'artists'].map(kind => library2[lastFavourites]!(kind as LibraryKind)),
    [['a1', 'a2'], ['al-a'], undefined])
  t.ok(store.texts.length > 4)
  t.notMatch(store.texts.join(), /favorite|starred|playCount|good/)
})

t.test('favourites of a friend that lacks a source are those of before', async t => {
  replace(t, waits, 'failed', 0)
  let isPart = false
  const nav = {
    library: libraryOf(['n']),
    userFavoriteTracks: () => {
      if (isPart) throw new UpstreamError('away')
      return [trackOf('n', 1)]
    }
  }
  const host = await startFriend(t, {})
  const home = {
    library: libraryOf(['h']),
    userFavoriteTracks: () => [trackOf('h', 1)],
    favoriteTrack: (_id: string, status: boolean) => ({ success: true, status })
  }
  host.friend.context = () => ({
    ...combineSources([sourceOf('home', home), sourceOf('nav', nav)]), account: 'me', stateless: false
  })
  const { adapter } = await readBy(await visit(t, host))
  const shown = async () =>
    (await adapter.library!.items('tracks', ['home:h1', 'nav:n1', 'nav:n2'], call)).map(item => item!.favorite)
  t.strictSame(await shown(), [true, true, false])
  isPart = true
  await adapter.favoriteTrack!('home:h2', true)
  t.strictSame(await shown(), [true, true, false])
})

t.test('a friend without accounts has no favourites', async t => {
  const host = await startFriend(t, {})
  const library = libraryOf(['a'])
  host.friend.context = () => ({ adapter: { library, userFavoriteTracks: () => [trackOf('a', 1)] }, stateless: true })
  const { adapter } = await readBy(await visit(t, host))
  t.equal((await adapter.library!.items('tracks', ['a1'], call))[0]!.favorite, undefined)
})

t.test('an item that is newer than the library is requested once, and so is an unknown id', async t => {
  const library = libraryOf(['a'])
  const host = await startFriend(t, {
    library: {
      ...library,
      ids: (query: any) => library.ids(query, call),
      facets: (kind: any) => library.facets(kind, call),
      items: (kind: any, ids: readonly string[]) =>
        ids.map(id => id === 'new' ? trackOf('new', 1, { id }) : (library.items(kind, [id], call) as any)[0])
    }
  })
  const { adapter } = await readBy(await visit(t, host))
  const reads = () => host.friend.requests.filter(({ path }) => path === '/page/library').length
  const before = reads()
  for (let time = 0; time < 2; time++) {
    const items = await adapter.library!.items('tracks', ['new', 'a1', 'gone'], call)
    t.match(items, [{ id: 'new' }, { id: 'a1' }, undefined])
  }
  t.equal(reads(), before + 1)
})

t.test('a part without items lacks the items of its ids', async t => {
  const host = await startFriend(t, { library: libraryOf(['a']) })
  const { adapter } = await readBy(await visit(t, host))
  host.friend.edit = ({ revision }) => ({ revision })
  t.strictSame(await adapter.library!.items('tracks', ['gone'], call), [undefined])
})

t.test('covers that expire are requested again, and are empty while the friend is down', async t => {
  replace(t, waits, 'failed', 0)
  let expires = Math.floor(Date.now() / 1000) + 7200
  const url = () => `http://friend.example/cover?expires=${expires}`
  const library = () => createLibrary({
    artists: [{ ...artistOf('a'), coverUrl: url() }, { ...artistOf('b'), coverUrl: 'http://cdn.example/b' }],
    albums: [albumOf('a', { coverUrl: url() }), albumOf('b', { coverUrl: 'http://cdn.example/b' })],
    tracks: [trackOf('a', 1, { album: albumOf('a', { coverUrl: url() }) })]
  })
  const first = library()
  const host = await startFriend(t, {
    get library () { return Object.assign(library(), { revision: first.revision }) }
  })
  const store = spiedStore()
  const { adapter } = await readBy(await visit(t, host, { store }))
  t.notMatch(store.texts.join(), /expires/)
  const shown = async () => {
    const [track] = await adapter.library!.items('tracks', ['a1'], call)
    const [album, other] = await adapter.library!.items('albums', ['al-a', 'al-b'], call)
    const [artist] = await adapter.library!.items('artists', ['ar-a'], call)
    t.equal(other!.coverUrl, 'http://cdn.example/b')
    return [track!.album.coverUrl, album!.coverUrl, artist!.coverUrl]
  }
  const later = async (time: number) => {
    const now = performance.now.bind(performance)
    replace(t, performance, 'now', () => now() + time)
    // Caches use one time for a millisecond.
    const start = Date.now()
    await until(() => Date.now() > start + 1)
  }
  const before = url()
  t.strictSame(await shown(), [before, before, before])
  const { length } = host.friend.requests
  t.strictSame(await shown(), [before, before, before])
  t.equal(host.friend.requests.length, length)
  expires += 7200
  await later(7_200_000)
  t.strictSame(await shown(), [url(), url(), url()])
  host.friend.isDown = true
  await later(86_400_000)
  t.strictSame(await shown(), ['', '', ''])
})

t.test('a request that comes through another source gets items and no lists', async t => {
  const home = await visit(t, await startFriend(t, { library: libraryOf(['a']) }))
  await readBy(home)
  const library = (await home.source(['other', 'me'])).adapter.library as OrderedLibrary
  t.strictSame([await idsOf(library), await idsOf(library, 'albums')], [[], []])
  t.strictSame(await library.randomIds!({ kind: 'albums' }, 5, call), { ids: [], total: 0 })
  t.match(await library.facets('albums', call), { total: 0, sorts: ['name', 'artist', 'year', 'added'] })
  t.match(await library.items('tracks', ['a1'], call), [{ title: 'Song a1' }])
  t.strictSame([library[stored], library[missingSources]], [true, []])
})

t.test('a friend that hangs does not keep a library from closing', async t => {
  const host = await startFriend(t, { library: libraryOf(['a']) })
  const { status } = await visit(t, host)
  let isAsked = false
  const fetch = () => {
    isAsked = true
    return new Promise<Response>(() => {})
  }
  const lines: object[] = []
  const log = { warn: (details: object) => { lines.push(details) } }
  const { stored } = await visit(t, { fetch }, { status, background: true, log })
  await until(() => isAsked)
  await stored.close()
  t.strictSame(lines, [])
})

t.test('the signal of the client ends a read', async t => {
  const host = await startFriend(t, { library: libraryOf(['a']) })
  const ending = new AbortController()
  const client = createSourceClient({
    baseUrl: 'http://friend.example', authorization: 'good', fetch: host.fetch, signal: ending.signal
  })
  ending.abort(new Error('over'))
  const lines: any[] = []
  const log = { warn: (details: object) => { lines.push(details) } }
  const stored = createSourceLibrary(client, { path: ['me'], background: true, log })
  t.teardown(() => stored.close())
  await until(() => lines.length > 0)
  t.match(lines, [{ err: { message: 'over' } }])
})

const ours = createSourceClient({ baseUrl: 'http://friend.example', authorization: 'good' })

for (const [what, options] of Object.entries({
  path: {},
  'path ': { path: [] },
  'path  ': { path: ['a b'] },
  page: { page: 'player' },
  store: { store: {} },
  background: { background: 1 },
  log: { log: 1 }
})) {
  const name = what.trim()
  t.test(`an option ${name} that is ${JSON.stringify(options)} is an error that names it`, async t => {
    const given = { ...name !== 'path' && { path: ['me'] }, ...options }
    t.throws(() => createSourceLibrary(ours, given as never),
      { code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: new RegExp(`"${name}"`) })
  })
}

t.test('a client that createSourceClient did not make is an error', async t => {
  t.throws(() => createSourceLibrary({ ...ours }, { path: ['me'] }), { message: /"client"/ })
})

t.test('two tokens have two names in a store', async t => {
  const library = libraryOf(['a'])
  const host = await startFriend(t, {})
  host.friend.context = () => ({ adapter: { library }, account: 'me', stateless: false })
  const store = spiedStore()
  for (const authorization of ['one', 'two']) await readBy(await visit(t, host, { store, authorization }))
  t.equal(new Set(store.texts.filter(text => /^[\w-]{43}$/.test(text))).size, 2)
})
