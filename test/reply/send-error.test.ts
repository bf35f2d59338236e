import fastify from 'fastify'
import t from 'tap'
import sourceOrigin, { errors, SourceError } from 'fastify-source-origin'
import { authorized, buildOnce, callOf, contextOf, logged, token } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'

const url = '/v1/track/new'
const throwing = (error: unknown) => ({ getNewTracks: async () => { throw error } })

const { lines, logger } = logged()
const hostWith = await buildOnce(t, {}, { logger })
t.beforeEach(() => { lines.length = 0 })

const { SourceError: _any, ...ofStatus } = errors

for (const [name, SourceErrorClass] of Object.entries(ofStatus)) {
  t.test(`${name} from the adapter keeps its status and message`, async t => {
    const error = new SourceErrorClass('In plain words')
    const app = hostWith(throwing(error))
    const response = await app.inject({ url, headers: authorized })
    t.equal(response.statusCode, error.status)
    t.strictSame(response.json(), { code: error.status, message: 'In plain words', data: null })
    t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  })

  t.test(`${name} has a message of its own, its class name, and carries code and cause`, async t => {
    const cause = new Error('behind it')
    const error = new SourceErrorClass(undefined, { code: 70001, cause })
    t.ok(error instanceof SourceError)
    t.equal(error.name, name)
    t.ok(error.message)
    t.equal(error.code, 70001)
    t.equal(error.cause, cause)
  })
}

for (const member of ['status', 'statusCode']) {
  t.test(`any error with a ${member} from 400 to 599 keeps it`, async t => {
    for (const value of [400, 451, 500, 599]) {
      const app = hostWith(throwing(Object.assign(new Error('As thrown'), { [member]: value })))
      t.strictSame((await app.inject({ url, headers: authorized })).json(), {
        code: value, message: 'As thrown', data: null
      })
    }
  })

  t.test(`an error with another ${member} is a 500 with nothing of it in the body`, async t => {
    for (const value of [200, 399, 600, 404.5, '404', NaN, null]) {
      const app = hostWith(throwing(Object.assign(new Error('Hidden'), { [member]: value })))
      const response = await app.inject({ url, headers: authorized })
      t.equal(response.statusCode, 500)
      t.equal(response.body, '{"code":500,"message":"Internal server error","data":null}')
    }
  })
}

for (const thrown of ['text', undefined, null, 7, {}, Object.create(null)]) {
  t.test(`${String(JSON.stringify(thrown))} thrown instead of an Error is a 500`, async t => {
    const app = hostWith(throwing(thrown))
    t.strictSame((await app.inject({ url, headers: authorized })).json(), {
      code: 500, message: 'Internal server error', data: null
    })
  })
}

t.test('an error without a message gets that of its status', async t => {
  const app = hostWith(throwing({ status: 404 }))
  t.strictSame((await app.inject({ url, headers: authorized })).json(), { code: 404, message: 'Not Found', data: null })
})

t.test('an error without a message whose status has no name still has one', async t => {
  const app = hostWith(throwing({ status: 499 }))
  t.strictSame((await app.inject({ url, headers: authorized })).json(), { code: 499, message: 'Error', data: null })
})

t.test('a numeric code of the error goes before the status, in the body only', async t => {
  const app = hostWith(throwing(new errors.NotFoundError('Gone', { code: 70001 })))
  const response = await app.inject({ url, headers: authorized })
  t.equal(response.statusCode, 404)
  t.equal(response.json().code, 70001)
})

t.test('a textual code of the error stays out of the body', async t => {
  const app = hostWith(throwing(Object.assign(new Error('x'), { status: 502, code: 'ECONNRESET' })))
  t.equal((await app.inject({ url, headers: authorized })).json().code, 502)
})

for (const status of [429, 502, 503, 504]) {
  t.test(`${status} tells when to come back, in whole seconds, where the adapter says so`, async t => {
    const ask = async (retryAfterSeconds: unknown) => {
      const app = hostWith(
        throwing(new SourceError(status, 'Slowly', { retryAfterSeconds: retryAfterSeconds as number }))
      )
      return (await app.inject({ url, headers: authorized })).headers['retry-after']
    }
    t.equal(await ask(30), '30')
    t.equal(await ask(0.2), '1')
    for (const value of [undefined, 'soon', -1, NaN, Infinity, 1e30]) t.equal(await ask(value), undefined)
  })
}

