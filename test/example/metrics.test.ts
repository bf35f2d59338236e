import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { startPrometheus } from '../prometheus.ts'
import { skipWithout } from '../services.ts'
import { start, until } from './helper.ts'

const METRICS_TOKEN = 'token-of-prometheus'

t.test('without METRICS_TOKEN there is no /metrics', async t => {
  t.equal((await (await start(t)).call('/metrics')).statusCode, 404)
})

t.test('metrics are for who has METRICS_TOKEN as a Bearer token', async t => {
  const source = await start(t, { METRICS_TOKEN })
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
  const source = await start(t, { METRICS_TOKEN })
  const [{ id }] = await source.data('/v1/track/new')
  const { url } = await source.data(`/v1/track/url?id=${id}`)
  await source.call(new URL(url).pathname + new URL(url).search)
  await until(async () => (await source.call('/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } }))
    .body.includes('\nsource_origin_plays_total 1\n'))
})

t.test('METRICS_ADDRESS serves them there, without a token, and nothing else', async t => {
  const source = await start(t, { METRICS_ADDRESS: '127.0.0.1:0' })
  const { port } = source.lines.find(({ msg }) => msg === 'Metrics are served at METRICS_ADDRESS')!
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  t.match(await answer.text(), /source_origin_library_items/)
  t.equal((await fetch(`http://127.0.0.1:${port}/v1/status`)).status, 404)
  t.equal((await source.call('/metrics')).statusCode, 404)
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
    const source = await start(t, { METRICS_TOKEN })
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
