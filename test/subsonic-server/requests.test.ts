import fastify from 'fastify'
import { NotFoundError, UnsupportedFeatureError, UpstreamError } from 'fastify-source-origin'
import subsonic from 'fastify-source-origin/subsonic'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { logged } from '../helper.ts'
import { createReferenceAdapter } from '../reference-source.ts'
import { ask, get, login, queryOf, registerSource, roomy, serve, token } from './helper.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const adapter = createReferenceAdapter(() => 'http://localhost')

t.test('a form and the query are read together, with lists from both', async t => {
  const app = await serve(t, { adapter })
  const { u, p } = login
  await app.inject({
    method: 'POST',
    url: `/rest/savePlayQueue?${queryOf({ u, id: 'tr-t0' })}`,
    headers: form,
    payload: queryOf({ p, id: ['tr-t1', 'tr-t2'] })
  })
  t.strictSame((await ask(app, 'getPlayQueue')).playQueue.entry.map(({ id }: any) => id), ['tr-t0', 'tr-t1', 'tr-t2'])
})

t.test('what is no name of a parameter is left out, and a blank one is one', async t => {
  const app = await serve(t, { adapter })
  const response = await app.inject({
    method: 'POST', url: '/rest/ping?f=json', headers: form, payload: `${'x'.repeat(200)}=1&${queryOf(login)}&f`
  })
  t.equal(response.json()['subsonic-response'].status, 'ok')
})

for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', ';;;']) {
  t.test(`a body of type ${type} is ignored`, async t => {
    const app = await serve(t)
    const response = await app.inject({
      method: 'POST',
      url: `/rest/ping?${queryOf({ ...login, f: 'json' })}`,
      headers: { 'content-type': type },
      payload: '{"broken'
    })
    t.equal(response.json()['subsonic-response'].status, 'ok')
    const withGet =
      await app.inject({ url: `/rest/ping?${queryOf({ ...login, f: 'json' })}`, headers: { 'content-type': type } })
    t.equal(withGet.json()['subsonic-response'].status, 'ok')
  })
}

t.test('a form that is too long is an error in an envelope', async t => {
  const app = await serve(t)
  const response =
    await app.inject({ method: 'POST', url: '/rest/ping?f=json', headers: form, payload: `x=${'y'.repeat(2 ** 21)}` })
  t.equal(response.statusCode, 200)
  t.equal(response.json()['subsonic-response'].error.code, 0)
})

for (const value of ['100%', '%ZZ', 'a+b', 'grün ☃']) {
  t.test(`the value ${value} comes as it was meant`, async t => {
    const app = await serve(t, {
      adapter: { searchTracks: () => ({ items: [], offset: 0, limit: 1, hasMore: false }), searchArtists: undefined }
    })
    const text = value.includes('%') ? value : encodeURIComponent(value)
    const response = await app.inject(`/rest/getLyrics?${queryOf({ ...login, f: 'json' })}&title=${text}`)
    t.equal(response.json()['subsonic-response'].lyrics.title, value)
  })
}

t.test('a plus is a space, and flags that are none are absent', async t => {
  const app = await serve(t, { adapter })
  const response = await app.inject(`/rest/getLyrics?${queryOf({ ...login, f: 'json' })}&title=a+b`)
  t.equal(response.json()['subsonic-response'].lyrics.title, 'a b')
  t.equal((await ask(app, 'scrobble', { id: 'tr-t0', submission: 'maybe' })).status, 'ok')
})

for (const callback of ['', 'a b', '1a', 'alert(1)//', '</script>']) {
  t.test(`the callback "${callback}" is refused`, async t => {
    const response = await get(await serve(t), 'ping', { f: 'jsonp', callback })
    t.match(response.headers['content-type'], 'application/json')
    t.equal(response.json()['subsonic-response'].error.code, 10)
  })
}

t.test('unknown methods and paths are answered in an envelope', async t => {
  const app = await serve(t)
  for (const path of ['nothing', 'nothing.view', '', 'a/b', 'constructor']) {
    const { status, error } = await ask(app, path)
    t.match({ status, error }, { status: 'failed', error: { code: 0, message: /^Unknown method/ } })
  }
  const url = `/rest/ping?${queryOf({ ...login, f: 'json' })}`
  t.match((await app.inject({ method: 'QUERY' as 'GET', url })).json()['subsonic-response'], { status: 'ok' })
  const put = await app.inject({ method: 'PUT', url })
  t.equal(put.json()['subsonic-response'].status, 'ok')
})

t.test('the address itself answers', async t => {
  const app = await serve(t, { prefix: '/music' })
  const index = await app.inject('/music/')
  t.match(index, { statusCode: 200, body: /\/music\/rest/ })
  t.match(index.headers['content-type'], 'text/plain')
  t.equal(
    (await app.inject(`/music/rest/ping?${queryOf({ ...login, f: 'json' })}`)).json()['subsonic-response'].status, 'ok'
  )
})

t.test('a server that takes short URLs only is warned of', async t => {
  for (const [host, count] of [[{}, 1], [roomy, 0]] as const) {
    const { lines, logger } = logged()
    await (await serve(t, {}, { ...host, logger })).ready()
    t.equal(lines.filter(({ msg }) => msg === 'header limit too small').length, count)
  }
})

