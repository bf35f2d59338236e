import { capabilities } from 'fastify-source-origin'
import { checkSource } from 'fastify-source-origin/check'
import { sql } from 'kysely'
import { cpSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { countTimedTurns } from '../count-turns.ts'
import { addPlays, KeptPlays } from '../../example/state/kept-plays.ts'
import { SilentPlayers } from '../../example/state/silent-players.ts'
import { StateDatabase } from '../../example/state/state-database.ts'
import { State } from '../../example/state/state.ts'
import { openDatabase } from '../../example/database/open-database.ts'
import { fakeTime } from '../fake-time.ts'
import { emptyDatabases, startPostgres } from '../postgres.ts'
import { replace } from '../replace.ts'
import { skipWithout } from '../services.ts'
import {
  as, command, demo, folder, hear, mp3, pathOf, scan, start, startWith, tokenIn, until, write, type Source
} from './helper.ts'

skipWithout('PostgreSQL', t, /^PostgreSQL/)

const quiet = { warn () {}, info () {} }
const database = emptyDatabases(t)

/** The same tests for both engines. */
const engines: Record<string, () => Promise<Record<string, string>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: await database() })
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)
const tracksOf = async ({ data }: Source, count: number): Promise<any[]> =>
  (await data(`/v1/search/tracks?keyword=a&limit=${count}`)).items

// Their names have no letter of the searches for the tracks of the demo.
const edited = ['1', '2', '3', '4']
const oneTrack = { 'a.mp3': mp3({ title: 'A', artist: 'Ada' }) }
const together = Array.from({ length: 10 }, (_, index) => `${10 + index}`)