t.test('an error of resolveContext is answered by the same rule', async t => {
  const app = hostWith(() => { throw new errors.UpstreamError('No accounts today') })
  t.strictSame((await app.inject({ url })).json(), { code: 502, message: 'No accounts today', data: null })
})

for (const [context, named] of [
  [{}, 'adapter'], [{ adapter: null }, 'adapter'], [{ adapter: [] }, 'adapter'], ['yes', 'adapter'], [true, 'adapter'],
  [0, 'adapter'],
  [{ adapter: {}, qualityMap: {} }, 'qualityMap'],
  [{ adapter: {}, playlistSortOptions: 'added' }, 'playlistSortOptions'],
  [{ adapter: {}, account: '' }, 'account'], [{ adapter: {}, account: 5 }, 'account'],
  [{ adapter: {}, varyBy: 5 }, 'varyBy'], [{ adapter: {}, revision: 5 }, 'revision'],
  [{ adapter: {}, limits: 5 }, 'limits'], [{ adapter: {}, limits: { bitrate: '96' } }, 'limits']
] as const) {
  t.test(`resolveContext that gives ${JSON.stringify(context)} is a 500 that the log explains, never an open door`, async t => {
    const app = hostWith(() => context as never)
    const response = await app.inject({ url })
    t.strictSame(response.json(), { code: 500, message: 'Internal server error', data: null })
    t.ok(lines.some(({ level, err }) => level === 50 && err?.message.includes(named)))
  })
}

const nothing: unknown = undefined
const refusals = {
  'throws nothing': () => { throw nothing },
  'rejects with nothing': async () => { throw nothing }
}
for (const [what, refuse] of Object.entries(refusals)) {
  t.test(`resolveContext that ${what} is a 500, on unknown paths too`, async t => {
    const app = hostWith(refuse)
    for (const path of [url, '/v1/status', '/v1/nothing']) {
      t.strictSame((await app.inject({ url: path })).json(), {
        code: 500, message: 'Internal server error', data: null
      })
    }
  })

  t.test(`an adapter method that ${what} is a 500`, async t => {
    const app = hostWith(() => ({ adapter: { getTrackDetail: refuse } }))
    t.strictSame((await app.inject({ url: '/v1/track?id=1' })).json(), {
      code: 500, message: 'Internal server error', data: null
    })
  })
}

for (const rejection of [null, undefined, false] as const) {
  t.test(`resolveContext that gives ${rejection} rejects the caller`, async t => {
    const app = hostWith(async () => rejection)
    t.strictSame((await app.inject({ url })).json(), { code: 401, message: 'Unauthorized', data: null })
  })
}

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable(new Error('gone'), {})
  revoke()
  return proxy
}
const throwingMember = (name: string) =>
  Object.defineProperty(new Error('x'), name, { get () { throw new Error('SECRET') } })
const hostile: Record<string, () => unknown> = {
  'a revoked Proxy': revoked,
  'a Proxy of an Error that throws when it is read': () =>
    new Proxy(new Error('x'), { get () { throw new Error('SECRET') } }),
  'an Error whose status throws': () => throwingMember('status'),
  'an Error whose message throws': () => throwingMember('message'),
  'an Error whose status is a Proxy': () => Object.assign(new Error('x'), { status: new Proxy({}, {}) }),
  ...Object.fromEntries(['statusCode', 'code', 'message', 'headers', 'stack'].map(member => [
    `an Error whose ${member} is a Proxy that throws when it is read`,
    () => Object.defineProperty(new Error('x'), member, {
      value: new Proxy({}, { get () { throw new Error('SECRET') }, ownKeys () { throw new Error('SECRET') } })
    })
  ])),
  'an Error whose cause is a revoked Proxy': () => new Error('x', { cause: revoked() }),
  'an Error whose cause throws': () => throwingMember('cause'),
  'an object whose message throws when it is written': () =>
    ({ status: 404, message: { toString () { throw new Error('SECRET') } } }),
  'a symbol': () => Symbol('s')
}
for (const [what, make] of Object.entries(hostile)) {
  t.test(`${what} thrown by an adapter method or resolveContext is a 500, and nothing escapes`, async t => {
    const escaped: unknown[] = []
    const note = (error: unknown) => escaped.push(error)
    process.on('unhandledRejection', note).on('uncaughtException', note)
    t.teardown(() => process.off('unhandledRejection', note).off('uncaughtException', note))
    for (const reject of [async () => { throw make() }, () => { throw make() }]) {
      for (const given of [{ getNewTracks: reject }, reject]) {
        const app = hostWith(given)
        t.strictSame((await app.inject({ url, headers: authorized })).json(), {
          code: 500, message: 'Internal server error', data: null
        })
      }
    }
    t.strictSame(escaped, [])
    t.notMatch(JSON.stringify(lines), 'SECRET')
  })
}

