import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { checkSource } from 'fastify-source-origin/check'
import { buildApp } from './build-app.ts'

const token = 'the token of the tests'

async function build (t: TestContext) {
  const secret = 'the secret of the tests: 32 bytes'
  const app = await buildApp({ token, secret, publicUrl: undefined, dataDir: 'data' })
  t.after(() => app.close())
  return app
}

test('the source keeps the contract', async t => {
  const { findings } = await checkSource({ app: await build(t), authorization: token })
  // Files without tags are warnings.
  assert.deepEqual(findings.filter(({ level }) => level === 'broken'), [])
})

test('a track that is found can be played, and only with its signed URL', async t => {
  const app = await build(t)
  const headers = { authorization: token }
  const [track] = (await app.inject({ url: '/v1/track/new', headers })).json().data
  const { url } = (await app.inject({ url: `/v1/track/url?id=${track.id}`, headers })).json().data
  const { pathname, search } = new URL(url)
  const audio = await app.inject({ url: pathname + search, headers: { range: 'bytes=100-' } })
  assert.equal(audio.statusCode, 206)
  assert.match(String(audio.headers['content-type']), /^audio/)
  assert.equal((await app.inject(pathname)).statusCode, 403)
})
