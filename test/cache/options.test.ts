import t from 'tap'
import { operations } from 'fastify-source-origin'
import { createSourceCache, redisStore } from 'fastify-source-origin/cache'
import { defaultPolicies } from '../../lib/cache/policies.ts'
import { serve, track } from './helper.ts'

for (const [options, code, message] of [
  [null, 'INVALID_OPTION', 'Option "options" must be an object'],
  [{ maxsize: 1 }, 'UNKNOWN_OPTION', 'Unknown option "maxsize": did you mean "maxSize"?'],
  [{ scope: 'none' }, 'INVALID_OPTION', 'Option "scope" must be "account" or "public"'],
  [{ maxSize: 1.5 }, 'INVALID_OPTION', 'Option "maxSize" must be a whole number of bytes from 0'],
  [{ maxSize: -1 }, 'INVALID_OPTION', 'Option "maxSize" must be a whole number of bytes from 0'],
  [{ maxAge: '1' }, 'INVALID_OPTION', 'Option "maxAge" must be a number of milliseconds from 0'],
  [{ store: {} }, 'INVALID_OPTION', 'Option "store" must be made by redisStore'],
  [{ affects: true }, 'INVALID_OPTION', 'Option "affects" must be a function'],
  [{ operations: [] }, 'INVALID_OPTION', 'Option "operations" must be an object of policies by operation'],
  [{ operations: { getTrackDetails: {} } }, 'UNKNOWN_OPTION',
    'Unknown option "operations.getTrackDetails": did you mean'],
  [{ operations: { createPlaylist: {} } }, 'UNKNOWN_OPTION', 'Unknown option "operations.createPlaylist"'],
  [{ operations: { getTrackDetail: true } }, 'INVALID_OPTION', 'Option "operations.getTrackDetail" must be an object'],
  [{ operations: { getTrackDetail: { tll: 1 } } }, 'UNKNOWN_OPTION',
    'Unknown option "operations.getTrackDetail.tll": did you mean "ttl"?'],
  [{ operations: { getTrackDetail: { constructor: 1 } } }, 'UNKNOWN_OPTION',
    'Unknown option "operations.getTrackDetail.constructor"'],
  [{ operations: { getTrackDetail: { scope: 'all' } } }, 'INVALID_OPTION',
    'Option "operations.getTrackDetail.scope" must be "account", "public" or "none"'],
  [{ operations: { getTrackDetail: { ttl: '1' } } }, 'INVALID_OPTION',
    'Option "operations.getTrackDetail.ttl" must be a number of milliseconds or a function'],
  [{ operations: { getTrackDetail: { staleWhileRevalidate: -1 } } }, 'INVALID_OPTION',
    'Option "operations.getTrackDetail.staleWhileRevalidate" must be a number of milliseconds from 0'],
  [{ operations: { getTrackDetail: { staleIfError: NaN } } }, 'INVALID_OPTION',
    'Option "operations.getTrackDetail.staleIfError" must be a number of milliseconds from 0'],
  [{ operations: { getTrackDetail: { notFoundTtl: null } } }, 'INVALID_OPTION',
    'Option "operations.getTrackDetail.notFoundTtl" must be a number of milliseconds from 0'],
  ...operations.filter(({ tag }) => tag === 'user').map(({ adapterMethod }) =>
    [
      { operations: { [adapterMethod]: { scope: 'public' } } }, 'INVALID_OPTION',
      `Option "operations.${adapterMethod}.scope" must be "account" or "none": these answers belong to one account`
    ] as const)
] as const) {
  t.test(`${JSON.stringify(options)} is refused by name`, async t => {
    t.throws(() => createSourceCache(options as object), { code: `SOURCE_ORIGIN_ERR_${code}`, message })
  })
}

t.test('frozen options, undefined ones and no options work', async t => {
  createSourceCache()
  createSourceCache(Object.freeze({
    scope: undefined,
    maxSize: undefined,
    operations: Object.freeze({
      getTrackDetail: undefined, getTrackUrl: false as const, getAlbumDetail: Object.freeze({ ttl: undefined })
    })
  }))
})

t.test('an undefined member of a policy leaves the default', async t => {
  const { ask, calls } = await serve(t, {
    adapter: { getTrackDetail: () => track }, options: { operations: { getTrackDetail: { ttl: undefined } } }
  })
  for (let i = 0; i < 2; i++) await ask('/v1/track?id=1')
  t.equal(calls(), 1)
})

t.test('every operation that reads has a default, and no other', async t => {
  t.strictSame(
    Object.keys(defaultPolicies).sort(),
    operations.filter(({ method }) => method === 'GET').map(({ adapterMethod }) => adapterMethod).sort()
  )
})

for (const [what, code] of [
  [null, 'INVALID_OPTION'], [{ acount: 'a' }, 'UNKNOWN_OPTION'], [{ account: 1 }, 'INVALID_OPTION'],
  [{ operation: 'createPlaylist' }, 'INVALID_OPTION'], [{ id: 1 }, 'INVALID_OPTION']
] as const) {
  t.test(`forget(${JSON.stringify(what)}) is refused`, async t => {
    await t.rejects(createSourceCache().invalidate(what as object), { code: `SOURCE_ORIGIN_ERR_${code}` })
  })
}

const client = Object.fromEntries(['duplicate', 'pipeline', 'info', 'subscribe', 'on', 'disconnect'].map(name =>
  [name, () => {}]))
for (const [client_, options, code] of [
  [undefined, { prefix: 'a' }, 'INVALID_OPTION'], [{ ...client, pipeline: 1 }, { prefix: 'a' }, 'INVALID_OPTION'],
  [client, undefined, 'INVALID_OPTION'],
  [client, {}, 'INVALID_OPTION'], [client, { prefix: '' }, 'INVALID_OPTION'],
  [client, { prefix: 'a', prefx: 1 }, 'UNKNOWN_OPTION']
] as const) {
  t.test(`redisStore(${client_ === client ? 'client' : 'no client'}, ${JSON.stringify(options)}) is refused`, async t => {
    t.throws(() => redisStore(client_ as never, options as never), { code: `SOURCE_ORIGIN_ERR_${code}` })
  })
}