for (const [what, error, message] of [
  ['an AbortError', AbortSignal.abort().reason, 'This operation was aborted'],
  ['an object made of the prototype of Error',
    Object.create(Error.prototype, { message: { value: 'by hand' }, stack: { value: 'here' } }), 'by hand']
]) {
  t.test(`${what}, which is no native Error, is logged with its message`, async t => {
    const app = hostWith(throwing(error))
    t.equal((await app.inject({ url, headers: authorized })).statusCode, 500)
    t.match(lines.find(({ level }) => level === 50), { msg: 'request failed', err: { message } })
  })
}

t.test('an error without a cause is logged with its own message only', async t => {
  await hostWith(throwing(new Error('alone'))).inject({ url, headers: authorized })
  const { err } = lines.find(({ level }) => level === 50)!
  t.equal(err.message, 'alone')
  t.notMatch(err.stack, 'caused by')
})

t.test('the message of a SourceError keeps the queries of its URLs, that of any other error does not', async t => {
  const message = 'See https://music.example/help?topic=1'
  for (const [error, expected] of [
    [new errors.NotFoundError(message), message],
    [Object.assign(new Error(message), { status: 404 }), 'See https://music.example/help?[query]']
  ] as const) {
    t.equal((await hostWith(throwing(error)).inject({ url, headers: authorized })).json().message, expected)
  }
})

t.test('what is thrown without being an Error reaches the onError hook of the host as one', async t => {
  const seen: unknown[] = []
  const app = fastify()
  t.teardown(() => app.close())
  app.addHook('onError', async (_request, _reply, error) => { seen.push(error) })
  await app.register(sourceOrigin, { resolveContext: contextOf(throwing('text')) })
  t.equal((await app.inject({ url, headers: authorized })).statusCode, 500)
  t.ok(seen[0] instanceof Error)
})

t.test('the log has what the body hides, with the causes', async t => {
  const app = hostWith(throwing(new Error('Database gone', { cause: new Error('Disk full', { cause: 'no reason' }) })))
  await app.inject({ url, headers: authorized })
  const { err } = lines.find(({ level }) => level === 50)!
  t.equal(err.message, 'Database gone: Disk full: Thrown without being an Error: ' +
    '"no reason". Throw new Error(…), which has a stack')
  t.match(err.stack, /Error: Database gone[^]*caused by: Error: Disk full/)
})

t.test('the log has the operation, and of an error its class, code, detail and the errors in it', async t => {
  class DuplicateError extends RangeError { code = '23505'; errno = -7; detail = 'Key (id)=(1) exists'; headers = 'x' }
  const error = new AggregateError([new DuplicateError('twice'), 'a text'], 'Both failed')
  await hostWith(throwing(error)).inject({ url, headers: authorized })
  const { err, operation } = lines.find(({ level }) => level === 50)!
  t.equal(operation, 'getNewTracks')
  t.match(err, {
    type: 'AggregateError',
    aggregateErrors: [
      { type: 'DuplicateError', code: '23505', errno: -7, detail: 'Key (id)=(1) exists', message: 'twice' },
      { type: 'ThrownValue' }
    ]
  })
  t.notOk('headers' in err.aggregateErrors[0])
})

