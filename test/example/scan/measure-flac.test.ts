import t from 'tap'
import { samplesUntil } from '../../../example/scan/measure-flac.ts'

/** What the header gives with each CRC of its 256. */
const tried = (header: string) => Array.from({ length: 256 }, (_, crc) =>
  samplesUntil(Buffer.concat([Buffer.from(header, 'hex'), Buffer.from([crc]), Buffer.alloc(16)]).subarray(0, 16), 4096))

for (const [title, header, samples] of [
  ['of a size of its own', 'fff8c90802', 2 * 4096 + 4096],
  ['of 192 samples', 'fff8190802', 2 * 4096 + 192],
  ['of 1152 samples', 'fff8390802', 2 * 4096 + 1152],
  ['that is the last one and short', 'fff869080209', 2 * 4096 + 10],
  ['that is the last one and a bit longer', 'fff87908020100', 2 * 4096 + 257],
  ['whose rate is written in a byte', 'fff8cc080230', 2 * 4096 + 4096],
  ['whose rate is written in two', 'fff8cd0802ac44', 2 * 4096 + 4096],
  ['with a number of two bytes', 'fff8c908c480', 256 * 4096 + 4096],
  ['with the number of its first sample', 'fff9c908e18080', 4096 + 4096]
] as const) {
  t.test(`the samples to the end of a frame ${title}, with the right CRC alone`, async t => {
    t.strictSame(tried(header).filter(found => found !== undefined), [samples])
  })
}

for (const [title, header] of [
  ['with another sync', 'fff0c90802'], ['whose number is not written as one', 'fff8c90880'],
  ['whose number is too long', 'fff8c908ff'], ['that is cut', 'fff97d08fe8080808080800100ac44ac44ac44']
] as const) {
  t.test(`what looks like a frame ${title} is none`, async t => {
    t.strictSame(tried(header).filter(found => found !== undefined), [])
  })
}
