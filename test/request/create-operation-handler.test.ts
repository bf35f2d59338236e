import t from 'tap'
import type { TSchema } from '@sinclair/typebox'
import fastify from 'fastify'
import sourceOrigin, { operations, schemas } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import { schemasOf } from '../../lib/contract/schemas-of.ts'
import { authorized, buildOnce, callOf, completeAdapter, dataOf, parametersOf } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'

const development = await buildOnce(t, { validateResponses: true })
const production = await buildOnce(t, { validateResponses: false })

for (const operation of operations) {
  const { adapterMethod, parameters: names } = operation
  const { properties } = schemasOf(adapterMethod).parameters

  t.test(`${adapterMethod}: answers the adapter's data in the envelope`, async t => {
    const app = development(completeAdapter().adapter)
    const response = await app.inject(callOf(operation))
    t.equal(response.statusCode, 200)
    t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    t.same(response.json(), { code: 200, data: dataOf(adapterMethod) })
  })

  t.test(`${adapterMethod}: is called as a method of the adapter, arguments in order`, async t => {
    const { adapter, calls } = completeAdapter()
    const app = development(adapter)
    const parameters = parametersOf(operation, 'all')
    await app.inject(callOf(operation, parameters))
    t.equal(calls.length, 1)
    t.equal(calls[0]!.self, adapter)
    t.strictSame(calls[0]!.args, names.map(name => parameters[name]))
  })

  t.test(`${adapterMethod}: gets defaults for what is absent, undefined where there is none`, async t => {
    const { adapter, calls } = completeAdapter()
    const app = development(adapter)
    const parameters = parametersOf(operation)
    await app.inject(callOf(operation, parameters))
    t.strictSame(calls[0]!.args, names.map(name => parameters[name] ?? properties[name]!.default))
  })

  t.test(`${adapterMethod}: fills in the defaults of members that the adapter leaves out`, async t => {
    const app = development(completeAdapter('required').adapter)
    const response = await app.inject(callOf(operation))
    t.equal(response.statusCode, 200)
    t.strictSame(response.json().data, filled(schemasOf(adapterMethod).data, dataOf(adapterMethod, 'required')))
  })

  t.test(`${adapterMethod}: 501 that names the method when the adapter lacks it`, async t => {
    const app = development()
    const response = await app.inject(callOf(operation))
    t.equal(response.statusCode, 501)
    t.match(response.json(), { code: 501, message: adapterMethod, data: null })
  })

  for (const missing of [null, undefined]) {
    for (const validateResponses of [true, false]) {
      t.test(`${adapterMethod}: ${missing} is a broken contract, ${validateResponses ? 'in development' : 'in production'}`, async t => {
        const app = (validateResponses ? development : production)({ [adapterMethod]: async () => missing })
        const response = await app.inject(callOf(operation))
        t.equal(response.statusCode, 500)
        t.equal(response.json().data, null)
        if (!validateResponses) t.equal(response.json().message, 'Internal server error')
      })
    }
  }

  t.test(`${adapterMethod}: works with an adapter whose methods are inherited`, async t => {
    const { adapter } = completeAdapter()
    const app = development(Object.create(adapter))
    t.equal((await app.inject(callOf(operation))).statusCode, 200)
  })

  if (operation.stateful) {
    for (const stateless of [undefined, true]) {
      t.test(`${adapterMethod}: 501 that names it where stateless is ${stateless}, and the adapter is not called`, async t => {
        const { adapter, calls } = completeAdapter()
        const app = development(adapter, { stateless })
        const response = await app.inject(callOf(operation))
        t.equal(response.statusCode, 501)
        t.match(response.json(), { code: 501, message: adapterMethod })
        t.equal(calls.length, 0)
      })
    }
  } else {
    t.test(`${adapterMethod}: a stateless source answers it`, async t => {
      const app = development(completeAdapter().adapter, { stateless: true })
      t.equal((await app.inject(callOf(operation))).statusCode, 200)
    })
  }

  if (operation.method === 'GET') {
    t.test(`${adapterMethod}: HEAD answers as GET does, without a body`, async t => {
      const app = development(completeAdapter().adapter)
      const get = await app.inject(callOf(operation))
      const head = await app.inject({ ...callOf(operation), method: 'HEAD' })
      t.equal(head.statusCode, 200)
      t.equal(head.body, '')
      t.equal(head.headers['content-length'], get.headers['content-length'])
    })
  }
}

/** The data with every default of its schema filled in, those of nested schemas too. */
function filled (schema: TSchema, data: any): unknown {
  if (schema.$ref !== undefined) return filled(schemas.find(({ $id }) => $id === schema.$ref)!, data)
  if (schema.type === 'array') return data.map((item: unknown) => filled(schema.items, item))
  if (schema.type !== 'object') return data
  return Object.fromEntries(Object.entries<TSchema>(schema.properties).flatMap(([name, member]) =>
    data[name] !== undefined
      ? [[name, filled(member, data[name])]]
      : member.default !== undefined ? [[name, member.default]] : []))
}

