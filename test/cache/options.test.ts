import t from 'tap'
import { operations } from 'fastify-source-origin'
import { createSourceCache, redisStore } from 'fastify-source-origin/cache'
import { defaultPolicies } from '../../lib/cache/policies.ts'
import { serve, track } from './helper.ts'

for (const [options, code, message] of [
  [null, 'INVALID_OPTION', '"options"'],
  [{ maxsize: 1 }, 'UNKNOWN_OPTION', '"maxsize": did you mean "maxSize"'],
  [{ scope: 'none' }, 'INVALID_OPTION', '"scope"'],
  [{ maxSize: 1.5 }, 'INVALID_OPTION', '"maxSize"'],
  [{ maxSize: -1 }, 'INVALID_OPTION', '"maxSize"'],
  [{ maxAge: '1' }, 'INVALID_OPTION', '"maxAge"'],
  [{ store: {} }, 'INVALID_OPTION', '"store"'],
  [{ affects: true }, 'INVALID_OPTION', '"affects"'],
  [{ onEvent: true }, 'INVALID_OPTION', '"onEvent"'],
  [{ operations: [] }, 'INVALID_OPTION', '"operations"'],
  [{ operations: { getTrackDetails: {} } }, 'UNKNOWN_OPTION', '"operations.getTrackDetails": did you mean'],
  [{ operations: { createPlaylist: {} } }, 'UNKNOWN_OPTION', '"operations.createPlaylist"'],
  [{ operations: { getTrackDetail: true } }, 'INVALID_OPTION', '"operations.getTrackDetail"'],
  [{ operations: { getTrackDetail: { tll: 1 } } }, 'UNKNOWN_OPTION', '"operations.getTrackDetail.tll": did you mean "ttl"'],
  [{ operations: { getTrackDetail: { constructor: 1 } } }, 'UNKNOWN_OPTION', '"operations.getTrackDetail.constructor"'],
  [{ operations: { getTrackDetail: { scope: 'all' } } }, 'INVALID_OPTION', '"operations.getTrackDetail.scope"'],
  [{ operations: { getTrackDetail: { ttl: '1' } } }, 'INVALID_OPTION', '"operations.getTrackDetail.ttl"'],
  [{ operations: { getTrackDetail: { staleWhileRevalidate: -1 } } }, 'INVALID_OPTION', '"operations.getTrackDetail.staleWhileRevalidate"'],
  [{ operations: { getTrackDetail: { staleIfError: NaN } } }, 'INVALID_OPTION', '"operations.getTrackDetail.staleIfError"'],
  [{ operations: { getTrackDetail: { notFoundTtl: null } } }, 'INVALID_OPTION', '"operations.getTrackDetail.notFoundTtl"'],
  ...operations.filter(({ tag }) => tag === 'user').map(({ adapterMethod }) =>
    [{ operations: { [adapterMethod]: { scope: 'public' } } }, 'INVALID_OPTION', `"operations.${adapterMethod}.scope"`] as const)
] as const) {
  t.test(`${JSON.stringify(options)} is refused by name`, async t => {
    t.throws(() => createSourceCache(options as object), { code: `SOURCE_ORIGIN_ERR_${code}`, message: new RegExp(message.replaceAll('.', '\\.')) })
  })
}

t.test('frozen options, undefined ones and no options work', async t => {
  createSourceCache()
  createSourceCache(Object.freeze({
    scope: undefined, maxSize: undefined, operations: Object.freeze({ getTrackDetail: undefined, getTrackUrl: false as const, getAlbumDetail: Object.freeze({ ttl: undefined }) })
  }))
})

t.test('an undefined member of a policy leaves the default', async t => {
  const { ask, calls } = await serve(t, { adapter: { getTrackDetail: () => track }, options: { operations: { getTrackDetail: { ttl: undefined } } } })
  for (let i = 0; i < 2; i++) await ask('/v1/track?id=1')
  t.equal(calls(), 1)
})

t.test('every operation that reads has a default, and no other', async t => {
  t.strictSame(Object.keys(defaultPolicies).sort(), operations.filter(({ method }) => method === 'GET').map(({ adapterMethod }) => adapterMethod).sort())
})

for (const [what, code] of [
  [null, 'INVALID_OPTION'], [{ acount: 'a' }, 'UNKNOWN_OPTION'], [{ account: 1 }, 'INVALID_OPTION'], [{ operation: 'createPlaylist' }, 'INVALID_OPTION'], [{ id: 1 }, 'INVALID_OPTION']
] as const) {
  t.test(`forget(${JSON.stringify(what)}) is refused`, async t => {
    await t.rejects(createSourceCache().forget(what as object), { code: `SOURCE_ORIGIN_ERR_${code}` })
  })
}

const client = Object.fromEntries(['duplicate', 'pipeline', 'info', 'subscribe', 'on', 'disconnect'].map(name => [name, () => {}]))
for (const [client_, options, code] of [
  [undefined, { prefix: 'a' }, 'INVALID_OPTION'], [{ ...client, pipeline: 1 }, { prefix: 'a' }, 'INVALID_OPTION'], [client, undefined, 'INVALID_OPTION'],
  [client, {}, 'INVALID_OPTION'], [client, { prefix: '' }, 'INVALID_OPTION'], [client, { prefix: 'a', prefx: 1 }, 'UNKNOWN_OPTION']
] as const) {
  t.test(`redisStore(${client_ === client ? 'client' : 'no client'}, ${JSON.stringify(options)}) is refused`, async t => {
    t.throws(() => redisStore(client_ as never, options as never), { code: `SOURCE_ORIGIN_ERR_${code}` })
  })
}
