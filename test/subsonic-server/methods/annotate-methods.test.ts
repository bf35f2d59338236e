import { extras, NotFoundError, type PlayEvent, type SourceAdapter } from 'fastify-source-origin'
import { memoryStore } from '../../../lib/queue/text-store.ts'
import t from 'tap'
import { fakeTime } from '../../fake-time.ts'
import { logged } from '../../helper.ts'
import { adapter, ask, ids, login, queryOf, roomy, serve, storeIn, token, type Query } from '../helper.ts'
import { trackOf, wholeLibrary } from '../library.ts'
import { replace } from '../../replace.ts'

t.test('favourites of every kind; the first refusal ends it', async t => {
  const changed: unknown[] = []
  const favor = (kind: string) =>
    (id: string, status: boolean) => { changed.push([kind, id, status]); return { success: id !== 'no', status } }
  const app = await serve(t, {
    adapter: {
      favoriteTrack: favor('track'),
      favoriteAlbum: favor('album'),
      favoriteArtist: favor('artist'),
      favoritePlaylist: favor('playlist')
    } satisfies SourceAdapter
  })
  t.equal((await ask(app, 'star', { id: ['tr-1', 'al-2', 'pl-3'], albumId: 'al-4', artistId: 'ar-5' })).status, 'ok')
  t.match(await ask(app, 'unstar', { id: ['tr-no', 'tr-1'] }), { error: { code: 50, message: /refused that: no$/ } })
  t.strictSame(changed, [
    ['track', '1', true], ['album', '2', true], ['playlist', '3', true], ['album', '4', true], ['artist', '5', true],
    ['track', 'no', false]
  ])
  t.match(await ask(app, 'star', { id: 'sp-daily' }), { error: { code: 50 } })
  t.match(await ask(app, 'star'), { error: { code: 10 } })
  t.match(await ask(app, 'star', { id: '17' }), { error: { code: 70 } })
})

t.test('a play queue belongs to a user; what is gone is left out', async t => {
  const asked: string[] = []
  const app = await serve(t, {
    resolveLogin: ({ secret = '' }) => secret,
    adapter: {
      getTrackDetail: (id: string) => {
        asked.push(id); if (id === 'gone') { throw new NotFoundError() } return trackOf(Number(id), 0)
      }
    }
  })
  const queue = async (more: Query = {}) => (await ask(app, 'getPlayQueue', more)).playQueue
  t.strictSame(await queue(), { username: 'ada', changed: '1970-01-01T00:00:00.000Z', changedBy: '', entry: [] })
  await ask(app, 'savePlayQueue', { id: ['tr-1', 'tr-gone', 'tr-2', 'tr-1'], current: 'tr-2', position: 17 })
  t.match(await queue(), { username: 'ada', current: 'tr-t2-0', position: 17, changedBy: 'test', entry: { length: 3 } })
  t.match((await ask(app, 'getPlayQueueByIndex')).playQueueByIndex, { currentIndex: 1, position: 17 })
  t.strictSame((await queue({ u: 'eve' })).entry, [])
  t.equal((await queue({ u: 'ADA' })).entry.length, 3)
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-1', 'tr-gone'], currentIndex: 1, position: 3 })
  t.match(await queue(), { current: 'tr-t1-0', position: 0 }, 'the current one is gone, and none comes after it')
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-1', 'tr-gone', 'tr-gone', 'tr-2'], currentIndex: 1, position: 3 })
  t.match(await queue(), { current: 'tr-t2-0', position: 0 }, 'the next one that is there')
  await ask(app, 'savePlayQueueByIndex', { id: 'tr-gone', currentIndex: 0, position: 3 })
  t.notOk('current' in await queue() || 'position' in await queue(), 'none is there')
  for (const method of ['savePlayQueue', 'savePlayQueueByIndex']) {
    await ask(app, 'savePlayQueue', { id: 'tr-1' })
    t.equal((await ask(app, method)).status, 'ok')
    t.strictSame((await queue()).entry, [], method)
  }
  t.match(await ask(app, 'savePlayQueue', { id: 'al-1' }), { error: { code: 70 } })
})

