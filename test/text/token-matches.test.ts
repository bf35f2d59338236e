import t from 'tap'
import { tokenMatches } from 'fastify-source-origin'

t.test('the header as it is must be the token', async t => {
  t.equal(tokenMatches('secret', 'secret'), true)
  for (const other of ['Secret', 'secret ', 'Bearer secret', 'secre', '', undefined]) {
    t.equal(tokenMatches(other, 'secret'), false)
  }
})

t.test('a token that is not configured matches nothing', async t => {
  for (const header of [undefined, '', 'undefined', 'secret']) {
    t.equal(tokenMatches(header, undefined), false)
    t.equal(tokenMatches(header, ''), false)
  }
})
