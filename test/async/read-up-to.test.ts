import t from 'tap'
import { readUpTo } from '../../lib/async/read-up-to.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

for (const [most, expected, isWhole] of [
  [7, [1, 2, 3, 4, 5, 6], true], [6, [1, 2, 3, 4, 5, 6], true], [5, [1, 2, 3, 4, 5], false], [2, [1, 2], false],
  [0, [], false]
] as const) {
  const chunks = [bytes(1), bytes(2, 3), bytes(), bytes(4, 5, 6)]
  t.test(`six bytes in chunks, at most ${most}, are ${expected.length} and ${isWhole ? 'whole' : 'a part'}`, async t => {
    for (const body of [chunks, new Blob(chunks).stream(), ReadableStream.from(chunks)]) {
      const read = await readUpTo(body as ReadableStream<Uint8Array>, most)
      t.strictSame([[...read.bytes], read.isWhole], [expected, isWhole])
    }
  })
}

t.test('a body without bytes is whole', async t => {
  t.strictSame(await readUpTo([], 1), { bytes: bytes(), isWhole: true })
})

t.test('the rest of a body that is too long is cancelled', async t => {
  let cancelled = 0
  const endless = () => new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(bytes(1, 2, 3)), cancel: () => { cancelled++ }
  })
  t.equal((await readUpTo(endless(), 10)).bytes.length, 10)
  async function * parts () {
    try {
      for (;;) yield bytes(1)
    } finally {
      cancelled++
    }
  }
  t.equal((await readUpTo(parts(), 10)).bytes.length, 10)
  t.equal(cancelled, 2)
})

t.test('a body that breaks throws what broke it', async t => {
  const broken = new ReadableStream<Uint8Array>({
    pull: controller => controller.error(new Error('broken'))
  })
  await t.rejects(readUpTo(broken, 10), { message: 'broken' })
})