t.test('a queue of 500 long ids goes through a URL', async t => {
  const app = await serve(t, { adapter: { getTrackDetail: (id: string) => ({ ...adapter.getTrackDetail('t0'), id }) } })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const id = Array.from({ length: 500 }, (_empty, index) => `tr-${String(index).padStart(60, '0')}`)
  const response = await fetch(`${address}/rest/savePlayQueue?${queryOf({ ...login, f: 'json', id })}`)
  t.equal(response.status, 200)
  t.equal((await ask(app, 'getPlayQueue')).playQueue.entry.length, 500)
})

t.test('apps older than OpenSubsonic get no nested members', async t => {
  const app = await serve(t, {
    adapter: {
      ...adapter, getAlbumDetail: (id: string) => ({ ...adapter.getAlbumDetail(id, -1), genre: 'Rock' }) as any
    }
  })
  const nested = async (v: string) => {
    const { album } = await ask(app, 'getAlbum', { id: 'al-b0', v })
    return [album, ...album.song].flatMap(item =>
      Object.entries(item).filter(([name, value]) => name !== 'song' && typeof value === 'object').map(([name]) =>
        name))
  }
  for (const v of ['1.2.0', '1.8.0', '1.12.9']) t.strictSame(await nested(v), [], v)
  for (const v of ['1.13.0', '1.16.1', '2.0', 'x', '']) t.ok((await nested(v)).includes('genres'), v)
  const { artist } = (await ask(app, 'getIndexes', { v: '1.2.0' })).indexes.index[0]
  t.notOk('coverArt' in artist[0] || 'albumCount' in artist[0])
})

t.test('the log of a failure has neither the message\'s URL nor what hangs on the error', async t => {
  const { lines, logger } = logged()
  const app = await serve(t, {
    adapter: {
      getTrackDetail: () => {
        throw Object.assign(new Error(`GET https://x.example/?key=${token}`), { headers: token })
      }
    }
  }, { ...roomy, logger })
  t.match(await ask(app, 'getSong', { id: 'tr-1' }), { error: { code: 0, message: 'Internal server error' } })
  t.match(lines.find(({ msg }) => msg === 'request failed'), { err: { message: 'GET https://x.example/?[query]' } })
  t.notMatch(JSON.stringify(lines), token)
})

t.test('the log has the cause of a failure that clients are told, and nothing of a refusal', async t => {
  const { lines, logger } = logged()
  const errors: Record<string, Error> = {
    gone: new NotFoundError(),
    lacking: new UnsupportedFeatureError(),
    failed: new UpstreamError('The disk is full', { cause: new Error('disk I/O error') })
  }
  const app = await serve(t, {
    adapter: { getTrackDetail: (id: string) => Promise.reject(errors[id]) }
  }, { ...roomy, logger })
  for (const id of Object.keys(errors)) await ask(app, 'getSong', { id: `tr-${id}` })
  t.match(lines.filter(({ msg }) => msg === 'request failed'), [
    { err: { message: 'The disk is full: disk I/O error', stack: /disk I\/O error/ } }
  ])
})

t.test('a call that a hook has answered is not answered again, which would log its URL', async t => {
  const { lines, logger } = logged()
  const app = fastify({ logger })
  t.teardown(() => app.close())
  // The call goes on although a hook answers, so that its own answer comes too late.
  app.addHook('onSend', async (_request, _reply, payload) => payload)
  app.addHook('onRequest', (_request, reply, done) => { reply.send('busy'); done() })
  registerSource(app, { resolveContext: async () => { await setImmediate(); return { adapter: {} } } })
  await app.register(subsonic)
  t.equal((await get(app, 'ping')).body, 'busy')
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  t.notMatch(JSON.stringify(lines), /already sent/)
  t.notMatch(JSON.stringify(lines), token)
})

for (const [thrown, code, message] of [
  ['text', 0, 'Internal server error'],
  [Object.assign(new Error('https://x.example/?a=b'), { statusCode: 503 }), 0, 'Service Unavailable'],
  [Object.assign(new Error('gone'), { status: 404 }), 70, 'Not Found'],
  [Object.assign(new Error('odd'), { status: 499 }), 0, 'Error'],
  [Object.assign(new Error('ended'), { status: 401 }), 50, 'The session of the source has ended']
] as [unknown, number, string][]) {
  t.test(`${String(thrown)} from the source is code ${code}`, async t => {
    const app = await serve(t, { adapter: { getTrackDetail: () => { throw thrown } } })
    t.match((await ask(app, 'getSong', { id: 'tr-1' })).error, { code, message })
  })
}

t.test('an adapter that answers nothing, or too late, is an error', async t => {
  const app = await serve(t, {
    adapter: { getTrackDetail: () => null, getAlbumDetail: () => new Promise(() => {}) }, adapterTimeout: 20
  })
  t.match(await ask(app, 'getSong', { id: 'tr-1' }), { error: { code: 0 } })
  t.match(await ask(app, 'getAlbum', { id: 'al-1' }), { error: { code: 0, message: /within 20 ms/ } })
})

t.test('bad items of a list are left out', async t => {
  const good = adapter.getTrackDetail('t0')
  const app = await serve(t, {
    adapter: {
      userFavoriteTracks: () => [null, { ...good, id: '' }, good],
      searchTracks: () => ({ items: [7, good], offset: 0, limit: 2, hasMore: false })
    }
  })
  t.equal((await ask(app, 'getStarred2')).starred2.song.length, 1)
  t.equal((await ask(app, 'search3', { query: 'x' })).searchResult3.song.length, 1)
})
