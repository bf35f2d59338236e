import { realpathSync } from 'node:fs'
import t, { type Test } from 'tap'
import { FileReader } from '../../../example/scan/file-reader.ts'
import { measureOgg } from '../../../example/scan/measure-ogg.ts'
import { folder } from '../helper.ts'
import { oggHeads, oggPage, opus } from '../make-audio.ts'

async function measure (t: Test, ...parts: Uint8Array[]): Promise<number> {
  const root = realpathSync(folder(t, { 'x.ogg': Buffer.concat(parts) }))
  const reader = await FileReader.open(root, 'x.ogg', new AbortController().signal)
  t.teardown(() => reader.close())
  return measureOgg(reader)
}

const head = (serial: number, content: Uint8Array) => oggPage(serial, 0n, content, { first: true })
const page = (serial: number, granule: number) => oggPage(serial, BigInt(granule), Buffer.alloc(1000))

for (const [codec, content, granule] of [
  ['Vorbis', oggHeads.vorbis(), 10 * 44_100],
  ['Opus', oggHeads.opus(312), 10 * 48_000 + 312],
  ['FLAC', oggHeads.flac(), 10 * 44_100],
  ['Speex', oggHeads.speex(), 10 * 16_000]
] as const) {
  t.test(`the last page tells the duration of ${codec}`, async t => {
    t.equal(await measure(t, head(1, content), page(1, 5), page(1, granule)), 10)
  })
}

t.test('a page in which nothing ends tells nothing, and what looks like one neither', async t => {
  t.equal(
    await measure(t, head(1, oggHeads.vorbis()), page(1, 44_100), page(1, -1), Buffer.from('OggS\x01, a tag, OggS\0')),
    1
  )
})

t.test('a file of one page has no duration', async t => {
  t.equal(await measure(t, head(1, oggHeads.vorbis())), 0)
})

t.test('other streams in the file are not listened to', async t => {
  t.equal(
    await measure(t, head(1, oggHeads.other()), head(2, oggHeads.vorbis()), page(2, 88_200), page(1, 999_999_999)), 2
  )
})

t.test('recordings one behind the other are added up, whatever their codecs', async t => {
  const vorbis = Buffer.concat([head(7, oggHeads.vorbis()), page(7, 44_100), page(7, 88_200)])
  t.equal(await measure(t, opus({}, { seconds: 3, skipped: 0 }), vorbis), 5)
})

t.test('recordings of the same number are added up too', async t => {
  const one = Buffer.concat([head(1, oggHeads.vorbis()), page(1, 44_100)])
  t.equal(await measure(t, one, one, head(2, oggHeads.other()), page(2, 5)), 2)
})

t.test('a file whose end is missing has the duration of what is there', async t => {
  const whole = Buffer.concat([head(1, oggHeads.vorbis()), page(1, 44_100), page(1, 88_200), page(1, 132_300)])
  t.equal(await measure(t, whole.subarray(0, whole.length - 1500)), 2)
})

t.test('one whose end is zeros is read from its beginning', async t => {
  t.equal(await measure(t, head(1, oggHeads.vorbis()), page(1, 44_100), Buffer.alloc(200_000)), 1)
})

t.test('a duration is never negative', async t => {
  t.equal(await measure(t, opus({}, { seconds: 0.001 })), 0)
})

t.test('absurd rates are survived', async t => {
  t.equal(await measure(t, head(1, oggHeads.vorbis(0)), page(1, 44_100)), 0)
})

t.test('what is no Ogg has no duration', async t => {
  t.equal(await measure(t, Buffer.alloc(5000)), 0)
  t.equal(await measure(t), 0)
})

t.test('a recording that was cut out of a longer one begins where its pages do', async t => {
  const hour = 3600 * 44_100
  const [begin, ...pages] = [head(1, oggHeads.vorbis()), ...[1, 2, 10].map(at => page(1, hour + at * 44_100))]
  t.equal(await measure(t, begin!, page(1, 0), ...pages), 10)
  t.equal(await measure(t, begin!, page(1, hour)), 3600, 'one page does not tell where it begins')
})
