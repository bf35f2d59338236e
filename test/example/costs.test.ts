import t from 'tap'
import { operations } from 'fastify-source-origin'
import { CacheEntries } from '../../lib/cache/entries.ts'
import { Catalogue } from '../../example/catalogue/catalogue.ts'
import { albumColumns, artistColumns, trackColumns } from '../../example/catalogue/item-rows.ts'
import { FolderLibrary } from '../../example/source/folder-library.ts'
import { IndexDatabase } from '../../example/database/index-database.ts'
import { openDatabase } from '../../example/database/open-database.ts'
import { openIndex } from '../../example/index/open-index.ts'
import { State } from '../../example/state/state.ts'
import { StateDatabase } from '../../example/state/state-database.ts'
import { callOf, parametersOf } from '../helper.ts'
import { calls, mediaCalls } from '../subsonic-server/methods.ts'
import { folder, start, token } from './helper.ts'

// What a request costs is counted: statements, passes over the cache, looks at the account. Milliseconds are the
// matter of the campaign `costs`.

const source = await start(t, { PAGE: 'true' })
const demo = (await source.data('/v1/search/tracks?keyword=a&limit=100')).items.map(({ id }: { id: string }) => id)

const counted = { statements: 0, passes: 0, looks: 0 }
const count = <T extends object>(prototype: T, method: keyof T, what: keyof typeof counted) => {
  const original = prototype[method] as (...args: unknown[]) => unknown
  t.intercept(prototype, method, {
    value (...args: unknown[]) {
      counted[what]++
      return Reflect.apply(original, this, args)
    }
  })
}
count(IndexDatabase.prototype, 'all', 'statements')
count(CacheEntries.prototype, 'removeWhere', 'passes')
count(StateDatabase.prototype, 'read', 'looks')

const rest = async (method: string, ...parameters: [string, string][]) => {
  const payload = String(new URLSearchParams([['u', 'ada'], ['p', token], ['c', 'test'], ['f', 'json'], ...parameters]))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await source.call(`/rest/${method}?f=json`, { method: 'POST', headers, payload })
  return answer.json()['subsonic-response']
}
const page = (path: string, payload: object) =>
  source.call(`/page/${path}`, { method: 'POST', headers: { authorization: token }, payload })

/** Ids of tracks that are there, and of others. */
const idsOf = (count: number, isKnown: boolean) => [
  ...isKnown ? demo : [],
  ...Array.from({ length: count }, (_empty, at) => at.toString(16).padStart(20, 'e'))
]
const named = (name: string, ids: readonly string[]) => ids.map((id): [string, string] => [name, `tr-${id}`])
const times = (ids: readonly string[]) => ids.map((_id, at): [string, string] => ['time', String(1e12 + at)])

/** What names items, with so many of them. */
const requests: Record<string, (ids: readonly string[]) => Promise<unknown>> = {
  star: ids => rest('star', ...named('id', ids)),
  unstar: ids => rest('unstar', ...named('id', ids)),
  'scrobble of what was heard': ids => rest('scrobble', ...named('id', ids), ...times(ids)),
  'scrobble of what plays': ids => rest('scrobble', ...named('id', ids), ['submission', 'false']),
  'savePlayQueue and getPlayQueue': async ids => {
    const saved = await rest('savePlayQueue', ...named('id', ids))
    if (saved.status === 'ok') await rest('getPlayQueue')
    return saved
  },
  createPlaylist: ids => rest('createPlaylist', ['name', 'List'], ...named('songId', ids)),
  'a playlist of the page': ids => page('playlist', { name: 'List', add: ids })
}

for (const [name, request] of Object.entries(requests)) {
  for (const isKnown of [false, true]) {
    const what = isKnown ? 'and some that are there' : 'alone'
    const title = `${name}: ids of nothing ${what} cost a statement for each hundred of them at most, and two passes`
    t.test(title, async t => {
      const costOf = async (length: number) => {
        await request(idsOf(1, false))
        const ids = idsOf(length, isKnown)
        Object.assign(counted, { statements: 0, passes: 0, looks: 0 })
        await request(ids)
        return { ...counted }
      }
      const [few, many] = [await costOf(40), await costOf(4040)]
      t.ok(many.statements - few.statements <= 4000 / 100, `${few.statements} and ${many.statements} statements`)
      t.ok(many.passes <= 2, `${many.passes} passes over the cache`)
      t.ok(many.looks - few.looks <= 3 * 4000 / 500, `${few.looks} and ${many.looks} looks at the account`)
    })
  }
}

t.test('nothing is forgotten, and the account is as it was, where nothing changes', async t => {
  await rest('star', ...named('id', demo))
  const { headers: { etag } } = await source.call('/v1/user/favorite/tracks')
  counted.passes = 0
  await rest('star', ...named('id', demo))
  await rest('unstar', ...named('id', idsOf(20, false)))
  t.equal(counted.passes, 0)
  t.equal((await source.call('/v1/user/favorite/tracks')).headers.etag, etag)
  await rest('unstar', ...named('id', demo))
})

t.test('more ids than a call may name are refused with their number', async t => {
  const ids = idsOf(20_001, false)
  for (const [name, request] of Object.entries(requests)) {
    counted.statements = 0
    const answer: any = await request(ids)
    const { message } = answer?.error ?? answer?.json() ?? {}
    t.match(message, /20000 ids/, name)
    t.ok(counted.statements < 10, `${name}: ${counted.statements} statements`)
  }
})

