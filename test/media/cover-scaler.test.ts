import { EventEmitter, on, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { createCoverScaler, type Cover } from 'fastify-source-origin/media'
import { scalerWith } from './scaler-with.ts'

// Its types are not there where it is not installed, and then nothing is scaled.
const name = 'sharp'
const { default: sharp } = await import(name).catch(() => ({ default: undefined }))
const skip = !sharp && process.env.CI === undefined && 'sharp is not installed'

const log = { info () {} }
const { signal } = new AbortController()

t.test('a cover is scaled and kept, and read once for who asks for it meanwhile', { skip }, async t => {
  const scale = createCoverScaler({ log })
  let reads = 0
  const read = async (): Promise<Cover> => {
    reads++
    const picture = sharp({ create: { width: 400, height: 200, channels: 3, background: '#a52' } })
    return { bytes: await picture.jpeg().toBuffer(), type: 'image/jpeg' }
  }
  const covers = await Promise.all(Array.from({ length: 5 }, () => scale('a', 100, read, signal)))
  covers.push(await scale('a', 100, read, signal))
  for (const { bytes, type } of covers) {
    t.match(await sharp(bytes).metadata(), { width: 100, height: 50, format: 'jpeg' })
    t.equal(type, 'image/jpeg')
  }
  t.ok(reads <= 2, `${reads} reads`)
  t.match(await sharp((await scale('a', 50, read, signal)).bytes).metadata(), { width: 50 })
  t.match(await sharp((await scale('b', 1000, read, signal)).bytes).metadata(), { width: 400 }, 'never up')
})

t.test('what is no picture, or has more than 16 MiB, stays as it is; the large one is not kept', async t => {
  let reads = 0
  const scaler = await scalerWith({ default () { throw new Error('no picture') } })
  for (const bytes of [Buffer.from('a'), Buffer.alloc(17 * 1024 * 1024)]) {
    const cover = { bytes, type: 'image/png' }
    for (let call = 0; call < 2; call++) {
      const read = async () => { reads++; return cover }
      t.strictSame(await scaler.scaleWhole(String(bytes.length), 10, read, signal), cover)
    }
  }
  t.equal(reads, 3)
})

t.test('what cannot be read is an error, and nothing is kept of it', async t => {
  const scale = createCoverScaler({ log })
  await t.rejects(scale('a', 10, async () => { throw new Error('gone') }, signal), { message: 'gone' })
  const cover = { bytes: Buffer.from('a'), type: 'image/png' }
  t.strictSame(await scale('a', 10, async () => cover, signal), cover)
})

t.test('without sharp, covers stay as they are', async t => {
  const scaler = await scalerWith(new Error('Cannot find package'))
  const cover = { bytes: Buffer.from('a'), type: 'image/png' }
  t.equal(await scaler.scaleWhole('a', 10, async () => cover, signal), cover)
})

t.test('two covers are in memory at a time, also when those who asked for them hang up', async t => {
  const events = new EventEmitter()
  const metadata = async () => { await once(events, 'go'); throw new Error('no picture') }
  const scaler = await scalerWith({ default: () => ({ metadata }) })
  const read: string[] = []
  const reading = on(events, 'read')
  const scale = (key: string, signal: AbortSignal) => scaler.scaleWhole(key, 10, async () => {
    read.push(key)
    events.emit('read')
    return { bytes: Buffer.from('a'), type: 'image/png' }
  }, signal)
  const leaving = new AbortController()
  const running = ['a', 'b'].map(key => scale(key, leaving.signal))
  for (let i = 0; i < 2; i++) await reading.next()
  const waiting = scale('c', leaving.signal)
  const staying = scale('d', signal)
  await setImmediate()
  leaving.abort(new Error('The client hung up'))
  await t.rejects(waiting, { message: 'The client hung up' })
  await t.rejects(scale('e', leaving.signal), { message: 'The client hung up' })
  await setImmediate()
  t.strictSame(read, ['a', 'b'])
  events.emit('go')
  await Promise.all(running)
  await reading.next()
  events.emit('go')
  await staying
  t.strictSame(read, ['a', 'b', 'd'])
})

t.test('options that are wrong are refused with their name', async t => {
  t.throws(() => createCoverScaler({} as never), { code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION' })
  t.throws(() => createCoverScaler({ log, store: { get () {} } as never }), { message: /"store" must be an object with get/ })
  t.throws(() => createCoverScaler({ log, size: 1 } as never), { code: 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION' })
})
