import { realpathSync } from 'node:fs'
import t from 'tap'
import { readAudioFile } from '../../../example/scan/read-audio-file.ts'
import { folder } from '../helper.ts'
import { flacFile, id3File } from '../make-tags.ts'

/** Files, and the disc and number that they have. */
const files: [what: string, name: string, file: Buffer, place: (number | undefined)[]][] = [
  ['a side and a number', 'a.mp3', id3File(4, [['TRCK', 'B2']]), [2, 2]],
  ['a side as the disc', 'a.flac', flacFile([['TRACKNUMBER', '3'], ['DISCNUMBER', 'A']]), [1, 3]],
  ['a number of so many', 'a.mp3', id3File(3, [['TRCK', '4/9'], ['TPOS', '2/3']]), [2, 4]],
  ['a track 0', 'a.flac', flacFile([['TRACKNUMBER', '00']]), [undefined, 0]],
  ['a side in the name', 'C1 - a.mp3', id3File(4, [['TIT2', 'A']]), [3, 1]],
  ['no number', 'a.mp3', id3File(4, [['TRCK', 'first']]), [undefined, undefined]]
]
for (const [what, name, file, place] of files) {
  t.test(`a file with ${what} is at its place of the album`, async t => {
    const root = realpathSync(folder(t, { [name]: file }))
    const { discNumber, trackNumber } = await readAudioFile(root, name, new AbortController().signal)
    t.strictSame([discNumber, trackNumber], place)
  })
}
