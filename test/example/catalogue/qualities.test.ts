import t from 'tap'
import type { CatalogueTrack } from '../../../example/catalogue/catalogue-items.ts'
import { bestFiles, chooseOffer, fittingFiles, offersOf, qualityOf } from '../../../example/catalogue/qualities.ts'
import type { AudioFile } from '../../../example/scan/read-audio-file.ts'

/** The file that a wish gives. */
const chosen = (files: AudioFile[], wanted: string | undefined) =>
  chooseOffer(offersOf({ files: files as never, durationMs: 0 }), wanted).file

const file = (path: string, bitrate: number | null, lossless = false) => ({ path, bitrate, lossless }) as AudioFile
const flac = file('a.flac', 900_000, true)
const high = file('a.mp3', 256_000)
const standard = file('a.ogg', 255_999)
const unknown = file('a.opus', null)

t.test('lossless, high from 256 kbit/s, else standard', async t => {
  t.same([flac, high, standard, unknown].map(one => qualityOf(one).key), ['lossless', 'high', 'standard', 'standard'])
})

t.test('one file for each quality: the one with the most bits, then the first', async t => {
  const better = file('b.mp3', 320_000)
  t.same(bestFiles([standard, high, unknown, better, flac]), [flac, better, standard])
  t.same(bestFiles([file('a.mp3', 1), file('b.mp3', 1)]), [file('a.mp3', 1)])
})

t.test('what browsers play comes before what they do not, of one quality', async t => {
  const alac = { ...file('a.m4a', 1_000_000, true), codec: 'alac' }
  t.same(bestFiles([alac, flac, high]), [flac, high])
  t.equal(chosen([alac, high], undefined), high)
  t.equal(chosen([alac], undefined), alac)
})

const wishes: [files: AudioFile[], wanted: string | undefined, given: AudioFile][] = [
  [[flac, high, standard], undefined, flac],
  [[flac, high, standard], 'high', high],
  [[flac, standard], 'high', standard],
  [[flac], 'high', flac],
  [[flac, high], 'standard', high],
  [[standard], 'lossless', standard]
]
for (const [files, wanted, given] of wishes) {
  t.test(`of ${files.map(one => qualityOf(one).key)}, ${wanted ?? 'no wish'} gives ${qualityOf(given).key}`, async t => {
    t.equal(chosen(files, wanted), given)
  })
}

t.test('a track has the files that fit a bitrate, or its smallest; what is not known is told by the size', async t => {
  const file = (path: string, bitrate: number | null, size = 0) =>
    ({ path, bitrate, size, format: 'mp3', lossless: false })
  const files = [file('a', 320_000), file('b', null, 16_000), file('c', 96_000)]
  const of = (bitrate?: number, durationMs = 1000) =>
    fittingFiles({ files, durationMs } as unknown as CatalogueTrack, bitrate).files.map(({ path }) => path).join('')
  t.same([of(), of(320_000), of(128_000), of(100_000), of(8000)], ['abc', 'abc', 'bc', 'c', 'c'])
  t.equal(of(128_000, 0), 'c', 'a track without a length')
})
