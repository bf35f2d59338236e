import t, { type Test } from 'tap'
import { createSigner, type Proof } from '../../../example/media/create-signer.ts'

const key = Buffer.alloc(32, 1)
/** A clock that only the test moves. */
function clock (t: Test) {
  let now = 1_000_000_020_000
  t.capture(Date, 'now', () => now)
  return { advance: (milliseconds: number) => { now += milliseconds } }
}

const proofOf = (url: string): Proof => Object.fromEntries(new URL(url, 'http://host').searchParams)

t.test('a signed path is accepted until it expires', async t => {
  const signer = createSigner(key, 60)
  const time = clock(t)
  const proof = proofOf(signer.sign('/a'))
  time.advance(59_000)
  t.doesNotThrow(() => signer.check('/a', proof))
  time.advance(2_000)
  t.throws(() => signer.check('/a', proof), { status: 403, message: /expired/ })
})

t.test('what was changed is refused', async t => {
  const signer = createSigner(key, 60)
  const proof = proofOf(signer.sign('/a'))
  const changed: Record<string, [string, Proof]> = {
    'another path': ['/b', proof],
    'a later time': ['/a', { ...proof, expires: String(Number(proof.expires) + 1) }],
    'another signature': ['/a', { ...proof, signature: proof.signature!.replace(/^./, first => first === 'A' ? 'B' : 'A') }],
    'no signature': ['/a', { expires: proof.expires }],
    'no time': ['/a', { signature: proof.signature }],
    'no proof': ['/a', {}]
  }
  for (const [what, [path, changedProof]] of Object.entries(changed)) {
    t.throws(() => signer.check(path, changedProof), { status: 403, message: /signature/ }, what)
  }
  t.throws(() => createSigner(Buffer.alloc(32, 2), 60).check('/a', proof), { status: 403, message: /signature/ }, 'another key')
})

t.test('a steady URL stays the same for a while and never outlives the time to live', async t => {
  const signer = createSigner(key, 60)
  const time = clock(t)
  const url = signer.signSteadily('/a')
  time.advance(5_000)
  t.equal(signer.signSteadily('/a'), url)
  const { expires } = proofOf(url)
  const left = Number(expires) - Date.now() / 1000
  t.ok(left <= 60 && left >= 30, `${left} seconds`)
  time.advance(30_000)
  t.not(signer.signSteadily('/a'), url)
})
