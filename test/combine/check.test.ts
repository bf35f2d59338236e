import t from 'tap'
import { checkSource } from 'fastify-source-origin/check'
import { combineSources, type CombinedSource } from 'fastify-source-origin/combine'
import { buildReferences, createReferenceAdapter, playlistSortOptions, qualityMap, token } from '../reference-source.ts'

const source = (id: string): CombinedSource => ({
  id,
  name: id.toUpperCase(),
  adapter: createReferenceAdapter(() => 'http://localhost'),
  stateless: false,
  account: 'ada',
  qualityMap,
  playlistSortOptions
})

const nested = (): CombinedSource => ({ id: 'n', name: 'N', ...combineSources([source('a'), source('b')]) })

const combinations = {
  'one source': [source('a')],
  'two sources': [source('a'), source('b')],
  'five sources': ['a', 'b', 'c', 'd', 'e'].map(source),
  'a source and a combination': [source('a'), nested()]
}

for (const [name, sources] of Object.entries(combinations)) {
  t.test(`the check finds nothing in a combination of ${name}`, async t => {
    const app = await buildReferences(() => combineSources(sources))
    t.teardown(() => app.close())
    const { findings, operations } = await checkSource({ app, authorization: token, write: true })
    t.strictSame(findings, [])
    t.strictSame(operations.filter(({ outcome }) => outcome !== 'ok'), [])
  })
}