for (const [engine, open] of Object.entries(engines)) {
  t.test(engine, async t => {
    const env = await open()
    const DATA_DIR = folder(t)
    const MUSIC_DIR = folder(t, Object.fromEntries([
      ...edited.map(title => [`${title}.mp3`, mp3({ title, artist: 'Pip', album: 'Edited' })]),
      ...together.map(title => [`${title}.mp3`, mp3({ title, artist: 'Pip', album: 'Together' })]),
      ['Here.mp3', mp3({ title: 'Here', artist: 'Pip', album: 'Kept' })],
      ['Gone.mp3', mp3({ title: 'Gone', artist: 'Pip', album: 'Kept' })]
    ]))
    cpSync(demo, MUSIC_DIR, { recursive: true })
    /** The owner of a source for all tests, which has no favourites and plays. */
    const source = await start(t, { ...env, DATA_DIR, MUSIC_DIR, PAGE: 'true' })
    const { data } = source
    /** An account of a test alone. */
    const account = async (name: string) => {
      const token = tokenIn(await command(DATA_DIR, ['add', name]))
      return { ...as(source, token), token }
    }
    const db = await openDatabase(folder(t), env.DATABASE_URL ?? '', quiet)
    const state = new State(db)
    t.teardown(() => state.close())

    t.test('plays of a track that are closer together than half of it are one', async t => {
      await state.addAccount('often')
      const { listener } = await state.viewer('often')
      const first = Date.now() - 1_000_000
      for (const ago of [0, 0, 99_999, 100_000]) {
        await state.plays.add(listener, { track: 'a', length: 200_000, playedAt: first - ago })
      }
      t.match(await state.plays.heard('often'), [{ id: 'a', plays: 2 }])
    })

    t.test('the history of the page is what the account has heard, in whatever app', async t => {
      const { data, call, token } = await account('historian')
      const [one, two] = await tracksOf(source, 2)
      const told = new URLSearchParams({ u: 'x', p: token, c: 'an app', id: `tr-${one.id}`, time: '1735689600000' })
      await source.app.inject(`/rest/scrobble?${told}`)
      const now = Date.now()
      const play = { id: 'p', track: two.id, length: 60_000, startedAt: now, position: 0, played: 0, state: 'playing' }
      const tell = (played: number) => call('/page/plays', {
        method: 'POST', payload: { now: Date.now(), plays: [{ ...play, played }] }
      })
      const history = async () => (await data('/page/plays')).items.map(({ id }: any) => id)
      await tell(10_000)
      t.same(await history(), [one.id], 'a skip is none')
      await tell(30_000)
      t.same(await history(), [two.id, one.id])
    })

    t.test('a play that is told of what cannot be a track is no error, and those with it count', async t => {
      const { data, call, lines } = await account('odd')
      const [{ id }] = await tracksOf(source, 1)
      const now = Date.now()
      const play = { length: 60_000, startedAt: now, position: 60_000, played: 60_000, state: 'stopped' }
      const plays = ['a\u0000b', '\ud800', 'no id', id].map((track, index) => ({ ...play, id: `${index}`, track }))
      const told = await call('/page/plays', { method: 'POST', payload: { now, plays } })
      t.equal(told.statusCode, 200)
      t.equal((await data('/page/plays')).items[0].id, id)
      t.notOk(lines.some(({ level }) => level >= 50))
    })

    t.test('all capabilities of the contract show', async t => {
      const status = await data('/v1/status')
      t.same(status.capabilities, capabilities.map(({ name }) => name))
      t.equal(status.stateless, false)
    })

    t.test('the conformance check with writes has nothing to say', async t => {
      const { app, token } = await account('checked')
      const { outcome, findings } = await checkSource({ app, authorization: token, write: true })
      t.strictSame(findings, [])
      t.equal(outcome, 'ok')
    })

    t.test('an edit of a playlist with a track whose file is gone is one change', async t => {
      const { token } = await account('editor')
      const rest = async (method: string, query: [string, string][]) => (await source.app.inject(`/rest/${method}?${
        new URLSearchParams([['f', 'json'], ['u', 'x'], ['p', token], ...query])}`)).json()['subsonic-response']
      const { song } = (await rest('search3', [['query', 'Edited']])).searchResult3
      const [a, b, c, d] = edited.map(title => song.find((song: any) => song.title === title).id)
      const ids = (list: string[], name = 'songId') => list.map((id): [string, string] => [name, id])
      const unknown = 'tr-00000000000000000000'
      const count = async () => (await rest('getPlaylists', [])).playlists.playlist.length
      const lists = await count()
      t.match(await rest('createPlaylist', [['name', 'L'], ...ids([a, unknown, b])]),
        { error: { code: 70, message: `Track not found: ${unknown.slice(3)}` } })
      t.equal(await count(), lists, 'no list is left behind')
      const { playlist: { id } } = await rest('createPlaylist', [['name', 'L'], ...ids([a, b, c, d])])
      const entries = async () => (await rest('getPlaylist', [['id', id]])).playlist.entry.map(({ id }: any) => id)
      renameSync(join(MUSIC_DIR, `${edited[1]}.mp3`), join(folder(t), 'gone.mp3'))
      await scan(source)
      t.equal((await rest('getSong', [['id', b]])).status, 'failed')
      t.strictSame(await entries(), [a, b, c, d])
      const edit = (...query: [string, string][]) => rest('updatePlaylist', [['playlistId', id], ...query])
      const put = (list: string[]) => rest('createPlaylist', [['playlistId', id], ...ids(list)])
      t.match(await edit(['name', 'x'.repeat(301)]), { error: { code: 10, message: /300 characters/ } })
      t.equal((await put([d, b, a, c])).status, 'ok')
      t.strictSame(await entries(), [d, b, a, c])
      const all = ids(['0', '1', '2', '3'], 'songIndexToRemove')
      t.equal((await edit(...all, ...ids([a, b, c], 'songIdToAdd'))).status, 'ok')
      t.strictSame(await entries(), [a, b, c])
      t.match(await put([c, unknown]), { error: { code: 70 } })
      t.match(await edit(['name', 'M'], ['songIndexToRemove', '0'], ['songIdToAdd', unknown]), { error: { code: 70 } })
      t.match(await edit(['songIndexToRemove', '0'], ['songIndexToRemove', '3']), { error: { code: 10, message: /place 3$/ } })
      t.strictSame([(await rest('getPlaylist', [['id', id]])).playlist.name, await entries()], ['L', [a, b, c]])
      t.equal((await edit(['name', 'M'], ['comment', 'C'], ['songIndexToRemove', '1'])).status, 'ok')
      t.match((await rest('getPlaylist', [['id', id]])).playlist,
        { name: 'M', comment: 'C', entry: [{ id: a }, { id: c }] })
      t.match(await edit(['songIdToAdd', b]), { error: { code: 70 } }, 'it is no longer in it')
      t.match(await rest('star', ids([a, unknown], 'id')), { error: { code: 70, message: /Track not found: 0{20}$/ } })
      t.strictSame((await rest('getStarred2', [])).starred2.song, [])
      t.equal((await rest('star', ids([a, c], 'id'))).status, 'ok')
      t.equal((await rest('unstar', ids([a, unknown], 'id'))).status, 'ok')
      t.match((await rest('getStarred2', [])).starred2.song, [{ id: c }])
    })

    t.test('a playlist is made, filled, changed, emptied and deleted', async t => {
      const [one, two] = await tracksOf(source, 2)
      const { id, name } = await write(source, 'playlist/create', { name: 'Evening' })
      t.equal(name, 'Evening')
      for (const trackId of [one.id, two.id, one.id]) {
        t.same(await write(source, 'playlist/addTrack', { playlistId: id, trackId }), { success: true })
      }
      const detail = await data(`/v1/playlist/detail?id=${id}`)
      t.same(idsOf(detail.tracks), [one.id, two.id, one.id])
      t.match(detail, {
        trackCount: 3, creator: { id: 'owner', name: 'owner' }, coverUrl: one.album.coverUrl.split('?')[0]
      })
      t.same(idsOf((await data(`/v1/playlist/detail?id=${id}&sort=title&order=desc`)).tracks).length, 3)
      t.same(idsOf((await data(`/v1/playlist/detail?id=${id}&trackLimit=1`)).tracks), [one.id])
      t.match(await write(source, 'playlist/update', { id, name: 'Night', description: 'Late' }), {
        id, name: 'Night', description: 'Late', trackCount: 3
      })
      await write(source, 'playlist/removeTrack', { playlistId: id, trackId: one.id })
      t.same(idsOf((await data(`/v1/playlist/detail?id=${id}`)).tracks), [two.id])
      t.ok(idsOf(await data('/v1/user/playlist/list')).includes(id))
      await write(source, 'playlist/delete', { id })
      t.notOk(idsOf(await data('/v1/user/playlist/list')).includes(id))
      await t.rejects(data(`/v1/playlist/detail?id=${id}`), { message: '404 Playlist not found' })
      for (const [path, body] of Object.entries({
        'playlist/update': { id, name: 'x', description: '' },
        'playlist/delete': { id },
        'playlist/addTrack': { playlistId: id, trackId: one.id },
        'playlist/removeTrack': { playlistId: id, trackId: one.id }
      })) await t.rejects(write(source, path, body), { message: '404 Playlist not found' }, path)
    })

    t.test('searches find the caller\'s own playlists, before those of the folder', async t => {
      const [file] = (await source.data('/v1/playlist/list?category=files')).items
      const search = async ({ data }: Source, keyword: string, more = '') =>
        data(`/v1/search/playlists?keyword=${encodeURIComponent(keyword)}${more}`)
      const { id } = await write(source, 'playlist/create', { name: `My ${file.name}` })
      await write(source, 'playlist/update', { id, name: `My ${file.name}`, description: 'zzyzx' })
      t.same(idsOf((await search(source, 'zzyz')).items), [id])
      t.same(idsOf((await search(source, file.name)).items), [id, file.id])
      t.match(await search(source, file.name, '&limit=1'), { items: [{ id, creator: { id: 'owner' } }], hasMore: true })
      t.match(await search(source, file.name, '&offset=1'), { items: [{ id: file.id }], hasMore: false })
      t.same(idsOf((await search(await account('searcher'), file.name)).items), [file.id])
      await write(source, 'playlist/delete', { id })
      t.same((await search(source, 'zzyz')).items, [])
    })

    t.test('what cannot be kept is a 400 or 404 with a sentence', async t => {
      await t.rejects(write(source, 'playlist/create', { name: 'a\0b' }), { message: /^400 Invalid parameter name: / })
      await t.rejects(write(source, 'playlist/create', { name: '\ud800' }), {
        message: /^400 Invalid parameter name: /
      })
      await t.rejects(write(source, 'playlist/create', { name: '\0'.repeat(301) }), {
        message: /^400 Invalid parameter name: 300 /
      })
      await t.rejects(write(source, 'playlist/delete', { id: 'a\0b' }), { message: /^404 / })
      await t.rejects(write(source, 'track/favorite', { id: 'nothing', status: false }), { message: /^404 / })
      await t.rejects(write(source, 'track/favorite', { id: '0'.repeat(20), status: true }), { message: /^404 / })
    })

    t.test('20 writers at once on one playlist keep what each adds, after that of earlier writers', async t => {
      const tracks = idsOf((await data('/v1/search/tracks?keyword=together&limit=50')).items)
      t.equal(tracks.length, 10)
      const { id } = await write(source, 'playlist/create', { name: 'Together' })
      const add = (ids: string[]) =>
        Promise.all([...ids, ...ids].map(trackId => write(source, 'playlist/addTrack', { playlistId: id, trackId })))
      await add(tracks.slice(0, 5))
      await add(tracks)
      const kept = idsOf((await source.data(`/v1/playlist/detail?id=${id}`)).tracks)
      // Those that write at once have no order among themselves: PostgreSQL answers on many connections.
      const twice = (ids: string[]) => [...ids, ...ids].sort()
      t.strictSame(kept.slice(0, 10).sort(), twice(tracks.slice(0, 5)))
      t.strictSame(kept.slice(10).sort(), twice(tracks))
    })

    t.test('playlists of the folder are read-only, and can be favourites', async t => {
      const [list] = (await source.data('/v1/playlist/list?category=files')).items
      const [track] = await tracksOf(source, 1)
      for (const [path, body] of Object.entries({
        'playlist/update': { id: list.id, name: 'x', description: '' },
        'playlist/delete': { id: list.id },
        'playlist/addTrack': { playlistId: list.id, trackId: track.id },
        'playlist/removeTrack': { playlistId: list.id, trackId: track.id }
      })) {
        await t.rejects(
          write(source, path, body),
          { message: /^422 This playlist is made of the music folder and cannot be changed here/ }, path
        )
      }
      t.same(await write(source, 'playlist/favorite', { id: list.id, status: true }), { success: true, status: true })
      t.ok(idsOf(await source.data('/v1/user/playlist/list')).includes(list.id))
      await write(source, 'playlist/favorite', { id: list.id, status: false })
    })

    t.test('favourites are told in lists, search, details and nested', async t => {
      const source = await account('fan')
      const { data } = source
      const [track, other] = await tracksOf(source, 20)
      const artist = track.artists[0]
      await write(source, 'track/favorite', { id: track.id, status: true })
      await write(source, 'artist/favorite', { id: artist.id, status: true })
      await write(source, 'album/favorite', { id: track.album.id, status: true })
      const now = await data(`/v1/track?id=${track.id}`)
      t.match(now, { favorite: true, album: { favorite: true }, artists: [{ favorite: true }] })
      t.equal((await data(`/v1/artist/detail?id=${artist.id}`)).favorite, true)
      t.equal((await data(`/v1/album/detail?id=${track.album.id}`)).favorite, true)
      t.equal((await tracksOf(source, 20)).find(({ id }) => id === track.id).favorite, true)
      t.equal((await data(`/v1/track?id=${other.id}`)).favorite, false)
      t.same(idsOf(await data('/v1/user/favorite/tracks')), [track.id])
      t.same(idsOf(await data('/v1/user/artist/list')), [artist.id])
      t.same(idsOf(await data('/v1/user/album/list')), [track.album.id])
      await write(source, 'track/favorite', { id: track.id, status: false })
      await write(source, 'artist/favorite', { id: artist.id, status: false })
      await write(source, 'album/favorite', { id: track.album.id, status: false })
      t.same(await data('/v1/user/favorite/tracks'), [])
      t.equal((await data(`/v1/track?id=${track.id}`)).favorite, false)
    })

    t.test('a playlist that is gone meanwhile is not changed', async t => {
      await state.addAccount('late')
      const known = { titles: () => new Map(), currentIds: async () => new Map() }
      const message = /Playlist/
      await t.rejects(state.playlists.edit('late', { id: 'gone', name: 'x' }, known), { message })
      await t.rejects(state.playlists.addTrack('late', 'gone', { id: 'track', title: '' }), { message })
      await t.rejects(state.playlists.removeTracks('late', 'gone', ['track']), { message })
    })

    t.test('toplists count what was heard in their time, in one query', async t => {
      await state.addAccount('toplists')
      const plays = { old: [10, 20, 30], both: [20, 90, 95], young: [92] }
      await addPlays(db, Object.entries(plays).flatMap(([track, times]) =>
        times.map(time => ({ account: 'toplists', track, played_at: time }))))
      const { read } = StateDatabase.prototype
      let queries = 0
      replace(t, StateDatabase.prototype, 'read', function (this: StateDatabase, run: any) {
        queries++
        return read.call(this, run)
      } as never)
      const times = [90, 0, 100]
      const found = await state.plays.heardSince('toplists', times)
      t.equal(queries, 1)
      t.same(found[0], [{ id: 'both', plays: 2, last: 95 }, { id: 'young', plays: 1, last: 92 }])
      for (const [index, time] of times.entries()) t.same(found[index], await state.plays.heard('toplists', time))
    })

    t.test('all toplists read plays once', async t => {
      const { heardSince } = KeptPlays.prototype
      let reads = 0
      replace(t, KeptPlays.prototype, 'heardSince', function (this: KeptPlays, account: string, times) {
        reads++
        return heardSince.call(this, account, times)
      })
      t.ok((await data('/v1/toplist/list')).length > 0)
      t.equal(reads, 1)
    })

    t.test('what was heard counts once, wherever it is told, and audio that is only opened does not', async t => {
      const source = await account('listener')
      const { data, call, token } = source
      const before = await data('/v1/toplist/list')
      t.same(before.map(({ name, list }: any) => [name, idsOf(list)]), [['Library', ['added']]])
      t.same((await data('/v1/toplist/detail?id=week')).tracks, [])
      const tracks = await tracksOf(source, 3)
      const [opened, , played] = tracks
      const { url } = await data(`/v1/track/url?id=${opened.id}`)
      for (const headers of [{ range: 'bytes=0-0' }, {}]) await call(pathOf(url), { headers })
      const notice = new URLSearchParams({ u: 'x', p: token, id: `tr-${opened.id}`, submission: 'false' })
      await call(`/rest/scrobble?${notice}`)
      for (let time = 0; time < 3; time++) await hear(source, token, played.id)
      await until(async () => (await data('/v1/toplist/detail?id=recent')).trackCount > 0)
      for (const type of ['recent', 'frequent']) {
        const query = new URLSearchParams({ f: 'json', u: 'x', p: token, type })
        const { album } = (await call(`/rest/getAlbumList2?${query}`)).json()['subsonic-response'].albumList2
        t.same(idsOf(album), [`al-${played.album.id}`])
        t.match(album, [{ playCount: 1, played: String }])
        const { song } = (await call(`/rest/getAlbum?${query}&id=${album[0].id}`)).json()['subsonic-response'].album
        t.match(song.filter(({ playCount }: any) => playCount > 0), [{ id: `tr-${played.id}`, playCount: 1 }])
      }
      for (const id of ['week', 'month', 'ever', 'recent']) {
        t.same(idsOf((await data(`/v1/toplist/detail?id=${id}`)).tracks), [played.id], id)
      }
      t.same((await data('/v1/toplist/list')).map(({ list }: any) => idsOf(list)), [
        ['week', 'month', 'ever', 'recent'], ['added']
      ])
      await t.rejects(data('/v1/toplist/detail?id=nothing'), { message: '404 Toplist not found' })
      t.equal((await data(`/v1/artist/tracks?id=${played.artists[0].id}`)).items[0].id, played.id)
      const similar = await data(`/v1/track/similar?id=${tracks[0].id}`)
      t.ok(!idsOf(similar).includes(played.id) || similar.at(-1).id === played.id)
    })

    t.test('daily and similar tracks that were heard lately come last', async t => {
      const { data } = await account('dora')
      const heardYesterday = async (id: string) => {
        const plays = [{ id, playedAt: new Date().setHours(0, 0, 0, 0) - 1000 }]
        const file = { format: 'source-account', version: 1, playlists: [], favorites: [], plays }
        await command(DATA_DIR, ['import', 'dora'], JSON.stringify(file))
      }
      const [first, ...others] = idsOf(await data('/v1/track/daily'))
      await heardYesterday(first!)
      t.same(idsOf(await data('/v1/track/daily')), [...others, first])
      const [like, ...rest] = idsOf(await data(`/v1/track/similar?id=${first}`))
      await heardYesterday(like!)
      t.same(idsOf(await data(`/v1/track/similar?id=${first}`)), [...rest, like])
    })

    t.test('a playlist keeps a track whose file is gone, and finds it again', async t => {
      const tracks: any[] = (await data('/v1/search/tracks?keyword=kept')).items
      const [gone, here] = ['Gone', 'Here'].map(title => tracks.find(track => track.title === title))
      const { id } = await write(source, 'playlist/create', { name: 'Both' })
      for (const track of tracks) await write(source, 'playlist/addTrack', { playlistId: id, trackId: track.id })
      const [file, away] = [join(MUSIC_DIR, 'Gone.mp3'), join(folder(t), 'Gone.mp3')]
      renameSync(file, away)
      await scan(source)
      const shown = (await data(`/v1/playlist/detail?id=${id}`)).tracks
      t.same(idsOf(shown), idsOf(tracks))
      t.match(shown.find((track: any) => track.id === gone.id), { title: 'Gone', qualities: [], durationMs: 0 })
      t.equal((await data(`/v1/playlist/detail?id=${id}&sort=title`)).tracks.at(-1).id, gone.id)
      const other = await write(source, 'playlist/create', { name: 'Removed' })
      await write(source, 'playlist/addTrack', { playlistId: other.id, trackId: here.id })
      await write(source, 'playlist/removeTrack', { playlistId: other.id, trackId: gone.id })
      await write(source, 'playlist/removeTrack', { playlistId: id, trackId: 'f'.repeat(20) })
      t.equal((await data(`/v1/playlist/detail?id=${other.id}`)).tracks.length, 1)
      renameSync(away, file)
      await scan(source)
      t.same((await data(`/v1/playlist/detail?id=${id}`)).tracks.map(({ qualities }: any) => qualities.length), [1, 1])
    })
  })
}