const [none] = idsOf(1, false)
const odd = { 'an id of nothing': none!, '1 MB of text': 'x'.repeat(1_000_000) }

for (const [what, text] of Object.entries(odd)) {
  t.test(`${what}: every operation, method and route is answered, and costs few statements`, async t => {
    const cost = async (name: string, ask: () => Promise<unknown>) => {
      Object.assign(counted, { statements: 0, passes: 0, looks: 0 })
      await ask()
      t.ok(counted.statements < 60 && counted.passes <= 2 && counted.looks < 20, `${name}: ${JSON.stringify(counted)}`)
    }
    for (const operation of operations) {
      const parameters: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(parametersOf(operation))) {
        parameters[name] = typeof value === 'string' ? text : value
      }
      const call = callOf(operation, parameters, { authorization: token })
      await cost(operation.path, () => source.app.inject(call))
    }
    for (const method of new Set([...calls, ...mediaCalls].map(({ method }) => method))) {
      await cost(method, () => rest(method, ...['id', 'albumId', 'artistId', 'playlistId', 'query', 'genre', 'artist']
        .map((name): [string, string] => [name, name.endsWith('d') ? `tr-${text}` : text])))
    }
    const paths =
      ['playlist?id=', 'extras?track=', 'extras?album=', 'download?kind=track&id=', 'plays?offset=0&x=']
    for (const path of paths) {
      await cost(path, () => source.call(`/page/${path}${text}`))
    }
    for (const path of ['audio', 'cover', 'download/playlist']) {
      await cost(path, () => source.call(`/media/${path}/${text}/${text}?expires=9&signature=${text}`))
    }
  })
}

t.test('a play of what the library does not have is not kept', async t => {
  const [unknown] = idsOf(1, false)
  await rest('scrobble', ...named('id', [unknown!]))
  const play = { id: 'p', track: unknown, length: 1000, startedAt: 1, position: 1000, played: 1000, state: 'stopped' }
  t.equal((await page('plays', { now: Date.now(), plays: [play] })).statusCode, 200)
  const { data } = (await source.call('/page/plays?offset=0')).json()
  t.notOk(data.items.some(({ id }: { id: string }) => id === unknown))
})

t.test('texts and names of 1 MB are cut or refused, in each method', async t => {
  const long = 'x'.repeat(1_000_000)
  for (const name of ['query', 'id', 'genre', 'artist', 'title', 'name', 'comment', 'musicFolderId', 'type']) {
    for (const method of ['search3', 'getAlbum', 'getSongsByGenre', 'getTopSongs', 'createPlaylist', 'star']) {
      const { status, error } = await rest(method, [name, long])
      t.ok(status === 'ok' || JSON.stringify(error).length < 300, `${method} ${name}`)
    }
  }
  const parameters = [['id', `tr-${demo[0]}`], ['submission', 'false'], ['c', long], ['u', long]] as [string, string][]
  await rest('scrobble', ...parameters)
  t.ok(JSON.stringify(await rest('getNowPlaying')).length < 10_000)
})

t.test('a playlist of more than a page is changed in pages', async t => {
  const ids = Array.from({ length: 1200 }, (_empty, at) => at.toString(16).padStart(20, '0'))
  const db = await openDatabase(folder(t), '', { warn () {}, info () {} })
  const state = new State(db)
  t.teardown(() => state.close())
  await state.addAccount('ann')
  const known = {
    titles: (tracks: readonly string[]) => new Map(tracks.map(id => [id, id])),
    currentIds: async (tracks: Iterable<string>) => new Map(Array.from(tracks, id => [id, id]))
  }
  const { id } = await state.playlists.edit('ann', { name: 'Long', tracks: ids }, known)
  const moved = [...ids.slice(1), ids[0]!]
  await state.playlists.edit('ann', { id, tracks: moved }, known)
  t.same((await state.playlists.entries(id)).map(({ id }) => id), moved)
})

t.test('an artist, an album and a track are found by their number, and what is counted by an index', async t => {
  const db = openIndex(folder(t), { warn () {} })
  t.teardown(() => db.close())
  for (const [kind, columns] of Object.entries({ artist: artistColumns, album: albumColumns, track: trackColumns })) {
    const plan = db.all<{ detail: string }>(`EXPLAIN QUERY PLAN SELECT ${columns} FROM ${kind} WHERE number = 1`)
    t.same(plan.filter(({ detail }) => detail.startsWith('SCAN')), [], kind)
  }
})

t.test('an album that went to one that is gone too leads to nothing', async t => {
  const db = openIndex(folder(t), { warn () {} })
  t.teardown(() => db.close())
  const [gone, heir] = ['a'.repeat(20), 'b'.repeat(20)]
  db.run("INSERT INTO ids.went (kind, id, heir, tracks) VALUES ('album', ?, ?, 1)", gone, heir)
  const catalogue = new Catalogue(db)
  t.equal((await catalogue.currentIds('album', [gone])).size, 0)
  t.same(await catalogue.knownTracks([gone]), [])
  const library = new FolderLibrary(catalogue, {} as never)
  t.same(await library.ids({ kind: 'albums', sort: 'plays' }), [], 'nobody has heard anything without accounts')
})
