import t from 'tap'
import { ArtistPageSchema, TrackPageSchema } from 'fastify-source-origin'
import { compileDefaults } from '../../lib/source/fill-defaults.ts'
import { dataOf } from '../helper.ts'

const fill = compileDefaults(TrackPageSchema)!

t.test('only what lacks something is copied, the rest is shared', async t => {
  const whole = dataOf('getTrackDetail')
  const { qualities, ...lacking } = whole
  const page = { items: [whole, lacking], offset: 0, limit: 2, hasMore: false }
  const filled = fill(page)
  t.not(filled, page)
  t.equal(filled.items[0], whole)
  t.strictSame(filled.items[1], { ...lacking, qualities: [] })
  t.equal(filled.items[1].album, lacking.album)
  t.strictSame(page.items, [whole, lacking])
})

t.test('what lacks nothing is given back itself', async t => {
  const page = { items: [dataOf('getTrackDetail')], offset: 0, limit: 2, hasMore: false }
  t.equal(fill(page), page)
})

t.test('a schema without defaults needs nothing filled in', async t => {
  t.equal(compileDefaults(ArtistPageSchema), undefined)
})