t.test('bookmarks and ratings', async t => {
  const kept = new Map<string, string | undefined>()
  const store = storeIn(kept)
  const app = await serve(t, { adapter, store, context: { account: 'a/b' } })
  await ask(app, 'createBookmark', { id: 'tr-t0', position: 7, comment: 'here' })
  await ask(app, 'createBookmark', { id: 'tr-t1', position: 9 })
  const [first] = (await ask(app, 'getBookmarks')).bookmarks.bookmark
  t.match(first, { position: 7, comment: 'here', username: 'ada', entry: { id: 'tr-t0' } })
  await ask(app, 'createBookmark', { id: 'tr-t0', position: 8 })
  t.match((await ask(app, 'getBookmarks')).bookmarks.bookmark.find(({ entry }: any) => entry.id === 'tr-t0'), {
    position: 8, created: first.created
  })
  t.equal((await ask(app, 'getSong', { id: 'tr-t0' })).song.bookmarkPosition, 8)
  await ask(app, 'deleteBookmark', { id: 'tr-t0' })
  t.equal((await ask(app, 'getBookmarks')).bookmarks.bookmark.length, 1)
  t.notOk('bookmarkPosition' in (await ask(app, 'getSong', { id: 'tr-t0' })).song)
  t.match(await ask(app, 'createBookmark', { id: 'tr-none', position: 1 }), { error: { code: 70 } })
  t.match(await ask(app, 'createBookmark', { id: 'tr-t0' }), { error: { code: 10 } })
  await ask(app, 'setRating', { id: 'al-b0', rating: 4 })
  await ask(app, 'setRating', { id: 'tr-t0', rating: 5 })
  await ask(app, 'setRating', { id: 'tr-t0', rating: 0 })
  t.strictSame(JSON.parse(kept.get('a%2Fb/ratings')!), { 'al-b0': 4 })
  t.match(await ask(app, 'setRating', { id: 'tr-t0', rating: 6 }), { error: { code: 10 } })
})

t.test('what was rated is shown with its rating', async t => {
  const app = await serve(t, { library: wholeLibrary(1) })
  const ratings = async () => {
    const { song, album, artist } = (await ask(app, 'search3', {})).searchResult3
    const { child } = (await ask(app, 'getMusicDirectory', { id: 'ar-a0' })).directory
    return [song[0], album[0], artist[0], child[0]].map(({ userRating, averageRating }) => {
      t.equal(averageRating, userRating, 'nobody else has rated it')
      return userRating
    })
  }
  t.strictSame(await ratings(), [undefined, undefined, undefined, undefined])
  for (const [index, id] of ['tr-t0-0', 'al-b0', 'ar-a0'].entries()) {
    await ask(app, 'setRating', { id, rating: index + 1 })
  }
  t.strictSame(await ratings(), [1, 2, 3, 2])
  await ask(app, 'setRating', { id: 'tr-t0-0', rating: 0 })
  t.strictSame(await ratings(), [undefined, 2, 3, 2])
})

t.test('changes of one record at the same time are all kept', async t => {
  const app = await serve(t, { adapter })
  await Promise.all(['t0', 't1', 't2', 't3'].map(id => ask(app, 'createBookmark', { id: `tr-${id}`, position: 1 })))
  t.equal((await ask(app, 'getBookmarks')).bookmarks.bookmark.length, 4)
})

t.test('a store that fails has nothing to read and refuses changes, but plays always end well', async t => {
  const { lines, logger } = logged()
  const fail = async () => { throw new Error('down') }
  const app = await serve(t, { adapter, store: { ...memoryStore(), get: fail, change: fail } }, { ...roomy, logger })
  t.strictSame((await ask(app, 'getBookmarks')).bookmarks.bookmark, [])
  t.match(await ask(app, 'savePlayQueue', { id: 'tr-t0' }), { error: { code: 0 } })
  t.equal((await ask(app, 'scrobble', { id: 'tr-t0' })).status, 'ok')
  t.ok(lines.some(({ msg }) => msg === 'play not counted'))
  const time = fakeTime(t)
  for (const [positionMs, state] of [[0, 'playing'], [9_000_000, 'stopped']] as const) {
    const answer = await ask(app, 'reportPlayback', { mediaId: 'tr-t1', mediaType: 'song', positionMs, state })
    t.equal(answer.status, 'ok')
    time.advance(9_000_000)
  }
  t.equal(lines.filter(({ msg }) => msg === 'play not counted').length, 2)
})