t.test('PostgreSQL: two replicas lose no text that Subsonic apps keep', async t => {
  const DATABASE_URL = await database()
  const states = await Promise.all([1, 2].map(async () =>
    new State(await openDatabase('', DATABASE_URL, quiet))))
  t.teardown(() => Promise.all(states.map(state => state.close())))
  await states[0]!.addAccount('ann')
  const { listener } = await states[0]!.viewer('ann')
  const { revision } = await states[0]!.viewer('ann')
  const key = `${listener}/bookmarks`
  await Promise.all(Array.from({ length: 20 }, (_, index) =>
    states[index % 2]!.subsonic.change(key, text => JSON.stringify([...JSON.parse(text ?? '[]'), index]))))
  t.equal(JSON.parse((await states[1]!.subsonic.get(key))!).length, 20)
  t.equal((await states[1]!.viewer('ann')).revision, revision, 'no answer is older than they are')
  await states[0]!.subsonic.change(key, () => undefined)
  t.equal(await states[1]!.subsonic.get(key), undefined)
  await states[1]!.subsonic.change(key, () => '[]')
  await states[0]!.removeAccount('ann')
  t.equal(await states[1]!.subsonic.get(key), undefined)
  await t.rejects(states[1]!.subsonic.change(key, () => '[]'), { name: 'UnauthorizedError' })
})

