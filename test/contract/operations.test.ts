import t from 'tap'
import type { TSchema } from '@sinclair/typebox'
import { capabilities, operations, schemas } from 'fastify-source-origin'
import { operationSchemas } from '../../schemas/operation-schemas.ts'
import { schemasOf } from '../../lib/contract/schemas-of.ts'
import { redirects } from '../../lib/contract/operations.ts'

t.test('no method and path stands twice in the table', async t => {
  const routes = operations.map(({ method, path }) => `${method} ${path}`)
  t.equal(new Set(routes).size, routes.length)
})

t.test('no operationId stands twice in the table', async t => {
  t.equal(new Set(operations.map(({ adapterMethod }) => adapterMethod)).size, operations.length)
})

t.test('every row has schemas, and every schema a row', async t => {
  t.same(Object.keys(operationSchemas).sort(), operations.map(({ adapterMethod }) => adapterMethod).sort())
})

t.test('the table is frozen to its leaves', async t => {
  for (const operation of operations) {
    t.ok(Object.isFrozen(operation) && Object.isFrozen(operation.parameters))
    t.ok(Object.isFrozen(operation.offeredBy))
  }
  for (const capability of capabilities) t.ok(Object.isFrozen(capability) && Object.isFrozen(capability.methods))
  for (const table of [operations, capabilities, redirects]) t.ok(Object.isFrozen(table))
})

for (const operation of operations) {
  const { summary, parameters, data } = schemasOf(operation.adapterMethod)

  t.test(`${operation.adapterMethod}: the row is complete and agrees with its schemas`, async t => {
    t.match(summary, /^\S.+/)
    t.match(operation.tag, /^[a-z]+$/)
    t.ok(operation.path.startsWith(`/v1/${operation.tag}`))
    t.same([...operation.parameters].sort(), Object.keys(parameters.properties).sort())
    t.ok(data)
    for (const name of Object.keys(operation.offeredBy)) t.ok(operation.parameters.includes(name))
  })

  t.test(`${operation.adapterMethod}: every parameter is described`, async t => {
    for (const [name, schema] of Object.entries(parameters.properties)) t.ok(schema.description, name)
  })
}

t.test('optional parameters come last, so that a caller can leave them out', async t => {
  for (const { adapterMethod, parameters: names } of operations) {
    const { parameters } = schemasOf(adapterMethod)
    const required = names.map(name => parameters.required!.includes(name))
    t.ok(
      required.lastIndexOf(true) < (required.indexOf(false) === -1 ? names.length : required.indexOf(false)),
      adapterMethod
    )
  }
})

for (const schema of schemas as TSchema[]) {
  t.test(`${schema.title}: it and every member of it are described, and it has no other members`, async t => {
    t.ok(schema.description)
    t.equal(schema.additionalProperties, false)
    for (const [name, member] of Object.entries<TSchema>(schema.properties)) {
      t.ok(member.description ?? member.$ref, name)
    }
  })
}

t.test('every capability stands on operations of the table, as stateful as they are', async t => {
  for (const { methods, stateful, name } of capabilities) {
    for (const method of methods) {
      t.equal(operations.find(row => row.adapterMethod === method)?.stateful, stateful, name)
    }
  }
})
