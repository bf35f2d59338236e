import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import type { TObject, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import fc, { type Arbitrary } from 'fast-check'
import { errors, operations } from 'fastify-source-origin'
import { enveloped, schemaName, wireSchema } from '../../schemas/common.ts'
import { ErrorResponseSchema, schemas } from '../../schemas/index.ts'
import { schemasOf } from '../../lib/contract/schemas-of.ts'
import { compileSerializer } from '../../lib/source/compile-serializer.ts'
import { ContractError } from '../../lib/source/contract-error.ts'
import { fifthOfRuns } from '../fifth.ts'

const { UpstreamError } = errors

// TypeBox's check of what was written is the judge here.

const wireSchemas: TSchema[] = schemas.map(schema => wireSchema<TObject>(schema))
const wireById = Object.fromEntries(wireSchemas.map(schema => [schema.$id!, schema]))

const dataSchemas = new Map<string, TSchema>(
  [...schemas, ...operations.map(({ adapterMethod }) => schemasOf(adapterMethod).data)].map(schema =>
    [schemaName(schema), schema])
)

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd700, max: 0xe000 }))).map(units =>
    String.fromCharCode(...units)),
  fc.string({ minLength: 42, maxLength: 60 }),
  fc.constant('\ud800'.padStart(5001, 'x'))
)

/** Values that conform. */
function conforming (schema: TSchema, lacking = false): Arbitrary<unknown> {
  if (schema.$ref) return conforming(wireById[schema.$ref]!, lacking)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((option: TSchema) => conforming(option)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  switch (schema.type) {
    case 'object': {
      const { properties, required = [] } = wireSchema(schema as TObject)
      const names = [...required, ...Object.keys(properties).filter(name => !required.includes(name))]
      const due = lacking ? required.filter(name => properties[name]!.default === undefined) : required
      return fc.record(Object.fromEntries(names.map(name => [name, conforming(properties[name]!, lacking)])), {
        requiredKeys: due
      })
        .map(value =>
          Object.fromEntries(names.filter(name => Object.hasOwn(value, name)).map(name => [name, value[name]])))
    }
    case 'array': return fc.array(conforming(schema.items, lacking), { maxLength: 3 })
    case 'string': return schema.minLength ? anyText.map(text => text || 'x') : anyText
    case 'boolean': return fc.boolean()
    case 'integer': return fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, -0, 1e21)).map(value =>
      Math.max(value, schema.minimum ?? 0))
    case 'number': return fc.oneof(
      fc.double({ min: schema.minimum ?? -1e300, max: 1e300, noNaN: true }), fc.constantFrom(-0, 5e-324, 1e21)
    )
    default: return fc.constant(null)
  }
}

type Holder = Record<string | number, any>

/** Every place of a value: the object or array that holds it, and its key there. */
function places (holder: Holder): [Holder, string | number][] {
  return Object.keys(holder).flatMap(key => {
    const value = holder[key]
    return [[holder, key] as [Holder, string], ...(typeof value === 'object' && value !== null ? places(value) : [])]
  })
}

class Plain {}
class WithToJSON { toJSON () { return { foreign: 'SECRET' } } }
class List extends Array {}

/** What may come instead of a value; each is made from the value that was there. */
const oddities: Record<string, (value: any) => unknown> = {
  null: () => null,
  undefined: () => undefined,
  NaN: () => NaN,
  Infinity: () => Infinity,
  negative: () => -1,
  fraction: () => 1.5,
  bigint: () => 7n,
  symbol: () => Symbol('s'),
  function: () => () => 'x',
  date: () => new Date(0),
  text: () => 'text',
  boxed: value => Object(value),
  'boxed text': () => Object('text'),
  map: () => new Map([['id', 1]]),
  'empty object': () => ({}),
  'empty list': () => [],
  'sparse list': () => new Array(2),
  'list with a hole': value => Array.isArray(value) ? Object.assign(value, { length: value.length + 1 }) : value,
  'list with a member': value => Array.isArray(value) ? Object.assign(value, { foreign: 'SECRET' }) : value,
  'list with toJSON': value => Array.isArray(value) ? Object.assign(value, { toJSON: () => ['SECRET'] }) : value,
  'list of a class': value => Array.isArray(value) ? List.from(value) : value,
  proxy: value => isObject(value) ? new Proxy(value, {}) : value,
  'proxy that hides': value => isObject(value) ? new Proxy(value, { ownKeys: () => [] }) : value,
  'proxy that makes up': value =>
    isObject(value) ? new Proxy({}, { get: (_target, key) => value[key as string] }) : value,
  'object of a class': value => isObject(value) ? Object.assign(new Plain(), value) : value,
  'without prototype': value => isRecord(value) ? Object.assign(Object.create(null), value) : value,
  'inherited members': value => isObject(value) ? Object.create(value) : value,
  'getters on the prototype': value =>
    isRecord(value) ? Object.create(Object.create(Object.prototype, getters(value))) : value,
  'own getters': value => isRecord(value) ? Object.create(Object.prototype, getters(value)) : value,
  'hidden members': value => isRecord(value)
    ? Object.defineProperties(
      {}, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, { value: member }]))
    )
    : value,
  'one hidden, one foreign member': value => {
    const [name] = Object.keys(isRecord(value) ? value : {}).reverse()
    return name === undefined
      ? value
      : Object.defineProperty({ ...value, foreign: 'SECRET' }, name, {
        enumerable: false
      })
  },
  'one hidden member': value => {
    const [name] = Object.keys(isRecord(value) ? value : {}).reverse()
    return name === undefined ? value : Object.defineProperty({ ...value }, name, { enumerable: false })
  },
  'foreign member': value => isRecord(value) ? { ...value, foreign: 'SECRET' } : value,
  'foreign symbol': value => isRecord(value) ? { ...value, [Symbol('s')]: 'SECRET' } : value,
  'undefined foreign member': value => isRecord(value) ? { ...value, foreign: undefined } : value,
  'own toJSON': value => isRecord(value) ? { ...value, toJSON: () => ({ foreign: 'SECRET' }) } : value,
  'hidden toJSON': value =>
    isObject(value) ? Object.defineProperty(value, 'toJSON', { value: () => ({ foreign: 'SECRET' }) }) : value,
  'inherited toJSON': value => isRecord(value) ? Object.assign(new WithToJSON(), value) : value,
  'other order': value => isRecord(value) ? Object.fromEntries(Object.entries(value).reverse()) : value
}