t.test('PostgreSQL: two replicas see each other\'s writes at once, and verify each other\'s media URLs', async t => {
  const DATABASE_URL = await database()
  const [one, other] = await Promise.all([1, 2].map(() => startWith(t, oneTrack, { DATABASE_URL })))
  const [track] = await tracksOf(one!, 1)
  await write(one!, 'track/favorite', { id: track.id, status: true })
  t.equal((await other!.data(`/v1/track?id=${track.id}`)).favorite, true)
  await write(other!, 'track/favorite', { id: track.id, status: false })
  t.equal((await one!.data(`/v1/track?id=${track.id}`)).favorite, false)
  const { url } = await one!.data(`/v1/track/url?id=${track.id}`)
  t.equal((await other!.call(pathOf(url))).statusCode, 200)
})

t.test('PostgreSQL: a change that waits for too long is a 503 alone, and nothing of it is left', async t => {
  const url = await database()
  const source = await startWith(t, {}, { DATABASE_URL: `${url}?query_timeout=1000` })
  const other = new pg.Client(url)
  await other.connect()
  t.teardown(() => other.end())
  await other.query('begin')
  await other.query('select * from account for update')
  await t.rejects(write(source, 'playlist/create', { name: 'Late' }), { message: /^503/ })
  // The lock is still held, and reading needs none.
  t.same(await source.data('/v1/user/playlist/list'), [])
  await other.query('commit')
  t.match(await write(source, 'playlist/create', { name: 'In time' }), { name: 'In time' })
  t.match(await source.data('/v1/user/playlist/list'), [{ name: 'In time' }])
})