t.test('an error without a class is logged by its name', async t => {
  const error = Object.assign(new Error('lost'), { name: 'GoneError', constructor: undefined })
  await hostWith(throwing(error)).inject({ url, headers: authorized })
  t.equal(lines.find(({ level }) => level === 50)!.err.type, 'GoneError')
})

t.test('of a message of megabytes the log has the beginning, and the stack behind it', async t => {
  await hostWith(throwing(new Error('x'.repeat(5_000_000)))).inject({ url, headers: authorized })
  const { err } = lines.find(({ level }) => level === 50)!
  t.equal(err.message.length, 10_000)
  t.ok(err.stack.length < 30_000)
  t.match(err.stack, /x … x+\n +at /)
})

t.test('an error that is its own cause keeps its status and message, and is logged', async t => {
  const error: Error = Object.assign(new Error('up'), { status: 502 })
  error.cause = error
  const response = await hostWith(throwing(error)).inject({ url, headers: authorized })
  t.equal(response.statusCode, 502)
  t.equal(response.json().message, 'up')
  t.equal(lines.find(({ level }) => level === 50)!.err.message, Array(11).fill('up').join(': '))
})

for (const [reason, request] of Object.entries({
  Unauthorized: { url },
  'This source does not implement getTrackDetail': callOf(operationOf('getTrackDetail'))
})) {
  t.test(`a refusal is no error in the log: ${reason}`, async t => {
    const app = hostWith()
    await app.inject(request)
    t.ok(lines.some(line => line.msg === 'request rejected' && line.reason === reason))
    t.notOk(lines.some(({ level }) => level >= 40))
  })
}

t.test('no secret of the request or of an error reaches the log or the body', async t => {
  for (const status of [undefined, 502]) {
    for (const authorization of [token, `Bearer ${token}`]) {
      const error = Object.assign(new Error(
        `GET https://ann:HUSHED@cdn.example/a.mp3?sig=SIGNED#SIGNED of ${token} failed`
      ), {
        status,
        config: { headers: { cookie: 'COOKIE', authorization } }
      })
      const app = hostWith(() => { throw error })
      const response = await app.inject({ url, headers: { authorization } })
      const seen = JSON.stringify(lines) + response.body
      for (const secret of [token, 'SIGNED', 'HUSHED', 'COOKIE']) t.notMatch(seen, secret)
      if (status) {
        t.equal(response.json().message, 'GET https://[login]@cdn.example/a.mp3?[query] of [authorization] failed')
      }
    }
  }
})

t.test('a long text that looks like many URLs is searched for secrets in no time', async t => {
  const text = 'a.'.repeat(500_000) + 'x://'.repeat(250_000)
  const app = hostWith(() => { throw new errors.NotFoundError(text) })
  t.equal((await app.inject({ url })).json().message, text)
})

t.test('a token of words that are in what stands for it makes no message long', async t => {
  const app = hostWith()
  const headers = { authorization: `Bearer ${'author ization '.repeat(20)}` }
  t.equal((await app.inject({ url, headers })).json().message, 'Un[authorization]ized')
})

t.test('of a token of many words the first ones are looked for', async t => {
  const app =
    hostWith(() => { throw new errors.NotFoundError('word01 word15 word16 word99') })
  const authorization = Array.from({ length: 100 }, (_, at) => `word${String(at).padStart(2, '0')}`).join(' ')
  t.equal(
    (await app.inject({ url, headers: { authorization } })).json().message,
    '[authorization] [authorization] word16 word99'
  )
})

t.test('the scheme of a token stays in messages', async t => {
  const app = hostWith(() => { throw new errors.NotFoundError('No Bearer called the-token') })
  t.equal(
    (await app.inject({ url, headers: { authorization: 'Bearer the-token' } })).json().message,
    'No Bearer called [authorization]'
  )
})

t.test('a very short token does not spoil words', async t => {
  const app = hostWith(() => { throw new errors.NotFoundError('Expected') })
  t.equal((await app.inject({ url, headers: { authorization: 'x' } })).json().message, 'Expected')
})