const isObject = (value: unknown): value is Holder => typeof value === 'object' && value !== null
const isRecord = (value: unknown): value is Holder => isObject(value) && !Array.isArray(value)
const getters = (value: Holder): PropertyDescriptorMap =>
  Object.fromEntries(Object.keys(value).map(name => [name, { get: () => value[name], enumerable: true }]))

/** A conforming value with up to three oddities anywhere in it. */
const odd = (schema: TSchema): Arbitrary<{ value: unknown }> =>
  fc.tuple(
    conforming(schema, true),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Object.keys(oddities))), { minLength: 1, maxLength: 3 })
  ).map(([value, changes]) => {
    const root: { value: unknown } = { value: structuredClone(value) }
    for (const [index, name] of changes) {
      try {
        const found = places(root)
        const [holder, key] = found[index % found.length]!
        holder[key] = oddities[name]!(holder[key])
      } catch { /* what is odd already may not take it */ }
    }
    return root
  })

/** The serializer of an operation's data, and what it logs. */
function serializerOf (schema: TSchema, validateResponses: boolean) {
  const notes: string[] = []
  const drifts = { note: (_operation: string, path: string) => { notes.push(path) }, report () {} }
  return { notes, serialize: compileSerializer(enveloped(schema), { operation: 'test', validateResponses, drifts }) }
}

for (const [name, schema] of dataSchemas) {
  const wireCheck = TypeCompiler.Compile(schema.type === 'object' ? wireSchema(schema as TObject) : schema, wireSchemas)
  const { serialize: refusing } = serializerOf(schema, true)

  t.test(`${name}: a plain value that conforms is written as JSON.stringify writes it`, async () => {
    fc.assert(fc.property(conforming(schema), data =>
      refusing({ code: 200, data }) === JSON.stringify({ code: 200, data })), fifthOfRuns(100))
  })

  t.test(`${name}: missing defaults are filled in, and the given value stays as it is`, async () => {
    fc.assert(fc.property(conforming(schema, true), data => {
      const before = structuredClone(data)
      const written = JSON.parse(refusing({ code: 200, data })).data
      return wireCheck.Check(written) && isDeepStrictEqual(data, before) &&
        contains(written, JSON.parse(JSON.stringify(data)))
    }), fifthOfRuns(100))
  })

  t.test(`${name}: in development an odd value is written as the contract says or refused by name`, async () => {
    fc.assert(fc.property(odd(schema), ({ value }) => {
      try {
        return wireCheck.Check(JSON.parse(refusing({ code: 200, data: value })).data)
      } catch (error) {
        return error instanceof ContractError && error.message.startsWith(`Adapter response of test does not match ${name}: /`)
      }
    }), fifthOfRuns(300))
  })

  t.test(`${name}: in production whatever comes is mended to what conforms, or is a 500 or 502`, async () => {
    const { serialize: mending, notes } = serializerOf(schema, false)
    fc.assert(fc.property(odd(schema), ({ value }) => {
      notes.length = 0
      let text: string
      try {
        text = mending({ code: 200, data: value })
      } catch (error) {
        return error instanceof TypeError || error instanceof UpstreamError
      }
      return wireCheck.Check(JSON.parse(text).data) && !text.includes('foreign')
    }), fifthOfRuns(300))
  })

  t.test(`${name}: what development accepts is not mended in production`, async () => {
    const { serialize: mending, notes } = serializerOf(schema, false)
    fc.assert(fc.property(odd(schema), ({ value }) => {
      notes.length = 0
      let accepted: string | undefined
      try {
        accepted = refusing({ code: 200, data: value })
      } catch { /* refused */ }
      try {
        const text = mending({ code: 200, data: value })
        return accepted === undefined ? notes.length > 0 : text === accepted && notes.length === 0
      } catch {
        return accepted === undefined
      }
    }), fifthOfRuns(100))
  })
}

/** Whether every member of one JSON value is in another. */
function contains (whole: any, part: any): boolean {
  if (!isObject(part)) return Object.is(whole, part)
  return Object.keys(part).every(key => contains(whole[key], part[key])) &&
    (!Array.isArray(part) || whole.length === part.length)
}

t.test('a body without an envelope is proven and mended as a whole', async t => {
  const notes: string[] = []
  const drifts = { note: (_operation: string, path: string) => { notes.push(path) }, report () {} }
  const serialize = compileSerializer(ErrorResponseSchema, { operation: 'test', validateResponses: false, drifts })
  t.equal(serialize({ code: 404, message: 'none', data: null }), '{"code":404,"message":"none","data":null}')
  t.equal(serialize({ code: 404, message: 7, data: null }), '{"code":404,"message":"7","data":null}')
  t.strictSame(notes, ['/message'])
})
