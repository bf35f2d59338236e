import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { openApiDocument, operations, schemas, sdkVersion, type Operation } from 'fastify-source-origin'
import { openApiPath, operationOf, redirects, serviceStatusPath, statusPath } from '../../lib/contract/operations.ts'
import { schemasOf } from '../../lib/contract/schemas-of.ts'
import { build } from '../helper.ts'

const document: any = await openApiDocument()
const described = ({ method, path }: Operation) => document.paths[path][method.toLowerCase()]

t.test('an independent validator accepts it as OpenAPI 3.1', async t => {
  const validator = new Validator()
  t.match(await validator.validate(structuredClone(document)), { valid: true })
  t.equal(validator.version, '3.1')
})

t.test('it is what the route serves', async t => {
  const app = await build(t, { exposeOpenApi: true })
  const response = await app.inject(openApiPath)
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.strictSame(response.json(), JSON.parse(JSON.stringify(document)))
  t.equal((await app.inject(openApiPath)).body, response.body)
})

t.test('its paths are those of the contract, no others', async t => {
  const paths = [...operations, ...redirects].map(({ path }) => path)
  t.strictSame(new Set(Object.keys(document.paths)), new Set([serviceStatusPath, statusPath, ...paths]))
  t.equal(document.info.version, sdkVersion)
})

t.test('what linters ask for is there: server, license, tags, ids, and errors of all routes', async t => {
  t.strictSame(document.servers, [{ url: '/' }])
  t.match(document.info, { description: String, license: { name: 'MIT', identifier: 'MIT' } })
  const all: any[] = Object.values(document.paths).flatMap(path => Object.values(path as object))
  t.equal(new Set(all.map(({ operationId }) => operationId)).size, all.length)
  for (const { operationId, summary, responses } of all) {
    t.ok(summary, operationId)
    t.ok(Object.keys(responses).some(status => /^4|default/.test(status)), `${operationId} has errors of callers`)
    t.ok(Object.keys(responses).some(status => /^2|default/.test(status)), `${operationId} has an answer`)
  }
  const described = document.tags.filter(({ description }: { description?: string }) => description)
  t.strictSame(
    new Set(described.map(({ name }: { name: string }) => name)), new Set(all.flatMap(({ tags }) => tags))
  )
})

for (const operation of operations) {
  const { summary, description, parameters } = schemasOf(operation.adapterMethod)

  t.test(`${operation.adapterMethod}: operationId, summary and tag are there, and it needs the token`, async t => {
    t.match(described(operation), { operationId: operation.adapterMethod, summary, description, tags: [operation.tag] })
    t.notOk('security' in described(operation))
  })

  t.test(`${operation.adapterMethod}: parameters are there, those with a default not required`, async t => {
    const { parameters: inQuery = [], requestBody } = described(operation)
    if (operation.method === 'GET') {
      t.strictSame(inQuery.map(({ name }: { name: string }) => name), Object.keys(parameters.properties))
      for (const { name, required = false, description } of inQuery) {
        t.equal(required, parameters.required!.includes(name), name)
        t.ok(description)
      }
    } else {
      const { schema } = requestBody.content['application/json']
      t.match(requestBody.description, operation.parameters.join(', '))
      t.strictSame(schema.required, parameters.required)
      t.equal(schema.additionalProperties, false)
    }
  })

  t.test(`${operation.adapterMethod}: the answer is the envelope around the data, errors are described`, async t => {
    const { responses } = described(operation)
    const { properties } = responses[200].content['application/json'].schema
    t.strictSame(properties.code.enum, [200])
    t.match(JSON.stringify(properties.data), '#/components/schemas/')
    const body = operation.method === 'POST' ? ['413', '415'] : []
    const statuses = ['401', '404', ...parameters.required!.length +
      Object.keys(parameters.properties).length > 0
      ? ['400']
      : [], ...body, '422', '429', '500', '501', '502', '504']
    statuses.push('503', 'default')
    const notModified = operation.method === 'GET' ? ['304'] : []
    t.strictSame(
      Object.keys(responses).filter(status => status !== '200').sort(), [...notModified, ...statuses].sort())
    for (const status of statuses) {
      t.strictSame(responses[status], { $ref: `#/components/responses/Error${status}` })
      t.match(document.components.responses[`Error${status}`].content['application/json'].schema, {
        $ref: '#/components/schemas/ErrorResponse'
      })
    }
  })
}

t.test('every schema is a component under its own name; what the wire always carries is required', async t => {
  t.strictSame(Object.keys(document.components.schemas).sort(), schemas.map(({ title }) => title).sort())
  t.ok(document.components.schemas.Track.required.includes('qualities'))
  t.notMatch(JSON.stringify(document), 'source-origin:')
})

t.test('the token is needed but on the public routes', async t => {
  t.strictSame(document.security, [{ token: [] }])
  const { description, ...scheme } = document.components.securitySchemes.token
  t.strictSame(scheme, { type: 'apiKey', in: 'header', name: 'Authorization' })
  t.equal(description, 'The token, as the source was given it')
  t.strictSame(document.paths[serviceStatusPath].get.security, [])
})

t.test('a redirect needs the token that the operation needs, and has its answer for who follows', async t => {
  for (const { path, to } of redirects) {
    const { responses, ...redirect } = document.paths[path].get
    t.notOk('security' in redirect)
    t.ok(responses[308].headers.Location)
    t.strictSame(responses[200], described(operationOf(to)).responses[200])
  }
})

t.test('statuses are numbers or default, since generators read ranges in different ways', async t => {
  const statuses = Object.values<any>(document.paths).flatMap(path => Object.values<any>(path))
    .flatMap(({ responses }) => Object.keys(responses))
  t.strictSame(new Set(statuses.filter(status => !/^\d{3}$/.test(status))), new Set(['default']))
})

t.test('a prefix stands in front of every path', async t => {
  const prefixed = await openApiDocument({ prefix: '/music' })
  t.strictSame(Object.keys(prefixed.paths!), Object.keys(document.paths).map(path => `/music${path}`))
})
