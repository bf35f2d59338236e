import t from 'tap'
import { command, folder, mp3, put, scan, start, startWith, token, tokenIn } from './helper.ts'

const albums = '/v1/search/albums?keyword=album'

t.test('a kept answer is not asked of the catalogue again; its URLs are of the host that was asked', async t => {
  const root = folder(t, { 'a.mp3': mp3({ title: 'One', album: 'Album' }) })
  const DATA_DIR = folder(t)
  const { call } = await start(t, { MUSIC_DIR: root, DATA_DIR })
  const limited = tokenIn(await command(DATA_DIR, ['add', 'kim']))
  await command(DATA_DIR, ['allow', 'kim', 'explicit', 'off'])
  const coverOf = async (host: string, authorization: string) => {
    const { headers, body } = await call(albums, { headers: { authorization, host } })
    t.match(headers, { 'cache-control': 'private, no-cache', etag: /^"/ })
    return new URL(JSON.parse(body).data.items[0].coverUrl).host
  }
  for (const account of [token, limited]) {
    for (const host of ['a.example', 'evil.example', 'a.example']) t.equal(await coverOf(host, account), host)
  }
})

t.test('a new catalogue makes kept answers old', async t => {
  const root = folder(t, { 'a.mp3': mp3({ title: 'One', album: 'Album' }) })
  const source = await start(t, { MUSIC_DIR: root })
  const { data } = source
  t.equal((await data(albums)).items.length, 1)
  put(root, 'b.mp3', mp3({ title: 'Two', album: 'Album Two' }))
  await scan(source)
  t.equal((await data(albums)).items.length, 2)
})

t.test('what has an order of the day is not kept', async t => {
  const { call } = await startWith(t, { 'a.mp3': mp3({ title: 'One', genre: 'Pop' }) })
  for (const path of ['playlist/recommended', 'track/daily']) {
    t.equal((await call(`/v1/${path}`)).headers['cache-control'], 'no-store', path)
  }
})

t.test('pages of other sites may ask whether an answer has changed', async t => {
  const { app } = await startWith(t, {}, { CORS_ORIGIN: '*' })
  const { headers } = await app.inject({
    method: 'OPTIONS',
    url: albums,
    headers: {
      origin: 'https://a.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'if-none-match, cache-control'
    }
  })
  t.match(headers['access-control-allow-headers'], /Cache-Control.*If-None-Match/)
})