t.test('some answer has defaults in nested schemas', async t => {
  t.match(filled(schemasOf('searchTracks').data, dataOf('searchTracks', 'required')), { items: [{ qualities: [] }] })
})

t.test('an adapter that answers a value instead of a promise is fine', async t => {
  const app = development({ getNewTracks: () => [] })
  t.same((await app.inject({ url: '/v1/track/new', headers: authorized })).json(), { code: 200, data: [] })
})

const offered = [
  { method: 'getTrackUrl', parameter: 'quality', list: 'qualityMap' },
  { method: 'getPlaylistDetail', parameter: 'sort', list: 'playlistSortOptions' }
] as const

for (const { method, parameter, list } of offered) {
  const operation = operationOf(method)
  const ask = async (options: object | null | undefined, value: string) => {
    const { adapter, calls } = completeAdapter()
    const app = production(adapter, { [list]: options })
    const response = await app.inject(callOf(operation, { id: '1', [parameter]: value }))
    return { response, given: calls[0]?.args[operation.parameters.indexOf(parameter)] }
  }

  t.test(`${parameter}: a key of ${list} reaches the adapter`, async t => {
    const { response, given } = await ask([{ key: 'a', label: 'A' }], 'a')
    t.equal(response.statusCode, 200)
    t.equal(given, 'a')
  })

  t.test(`${parameter}: another key is a 400 that names the parameter`, async t => {
    const { response, given } = await ask([{ key: 'a', label: 'A' }], 'b')
    t.equal(response.statusCode, 400)
    t.match(response.json().message, parameter)
    t.equal(given, undefined)
  })

  t.test(`${parameter}: a key of ${list} that is no text is not named`, async t => {
    const { response } = await ask([{ key: new Error('internal'), label: 'A' }, { key: 'a', label: 'A' }], 'b')
    t.equal(response.json().message, `Parameter ${parameter} must be one that this source offers: a`)
  })

  t.test(`${parameter}: an entry of ${list} that is none is left out`, async t => {
    const options = [null, { key: 'a', label: 'A' }]
    t.equal((await ask(options, 'a')).given, 'a')
    t.equal(
      (await ask(options, 'b')).response.json().message,
      `Parameter ${parameter} must be one that this source offers: a`
    )
  })

  t.test(`${parameter}: the answer names all keys of ${list}, or none`, async t => {
    const { response } = await ask([{ key: 'a', label: 'A' }, { key: 'b', label: 'B' }], 'c')
    t.equal(response.json().message, `Parameter ${parameter} must be one that this source offers: a, b`)
    t.equal(
      (await ask([], 'c')).response.json().message,
      `Parameter ${parameter} must be one that this source offers: none`
    )
  })

  t.test(`${parameter}: null instead of a ${list} is none`, async t => {
    t.equal((await ask(null, 'a')).given, 'a')
  })

  t.test(`${parameter}: an empty ${list} has no key`, async t => {
    t.equal((await ask([], 'a')).response.statusCode, 400)
  })

  t.test(`${parameter}: without ${list} any string passes`, async t => {
    t.equal((await ask(undefined, 'anything at all')).given, 'anything at all')
  })

  for (const blank of ['', '  ']) {
    t.test(`${parameter}: ${JSON.stringify(blank)} is absent`, async t => {
      const { response, given } = await ask([], blank)
      t.equal(response.statusCode, 200)
      t.equal(given, undefined)
    })
  }
}

t.test('Fastify waits for no answer of a handler that nobody has wrapped', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  let looks = 0
  app.decorateReply('then', { getter: () => { looks++ } } as never)
  await app.register(sourceOrigin, {
    resolveContext: () => ({
      adapter: { getDailyTracks: () => new Promise(resolve => setImmediate(resolve, [])) }, stateless: false
    })
  })
  t.same((await app.inject('/v1/track/daily')).json(), { code: 200, data: [] })
  t.equal(looks, 0)
})

t.test('a host may wrap handlers in async functions: every operation is answered whole', async t => {
  for (const [isKept, isLate, isWrapped] of [
    [false, false, true], [false, true, true], [true, false, true], [true, true, true], [false, true, false]
  ]) {
    const adapter = Object.fromEntries(operations.map(({ adapterMethod }) => [adapterMethod, () =>
      isLate ? new Promise(resolve => setImmediate(resolve, dataOf(adapterMethod))) : dataOf(adapterMethod)]))
    const app = fastify()
    t.teardown(() => app.close())
    app.addHook('onRoute', route => {
      const { handler } = route
      if (!isWrapped) return
      route.handler = async function (request, reply) { return Reflect.apply(handler, this, [request, reply]) }
    })
    // An answer that a hook has to look at is sent later.
    app.addHook('onSend', async (_request, _reply, payload) => {
      await new Promise(setImmediate)
      return payload
    })
    await app.register(sourceOrigin, {
      resolveContext: () => ({ adapter, account: 'ada', stateless: false }),
      cache: isKept ? createSourceCache() : undefined
    })
    for (const operation of operations) {
      const response = await app.inject(callOf(operation))
      t.same(response.json(), { code: 200, data: dataOf(operation.adapterMethod) }, operation.adapterMethod)
    }
  }
})
