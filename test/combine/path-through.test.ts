import t from 'tap'
import { pathThrough } from 'fastify-source-origin/combine'

const eight = Array.from({ length: 8 }, (_empty, index) => `s${index}`)

for (const [header, path] of [
  [undefined, ['me']], ['', ['me']], ['a', ['a', 'me']], ['a,b , c', ['a', 'b', 'c', 'me']],
  [['a', 'b'], ['a', 'b', 'me']], ['a, me', undefined], ['me', undefined], ['Me', ['Me', 'me']],
  [`a b, <x>, ${'x'.repeat(65)}, b`, ['b', 'me']], [eight.slice(1).join(), [...eight.slice(1), 'me']],
  [eight.join(), undefined], ['x,'.repeat(4000), undefined]
] as const) {
  t.test(`a request on the path ${JSON.stringify(header)?.slice(0, 40)} goes on as ${path ?? 'none'}`, async t => {
    t.strictSame(pathThrough({ 'source-path': header as string }, 'me'), path)
  })
}

for (const id of ['', 'a b', 'a,b', 'x'.repeat(65), undefined]) {
  t.test(`a source that is called ${id} is refused by name`, async t => {
    t.throws(() => pathThrough({}, id as string), { code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: /"id"/ })
  })
}