t.test('a store that hangs has nothing to read', async t => {
  const time = fakeTime(t)
  const app = await serve(t, { adapter, store: { ...memoryStore(), get: () => new Promise(() => {}) } })
  const answer = ask(app, 'getSong', { id: 'tr-t0' })
  await time.passUntil(answer)
  t.match(await answer, { status: 'ok', song: { id: 'tr-t0', userRating: undefined } })
})

t.test('a store that hangs with a change ends it, and no answer that can do without', async t => {
  const time = fakeTime(t)
  const store = { ...memoryStore(), change: () => new Promise<void>(() => {}) }
  const starring = { ...adapter, userFavoriteTracks: () => [], favoriteTrack: () => ({ success: true, status: true }) }
  const app = await serve(t, { adapter: starring, store })
  const after = async (method: string) => {
    const began = time.now()
    const answer = ask(app, method, { id: 'tr-t0', position: 1 })
    await time.passUntil(answer)
    return [(await answer).status, time.now() - began]
  }
  t.strictSame(await after('createBookmark'), ['failed', 10_000])
  t.strictSame(await after('star'), ['ok', 0], 'nothing of it is kept')
})

t.test('starred is since when the source says that something is a favourite', async t => {
  const since = '2020-01-01T00:00:00.000Z'
  const kept = new Map<string, string | undefined>()
  const favourites = [
    { ...trackOf(1, 0), id: 't0', [extras]: { starred: since } }, { ...trackOf(1, 0), id: 't1' }
  ]
  const app = await serve(t, {
    adapter: { userFavoriteTracks: () => favourites, getTrackDetail: (id: string) => ({ ...trackOf(1, 0), id }) },
    store: storeIn(kept)
  })
  const { song } = (await ask(app, 'getStarred2')).starred2
  t.strictSame(song.map(({ starred }: any) => starred), [since, '1970-01-01T00:00:00.000Z'])
  t.equal((await ask(app, 'getSong', { id: 'tr-t0' })).song.starred, since, 'the list knows it')
  t.equal(kept.size, 0)
})

t.test('what plays is not noted of a track that the source does not have', async t => {
  const gone = () => { throw new NotFoundError('Track not found') }
  const app = await serve(t, { adapter: { getTrackDetail: gone }, context: { account: 'a' } })
  const query = { mediaId: 'tr-gone', mediaType: 'song', positionMs: 0, state: 'playing' }
  t.match(await ask(app, 'reportPlayback', query), { error: { code: 70 } })
  t.equal((await ask(app, 'scrobble', { id: 'tr-gone' })).status, 'ok')
  t.same((await ask(app, 'getNowPlaying')).nowPlaying.entry ?? [], [])
})

t.test('what is kept for an account is bounded: 8 MiB of each kind, and 50 apps that play are known', async t => {
  const full = { 'another track': { position: 0, comment: 'x'.repeat(8 * 2 ** 20 - 20_000) } }
  const kept = new Map<string, string | undefined>([['a/bookmarks', JSON.stringify(full)]])
  const app = await serve(t, { adapter, store: storeIn(kept), context: { account: 'a' } })
  const bookmark = (index: number, length: number) =>
    ask(app, 'createBookmark', { id: `tr-t${index}`, position: 1, comment: 'x'.repeat(length) })
  t.match(await bookmark(0, 10_001), { error: { code: 10, message: 'Parameter comment has at most 10000 characters' } })
  t.equal((await bookmark(0, 10_000)).status, 'ok')
  t.match(await bookmark(1, 10_000), { error: { code: 50, message: 'There is no room for more bookmarks' } })
  t.equal(Object.keys(JSON.parse(kept.get('a/bookmarks')!)).length, 2)
  for (let index = 0; index < 60; index++) {
    await ask(app, 'scrobble', { id: 'tr-t0', submission: false, c: `client ${index}` })
  }
  t.equal((await ask(app, 'getNowPlaying')).nowPlaying.entry.length, 50)
})