t.test('PostgreSQL: an error that it answers with costs no connection', async t => {
  const url = await database()
  const source = await startWith(t, oneTrack, { DATABASE_URL: url })
  const other = new pg.Client(url)
  await other.connect()
  t.teardown(() => other.end())
  const connections = async () =>
    (await other.query('select pid from pg_stat_activity where datname = current_database() order by pid')).rows
  await source.data('/v1/toplist/list')
  const before = await connections()
  await other.query('alter table play rename to away')
  await t.rejects(source.data('/v1/toplist/list'), { message: /^503/ })
  await other.query('alter table away rename to play')
  t.match(await source.data('/v1/toplist/list'), [{ name: 'Library' }])
  t.same(await connections(), before)
})

t.test('PostgreSQL ends by itself what a process that hangs has begun', async t => {
  const url = await database()
  const db = await openDatabase('', url, { warn () {}, info () {} })
  t.teardown(() => db.destroy())
  t.strictSame((await sql`show statement_timeout`.execute(db)).rows, [{ statement_timeout: '9s' }])
  const { rows } = await sql`show idle_in_transaction_session_timeout`.execute(db)
  t.strictSame(rows, [{ idle_in_transaction_session_timeout: '10s' }])
})

t.test('others have their turn while many favourites and the tracks of a playlist are read', async t => {
  const source = await start(t)
  const tracks = await tracksOf(source, 9)
  const { id } = await write(source, 'playlist/create', { name: 'Own' })
  const paths = ['/v1/user/favorite/tracks', `/v1/playlist/detail?id=${id}`]
  const turns = async () => {
    const counted = []
    // A clock that goes on by 6 ms at each look is late after two tracks that are described.
    for (const path of paths) counted.push((await countTimedTurns(t, () => source.data(path))).turns)
    return counted
  }
  const [none, empty] = await turns()
  for (const { id: trackId } of tracks) {
    await write(source, 'track/favorite', { id: trackId, status: true })
    await write(source, 'playlist/addTrack', { playlistId: id, trackId })
  }
  const [all, filled] = await turns()
  t.ok(all! > none! + 1 && filled! > empty! + 1, `${none} and ${all}, ${empty} and ${filled} turns`)
})

