import t from 'tap'
import { createUpstream } from 'fastify-source-origin/upstream'
import { answer, startFaultyUpstream } from '../faulty-upstream.ts'

const baseUrl = 'https://api.example/v3'
const wrong: Record<string, unknown[]> = {
  baseUrl: [
    undefined, null, '', 7, 'api.example', 'ftp://api.example', 'https://user:secret@api.example',
    'https://secret@api.example', 'https://api.example?', 'https://api.example#x'
  ],
  headers: [null, [], 'x', { 'a b': 'x' }, { a: 7 }, { a: 'x\ny' }],
  timeout: [0, -1, 1.5, NaN, 2 ** 31, '8000', null],
  budget: [0, 2 ** 31],
  retries: [-1, 0.5, '2'],
  concurrency: [0, Infinity],
  accountConcurrency: [0, null],
  breaker: ['true', null, { failures: 1, pause: 1 }],
  maxBody: [0, '8'],
  proxy: [false, '', 'proxy:8080', 'socks5://secret:1']
}
const timerMs = (least: number) => `a whole number of milliseconds from ${least} to 2147483647`
const whole = (least: number) => `a whole number from ${least} to 2147483647`
const must: Record<string, string> = {
  baseUrl: 'an http or https URL without credentials, query and fragment',
  headers: 'a plain object of header names with text without line breaks',
  timeout: timerMs(1),
  budget: timerMs(1),
  retries: whole(0),
  concurrency: whole(1),
  accountConcurrency: whole(1),
  breaker: 'a boolean',
  maxBody: whole(1),
  proxy: 'true or the http or https URL of a proxy'
}
for (const [name, values] of Object.entries(wrong)) {
  for (const value of values) {
    t.test(`${name} ${JSON.stringify(value) ?? value}: refused by name, and the value is not told`, async t => {
      const error = await Promise.resolve().then(() => createUpstream({ baseUrl, [name]: value } as never))
        .catch(error => error)
      t.match(error, { name: 'TypeError', code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION' })
      t.equal(error.message, `Option "${name}" must be ${must[name]}`)
    })
  }
}

t.test('an unknown option is refused, with the one that was meant', async t => {
  t.throws(() => createUpstream({ baseUrl, retry: 1 } as never), {
    code: 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION', message: 'Unknown option "retry"'
  })
  t.throws(() => createUpstream({ baseUrl, maxbody: 1 } as never), {
    message: 'Unknown option "maxbody": did you mean "maxBody"?'
  })
  t.throws(() => createUpstream({ baseUrl, constructor: 1 } as never), { message: 'Unknown option "constructor"' })
  t.throws(() => createUpstream(undefined as never), { message: 'Option "options" must be an object' })
})

t.test('frozen options work and are not changed', async t => {
  const server = await startFaultyUpstream(t)
  server.always(answer())
  const options = Object.freeze({
    baseUrl: server.url,
    headers: Object.freeze({ 'X-Key': 'k' }),
    timeout: undefined,
    retries: 0
  })
  const upstream = createUpstream(options)
  t.teardown(() => upstream.close())
  const scope = Object.freeze({ headers: Object.freeze({ 'X-Scope': 's' }), account: undefined })
  t.strictSame(await upstream.for(scope).json('/x', Object.freeze({ query: Object.freeze({ a: 1 }) })), { ok: true })
})
