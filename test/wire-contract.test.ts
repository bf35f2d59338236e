import { readFile } from 'node:fs/promises'
import t from 'tap'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import {
  capabilities, ErrorResponseSchema, operations, schemas, ServiceStatusSchema, StatusSchema
} from 'fastify-source-origin'
import { openApiPath, redirects, serviceStatusPath, statusPath } from '../lib/contract/operations.ts'
import { schemaName } from '../schemas/common.ts'
import { schemasOf } from '../lib/contract/schemas-of.ts'
import { errorDescriptions } from '../lib/routes/describe-routes.ts'

// The published contract against the code, in both directions: routes, client and documents derive from the code's
// tables, so only this test notices a slip in them.

const contract = await readFile(new URL('../docs/reference/contract.md', import.meta.url), 'utf8')

/** Rows of the first table below a heading, cells without Markdown. */
function tableOf (heading: string): string[][] {
  const [, section] = contract.split(new RegExp(`^#+ ${heading}\n`, 'm'))
  const table = /^\|.*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(section!)![1]!
  return table.trimEnd().split('\n').map(line =>
    line.slice(1, -1).split('|').map(cell => cell.trim().replaceAll('`', '')))
}

/** `string, not empty`, `integer ≥ 0 or null`, `Track[]` */
function typeOf (schema: TSchema): string {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.const) return schema.type === 'string' ? `"${schema.const}"` : String(schema.const)
  if (schema.type === 'array') return `${typeOf(schema.items)}[]`
  if (schema.$ref) return schemaName(schema)
  return schema.type + (schema.minLength === 1 ? ', not empty' : '') +
    (schema.maxLength === undefined ? '' : `, at most ${schema.maxLength.toLocaleString('en')} bytes in UTF-8`) +
      (schema.minimum === undefined ? '' : ` ≥ ${schema.minimum}`)
}

t.test('the operations are those of the contract', async t => {
  const described = tableOf('Operations').filter(([path]) => path !== `GET ${statusPath}`)
  t.strictSame(operations.map(({ method, path, adapterMethod, parameters: names, stateful }) => {
    const { parameters, data } = schemasOf(adapterMethod)
    const list = names.map(name => {
      const { default: byDefault, maximum } = parameters.properties[name]!
      const notes = [...byDefault === undefined ? [] : [JSON.stringify(byDefault)], ...maximum === undefined
        ? []
        : [
        `max ${maximum}`
          ]]
      return name + (notes.length > 0 ? ` (${notes.join(', ')})` : parameters.required!.includes(name) ? '' : '?')
    })
    return [`${method} ${path}`, adapterMethod, list.join(', '), schemaName(data), stateful ? 'S' : '']
  }), described)
})

t.test('the parameters are those of the contract', async t => {
  const described = tableOf('Parameters').flatMap(([names, type]) =>
    names!.split(', ').map(name => ({ name, type: type!.replaceAll(' or ', '" or "') })))
  const types = new Map<string, Set<string>>()
  for (const { adapterMethod } of operations) {
    for (const [name, schema] of Object.entries(schemasOf(adapterMethod).parameters.properties)) {
      const own = `${name} of ${adapterMethod}`
      const key = described.some(row => row.name === own) ? own : name
      types.set(key, (types.get(key) ?? new Set()).add(typeOf(schema).replace(/^"|"$/g, '')))
    }
  }
  t.strictSame(
    [...types].map(([name, types]) => `${name}: ${[...types].join(' / ')}`).sort(),
    described.map(({ name, type }) => `${name}: ${type}`).sort()
  )
})

t.test('the capabilities are those of the contract, in its order', async t => {
  t.strictSame(
    capabilities.map(({ name, methods, stateful }) => [name, methods.join(', '), stateful ? 'S' : '']),
    tableOf('Capabilities')
  )
})

t.test('the schemas are those of the contract', async t => {
  const members = new Map(tableOf('Schemas').flatMap(([names, members]) =>
    names!.split(', ').map(name => [name, members!.split('; ')] as const)))
  const described = [...members].map(([name, list]) => {
    const all = list.flatMap(member => member.startsWith('all of ') ? members.get(member.slice(7))! : [member])
    return [name, ...all.map(member => member.replace(/ \([^)]*\)/g, '').replace(/^(\w+\??)(?= =|$)/, '$1 string'))]
  })
  const rendered = (schemas as TSchema[]).map(({ title, properties, required }) => {
    return [title, ...Object.entries<TSchema>(properties).map(([name, member]) => {
      const byDefault = member.default === undefined ? '' : ` = ${JSON.stringify(member.default)}`
      return `${name}${required.includes(name) ? '' : '?'} ${typeOf(member)}${byDefault}`
    })]
  })
  t.strictSame(rendered.sort(), described.sort())
})

t.test('the public routes are those of the contract', async t => {
  t.strictSame(
    [serviceStatusPath, ...redirects.map(({ path }) => path), openApiPath].map(path => `GET ${path}`),
    tableOf('Public routes \\(no token\\)').map(([route]) => route)
  )
})

t.test('the statuses of errors are those of the contract', async t => {
  t.strictSame(Object.keys(errorDescriptions), tableOf('Errors').map(([status]) => status))
})

t.test('the answers that are shown as JSON are answers of their operations', async t => {
  const document = await readFile(new URL('../docs/reference/answers.md', import.meta.url), 'utf8')
  const shown = [...document.matchAll(/^`(GET|POST) ([^`?]+)[^`]*`.*\n\n```json\n([^`]*)```/gm)]
  t.equal(shown.length, document.split('```json').length - 1)
  for (const [, method, path, text] of shown) {
    const body = JSON.parse(text!)
    const operation = operations.find(operation => operation.method === method && operation.path === path)
    const data = path === statusPath ? StatusSchema : operation && schemasOf(operation.adapterMethod).data
    const [schema, value] = path === serviceStatusPath
      ? [ServiceStatusSchema, body]
      : body.code === 200 ? [data!, body.data] : [ErrorResponseSchema, body]
    t.strictSame([...Value.Errors(schema, [...schemas], value)].map(({ path, message }) => `${path} ${message}`), [],
      `${method} ${path}`)
  }
})
