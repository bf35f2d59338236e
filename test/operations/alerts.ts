import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { parse } from 'yaml'
import { folder, until } from '../example/helper.ts'
import { wav } from '../example/make-audio.ts'
import { runExample } from '../example/run-example.ts'
import { startPostgres } from '../postgres.ts'
import { startPrometheus } from '../prometheus.ts'
import { skipWithout } from '../services.ts'

const token = 'the token of the alerts'
const metricsToken = 'the-token-of-prometheus'

/** The rules, with seconds instead of minutes. */
const rules = parse(readFileSync('docs/operations/alerts.yml', 'utf8').replaceAll('[5m]', '[8s]')
  .replaceAll(/for: .*/g, 'for: 2s'))

t.test('alerts of a real Prometheus fire in real outages, and not without one', async t => {
  skipWithout('Prometheus', t)
  skipWithout('PostgreSQL', t)
  const postgres = await startPostgres(t)
  const music = folder(t)
  // More than the buffers of two sockets hold.
  writeFileSync(join(music, 'long.wav'), Buffer.concat([wav({ title: 'Long' }), Buffer.alloc(2 ** 25)]))
  writeFileSync(join(music, 'short.wav'), wav({ title: 'Short' }))
  const { child, said } = runExample(t, {
    MUSIC_DIR: music,
    DATABASE_URL: postgres.url,
    METRICS_TOKEN: metricsToken,
    // A machine may be busy with other tests.
    FASTIFY_PLUGIN_TIMEOUT: '100000',
    SOURCE_API_TOKEN: token,
    NODE_ENV: 'production'
  }, { built: true })
  const [, origin = ''] = await said(/listening at (http:[^"]+)/)
  await said(/"tracks":2,.*"scan finished"/)
  const ask = (path: string, authorization = token) => fetch(origin + path, { headers: { authorization } })
  const prometheus = await startPrometheus(t, new URL(origin).host, metricsToken, rules)
  const api = async (path: string): Promise<any> => {
    const { data } = await (await fetch(`${prometheus.url}/api/v1/${path}`)).json() as any
    return data
  }
  const firing = async (): Promise<string[]> => (await api('alerts')).alerts
    .filter(({ state }: any) => state === 'firing').map(({ labels }: any) => labels.alertname)
  const isFiring = async (name: string) => {
    await until(async () => (await firing()).includes(name), 200).catch(() => { throw new Error(`${name} does not fire`) })
  }
  const isSilent = () => until(async () => (await firing()).length === 0, 200)

  const { data: tracks } = await (await ask('/v1/track/new')).json() as any
  const idOf = (title: string) => tracks.find((track: any) => track.title === title).id
  const { data: { url } } = await (await ask(`/v1/track/url?id=${idOf('Long')}`)).json() as any
  const transcoded = `${origin}/rest/stream?${new URLSearchParams({
    id: `tr-${idOf('Short')}`, format: 'mp3', c: 'alerts', apiKey: token
  })}`
  let tries = 0
  /** What clients ask as long as the test runs. */
  let load = [
    () => ask('/v1/track/new'), () => fetch(url, { headers: { range: 'bytes=0-99' } }), () => ask('/v1/none'),
    () => fetch(transcoded)
  ]
  const usual = load
  const end = new AbortController()
  const loading = (async () => {
    while (!end.signal.aborted) {
      for (const call of load) await call().then(response => response.arrayBuffer(), () => {})
      await sleep(20)
    }
  })()
  t.teardown(() => end.abort())

  t.test('all is well: none fires, and each query of the dashboard has data', async t => {
    await (await ask('/v1/track/new', 'wrong')).arrayBuffer()
    const { panels } = JSON.parse(readFileSync('docs/operations/dashboard.json', 'utf8'))
    const queries: string[] = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr))
    for (const query of queries.map(query => query.replaceAll('$__rate_interval', '8s'))) {
      await until(async () => (await api(`query?${new URLSearchParams({ query })}`)).result.length > 0, 200)
        .catch(() => { throw new Error(`No data: ${query}`) })
    }
    for (let second = 0; second < 12; second++) {
      t.strictSame(await firing(), [])
      await sleep(1000)
    }
  })

  t.test('PostgreSQL is stopped', async () => {
    await postgres.stop()
    await Promise.all(['SourceNotReady', 'AnswersFail'].map(isFiring))
    await postgres.start()
    await isSilent()
  })

  t.test('the music folder is away', async t => {
    // Audio requests would fail with 503, which is another alert.
    load = [() => ask('/v1/track/new')]
    renameSync(music, `${music}-away`)
    await isFiring('MusicMissing')
    t.strictSame(await firing(), ['MusicMissing'])
    renameSync(`${music}-away`, music)
    load = usual
    await isSilent()
  })

  t.test('one address tries tokens, a new one each time', async t => {
    load = [() => ask('/v1/track/new', `wrong ${tries++}`)]
    await isFiring('ManyWrongTokens')
    t.strictSame(await firing(), ['ManyWrongTokens'])
    load = usual
    await isSilent()
  })

  t.test('players are paused, more than one address may have', async () => {
    const players: IncomingMessage[] = []
    while (players.length < 600) {
      players.push(...await Promise.all(Array.from({ length: 50 }, async () => {
        const [response] = await once(get(url, { agent: false }), 'response')
        return response.on('error', () => {}).pause()
      })))
    }
    await isFiring('SourceOverloaded')
    for (const player of players) player.destroy()
    await isSilent()
  })

  t.test('the process hangs', async () => {
    child.kill('SIGSTOP')
    await isFiring('SourceDown')
    child.kill('SIGCONT')
    await isSilent()
  })

  t.test('it ends', async () => {
    end.abort()
    await loading
  })
})
