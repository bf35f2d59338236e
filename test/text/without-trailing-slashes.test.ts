import t from 'tap'
import { withoutTrailingSlashes } from '../../lib/text/without-trailing-slashes.ts'

for (const [url, without] of [
  ['http://a.example//', 'http://a.example'], ['http://a.example/b', 'http://a.example/b'], ['///', '']
] as const) {
  t.test(`withoutTrailingSlashes of ${url}`, async t => t.equal(withoutTrailingSlashes(url), without))
}