t.test('a store that says null for what it does not have has nothing', async t => {
  const kept = new Map<string, string | undefined>()
  const store = { ...storeIn(kept), get: async (key: string) => kept.get(key) ?? null }
  const app = await serve(t, { adapter, store })
  t.match(await ask(app, 'getPlayQueue'), { status: 'ok', playQueue: { entry: [] } })
  t.match(await ask(app, 'getBookmarks'), { status: 'ok', bookmarks: { bookmark: [] } })
  await ask(app, 'createBookmark', { id: 'tr-t0', position: 1 })
  t.match(await ask(app, 'getBookmarks'), { bookmarks: { bookmark: [{ entry: { id: 'tr-t0' } }] } })
})

for (const [title, query, shown] of [
  ['the first', { currentIndex: 0, position: 5 }, { currentIndex: 0, position: 5 }],
  ['the last', { currentIndex: 2, position: 5 }, { currentIndex: 2, position: 5 }],
  ['one without a position', { currentIndex: 1 }, { currentIndex: 1, position: 0 }],
  ['written as another number', { currentIndex: '1.0', position: '83250.625' },
    { currentIndex: 1, position: 83251 }],
  ['at a position in powers', { currentIndex: '.1e+1', position: '1.2e+05' }, { currentIndex: 1, position: 120000 }],
  ['at a position with a plus that is not escaped', { currentIndex: 0, position: '1.2e 05' },
    { currentIndex: 0, position: 120000 }],
  ['at a position that no number can tell', { currentIndex: 0, position: '1e300' },
    { currentIndex: 0, position: Number.MAX_SAFE_INTEGER }]
] as [string, Query, object][]) {
  t.test(`a queue whose current song is ${title}`, async t => {
    const app = await serve(t, { adapter: { getTrackDetail: (id: string) => trackOf(Number(id), 0) } })
    await ask(app, 'savePlayQueueByIndex', { id: ['tr-1', 'tr-2', 'tr-1'], ...query })
    const { changed, entry, ...rest } = (await ask(app, 'getPlayQueueByIndex')).playQueueByIndex
    t.strictSame(rest, { username: 'ada', changedBy: 'test', ...shown })
    t.match(changed, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
    t.strictSame(ids(entry), ['tr-t1-0', 'tr-t2-0', 'tr-t1-0'])
  })
}

t.test('the current song of a queue is told by its id in the one form and by its place in the other', async t => {
  const app = await serve(t, {
    adapter: {
      getTrackDetail: (id: string) => {
        if (id === 'gone') { throw new NotFoundError() } return { ...trackOf(1, 0), id }
      }
    }
  })
  const current = async () => [
    (await ask(app, 'getPlayQueue')).playQueue.current,
    (await ask(app, 'getPlayQueueByIndex')).playQueueByIndex.currentIndex
  ]
  await ask(app, 'savePlayQueue', { id: ['tr-a', 'tr-b'], current: 'tr-a' })
  t.strictSame(await current(), ['tr-a', 0])
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-gone', 'tr-a', 'tr-b'], currentIndex: 2 })
  t.strictSame(await current(), ['tr-b', 1], 'what is gone is not counted')
  await ask(app, 'savePlayQueue', { id: ['tr-a', 'tr-b'] })
  t.strictSame(await current(), ['tr-a', 0], 'one has to be')
  await ask(app, 'savePlayQueue', { id: ['tr-a', 'tr-b'], current: 'tr-c', position: 1 })
  t.strictSame(await current(), ['tr-a', 0])
  t.equal((await ask(app, 'getPlayQueue')).playQueue.position, 0, 'the position was in another one')
  t.match(await ask(app, 'savePlayQueue', { id: 'tr-a', current: 'al-a' }), { error: { code: 70 } })
})

t.test('a call with a number that is none changes nothing', async t => {
  const app = await serve(t, { adapter: { getTrackDetail: (id: string) => ({ ...trackOf(1, 0), id }) } })
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-a', 'tr-b'], currentIndex: 1, position: 7 })
  await ask(app, 'createBookmark', { id: 'tr-a', position: 7 })
  for (const position of ['-5', 'abc']) {
    await ask(app, 'savePlayQueue', { id: 'tr-c', position })
    await ask(app, 'savePlayQueueByIndex', { id: 'tr-c', currentIndex: 0, position })
    await ask(app, 'createBookmark', { id: 'tr-a', position })
  }
  await ask(app, 'savePlayQueueByIndex', { id: ['tr-c'], currentIndex: 1 })
  t.match((await ask(app, 'getPlayQueue')).playQueue, { current: 'tr-b', position: 7 })
  t.match((await ask(app, 'getBookmarks')).bookmarks.bookmark, [{ position: 7 }])
})

t.test('where the source names no account, each user name has a queue, in any case', async t => {
  const kept = new Map<string, string | undefined>()
  const app = await serve(t, { adapter, store: storeIn(kept) })
  await ask(app, 'savePlayQueue', { u: 'Ada/L', id: 'tr-t0' })
  t.equal((await ask(app, 'getPlayQueue', { u: 'ADA/L' })).playQueue.entry.length, 1)
  t.equal((await ask(app, 'getPlayQueue', { u: 'ann' })).playQueue.entry.length, 0)
})

t.test('the queues of the last 16 user names are kept, and 1 MiB of their ids', async t => {
  const kept = new Map<string, string | undefined>()
  const app = await serve(t, { adapter, store: storeIn(kept) })
  const post = async (u: string, ids: readonly string[]) => (await app.inject({
    method: 'POST',
    url: '/rest/savePlayQueue',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: queryOf({ ...login, f: 'json', u, id: ids })
  })).json()['subsonic-response']
  const users = async () => {
    const texts = [...kept.values()].filter(text => text !== undefined)
    t.equal(texts.length, 1)
    return JSON.parse(texts[0]!).map(([name]: [string]) => name)
  }
  const names = ['0', 'ann', '__proto__', ...Array.from({ length: 15 }, (_empty, index) => `${99 - index}`)]
  for (const u of [...names, 'ann']) await post(u, ['tr-t0'])
  t.strictSame(await users(), [...names.slice(3), 'ann'])
  t.equal((await ask(app, 'getPlayQueue', { u: 'ann' })).playQueue.entry.length, 1)
  t.equal((await ask(app, 'getPlayQueue', { u: '0' })).playQueue.entry.length, 0)
  const half = Array.from({ length: 4100 }, () => `tr-${'x'.repeat(128)}`)
  for (const u of ['one', 'two']) t.equal((await post(u, half)).status, 'ok')
  t.strictSame(await users(), ['two'])
  await post('two', [])
  t.strictSame([...kept.values()], [undefined])
})

t.test('a play queue of more than 5,000 songs or a megabyte of ids is refused, and the one before stays', async t => {
  const kept = new Map<string, string | undefined>()
  const app = await serve(t, { adapter, store: storeIn(kept), context: { account: 'a' } })
  const save = async (count: number) => (await app.inject({
    method: 'POST',
    url: '/rest/savePlayQueue',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `u=ada&p=${token}&f=json&${Array.from({ length: count }, () => `id=tr-${'x'.repeat(128)}`).join('&')}`
  })).json()['subsonic-response']
  t.equal((await save(5000)).status, 'ok')
  t.match(await save(5001), { error: { code: 10, message: 'A play queue has at most 5000 songs' } })
  t.match(await save(8193), { error: { code: 10, message: 'The ids of a play queue have at most 1048576 bytes' } })
  t.equal(JSON.parse(kept.get('a/queue')!).entries.length, 5000)
})

t.test('a form with more parameters than the ids that a call may name is refused before it is parsed', async t => {
  const app = await serve(t, { adapter })
  const post = async (count: number) => (await app.inject({
    method: 'POST',
    url: `/rest/ping?u=ada&p=${token}&f=json`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'a=1&'.repeat(count)
  })).json()['subsonic-response']
  t.equal((await post(20_099)).status, 'ok')
  const message = 'A form has at most 20100 parameters, and a call names 20000 ids'
  t.match(await post(20_100), { error: { message } })
})

t.test('a store keeps each thing under the account and what it is, and one queue of an account', async t => {
  const kept = new Map<string, string | undefined>()
  const store = storeIn(kept)
  const app = await serve(t, { adapter, store, context: { account: 'a/b' }, resolveLogin: ({ secret = '' }) => secret })
  await ask(app, 'savePlayQueueByIndex', { u: 'Ada/L', id: ['tr-t0', 'tr-t1'], currentIndex: 1, position: 7 })
  await ask(app, 'createBookmark', { id: 'tr-t0', position: 1 })
  await ask(app, 'setRating', { id: 'tr-t0', rating: 1 })
  const now = Date.UTC(2026, 0, 1)
  replace(t, Date, 'now', () => now)
  const id = ['tr-t0', 'tr-t1', 'tr-t2', 'tr-t3']
  await ask(app, 'scrobble', { id, time: [1_700_000_000, 'x', now - 0.4, 2 * now] })
  const kinds = ['queue', 'now', 'devices', 'bookmarks', 'ratings', 'plays']
  t.strictSame([...kept.keys()], kinds.map(kind => `a%2Fb/${kind}`))
  const { entries, current } = JSON.parse(kept.get('a%2Fb/queue')!)
  t.strictSame(entries.map(([, track]: string[]) => track), ['t0', 't1'])
  t.match(JSON.parse(kept.get('a%2Fb/now')!), {
    entry: entries[1][0], position: 7, isPlaying: false, device: 'app:test'
  })
  t.equal(current, entries[1][0])
  t.strictSame(JSON.parse(kept.get('a%2Fb/plays')!), [
    { id: 't0', at: 1_700_000_000_000 }, ...['t1', 't2', 't3'].map(id => ({ id, at: now }))
  ], 'seconds are no milliseconds; what is no time, or of the future, is now')
  await ask(app, 'savePlayQueue', { u: 'another' })
  t.strictSame(JSON.parse(kept.get('a%2Fb/queue')!).entries, [])
  const restarted = await serve(t, { adapter, store, context: { account: 'a/b' } })
  await ask(restarted, 'scrobble', { id, time: 1_700_000_000 })
  t.equal(JSON.parse(kept.get('a%2Fb/plays')!).length, 4, 'an app tells them again after a restart')
})

t.test('what is playing is the last song of each user and app, for ten minutes', async t => {
  const start = Date.now()
  let later = 0
  replace(t, Date, 'now', () => start + later)
  const app = await serve(t, { adapter, resolveLogin: ({ secret = '' }) => secret })
  const playing = async () => (await ask(app, 'getNowPlaying')).nowPlaying.entry.map(
    ({ id, username, playerName, playerId, minutesAgo }: any) => [id, username, playerName, playerId, minutesAgo]
  )
  await ask(app, 'scrobble', { id: ['tr-t0', 'tr-t1'], submission: false })
  later = 59_999
  t.strictSame(await playing(), [['tr-t1', 'ada', 'test', 0, 0]])
  later = 60_000
  await ask(app, 'scrobble', { id: 'tr-t2', submission: false, u: 'eve' })
  await ask(app, 'scrobble', { id: 'tr-t2', submission: false, c: 'other' })
  t.strictSame(await playing(), [
    ['tr-t1', 'ada', 'test', 0, 1], ['tr-t2', 'eve', 'test', 0, 0], ['tr-t2', 'ada', 'other', 0, 0]
  ])
  await ask(app, 'scrobble', { id: 'tr-t3', submission: false })
  later = 660_000
  t.strictSame(await playing(), [
    ['tr-t2', 'eve', 'test', 0, 10], ['tr-t2', 'ada', 'other', 0, 10], ['tr-t3', 'ada', 'test', 0, 10]
  ])
  later = 660_001
  t.strictSame(await playing(), [])
})

for (const [title, sent, username] of [
  ['the user name', { u: 'ada', p: token }, 'ada'],
  ['not a user name that is the secret', { u: token, p: token }, 'fastify-source-origin'],
  ['the name of the server for an API key', { u: undefined, p: undefined, apiKey: token }, 'fastify-source-origin']
] as const) {
  t.test(`other accounts see who is playing: ${title}`, async t => {
    const app = await serve(t, { adapter, context: { account: 'ann', sharesPlaying: true } })
    await ask(app, 'scrobble', { id: 'tr-t0', submission: false, ...sent })
    t.match((await ask(app, 'getNowPlaying')).nowPlaying.entry, [{ username }])
  })
}

t.test('plays are told to the adapter, whatever an app calls, and each once', async t => {
  const time = fakeTime(t)
  const events: PlayEvent[] = []
  const source = { ...adapter, onPlay: (event: PlayEvent) => { events.push(event) } }
  const app = await serve(t, { adapter: source, context: { account: 'ann', sharesPlaying: true } })
  const { track: { durationMs } } = { track: await adapter.getTrackDetail('t0') }
  const report = (state: string, positionMs: number, more: Query = {}) =>
    ask(app, 'reportPlayback', { mediaId: 'tr-t0', mediaType: 'song', state, positionMs, ...more })
  await report('starting', 0)
  await report('playing', 0)
  time.advance(durationMs / 2)
  t.match((await ask(app, 'getNowPlaying')).nowPlaying.entry, [
    { id: 'tr-t0', username: 'ada', state: 'playing', positionMs: durationMs / 2, playbackRate: 1 }
  ])
  t.notOk('state' in (await ask(app, 'getNowPlaying', { v: '1.12.0' })).nowPlaying.entry[0], 'old apps know none')
  await report('playing', durationMs / 2)
  await report('stopped', durationMs, { playbackRate: '1.5' })
  await ask(app, 'scrobble', { id: 'tr-t0' })
  await ask(app, 'scrobble', { id: 'tr-t1', time: time.now() })
  t.strictSame((await ask(app, 'getNowPlaying')).nowPlaying.entry, [])
  t.match(events.map(({ track, state, counted }) => [track, state, counted]), [
    ['t0', 'starting', false], ['t0', 'playing', false], ['t0', 'playing', true], ['t0', 'stopped', false],
    ['t1', 'stopped', true]
  ])
  t.match(events[0], { account: 'ann', client: 'test' })
})

for (const [title, query, message] of [
  ['without a position', { state: 'playing' }, 'Required parameter is missing: positionMs'],
  ['in another state', { state: 'dreaming', positionMs: 0 }, /^Parameter state must be one of starting, playing/],
  ['of another kind', { state: 'playing', positionMs: 0, mediaType: 'podcast' }, 'Parameter mediaType must be song'],
  ['at no speed', { state: 'playing', positionMs: 0, playbackRate: 0 }, /^Parameter playbackRate must be a number from/]
] as [string, Query, string | RegExp][]) {
  t.test(`a report of a play ${title} is refused`, async t => {
    const app = await serve(t, { adapter })
    const answer = await ask(app, 'reportPlayback', { mediaId: 'tr-t0', mediaType: 'song', ...query })
    t.match(answer, { error: { code: 10, message } })
  })
}

t.test('a bookmark has its place, words, user and times, and stays where another one goes', async t => {
  const start = Date.UTC(2026, 0, 1)
  const [first, second] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z']
  const app = await serve(t, { adapter })
  let now = start
  replace(t, globalThis, 'Date', class extends Date {
    constructor (...given: any[]) { super(...(given.length === 0 ? [now] : given) as [any]) }
  } as any)
  for (const id of ['tr-t0', 'tr-t1']) await ask(app, 'createBookmark', { id, position: 7, comment: id })
  now += 1000
  await ask(app, 'createBookmark', { id: 'tr-t1', position: 8 })
  await ask(app, 'createBookmark', { id: 'tr-t2', position: 0 })
  await ask(app, 'deleteBookmark', { id: 'tr-t2' })
  t.strictSame((await ask(app, 'getBookmarks')).bookmarks.bookmark.map(({ entry, ...rest }: any) => [entry.id, rest]), [
    ['tr-t0', { position: 7, comment: 'tr-t0', username: 'ada', created: first, changed: first }],
    ['tr-t1', { position: 8, comment: '', username: 'ada', created: first, changed: second }]
  ])
})
