import fastify from 'fastify'
import t from 'tap'
import sourceOrigin, { createSourceRouter, type SourceOriginOptions } from 'fastify-source-origin'

const resolveContext = () => null

const wrong: Record<string, unknown[]> = {
  resolveContext: [undefined, null, {}, 'yes'],
  validateResponses: [null, 'true', 1],
  adapterTimeout: [-1, NaN, Infinity, 2 ** 31, '30', null],
  prefix: ['music', '/music/', '/', 7, ['/music'], null],
  exposeOpenApi: [null, 'no', 0],
  cache: [null, {}, { attach: true }],
  logLevel: [7],
  logSerializers: ['x', null]
}
const must: Record<string, string> = {
  resolveContext: 'a function',
  validateResponses: 'a boolean',
  adapterTimeout: 'a number of milliseconds from 0 to 2147483647',
  prefix: 'a path that starts with / and does not end with it',
  exposeOpenApi: 'a boolean',
  cache: 'made by createSourceCache',
  logLevel: 'a string',
  logSerializers: 'an object'
}

for (const [name, values] of Object.entries(wrong)) {
  for (const value of values) {
    t.test(`${name} ${JSON.stringify(value) ?? value}: refused by name`, async t => {
      const app = fastify()
      t.teardown(() => app.close())
      const error = await Promise.resolve(
        app.register(sourceOrigin, { resolveContext, [name]: value } as SourceOriginOptions)
      ).catch(error => error)
      t.strictSame([error.code, error.message], [
        'SOURCE_ORIGIN_ERR_INVALID_OPTION', `Option "${name}" must be ${must[name]}`
      ])
    })
  }
}

t.test('an unknown option is refused, with the one that was meant', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await t.rejects(async () => app.register(
    createSourceRouter({ resolveContext, adaptertimout: 1 } as SourceOriginOptions)
  ), {
    code: 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION',
    message: 'Unknown option "adaptertimout": did you mean "adapterTimeout"?'
  })
})

t.test('an unknown option that looks like none of ours is refused too', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await t.rejects(async () => app.register(sourceOrigin, { resolveContext, whatever: 1 } as SourceOriginOptions), {
    code: 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION',
    message: 'Unknown option "whatever"'
  })
})

t.test('the longest time limit of a timer is accepted', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, { resolveContext, adapterTimeout: 2 ** 31 - 1 })
  t.equal((await app.inject('/status')).statusCode, 200)
})

t.test('frozen options work and are not changed', async t => {
  const options =
    Object.freeze({ resolveContext, prefix: '/a', adapterTimeout: 0, validateResponses: true, exposeOpenApi: false })
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(createSourceRouter(options))
  t.equal((await app.inject('/a/status')).statusCode, 200)
})

for (const environment of ['production', 'development', 'test', undefined]) {
  t.test(`NODE_ENV ${environment}: the document is ${environment === 'production' ? 'not ' : ''}served unless the option says otherwise`, async t => {
    t.intercept(process, 'env', { value: { ...process.env } })
    if (environment === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = environment
    const ask = async (options: Partial<SourceOriginOptions>) => {
      const app = fastify()
      t.teardown(() => app.close())
      await app.register(sourceOrigin, {
        resolveContext: () => ({ adapter: { getNewTracks: () => 7 as never } }), ...options
      })
      return {
        openApi: (await app.inject('/openapi.json')).statusCode,
        message: (await app.inject('/v1/track/new')).json().message
      }
    }
    const production = environment === 'production'
    t.equal((await ask({})).openApi, production ? 404 : 200)
    t.match((await ask({})).message, production ? /^Internal server error$/ : /Track\[\]: \/ Expected array/)
    t.equal((await ask({ exposeOpenApi: production })).openApi, production ? 200 : 404)
    t.match(
      (await ask({ validateResponses: production })).message, production ? /Track\[\]/ : /^Internal server error$/
    )
  })
}
