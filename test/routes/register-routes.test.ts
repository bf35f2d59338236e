import fastify from 'fastify'
import t from 'tap'
import { openApiPath } from '../../lib/contract/operations.ts'
import { mockImport } from '../mock-import.ts'

t.test('an OpenAPI document that could not be made is made at the next request', async t => {
  let calls = 0
  const openApiDocument = async () => {
    if (++calls === 1) throw new Error('out of luck')
    return { openapi: '3.1.0' }
  }
  const { registerRoutes } = await mockImport<typeof import('../../lib/routes/register-routes.ts')>(
    import.meta.resolve('../../lib/routes/register-routes.ts'), { './open-api-document.ts': { openApiDocument } }
  )
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(registerRoutes({
    resolveContext: () => null,
    validateResponses: true,
    adapterTimeout: 0,
    exposeOpenApi: true,
    inHostDocument: false,
    cache: undefined,
    development: false
  }, {}))
  const statuses = [await app.inject(openApiPath), await app.inject(openApiPath), await app.inject(openApiPath)]
  t.strictSame(statuses.map(({ statusCode }) => statusCode), [500, 200, 200])
  t.equal(calls, 2)
})
