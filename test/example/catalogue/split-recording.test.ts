import t from 'tap'
import { splitRecording } from '../../../example/catalogue/split-recording.ts'
import type { AudioFile } from '../../../example/scan/read-audio-file.ts'

const file = (path: string, seconds: number) => ({ path, durationMs: seconds * 1000 }) as AudioFile
const split = (...files: AudioFile[]) =>
  new Map([...splitRecording('id', files)].map(([id, part]) => [id, part.map(({ path }) => path)]))

t.test('files of one length are one recording', async t => {
  t.same(split(file('a', 180), file('b', 182), file('c', 178)), new Map([['id', ['b', 'a', 'c']]]))
})

t.test('files of other lengths are other recordings; the longest has the plain id', async t => {
  const parts = split(file('a', 180), file('b', 200), file('c', 201))
  t.same([...parts.values()], [['c', 'b'], ['a']])
  t.same(parts.get('id'), ['c', 'b'])
})

t.test('ids do not depend on where the files are', async t => {
  const [one, other] = [split(file('a', 180), file('b', 200)), split(file('z', 200), file('y', 180))]
  t.same([...one.keys()], [...other.keys()])
})
