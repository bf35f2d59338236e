import t, { type Test } from 'tap'
import { createSigner, type SignedQuery } from 'fastify-source-origin/media'
import { replace } from '../replace.ts'

const key = Buffer.alloc(32, 1)
const otherKey = Buffer.alloc(32, 2)

/** A clock that only the test moves. */
function clock (t: Test) {
  let now = 1_000_000_020_000
  replace(t, Date, 'now', () => now)
  return { advance: (milliseconds: number) => { now += milliseconds } }
}

const queryOf = (url: string): { expires?: string, signature?: string } =>
  Object.fromEntries(new URL(url, 'http://host').searchParams)

t.test('a signed path is accepted until it expires', async t => {
  const signer = createSigner({ keys: [key], ttl: 60_000 })
  const time = clock(t)
  const proof = queryOf(signer.sign('/a'))
  time.advance(59_000)
  t.doesNotThrow(() => signer.check('/a', proof))
  time.advance(2_000)
  t.throws(() => signer.check('/a', proof), { status: 403, message: /expired/ })
})

t.test('what was changed is refused', async t => {
  const signer = createSigner({ keys: [key], ttl: 60_000 })
  const proof = queryOf(signer.sign('/a'))
  const changed: Record<string, [string, SignedQuery]> = {
    'another path': ['/b', proof],
    'a later time': ['/a', { ...proof, expires: String(Number(proof.expires) + 1) }],
    'another signature': [
      '/a', { ...proof, signature: proof.signature!.replace(/^./, first => first === 'A' ? 'B' : 'A') }
    ],
    'no signature': ['/a', { expires: proof.expires }],
    'no time': ['/a', { signature: proof.signature }],
    'no query': ['/a', {}],
    'two signatures': ['/a', { ...proof, signature: [proof.signature, proof.signature] }]
  }
  for (const [what, [path, query]] of Object.entries(changed)) {
    t.throws(() => signer.check(path, query), { status: 403, message: /signature/ }, what)
  }
  t.throws(
    () => createSigner({ keys: [otherKey], ttl: 60_000 }).check('/a', proof), { status: 403, message: /signature/ },
    'another key'
  )
})

t.test('a part of a path is no part of the time', async t => {
  const signer = createSigner({ keys: [key], ttl: 60_000 })
  const { expires, signature } = queryOf(signer.sign('/covers/of /songs/1'))
  t.throws(() => signer.check('/songs/1', { expires: `${expires} /covers/of`, signature }), {
    status: 403, message: /expired/
  })
})

t.test('a steady URL stays the same for a while and never outlives the time to live', async t => {
  const signer = createSigner({ keys: [key], ttl: 60_000 })
  const time = clock(t)
  const url = signer.signStable('/a')
  time.advance(5_000)
  t.equal(signer.signStable('/a'), url)
  const { expires } = queryOf(url)
  const left = Number(expires) - Date.now() / 1000
  t.ok(left <= 60 && left >= 30, `${left} seconds`)
  time.advance(30_000)
  t.not(signer.signStable('/a'), url)
})

t.test('a key is replaced without breaking the URLs that it signed', async t => {
  const query = queryOf(createSigner({ keys: [otherKey], ttl: 60_000 }).sign('/a'))
  const signer = createSigner({ keys: [key, otherKey], ttl: 60_000 })
  t.doesNotThrow(() => signer.check('/a', query))
  const signedNow = queryOf(signer.sign('/a'))
  t.doesNotThrow(() => createSigner({ keys: [key], ttl: 60_000 }).check('/a', signedNow), 'the first key signs')
})

const wrong: Record<string, [options: any, code: string, name: string]> = {
  'no options': [undefined, 'INVALID', 'options'],
  'no keys': [{ ttl: 60_000 }, 'INVALID', 'keys'],
  'an empty list of keys': [{ keys: [], ttl: 60_000 }, 'INVALID', 'keys'],
  'a key that is too short': [{ keys: [key, key.subarray(1)], ttl: 60_000 }, 'INVALID', 'keys'],
  'a key that is text': [{ keys: ['x'.repeat(32)], ttl: 60_000 }, 'INVALID', 'keys'],
  'no ttl': [{ keys: [key] }, 'INVALID', 'ttl'],
  'a ttl of 0': [{ keys: [key], ttl: 0 }, 'INVALID', 'ttl'],
  'a ttl that is text': [{ keys: [key], ttl: '60' }, 'INVALID', 'ttl'],
  'an unknown option': [{ keys: [key], ttl: 60_000, key }, 'UNKNOWN', 'key']
}
for (const [what, [options, code, name]] of Object.entries(wrong)) {
  t.test(`${what} is refused by name`, async t => {
    t.throws(() => createSigner(options), {
      code: `SOURCE_ORIGIN_ERR_${code}_OPTION`, message: new RegExp(`"?${name}"?`)
    })
  })
}
