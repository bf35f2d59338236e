import assert from 'node:assert/strict'
import test from 'node:test'
import { checkSource } from 'fastify-source-origin/check'
import { buildApp } from './build-app.ts'

const token = 'the token of the tests'

test('the source keeps the contract', async t => {
  const app = await buildApp({ token })
  t.after(() => app.close())
  const { findings } = await checkSource({ app, authorization: token })
  assert.deepEqual(findings, [])
})

test('a track that is found can be played', async t => {
  const app = await buildApp({ token })
  t.after(() => app.close())
  const headers = { authorization: token }
  const [track] = (await app.inject({ url: '/v1/search/tracks?keyword=rising', headers })).json().data.items
  const { url } = (await app.inject({ url: `/v1/track/url?id=${track.id}`, headers })).json().data
  const audio = await app.inject(new URL(url).pathname)
  assert.equal(audio.statusCode, 200)
  assert.equal(audio.headers['content-type'], 'audio/wav')
})
