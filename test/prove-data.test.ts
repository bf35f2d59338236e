import t from 'tap'
import type { TObject, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import fc, { type Arbitrary } from 'fast-check'
import buildSerializer, { type Schema } from 'fast-json-stringify'
import { operations } from 'fastify-source-origin'
import { schemaName, wireSchema } from '../schemas/common.ts'
import { schemas } from '../schemas/index.ts'
import { compileData } from '../lib/prove-data.ts'
import { schemasOf } from '../lib/source-adapter.ts'

// The schema serializer and TypeBox's check of what it wrote are the judges here: the proof may never say more than they do.

const wireSchemas: TSchema[] = schemas.map(schema => wireSchema<TObject>(schema))
const wireById = Object.fromEntries(wireSchemas.map(schema => [schema.$id!, schema as TSchema & Schema]))

const dataSchemas = new Map<string, TSchema>(
  [...schemas, ...operations.map(({ adapterMethod }) => schemasOf(adapterMethod).data)].map(schema => [schemaName(schema), schema])
)

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd700, max: 0xe000 }))).map(units => String.fromCharCode(...units)),
  fc.string({ minLength: 42, maxLength: 60 }),
  fc.constant('\ud800'.padStart(5001, 'x'))
)

/** Values that conform, their members in the order in which the schema serializer writes them. */
function conforming (schema: TSchema, lacking = false): Arbitrary<unknown> {
  if (schema.$ref) return conforming(wireById[schema.$ref]!, lacking)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((option: TSchema) => conforming(option)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  switch (schema.type) {
    case 'object': {
      const { properties, required = [] } = wireSchema(schema as TObject)
      const names = [...required, ...Object.keys(properties).filter(name => !required.includes(name))]
      const due = lacking ? required.filter(name => properties[name]!.default === undefined) : required
      return fc.record(Object.fromEntries(names.map(name => [name, conforming(properties[name]!, lacking)])), { requiredKeys: due })
        .map(value => Object.fromEntries(names.filter(name => Object.hasOwn(value, name)).map(name => [name, value[name]])))
    }
    case 'array': return fc.array(conforming(schema.items, lacking), { maxLength: 3 })
    case 'string': return anyText
    case 'boolean': return fc.boolean()
    case 'integer': return fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, -0, 1e21)).map(value => Math.max(value, schema.minimum ?? 0))
    case 'number': return fc.oneof(fc.double({ min: schema.minimum ?? -1e300, max: 1e300, noNaN: true }), fc.constantFrom(-0, 5e-324, 1e21))
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
  'proxy that makes up': value => isObject(value) ? new Proxy({}, { get: (_target, key) => value[key as string] }) : value,
  'object of a class': value => isObject(value) ? Object.assign(new Plain(), value) : value,
  'without prototype': value => isRecord(value) ? Object.assign(Object.create(null), value) : value,
  'inherited members': value => isObject(value) ? Object.create(value) : value,
  'getters on the prototype': value => isRecord(value) ? Object.create(Object.create(Object.prototype, getters(value))) : value,
  'own getters': value => isRecord(value) ? Object.create(Object.prototype, getters(value)) : value,
  'hidden members': value => isRecord(value) ? Object.defineProperties({}, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, { value: member }]))) : value,
  'one hidden, one foreign member': value => {
    const [name] = Object.keys(isRecord(value) ? value : {}).reverse()
    return name === undefined ? value : Object.defineProperty({ ...value, foreign: 'SECRET' }, name, { enumerable: false })
  },
  'one hidden member': value => {
    const [name] = Object.keys(isRecord(value) ? value : {}).reverse()
    return name === undefined ? value : Object.defineProperty({ ...value }, name, { enumerable: false })
  },
  'foreign member': value => isRecord(value) ? { ...value, foreign: 'SECRET' } : value,
  'foreign symbol': value => isRecord(value) ? { ...value, [Symbol('s')]: 'SECRET' } : value,
  'undefined foreign member': value => isRecord(value) ? { ...value, foreign: undefined } : value,
  'own toJSON': value => isRecord(value) ? { ...value, toJSON: () => ({ foreign: 'SECRET' }) } : value,
  'hidden toJSON': value => isObject(value) ? Object.defineProperty(value, 'toJSON', { value: () => ({ foreign: 'SECRET' }) }) : value,
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

/** The same JSON with its members sorted, so that their order does not matter. */
const sorted = (json: string): string => JSON.stringify(JSON.parse(json), (_key, value) =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)) : value)

for (const [name, schema] of dataSchemas) {
  const { prove, repair } = compileData(schema)
  const serialize = buildSerializer(schema as TSchema & Schema, { schema: wireById })
  const wireCheck = TypeCompiler.Compile(schema.type === 'object' ? wireSchema(schema as TObject) : schema, wireSchemas)

  t.test(`${name}: a plain value that conforms is proven, and both paths write the same bytes`, async () => {
    fc.assert(fc.property(conforming(schema), value =>
      prove(value) === 'complete' && JSON.stringify(value) === serialize(value)))
  })

  t.test(`${name}: a plain value may lack defaults, and then the serializer fills them in`, async () => {
    fc.assert(fc.property(conforming(schema, true), value => {
      const complete = wireCheck.Check(value)
      return prove(value) === (complete ? 'complete' : 'lacks defaults') && wireCheck.Check(JSON.parse(serialize(value)))
    }))
  })

  t.test(`${name}: an odd value is written alike by both paths, or it is not proven`, async () => {
    fc.assert(fc.property(odd(schema), ({ value }) => {
      const proven = prove(value)
      if (proven === 'no') return true
      const bySchema = serialize(value)
      if (!wireCheck.Check(JSON.parse(bySchema))) return false
      if (proven === 'lacks defaults') return true
      const native = JSON.stringify(value)
      return native.length === bySchema.length && sorted(native) === sorted(bySchema)
    }), { numRuns: 300 })
  })

  t.test(`${name}: whatever comes, nothing outside the contract is written`, async () => {
    fc.assert(fc.property(odd(schema), ({ value }) => {
      let text: string
      try {
        text = repair(value)
      } catch {
        return true
      }
      return wireCheck.Check(JSON.parse(text)) && !text.includes('foreign')
    }))
  })
}
