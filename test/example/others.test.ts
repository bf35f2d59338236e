import t, { type Test } from 'tap'
import { resolve } from 'node:path'
import { StartError } from '../../example/start/start-error.ts'
import { hasOthers, readSettings } from '../../example/start/settings.ts'
import { writeId } from '../../lib/subsonic-server/ids.ts'
import { listen } from '../client/helper.ts'
import { buildReference, token as friendToken } from '../reference-source.ts'
import { serve } from '../subsonic-server/helper.ts'
import { as, command, folder, mp3, pathOf, start, startWith, tokenIn, write } from './helper.ts'

const files = { '1.mp3': mp3({ title: 'Morning at home', artist: 'Ada', album: 'Home' }) }

/** A Subsonic server with the music of the reference source, which listens. */
async function subsonicServer (t: Test) {
  const { createReferenceAdapter } = await import('../reference-source.ts')
  const app = await serve(t, { adapter: createReferenceAdapter(() => 'http://127.0.0.1:1') })
  return { app, env: { SUBSONIC_URL: await listen(t, app), SUBSONIC_USER: 'ada', SUBSONIC_PASSWORD: friendToken } }
}

const friendOf = async (t: Test) =>
  ({ SOURCE_URL_2: await listen(t, await buildReference()), SOURCE_TOKEN_2: friendToken })

/** Ids of the folder have no prefix. */
const sourceOf = ({ id }: { id: string }) => /^(.+?):/.exec(id)?.[1] ?? 'home'

