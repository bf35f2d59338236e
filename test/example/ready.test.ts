import fastify from 'fastify'
import { readFile } from 'node:fs/promises'
import timers from 'node:timers/promises'
import t from 'tap'
import { parse } from 'yaml'
import { serveFolder } from '../../example/serve-folder.ts'
import { MusicFolder } from '../../example/index/music-folder.ts'
import { readSettings } from '../../example/start/settings.ts'
import { startPostgres } from '../postgres.ts'
import { startRedis } from '../redis.ts'
import { blocks } from '../doc-blocks.ts'
import { skipWithout } from '../services.ts'
import { replace, replaceExports } from '../replace.ts'
import { folder, startWith, token, until } from './helper.ts'
import { deferred } from '../helper.ts'

t.test('it is ready when the first scan has come to its end, and anybody may ask', async t => {
  const source = await startWith(t, {})
  await until(async () => (await source.app.inject('/ready')).statusCode === 200)
  t.strictSame((await source.app.inject('/ready')).json(), {
    status: 'ready', checks: { database: 'ok', listenbrainz: 'ok', scan: 'ok' }
  })
})

t.test('while the first scan runs it is not ready, and the start waits three seconds for it', async t => {
  const { promise: held, resolve: goOn } = deferred<void>()
  const waits: unknown[] = []
  replaceExports(t, timers, { setTimeout: (async (ms: number) => { waits.push(ms) }) as typeof timers.setTimeout })
  const { scan } = MusicFolder.prototype
  replace(t, MusicFolder.prototype, 'scan', async function (this: MusicFolder) {
    await held
    return scan.call(this)
  })
  const app = fastify()
  t.teardown(() => app.close())
  const settings = readSettings({ MUSIC_DIR: folder(t), DATA_DIR: folder(t), SOURCE_API_TOKEN: token })
  await app.register(async instance => serveFolder(instance, settings))
  await app.ready()
  t.strictSame(waits, [3000])
  const answer = await app.inject('/ready')
  t.equal(answer.statusCode, 503)
  t.strictSame(answer.json(), { status: 'waiting', checks: { database: 'ok', listenbrainz: 'ok', scan: 'running' } })
  goOn()
  await until(async () => (await app.inject('/ready')).statusCode === 200)
})

t.test('without accounts there is no database to check', async t => {
  const source = await startWith(t, {}, { STATELESS: 'true' })
  await until(async () => (await source.app.inject('/ready')).statusCode === 200)
  t.strictSame((await source.app.inject('/ready')).json().checks, { scan: 'ok' })
})

t.test('PostgreSQL', async t => {
  skipWithout('PostgreSQL', t)
  t.test('while it is away the replica is not ready', async t => {
    const postgres = await startPostgres(t)
    const source = await startWith(t, {}, { DATABASE_URL: postgres.url })
    await until(async () => (await source.app.inject('/ready')).statusCode === 200)
    await postgres.stop()
    await until(async () => (await source.app.inject('/ready')).statusCode === 503)
    t.strictSame((await source.app.inject('/ready')).json(), {
      status: 'waiting', checks: { database: 'down', listenbrainz: 'ok', scan: 'ok' }
    })
    t.equal((await source.call('/status')).statusCode, 200)
    await postgres.start()
    await until(async () => (await source.app.inject('/ready')).statusCode === 200)
  })
})

t.test('Redis', async t => {
  skipWithout('Redis', t)
  t.test('while it is away, which is told, the replica is ready all the same', async t => {
    const redis = await startRedis(t)
    const source = await startWith(t, {}, { REDIS_URL: redis.url })
    const ready = async () => (await source.app.inject('/ready')).json()
    await until(async () => (await ready()).checks.redis === 'ok')
    await redis.stop()
    await until(async () => (await ready()).checks.redis === 'down')
    t.strictSame(await ready(), {
      status: 'ready', checks: { database: 'ok', listenbrainz: 'ok', redis: 'down', scan: 'ok' }
    })
    t.equal((await source.app.inject('/ready')).statusCode, 200)
    t.equal((await source.call('/v1/status')).statusCode, 200)
    await redis.start()
    await until(async () => (await ready()).checks.redis === 'ok')
  })
})

