import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import t from 'tap'
import { startPrometheus } from '../prometheus.ts'
import { replace } from '../replace.ts'
import { skipWithout } from '../services.ts'
import { folder, hear, mp3, pathOf, start, startWith, token, until } from './helper.ts'

const METRICS_TOKEN = 'token-of-prometheus'
const files = { 'a.mp3': mp3({ title: 'a', artist: 'b', album: 'album' }) }

t.test('without METRICS_TOKEN there is no /metrics', async t => {
  t.equal((await (await startWith(t, {})).call('/metrics')).statusCode, 404)
})

t.test('metrics are for who has METRICS_TOKEN as a Bearer token', async t => {
  const source = await startWith(t, files, { METRICS_TOKEN })
  for (const authorization of [METRICS_TOKEN, 'Bearer wrong', '']) {
    t.equal((await source.call('/metrics', { headers: { authorization } })).statusCode, 401)
  }
  await source.call('/v1/track/new')
  const { body, headers } = await source.call('/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  t.match(headers['content-type'], /^text\/plain/)
  t.match(body, 'source_origin_operation_seconds_count{operation="getNewTracks",outcome="ok"} 1')
  t.match(body, /^source_origin_library_items\{type="tracks"\} [1-9]/m)
  t.match(body, /^source_origin_scan_seconds_count\{outcome="ok"\} 1$/m)
})

t.test('a play is counted', async t => {
  const source = await startWith(t, files, { METRICS_TOKEN })
  const [{ id }] = await source.data('/v1/track/new')
  await hear(source, token, id)
  await hear(source, token, id)
  await until(async () => (await source.call('/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } }))
    .body.includes('\nsource_origin_plays_total 1\n'))
})

t.test('media, refusals and the checks of /ready are counted, and whether the music is there', async t => {
  const music = folder(t, files)
  const source = await start(t, { METRICS_TOKEN, MUSIC_DIR: music })
  const metrics = async () =>
    (await source.call('/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).body
  const [{ id }] = await source.data('/v1/track/new')
  const { items: [{ coverUrl: cover }] } = await source.data('/v1/search/albums?keyword=album')
  const { url, size } = await source.data(`/v1/track/url?id=${id}`)
  await source.call(pathOf(url))
  await source.call(pathOf(url), { method: 'HEAD' })
  await source.call(pathOf(url), { headers: { range: 'bytes=0-9' } })
  await source.call(pathOf(url).replace('sig', 'no'))
  const { rawPayload } = await source.call(pathOf(cover))
  await source.call(pathOf(cover), { method: 'HEAD' })
  await source.call('/v1/track/new', { headers: { authorization: 'wrong' } })
  await source.call('/rest/ping.view?u=ann&p=wrong&c=test&v=1.16.1')
  await source.call(`/rest/ping.view?u=ann&t=${'0'.repeat(32)}&s=salt&c=test&v=1.16.1`)
  const body = await metrics()
  for (const line of [
    'media_open 0', `media_bytes_total{kind="audio"} ${size + 10}`,
    `media_bytes_total{kind="cover"} ${rawPayload.length}`, 'media_seconds_count{kind="audio",outcome="ok"} 3',
    'media_seconds_count{kind="audio",outcome="refused"} 1', 'media_seconds_count{kind="cover",outcome="ok"} 2',
    'refused_total{reason="wrongToken"} 2', 'refused_total{reason="wrongLogin"} 1',
    'check{check="database"} 1', 'check{check="scan"} 1', 'check{check="music"} 1'
  ]) t.match(body, `\nsource_origin_${line}\n`)
  renameSync(music, `${music}-away`)
  t.match(await metrics(), '\nsource_origin_check{check="music"} 0\n')
  t.equal((await source.call('/ready')).statusCode, 200)
  renameSync(`${music}-away`, music)
  t.match(await metrics(), '\nsource_origin_check{check="music"} 1\n')
})

t.test('METRICS_ADDRESS serves them there, without a token, and nothing else', async t => {
  const source = await startWith(t, {}, { METRICS_ADDRESS: '127.0.0.1:0' })
  const { port } = source.lines.find(({ msg }) => msg === 'metrics server started')!
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  t.match(await answer.text(), /source_origin_library_items/)
  t.equal((await fetch(`http://127.0.0.1:${port}/v1/status`)).status, 404)
  t.equal((await source.call('/metrics')).statusCode, 404)
})

t.test('a failure of the metrics is a 500 without the reason, and the server continues', async t => {
  const source = await startWith(t, {}, { METRICS_TOKEN, METRICS_ADDRESS: '127.0.0.1:0' })
  const { port } = source.lines.find(({ msg }) => msg === 'metrics server started')!
  replace(t, Registry.prototype, 'metrics', async () => { throw new Error('/srv/music/secret') })
  const own = await fetch(`http://127.0.0.1:${port}/metrics`)
  t.equal(own.status, 500)
  t.equal(await own.text(), '')
  const { statusCode, body } = await source.call('/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  t.equal(statusCode, 500)
  t.notMatch(body, 'secret')
  t.match(source.lines.filter(({ msg }) => msg === 'metrics failed'), [{ level: 50 }, { level: 50 }])
})

t.test('an address that is taken ends the start', async t => {
  const server = createServer().listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await t.rejects(start(t, { METRICS_ADDRESS: `127.0.0.1:${port}` }), { message: /^METRICS_ADDRESS must be free/ })
})

t.test('Prometheus scrapes them', async t => {
  skipWithout('Prometheus', t)
  t.test('with the token', async t => {
    const source = await startWith(t, files, { METRICS_TOKEN })
    await source.app.listen({ port: 0, host: '127.0.0.1' })
    await source.call('/v1/track/new')
    const { port } = source.app.server.address() as AddressInfo
    const { url } = await startPrometheus(t, `127.0.0.1:${port}`, METRICS_TOKEN)
    const query = 'source_origin_operation_seconds_count{operation="getNewTracks"}'
    const ask = async (): Promise<any> => (await fetch(`${url}/api/v1/query?${new URLSearchParams({ query })}`)).json()
    await until(async () => (await ask()).data.result[0]?.value[1] === '1')
    t.match(await ask(), { status: 'success', data: { result: [{ metric: { outcome: 'ok', job: 'music' } }] } })
  })
})
