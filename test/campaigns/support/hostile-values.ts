import { errors } from 'fastify-source-origin'
import { token } from '../../helper.ts'
import type { Random } from './random.ts'

/** Stands in everything that must not reach a client. */
export const secret = 'S3CR3T-marker'

export const texts = [
  '', ' ', '0', '-1', '1e999', '320.5', 'true', 'null', '[object Object]', '__proto__', 'constructor',
  '../../etc/passwd', '%00', '\0', '\ud800',
  '\u202eabc', '<script>alert(1)</script>', '"}', '\\', '\r\nX-Injected: 1', 'a'.repeat(10_000), '茉莉花',
  '\u0301'.repeat(50), '2024-01-01T00:00:00Z',
  ' a ', '💥', '*', '$ref', '\u2028', '{"a":1}', 'a&b=c', '#', '?', '𝒳'.repeat(100)
] as const

const numbers =
  [0, -0, 1, -1, 0.5, 320.5, 1e21, -1e21, 2 ** 31, 2 ** 53, 2 ** 64, 1e308, NaN, Infinity, -Infinity] as const

class WithPrivate {
  readonly #hidden = secret
  readonly id = 'x'
  get title (): string { return this.#hidden.slice(0, 0) }
}

function revoked (target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const refuse = (): never => { throw new Error(secret) }

function cycle (): object {
  const value: Record<string, unknown> = { id: 'x', name: 'x' }
  value.tracks = [value]
  value.album = value
  return value
}

function deep (levels: number): unknown {
  let value: unknown = []
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { tracks: value } : [value]
  return value
}

/** A value that nobody expects. */
export function hostileValue (random: Random): unknown {
  const kinds: (() => unknown)[] = [
    () => undefined, () => null, () => random.pick(texts), () => random.pick(numbers), () => random.chance(0.5),
    () => BigInt(random.below(2 ** 31)), () => 10n ** 400n,
    () => Symbol(secret), () => () => secret, () => class {}, () => new Date(random.pick([0, NaN, 8.64e15])),
    () => /x/g, () => new Map([['id', 'x']]), () => new Set(['x']),
    () => new Error(secret), () => Buffer.from('x'), () => new Uint8Array(4), () => new ArrayBuffer(8),
    () => Object(random.pick(['x', 1, true])), () => Object(Symbol('x')),
    () => [], () => ({}), () => Array(random.below(50)), () => Array(5).fill(null), () => Object.create(null),
    () => Object.create({ id: 'x', name: 'x', title: 'x' }),
    () => JSON.parse('{"__proto__":{"id":"x"},"id":"y"}'), () => new WithPrivate(), cycle,
    () => deep(random.pick([5, 500, 20_000])),
    () => ({ toJSON: refuse }), () => ({ toJSON: () => ({ id: 'x', name: 'x' }) }),
    () => ({ toJSON: () => Symbol('x') }), () => ({ toJSON: 1 }), () => ({ toJSON () { return this } }),
    () => ({ toString: refuse, valueOf: refuse }), () => ({ [Symbol.toPrimitive]: refuse }), () =>
      ({ get id () { return refuse() } }),
    () => ({ get id () { return random.pick(texts) } }), () => ({ [secret.slice(9)]: secret, password: secret }),
    () => Object.freeze({ id: 'x' }),
    () => new Proxy({}, {}), () => new Proxy({ id: 'x' }, { get: refuse }),
    () => new Proxy({ id: 'x' }, { ownKeys: refuse }), () => new Proxy({ id: 'x' }, { getPrototypeOf: refuse }),
    () => new Proxy([], {
      get: (target, name) =>
        name === 'length' ? random.pick([-1, NaN, '5', 1000, 2.5, {}]) : Reflect.get(target, name)
    }),
    () => revoked({}), () => revoked([]), () => revoked(() => {}), () => Promise.resolve({ id: 'x' }),
    () => ({ then: 1 }), () => (function * () { yield { id: 'x' } })(),
    () => globalThis.process, () => new WeakMap(), () => new Proxy(() => {}, { apply: refuse })
  ]
  return random.pick(kinds)()
}

/** A copy of plain data with some places of it replaced, removed or added. */
export function mutate (random: Random, value: unknown, probability: number): unknown {
  if (random.chance(probability)) return hostileValue(random)
  if (Array.isArray(value)) {
    const items = value.flatMap(item =>
      Array.from({ length: random.chance(0.2) ? random.below(4) : 1 }, () => mutate(random, item, probability)))
    if (random.chance(probability)) delete items[0]
    return items
  }
  if (typeof value !== 'object' || value === null) {
    return random.chance(0.1) ? random.pick<unknown>([...texts, ...numbers, true, 'false']) : value
  }
  const copy: Record<string, unknown> = random.chance(0.05) ? Object.create(Object.prototype) : {}
  for (const [name, member] of Object.entries(value)) {
    if (random.chance(probability)) continue
    if (random.chance(probability)) {
      Object.defineProperty(copy, name, {
        get: random.chance(0.5) ? refuse : () => member, enumerable: random.chance(0.9)
      })
    } else copy[name] = mutate(random, member, probability)
  }
  if (random.chance(probability)) copy.password = random.pick<unknown>([secret, { secret }, [secret]])
  if (random.chance(probability / 4)) copy.toJSON = random.pick<unknown>([refuse, () => value, 1])
  return random.chance(probability) ? new Proxy(copy, {}) : copy
}

const { SourceError: _any, ...ofStatus } = errors
const classes = Object.values(ofStatus)

/** What is thrown. Its texts may only reach clients where they were written for them. */
export function hostileError (random: Random): unknown {
  const url = `https://user:pass@upstream.example/a?key=${secret}`
  const statuses = [400, 401, 404, 418, 429, 499, 500, 503, 599]
  const kinds: (() => unknown)[] = [
    () => new (random.pick(classes))(random.pick(texts)),
    () => new (random.pick(classes))(`refused for ${token}`, {
      code: random.pick<any>([1, -1, 2 ** 53, NaN, '1', null]),
      retryAfterSeconds: random.pick<any>([0, 1, 1.5, -1, Infinity, NaN, '5\r\nX: 1', {}])
    }),
    () => new Error(secret),
    () => new Error(secret, { cause: new Error(secret, { cause: revoked({}) }) }),
    () => Object.assign(new Error(`failed at ${url}`), { status: random.pick(statuses) }),
    () => Object.assign(new Error(`${token} failed at ${url}`), {
      statusCode: random.pick(statuses), headers: { 'x-secret': secret }
    }),
    () => Object.assign(new Error(secret), {
      status: random.pick<unknown>([200, 399, 600, '404', NaN, 404.5, {}, null, 0])
    }),
    () => Object.assign(new Error(secret), {
      message: random.pick<unknown>([Symbol('x'), { secret }, null, 1]), name: secret
    }),
    () => Object.defineProperty(
      new Error(secret), random.pick(['message', 'status', 'statusCode', 'code', 'stack', 'cause']), { get: refuse }
    ),
    () => ({
      status: random.pick(
        statuses
      ),
      message: random.pick<unknown>(['plain', Symbol('x'), { toString: refuse }, 7])
    }),
    () => Object.assign(new Error('own code'), {
      status: 404, code: random.pick<unknown>(['ENOENT', 12, 1.5, 'FST_ERR_CTP_INVALID_MEDIA_TYPE'])
    }),
    () => Object.assign(new AggregateError([new Error(secret)], secret), {
      validation: [{ message: secret }], validationContext: secret
    }),
    () => secret, () => undefined, () => null, () => 404, () => Symbol(secret), () => revoked({}),
    () => revoked(new Error(secret)), () => new Proxy(new Error(secret), { get: refuse }),
    () => hostileValue(random)
  ]
  return random.pick(kinds)()
}