const deployment = blocks.filter(({ document, language }) => /deployment/.test(document) && language === 'yaml')
  .map(({ code }) => parse(code))

t.test('the deployments of the document', async t => {
  const settings = new Set([...(await readFile('.env.example', 'utf8')).matchAll(/^(?:# )?([A-Z_]+)=/gm)]
    .map(([, name]) => name))
  const { paths } = await startWith(t, {}).then(async ({ call }) => ({
    paths: async (path: string) => (await call(path, { headers: { authorization: token } })).statusCode
  }))

  t.test('Compose: settings exist, volumes are named, and Docker waits for the end', async t => {
    const { services, volumes } = parse(await readFile('compose.yaml', 'utf8'))
    const dockerfile = await readFile('Dockerfile', 'utf8')
    for (const { environment, stop_grace_period: grace, healthcheck, build } of [services.music, services.audiobooks]) {
      // TZ is a setting of Node itself.
      for (const name of Object.keys(environment)) t.ok(name === 'TZ' || settings.has(name), name)
      t.ok(parseInt(grace) > 8)
      t.equal(healthcheck, undefined)
      t.match(dockerfile, ` AS ${build.target}\n`)
    }
    for (const volume of Object.values<any>(services).flatMap(({ volumes }) => volumes) as string[]) {
      const [from = '', to = ''] = volume.split(':')
      t.ok(from.startsWith('$') || from in volumes, volume)
      if (from.endsWith('-data')) t.match(dockerfile, `VOLUME ${to}`)
    }
  })

  t.test('Kubernetes: settings exist, probes ask what is there, and the pod has time to end', async t => {
    const { kind, spec } = deployment.find(({ kind }) => kind !== undefined)
    t.equal(kind, 'Deployment')
    t.strictSame(spec.selector.matchLabels, spec.template.metadata.labels)
    const { containers: [container], terminationGracePeriodSeconds: grace, volumes } = spec.template.spec
    for (const { name } of container.env) t.ok(settings.has(name), name)
    const delay = Number(container.env.find(({ name }: { name: string }) => name === 'SHUTDOWN_DELAY').value)
    t.ok(grace > delay + 8)
    const { livenessProbe, readinessProbe, ports: [{ containerPort }] } = container
    t.equal(livenessProbe.httpGet.path, '/status')
    t.equal(readinessProbe.httpGet.path, '/ready')
    for (const { httpGet } of [livenessProbe, readinessProbe]) {
      t.equal(httpGet.port, containerPort)
      t.equal(await paths(httpGet.path), 200)
    }
    // The load balancer has seen it before the server closes.
    t.ok(delay > readinessProbe.periodSeconds * readinessProbe.failureThreshold)
    t.strictSame(container.volumeMounts.map(({ name }: { name: string }) => name),
      volumes.map(({ name }: { name: string }) => name))
  })

  t.test('fastify-cli waits for the longest SHUTDOWN_DELAY and running requests, however it is started', async t => {
    const longest = 600
    t.throws(() => readSettings({ SHUTDOWN_DELAY: String(longest + 1) }))
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))
    for (const command of [scripts.start, scripts.dev, await readFile('Dockerfile', 'utf8')]) {
      const [, grace] = /close-grace-delay\W+(\d+)/.exec(command)!
      t.ok(Number(grace) > (longest + 8) * 1000, command)
    }
  })

  t.test('the HEALTHCHECK of the image is liveness', async t => {
    t.match(await readFile('Dockerfile', 'utf8'), /HEALTHCHECK .*:\$PORT\$FASTIFY_PREFIX\/status"/)
  })
})
