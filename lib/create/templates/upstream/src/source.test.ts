import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { FastifyServerOptions } from 'fastify'
import { checkSource } from 'fastify-source-origin/check'
import { buildApp } from './build-app.ts'
import { startMusicService, type Fault } from './music-service.ts'

const token = 'the token of the tests'
const headers = { authorization: token }

/** The source in front of a service of its own. */
async function build (t: TestContext, options?: FastifyServerOptions) {
  const service = await startMusicService()
  const serviceUrl = service.listeningOrigin
  const dataDir = await mkdtemp(join(tmpdir(), 'source-'))
  const settings = { token, secret: 'the secret of the tests: 32 bytes', publicUrl: undefined, serviceUrl, dataDir }
  const app = await buildApp(settings, options)
  t.after(async () => {
    await app.close()
    await service.close()
    await rm(dataDir, { recursive: true })
  })
  const get = async (url: string) => (await app.inject({ url, headers })).json()
  return { app, service, get }
}

test('the source keeps the contract, writes included', async t => {
  const { app } = await build(t)
  const { findings } = await checkSource({ app, authorization: token, write: true })
  assert.deepEqual(findings, [])
})

test('a song that is found can be played from its middle on', async t => {
  const { app, get } = await build(t)
  const { data: { items: [track] } } = await get('/v1/search/tracks?keyword=rising')
  const { data: { url } } = await get(`/v1/track/url?id=${track.id}`)
  const audio = await app.inject({ url: url.replace(/^http:..[^/]+/, ''), headers: { range: 'bytes=10000-' } })
  assert.equal(audio.statusCode, 206)
  assert.equal(audio.headers['content-type'], 'audio/wav')
  assert.equal(audio.rawPayload.length, Number(audio.headers['content-length']))
})

test('what people search for is not in the log', async t => {
  const lines: string[] = []
  const { get } = await build(t, { logger: { stream: { write: line => { lines.push(line) } } } })
  await get('/v1/search/tracks?keyword=rising')
  assert.match(lines.join(''), /search/)
  assert.doesNotMatch(lines.join(''), /rising/)
})

test('a page begins where it should, wherever the cursors of the service are', async t => {
  const { get } = await build(t)
  const { data } = await get('/v1/artist/tracks?id=1&offset=3&limit=4')
  assert.deepEqual(data.items.map(({ id }: { id: string }) => id), ['111', '114', '117', '120'])
})

const faults: Fault[] = ['session ended', 'rate limit', 'broken']
for (const fault of faults) {
  test(`listeners notice nothing of: ${fault}`, async t => {
    const { get, service } = await build(t)
    await get('/v1/track?id=101')
    service.faults.push(fault)
    assert.equal((await get('/v1/track?id=102')).data.id, '102')
    assert.deepEqual(service.faults, [])
  })
}

test('a service that stays broken is an error that names no address', async t => {
  const { get, service } = await build(t)
  await get('/v1/track?id=101')
  service.faults.push('broken', 'broken', 'broken')
  const { code, message } = await get('/v1/track?id=102')
  assert.equal(code, 502)
  assert.doesNotMatch(message, /127\.0\.0\.1|songs/)
})

for (const id of ['999', 'none', '../login']) {
  test(`there is no song ${id}`, async t => {
    const { get } = await build(t)
    assert.equal((await get(`/v1/track?id=${encodeURIComponent(id)}`)).code, 404)
  })
}
