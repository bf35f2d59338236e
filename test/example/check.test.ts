import t from 'tap'
import { checkSource } from 'fastify-source-origin/check'
import { start, token } from './helper.ts'

t.test('the conformance check has nothing to say about the example', async t => {
  const { app } = await start(t)
  const { outcome, findings } = await checkSource({ app, authorization: token })
  t.strictSame(findings, [])
  t.equal(outcome, 'ok')
})
