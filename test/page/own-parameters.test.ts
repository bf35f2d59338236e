import fastify from 'fastify'
import t, { type Test } from 'tap'
import sourceOrigin from 'fastify-source-origin'
import { sourcePage } from 'fastify-source-origin/page'

async function start (t: Test) {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) =>
      authorization === '' ? null : { adapter: {}, stateless: false, account: 'ann' }
  })
  await app.register(sourcePage)
  return async (path: string, payload?: object | string, authorization = 'good') => {
    const headers = { authorization, 'content-type': 'application/json' }
    const method = payload === undefined ? 'GET' : 'POST'
    const answer = await app.inject({ url: `/page/${path}`, headers, method, ...payload !== undefined && { payload } })
    return [answer.statusCode, answer.json().message]
  }
}

const play = { id: 'p', track: 't', length: 1000, startedAt: 0, position: 0, played: 0, state: 'paused' }

t.test('plays are taken as they are, whole or not at all', async t => {
  const ask = await start(t)
  t.strictSame(await ask('plays', { now: 1, plays: [play, { ...play, id: 'q' }] }), [200, undefined])
  t.strictSame(await ask('plays', { now: 1, plays: [] }), [200, undefined])
  const list = [400, 'Parameter plays must be a list of at most 500 plays']
  const { state, ...stateless } = play
  for (const bad of [
    'p', ['p'], [play, stateless], [{ ...play, state: `${state}!` }], [{ ...play, id: '' }], [{ ...play, length: -1 }],
    [{ ...play, position: '0' }], [{ ...play, track: 'x'.repeat(1025) }], Array(501).fill(play)
  ]) t.strictSame(await ask('plays', { now: 1, plays: bad }), list, JSON.stringify(bad).slice(0, 60))
  t.strictSame(await ask('plays', { now: -1, plays: [] }), [400, 'Parameter now must be a time in milliseconds'])
  t.strictSame(await ask('plays', { plays: [] }), [400, 'Parameter now is required'])
  t.strictSame(await ask('plays', { now: 1, plays: [], then: 2 }), [400, 'Unknown parameter then'])
  t.strictSame(await ask('plays', []), [400, 'The body must be a JSON object'])
})

t.test('a list of ids in an address may have one', async t => {
  const ask = await start(t)
  for (const [query, code] of [['track=a', 200], ['track=a&track=b', 200], ['album=a&album=b', 400]] as const) {
    t.equal((await ask(`extras?${query}`))[0], code, query)
  }
  t.strictSame(await ask(`extras?${'track=a&'.repeat(51)}`), [400, 'Parameter track must be 1 to 50 ids'])
})

t.test('what has no parameters needs no body, and who is not let in learns nothing of parameters', async t => {
  const ask = await start(t)
  t.strictSame((await ask('scan', {}))[0], 501)
  t.strictSame((await ask('plays', {}, ''))[0], 401)
  t.strictSame((await ask('browse?kind=x', undefined, ''))[0], 401)
})