t.test('others have their turn while many changes are made at once', async t => {
  const db = await openDatabase(folder(t), '', quiet)
  t.teardown(() => db.destroy())
  const { turns } = await countTimedTurns(t, async () => {
    const state = new State(db)
    await state.addAccount('ann')
    await Promise.all(Array.from({ length: 40 }, () => state.playlists.create('ann', 'List')))
  })
  t.ok(turns > 10, `${turns} turns`)
})

t.test('STATELESS=true: the same without accounts', async t => {
  const { data, call } = await startWith(t, oneTrack, { STATELESS: 'true' })
  t.equal((await data('/v1/status')).stateless, true)
  t.equal((await call('/v1/user/me')).statusCode, 501)
  const { items: [track] } = await data('/v1/search/tracks?keyword=a')
  t.notOk('favorite' in track)
  t.equal((await call('/v1/status', { headers: { authorization: 'other' } })).statusCode, 401)
})

t.test('PostgreSQL that is stopped: 503 with one sentence, and recovery without a restart', async t => {
  const postgres = await startPostgres(t)
  const DATA_DIR = folder(t)
  const source = await startWith(t, oneTrack, { DATA_DIR, DATABASE_URL: postgres.url })
  const { id } = await write(source, 'playlist/create', { name: 'Kept' })
  const [track] = await tracksOf(source, 1)
  const { url } = await source.data(`/v1/track/url?id=${track.id}`)
  await postgres.stop()
  const answer = await source.call('/v1/user/playlist/list')
  t.equal(answer.statusCode, 503)
  t.match(answer.json(), {
    code: 503, message: /^The database of accounts cannot be reached(?: \(request [\w-]+\))?$/, data: null
  })
  // Who runs the source is told why.
  await t.rejects(command(DATA_DIR, ['list']), {
    message: /^The database of accounts cannot be reached: \S/
  })
  // Music plays on.
  t.equal((await source.call(pathOf(url))).statusCode, 200)
  await postgres.start()
  await until(async () => (await source.call('/v1/status')).statusCode === 200)
  t.same(idsOf(await source.data('/v1/user/playlist/list')), [id])
})

