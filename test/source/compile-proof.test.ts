import t from 'tap'
import { Type, type TSchema } from '@sinclair/typebox'
import { extras } from 'fastify-source-origin'
import { compileProof } from '../../lib/source/compile-proof.ts'

const named = {
  Item: Type.Object({ id: Type.String(), note: Type.Optional(Type.String()) }, {
    $id: 'Item', additionalProperties: false
  })
}
const List = Type.Object({
  items: Type.Array(Type.Ref('Item')),
  count: Type.Integer({ minimum: 0 }),
  tags: Type.Array(Type.String(), { default: [] })
}, { additionalProperties: false })
const prove = compileProof(List, named)

const list = (more: object = {}) => ({ items: [{ id: '1' }, { id: '2', note: 'n' }], count: 2, tags: ['a'], ...more })
const itemIs = (item: unknown) => list({ items: [{ id: '1' }, item] })

class Item { id = '1' }
class List2 extends Array {}

t.test('a plain value that conforms is complete', async t => {
  t.equal(prove(list()), 'complete')
})

t.test('members may come in any order', async t => {
  t.equal(prove({ tags: [], count: 0, items: [] }), 'complete')
})

t.test('an object may have no prototype', async t => {
  t.equal(prove(Object.assign(Object.create(null), list())), 'complete')
})

t.test('a symbol is no member in JSON', async t => {
  t.equal(prove(list({ [Symbol('s')]: 1 })), 'complete')
})

t.test('extras are told of items that may have some, and not looked at', async t => {
  const proofOf = (title: string) => compileProof(Type.Object({}, { title, additionalProperties: false }), {})
  t.equal(proofOf('Track')({ [extras]: 1 }), 'with extras')
  t.equal(proofOf('Track')({ [extras]: undefined }), 'complete')
  t.equal(proofOf('Status')({ [extras]: 1 }), 'complete')
})

t.test('a hidden foreign member is no member in JSON', async t => {
  t.equal(prove(itemIs(Object.defineProperty({ id: '1' }, 'foreign', { value: 1 }))), 'complete')
})

t.test('an optional member may be undefined', async t => {
  t.equal(prove(itemIs({ id: '1', note: undefined })), 'complete')
})

for (const [what, value] of Object.entries({
  'left out': { items: [], count: 0 }, undefined: { items: [], count: 0, tags: undefined }
})) {
  t.test(`a member with a default that is ${what} lacks`, async t => {
    t.equal(prove(value), 'lacks defaults')
    t.equal(prove(list()), 'complete', 'and the next value is another matter')
  })
}

for (const [what, value] of Object.entries<unknown>({
  'null instead of an object': null,
  'a scalar instead of an object': 7,
  'a list instead of an object': [],
  'a missing member': { items: [], tags: [] },
  'a required member that is undefined': list({ count: undefined }),
  'an optional member that is null': itemIs({ id: '1', note: null }),
  'a foreign member': list({ foreign: 1 }),
  'a foreign member that is undefined': list({ foreign: undefined }),
  'a foreign member deep inside': itemIs({ id: '1', foreign: 1 }),
  'a foreign member in place of a hidden one': itemIs(Object.defineProperty({ id: '1', foreign: 1 }, 'note', {
    value: 'n'
  })),
  'a hidden optional member': itemIs(Object.defineProperty({ id: '1' }, 'note', { value: 'n' })),
  'a hidden required member': itemIs(Object.defineProperty({}, 'id', { value: '1' })),
  'a hidden member with a default': Object.defineProperty({ items: [], count: 0 }, 'tags', { value: ['SECRET'] }),
  'a fraction for an integer': list({ count: 1.5 }),
  'a number below the minimum': list({ count: -1 }),
  NaN: list({ count: NaN }),
  Infinity: list({ count: Infinity }),
  'a bigint': list({ count: 1n }),
  'a boxed number': list({ count: Object(1) }),
  'a boxed string': itemIs({ id: Object('1') }),
  'a date': itemIs({ id: new Date() }),
  'a sparse list': list({ items: new Array(1) }),
  'a hole in a list': list({ tags: Object.assign(['a'], { 2: 'b' }) }),
  'an object for a list': list({ tags: { length: 0 } }),
  'a Proxy of an object': itemIs(new Proxy({ id: '1' }, {})),
  'a Proxy of a list': list({ tags: new Proxy(['a'], {}) }),
  'an instance of a class': itemIs(new Item()),
  'a list of a class': list({ tags: List2.of('a') }),
  'inherited members': itemIs(Object.create({ id: '1' })),
  'a getter on a prototype': itemIs(Object.create({ get id () { return '1' } })),
  'an own toJSON': itemIs({ id: '1', toJSON: () => 'SECRET' }),
  'a hidden toJSON': itemIs(Object.defineProperty({ id: '1' }, 'toJSON', { value: () => 'SECRET' })),
  'a toJSON of a list': list({ tags: Object.assign(['a'], { toJSON: () => 'SECRET' }) })
})) {
  t.test(`${what} is not proven`, async t => {
    t.equal(prove(value), 'no')
  })
}

for (const [what, pollution] of Object.entries<[object, string, unknown]>({
  'toJSON on Object.prototype': [Object.prototype, 'toJSON', () => 'SECRET'],
  'toJSON on Array.prototype': [Array.prototype, 'toJSON', () => 'SECRET'],
  'an optional member on Object.prototype': [Object.prototype, 'note', 'n'],
  'a required member on Object.prototype': [Object.prototype, 'count', 1]
})) {
  for (const enumerable of [true, false]) {
    t.test(`${what}, ${enumerable ? 'enumerable' : 'hidden'}, leaves nothing proven that it could touch`, async t => {
      const [prototype, name, value] = pollution
      Object.defineProperty(prototype, name, { value, enumerable, configurable: true })
      try {
        t.equal(prove({ items: [], tags: [] }), 'no')
        if (name !== 'count') t.equal(prove(list()), 'no')
      } finally {
        delete (prototype as Record<string, unknown>)[name]
      }
    })
  }
}

const members = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`)
const objectOf = (count: number) => Type.Object(
  Object.fromEntries(members(count).map(name => [name, Type.String()])), { additionalProperties: false })

for (const [what, [schema, message]] of Object.entries<[TSchema, string]>({
  'a pattern': [Type.String({ pattern: '^a' }), 'There is no proof for "pattern" of type string'],
  'a maximum': [Type.Number({ maximum: 1 }), 'There is no proof for "maximum" of type number'],
  'an unknown type': [{ type: 'date' } as unknown as TSchema, 'There is no proof for "type" of type date'],
  'an open object': [
    Type.Object({ id: Type.String() }), 'There is no proof for an object that allows other members or has more than 30'
  ],
  'too many members': [objectOf(31), 'There is no proof for an object that allows other members or has more than 30']
})) {
  t.test(`a schema with ${what} has no proof`, async t => {
    t.throws(() => compileProof(schema, named), new TypeError(message))
  })
}

t.test('an object of thirty members, all of them required, is proven', async t => {
  const prove = compileProof(objectOf(30), {})
  const given = Object.fromEntries(members(30).map(name => [name, 'a']))
  t.equal(prove(given), 'complete')
  t.equal(prove({ ...given, m29: 1 }), 'no')
})

t.test('an object of optional members only is proven too', async t => {
  const open = compileProof(Type.Object({ a: Type.Optional(Type.Null()) }, { additionalProperties: false }), {})
  t.equal(open({}), 'complete')
  t.equal(open({ a: null }), 'complete')
  t.equal(open({ a: 1 }), 'no')
})
