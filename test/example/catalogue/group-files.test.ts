import t from 'tap'
import { groupFiles } from '../../../example/catalogue/group-files.ts'
import type { AudioFile } from '../../../example/scan/read-audio-file.ts'

const file = (path: string, seconds: number, trackId = 'id') => ({ path, trackId, durationMs: seconds * 1000 }) as AudioFile
const group = async (...files: AudioFile[]) =>
  new Map([...await groupFiles(files, () => undefined)].map(([id, group]) => [id, group.map(({ path }) => path)]))

t.test('files of one length are one recording', async t => {
  t.same(await group(file('a', 180), file('b', 182), file('c', 178)), new Map([['id', ['b', 'a', 'c']]]))
})

t.test('files of other lengths are other recordings; the longest has the plain id', async t => {
  const groups = await group(file('a', 180), file('b', 200), file('c', 201), file('x', 10, 'other'))
  t.same([...groups.values()], [['c', 'b'], ['x'], ['a']])
  t.same(groups.get('id'), ['c', 'b'])
})

t.test('ids do not depend on where the files are', async t => {
  const [one, other] = [await group(file('a', 180), file('b', 200)), await group(file('z', 200), file('y', 180))]
  t.same([...one.keys()], [...other.keys()])
})
