import { realpathSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FileReader } from '../../../example/scan/file-reader.ts'
import { measureMpeg } from '../../../example/scan/measure-mpeg.ts'
import { folder, mp3 } from '../helper.ts'
import { aacFrames, mp3Frames } from '../make-audio.ts'

async function measure (
  t: Test, content: Uint8Array, { told, size }: { told?: number, size?: number } = {}
): Promise<number> {
  const root = realpathSync(folder(t, { 'x.mp3': content }))
  if (size !== undefined) truncateSync(join(root, 'x.mp3'), size)
  const reader = await FileReader.open(root, 'x.mp3', new AbortController().signal)
  t.teardown(() => reader.close())
  return measureMpeg(reader, told)
}

const seconds = (frames: number, samples = 1152) => frames * samples / 44_100
const near = (t: Test, found: number, wanted: number) =>
  t.ok(Math.abs(found - wanted) < 0.03, `${found} is near ${wanted}`)

t.test('a constant bitrate and the size tell the duration', async t => {
  near(t, await measure(t, mp3Frames(Array<number>(3000).fill(128))), seconds(3000))
})

t.test('frames of several bitrates are counted', async t => {
  const bitrates = Array.from({ length: 3000 }, (_, at) => at < 1500 ? 320 : 64)
  near(t, await measure(t, mp3Frames(bitrates)), seconds(3000))
})

t.test('several bitrates are seen even if the file begins with one', async t => {
  const bitrates = Array.from({ length: 4000 }, (_, at) => at > 500 && at % 3 === 0 ? 192 : 128)
  near(t, await measure(t, mp3Frames(bitrates)), seconds(4000))
})

t.test('frames of one channel and of two are counted alike', async t => {
  const mono = Buffer.concat(Array.from({ length: 1500 }, (_, at) => {
    const frame = mp3Frames([at % 2 === 0 ? 64 : 96])
    frame[3] = 0xc0
    return frame
  }))
  const stereo = mp3Frames(Array.from({ length: 1500 }, (_, at) => at % 2 === 0 ? 192 : 320))
  near(t, await measure(t, Buffer.concat([mono, stereo]), { told: seconds(1500) }), seconds(3000))
})

t.test('AAC frames are counted', async t => {
  near(t, await measure(t, aacFrames(Array.from({ length: 2000 }, (_, at) => 200 + at % 150))), seconds(2000, 1024))
})

t.test('frames of half the rate have half the samples, and what has no rate is no frame', async t => {
  const frame = Buffer.alloc(208)
  frame.set([0xff, 0xf3, 0x80, 0]) // MPEG 2, 64 kbit/s, 22,050 Hz
  const wrong = Buffer.from([
    0xff, 0xfb, 0x9c, 0, 0, 0, 0, 0, 0xff, 0xfb, 0xf0, 0, 0, 0, 0, 0, 0xff, 0xeb, 0x90, 0, 0, 0, 0, 0, 0xff, 0xfd, 0x90,
    0, 0, 0, 0, 0, 0xff, 0xf1, 0x7c, 0, 0, 0, 0, 0
  ])
  near(t, await measure(t, Buffer.concat([wrong, ...Array<Buffer>(100).fill(frame)])), 100 * 576 / 22_050)
})

t.test('a file that became shorter is measured as far as it goes', async t => {
  const bytes = mp3Frames(Array.from({ length: 4000 }, (_, at) => at % 2 ? 128 : 96))
  const root = realpathSync(folder(t, { 'x.mp3': bytes }))
  const reader = await FileReader.open(root, 'x.mp3', new AbortController().signal)
  t.teardown(() => reader.close())
  truncateSync(join(root, 'x.mp3'), 100_000)
  t.ok(await measureMpeg(reader, undefined) > 0)
})

t.test('a file that ends within a header by now is measured as far as it goes', async t => {
  const bytes = mp3Frames(Array.from({ length: 4000 }, (_, at) => at % 2 ? 128 : 96))
  const root = realpathSync(folder(t, { 'x.mp3': bytes }))
  const reader = await FileReader.open(root, 'x.mp3', new AbortController().signal)
  t.teardown(() => reader.close())
  truncateSync(join(root, 'x.mp3'), Math.floor(bytes.length * 0.3) + 3)
  t.ok(await measureMpeg(reader, undefined) > 0)
})