t.test('a folder, a Subsonic server and the source of a friend are one source', async t => {
  const { env } = await subsonicServer(t)
  const { data, call, app } = await startWith(t, files, { ...env, ...await friendOf(t) })
  const { items } = await data('/v1/search/tracks?keyword=morning&limit=100')
  t.strictSame([...new Set(items.map(sourceOf))].sort(), ['home', 'source_2', 'subsonic'])
  const track = (source: string) => items.find((item: { id: string }) => sourceOf(item) === source)
  const url = async (source: string) => (await data(`/v1/track/url?id=${encodeURIComponent(track(source).id)}`)).url
  t.match(await url('home'), /\/media\/audio\//)
  t.match(await url('subsonic'), /\/subsonic\/audio\//)
  t.match(await url('source_2'), /\/audio\/t\d+\.wav$/)
  t.equal((await call(pathOf(await url('home')))).statusCode, 200)

  const rest = (method: string, query: object) =>
    app.inject(`/rest/${method}?${new URLSearchParams({ u: 'x', p: 'the token of the tests', c: 'app', ...query })}`)
  const found = (await rest('search3', { query: 'morning', f: 'json', songCount: '100' })).json()
  const songs = found['subsonic-response'].searchResult3.song
  t.equal(songs.length, items.length)
  const idOf = (source: string) => songs[items.indexOf(track(source))].id
  t.equal((await rest('getCoverArt', { id: idOf('source_2'), size: '100' })).statusCode, 302)
  t.match((await rest('download', { id: idOf('source_2') })).headers.location, /\/audio\/t\d+\.wav$/)
  t.equal((await rest('download', { id: idOf('home') })).statusCode, 302)
  const before = writeId('track', `home:${track('home').id}`)
  t.equal((await rest('download', { id: before })).statusCode, 302, 'by the id with a prefix that it had')
})

t.test('a folder that stores nothing of its own is combined with others too', async t => {
  const { data } = await startWith(t, files, { STATELESS: 'true', ...await friendOf(t) })
  const { items } = await data('/v1/search/tracks?keyword=morning&limit=100')
  t.strictSame([...new Set(items.map(sourceOf))].sort(), ['home', 'source_2'])
})

t.test('the owner has favourites at each source, others hear it, who sees a part of it all does not', async t => {
  const DATA_DIR = folder(t)
  const owner = await startWith(t, files, { ...await friendOf(t), DATA_DIR, PAGE: 'true' })
  const { items } = await owner.data('/v1/search/tracks?keyword=morning')
  const { id } = items.find((item: { id: string }) => sourceOf(item) === 'source_2')
  const favourites = async ({ data }: Pick<typeof owner, 'data'>) =>
    (await data('/v1/user/favorite/tracks')).map(({ id }: { id: string }) => id)
  await write(owner, 'track/favorite', { id, status: true })
  t.ok((await favourites(owner)).includes(id))
  const ann = as(owner, tokenIn(await command(DATA_DIR, ['add', 'ann'])))
  t.equal((await ann.data('/v1/search/tracks?keyword=morning')).items.length, items.length)
  t.strictSame(await favourites(ann), [])
  await command(DATA_DIR, ['allow', 'ann', 'explicit', 'off'])
  t.strictSame((await ann.data('/v1/search/tracks?keyword=morning')).items.map(sourceOf), ['home'])
})

t.test('a playlist of the folder has tracks of others, also in Subsonic apps, and shows which are away', async t => {
  const friend = await buildReference()
  const owner = await startWith(t, files, { SOURCE_URL: await listen(t, friend), SOURCE_TOKEN: friendToken })
  const { items } = await owner.data('/v1/search/tracks?keyword=morning')
  const [home, far] = ['home', 'source'].map(source => items.find((item: { id: string }) => sourceOf(item) === source))
  const { id } = await write(owner, 'playlist/create', { name: 'Mixed' })
  for (const trackId of [far.id, home.id]) await write(owner, 'playlist/addTrack', { playlistId: id, trackId })
  const rest = async (method: string, query: Record<string, string>) => {
    const login = { u: 'x', p: 'the token of the tests', c: 'app', f: 'json' }
    return (await owner.app.inject(`/rest/${method}?${new URLSearchParams({ ...login, ...query })}`))
      .json()['subsonic-response']
  }
  const [list] = (await rest('getPlaylists', {})).playlists.playlist
  const titles = async () =>
    (await rest('getPlaylist', { id: list.id })).playlist.entry.map(({ title }: { title: string }) => title)
  t.strictSame(await titles(), [far.title, home.title])
  t.match(await rest('createPlaylist', { playlistId: list.id, songId: 'tr-nothing' }), { status: 'failed' })
  const { entry } = (await rest('getPlaylist', { id: list.id })).playlist
  await rest('createPlaylist', { playlistId: list.id, songId: entry[1].id })
  await rest('updatePlaylist', { playlistId: list.id, songIdToAdd: entry[0].id })
  t.strictSame(await titles(), [home.title, far.title])
  await friend.close()
  t.strictSame(await titles(), [home.title, far.title], 'what is in the cache is whole')
  await write(owner, 'playlist/update', { id, name: 'Both', description: '' })
  t.strictSame(await titles(), [home.title, '127.0.0.1 is not responding'])
  const { headers, statusCode } = await owner.call(`/v1/playlist/detail?id=${id}`)
  t.match({ headers, statusCode }, { headers: { 'source-partial': 'source' }, statusCode: 200 })
  await write(owner, 'playlist/removeTrack', { playlistId: id, trackId: far.id })
  t.strictSame(await titles(), [home.title])
})

t.test('an exported account and an M3U8 playlist have their tracks of others when they are imported', async t => {
  const DATA_DIR = folder(t)
  const friend = await buildReference()
  const owner = await startWith(t, files, { DATA_DIR, SOURCE_URL: await listen(t, friend), SOURCE_TOKEN: friendToken })
  const { items } = await owner.data('/v1/search/tracks?keyword=morning')
  const { id } = await write(owner, 'playlist/create', { name: 'Mixed' })
  for (const { id: trackId } of items) await write(owner, 'playlist/addTrack', { playlistId: id, trackId })
  const tracksOf = async (id: string) =>
    (await owner.data(`/v1/playlist/detail?id=${id}`)).tracks.map(({ id }: { id: string }) => id)
  const before = await tracksOf(id)
  t.ok(before.some((id: string) => id.startsWith('source:')))
  const whole = await command(DATA_DIR, ['export', 'owner'])
  await command(DATA_DIR, ['import', 'owner'], await command(DATA_DIR, ['export', 'owner', 'Mixed']))
  const { id: copied } = (await owner.data('/v1/user/playlist/list')).find((list: { id: string }) => list.id !== id)
  t.strictSame(await tracksOf(copied), before)
  await command(DATA_DIR, ['remove', 'owner', 'owner'])
  await command(DATA_DIR, ['import', 'owner'], whole)
  t.strictSame(await tracksOf(id), before)
  const wrong = whole.replace('combined:', 'combined:%')
  await t.rejects(command(DATA_DIR, ['import', 'owner'], wrong), /tracks\/\d\/id: Expected string to match/)
})

t.test('what a Subsonic server has no cover of has a drawn picture, by a signed URL', async t => {
  const bare = { id: '1', title: 'Bare', artists: [], album: { id: 'b', name: 'B', coverUrl: '' }, durationMs: 1 }
  const page = { items: [bare], offset: 0, limit: 20, hasMore: false }
  const server = await serve(t, { adapter: { getTrackDetail: () => bare, searchTracks: () => page } })
  // A server that says nothing of covers.
  server.addHook('onSend', async (_request, _reply, body) => String(body).replace(/"coverArt":"[^"]*",?/g, ''))
  const { data, call } = await startWith(t, files, {
    SUBSONIC_URL: await listen(t, server), SUBSONIC_USER: 'ada', SUBSONIC_PASSWORD: friendToken
  })
  const { items } = await data('/v1/search/tracks?keyword=bare')
  const path = pathOf(items[0].album.coverUrl)
  t.match(await call(path), { statusCode: 200, headers: { 'content-type': 'image/png' } })
  t.equal((await call(path.replace(/signature=../, 'signature=xx'))).statusCode, 403)
})

t.test('the owner sees the state of other sources on the page, and nobody else', async t => {
  const DATA_DIR = folder(t)
  const owner = await startWith(t, files, { ...await friendOf(t), DATA_DIR, PAGE: 'true' })
  await owner.data('/v1/search/tracks?keyword=morning')
  t.match((await owner.data('/page/sources')).items, [{ id: 'source_2', available: true }, { id: 'home' }])
  const ann = as(owner, tokenIn(await command(DATA_DIR, ['add', 'ann'])))
  t.strictSame((await ann.data('/page/sources')).items, [])
})

t.test('a folder alone shows no other sources on the page', async t => {
  const { data } = await startWith(t, files, { PAGE: 'true' })
  t.strictSame((await data('/page/sources')).items, [])
})

t.test('without a folder the others alone are a source', async t => {
  const MUSIC_DIR = resolve('example/music')
  const { data, call } = await start(t, { MUSIC_DIR, STATELESS: 'true', PAGE: 'true', ...await friendOf(t) })
  t.match((await data('/page/sources')).items, [{ id: 'source_2' }])
  const { items } = await data('/v1/search/tracks?keyword=morning')
  t.strictSame([...new Set(items.map(sourceOf))], ['source_2'])
  t.equal((await call('/v1/status', { headers: { authorization: 'wrong' } })).statusCode, 401)
})

t.test('a source that is away when the example starts is missing, and the others answer', async t => {
  const { call, lines } = await startWith(t, files, {
    SOURCE_URL: 'http://127.0.0.1:1', SOURCE_TOKEN: 'x', PUBLIC_URL: 'https://music.example.com'
  })
  for (let time = 0; time < 5; time++) {
    const { headers, statusCode } = await call(`/v1/search/tracks?keyword=morning${time}`)
    t.match({ headers, statusCode }, { headers: { 'source-partial': 'source' }, statusCode: 200 })
  }
  t.match(lines.filter(({ msg }) => /^other sources|unavailable/.test(msg)), [
    { msg: 'source unavailable', source: 'source', reason: /no connection/ },
    { msg: 'other sources opened', sources: [{ id: 'source', name: '127.0.0.1' }] }
  ], 'one line, for all requests')
  t.match((await call('/ready')).json(), { checks: { source: 'down' } })
})

t.test('a token that another source rejects is called that', async t => {
  const SOURCE_URL = await listen(t, await buildReference())
  const { lines } = await startWith(t, files, { SOURCE_URL, SOURCE_TOKEN: 'wrong' })
  t.match(lines.find(({ msg }) => msg === 'source unavailable'), { reason: 'It rejects SOURCE_TOKEN' })
})

t.test('a source needs its login', t => {
  t.equal(hasOthers(readSettings({})), false)
  t.throws(() => readSettings({ SUBSONIC_URL: 'http://a.test', SUBSONIC_USER: 'ada' }), new StartError(
    'SUBSONIC_URL needs SUBSONIC_USER and SUBSONIC_PASSWORD'))
  t.throws(() => readSettings({ SOURCE_URL_3: 'http://a.test' }), new StartError('SOURCE_URL_3 needs SOURCE_TOKEN_3'))
  t.end()
})