t.test('PostgreSQL: a connection to a server that takes no changes any more is replaced', async t => {
  const { url } = await startPostgres(t)
  const source = await startWith(t, oneTrack, { DATABASE_URL: url })
  const other = new pg.Client(url)
  await other.connect()
  t.teardown(() => other.end())
  const connections = async () =>
    (
      await other.query('select pid from pg_stat_activity where client_port is not null and pid <> pg_backend_pid()')
    ).rows.map(({ pid }) => pid)
  const make = () => write(source, 'playlist/create', { name: 'Made' })
  await make()
  const before = await connections()
  await other.query('alter system set default_transaction_read_only = on')
  await other.query('select pg_reload_conf()')
  await until(async () => make().then(() => false, () => true))
  // Not because it had nothing to do.
  await until(async () => {
    await make().catch(() => {})
    return (await connections()).every(pid => !before.includes(pid))
  })
  await other.query('set default_transaction_read_only = off')
  await other.query('alter system reset default_transaction_read_only')
  await other.query('select pg_reload_conf()')
  await until(async () => make().then(() => true, () => false))
  const failure = source.lines.find(({ err }) => err !== undefined)
  t.match(JSON.stringify(failure), /cannot execute \w+ in a read-only transaction/)
})

t.test('a player that tells nothing has heard what it was sent at the pace of listening', async t => {
  const time = fakeTime(t)
  const heard: string[] = []
  const add = async (listener: string, { track }: { track: string }) => {
    heard.push(`${listener} ${track}`)
    if (track === 'lost') throw new Error('down')
  }
  const silent = new SilentPlayers({ add } as unknown as KeptPlays)
  const warnings: string[] = []
  const log = { warn: (_error: unknown, message?: string) => { warnings.push(message!) } }
  const file = { size: 1000, length: 100_000 }
  /** What was sent of the file in a time, from where on. */
  const send = (track: string, parts: [bytes: number, from: number, after: number][], more = file, who = 'ann') => {
    for (const [bytes, from, after] of parts) {
      time.advance(after)
      silent.follow(who, track, more, log)(bytes, from)
    }
  }
  send('whole', [[1000, 0, 0]])
  send('range', [[1, 0, 0], [1, 999, 60_000], [999, 1, 60_000]])
  send('no beginning', [[5, 7, 0], [993, 12, 100_000]])
  send('skipped', [[400, 0, 0], [500, 500, 90_000]])
  send('unknown', [[1000, 0, 0], [0, 1000, 900_000]], { ...file, length: 0 })
  t.strictSame(heard.splice(0), ['ann range'])
  send('slow', [[100, 0, 0], [400, 100, 49_999], [100, 500, 1], [400, 600, 50_000]])
  send('slow', [[100, 0, 0], [400, 100, 50_000]])
  send('lost', [[100, 0, 0], [400, 100, 50_000]])
  send('long', [[100, 0, 0], [300, 100, 240_000]], { size: 1000, length: 800_000 })
  silent.tell('bob')
  send('slow', [[100, 0, 0], [400, 100, 50_000]], file, 'bob')
  t.strictSame(heard, ['ann slow', 'ann slow', 'ann lost', 'ann long'])
  await null
  t.strictSame(warnings, ['play not counted'])
})