t.test('tags in front and garbage between frames are passed over', async t => {
  const tag = mp3({ title: 'x'.repeat(3000) }, { seconds: 0 })
  const some = mp3Frames(Array.from({ length: 800 }, (_, at) => at % 2 ? 128 : 96))
  const garbage = Buffer.from([
    0xff, 0xfb, 0xff, 0xff, 0xff, 0xf1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf1, 0x50, 0x80, 0, 0, 0, 0xff, 0xfa, 0x90, 0,
    ...Buffer.alloc(300)
  ])
  near(t, await measure(t, Buffer.concat([tag, tag, some, garbage, some])), seconds(1600))
})

t.test('a header that tells the duration is believed', async t => {
  const frames = mp3Frames([128, 128, 128, 64, 64])
  for (const name of ['Xing', 'Info']) {
    const content = Buffer.from(frames)
    content.write(name, 36)
    t.equal(await measure(t, content, { told: 77 }), 77)
  }
  near(t, await measure(t, frames, { told: 77 }), seconds(5))
})

t.test('of a file that is very long, the beginning tells', async t => {
  const bitrates = Array.from({ length: 200 }, (_, at) => at % 2 ? 128 : 96)
  const content = mp3Frames(bitrates)
  const size = 80 * 1024 * 1024
  // Behind the frames are zeros, of which only a part is read.
  const found = await measure(t, content, { size })
  near(t, found, seconds(200) * size / (64 * 1024 * 1024))
})

t.test('where there are no frames, what is told counts', async t => {
  t.equal(await measure(t, Buffer.alloc(5000), { told: 3 }), 3)
  t.equal(await measure(t, Buffer.alloc(5000)), 0)
  t.equal(await measure(t, Buffer.alloc(0)), 0)
})

/** A frame of 320 kbit/s and 48,000 Hz. */
const other = Buffer.alloc(960)
other.set([0xff, 0xfb, 0xe4, 0])

t.test('what looks like a frame and has none behind it does not tell what the frames are like', async t => {
  const frames = mp3Frames(Array.from({ length: 800 }, (_, at) => at % 2 ? 128 : 96))
  near(t, await measure(t, Buffer.concat([other.subarray(0, 100), frames])), seconds(800))
})

t.test('frames of another kind between the frames do not count', async t => {
  const frames = mp3Frames(Array.from({ length: 800 }, (_, at) => at % 2 ? 128 : 96))
  near(t, await measure(t, Buffer.concat([frames, ...Array<Buffer>(100).fill(other), frames])), seconds(1600))
})

/** A frame that says how many frames and bytes there are, as encoders write it at the beginning. */
function xing (name: string, frames: number | undefined, bytes: number | undefined): Buffer {
  const frame = mp3Frames([128])
  const told = [frames, bytes].flatMap(number => {
    if (number === undefined) return []
    const four = Buffer.alloc(4)
    four.writeUInt32BE(number)
    return [four]
  })
  const flags = (frames === undefined ? 0 : 1) + (bytes === undefined ? 0 : 2)
  Buffer.concat([Buffer.from(`${name}\0\0\0${String.fromCharCode(flags)}`), ...told]).copy(frame, 36)
  return frame
}

t.test('what the first frame says counts where it is of all the file', async t => {
  const frames = mp3Frames(Array.from({ length: 1000 }, (_, at) => at % 2 === 0 ? 64 : 192))
  for (const [name, first, wanted] of [
    ['of all', xing('Xing', 999, frames.length), 7],
    ['without bytes', xing('Info', 999, undefined), 7],
    ['bytes alone', xing('Info', undefined, frames.length), 7],
    ['empty', xing('Xing', undefined, undefined), 7],
    ['of the first of several files', xing('Xing', 300, frames.length / 3), seconds(1001)]
  ] as const) {
    const found = await measure(t, Buffer.concat([first, frames]), { told: 7 })
    t.ok(Math.abs(found - wanted) < 0.03, `${name}: ${found}`)
  }
  near(t, await measure(t, Buffer.concat([xing('Xing', 0, 0), frames]), { told: 0 }), seconds(1001))
})
