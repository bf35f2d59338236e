import { realpathSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseAudio } from '../../../example/scan/parse-audio.ts'
import { folder, mp3 } from '../helper.ts'

t.test('the tags of an audio file are read', async t => {
  const root = realpathSync(folder(t, { 'a.mp3': mp3({ title: 'Ode' }) }))
  t.equal((await parseAudio(root, 'a.mp3'))?.common.title, 'Ode')
  t.equal(await parseAudio(root, 'b.mp3'), undefined)
})

t.test('tags of 100 MB are not read into memory', async t => {
  const size = 100 * 1024 * 1024
  const bits = [21, 14, 7, 0].map(shift => (size + 10) >> shift & 0x7f)
  const head = Buffer.from([...Buffer.from('ID3\x03\0\0'), ...bits, ...Buffer.from('APIC'), 0, 0, 0, 0, 0, 0])
  head.writeUInt32BE(size, 14)
  const root = realpathSync(folder(t, { 'a.mp3': head }))
  truncateSync(join(root, 'a.mp3'), size + 1000)
  await t.rejects(parseAudio(root, 'a.mp3'), { message: /exceeds maxBufferSize/ })
})
