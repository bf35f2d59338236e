import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadMediaKey } from '../../../example/media/load-media-key.ts'
import { fifo, folder } from '../helper.ts'

t.test('a data folder that is made is for this user alone, and so is the key', async t => {
  const dataDir = join(folder(t), 'some/data')
  const key = await loadMediaKey(dataDir)
  t.equal(statSync(dataDir).mode & 0o777, 0o700)
  t.equal(statSync(join(dataDir, 'media.key')).mode & 0o777, 0o600)
  t.ok(key.equals(await loadMediaKey(dataDir)))
})

t.test('a data folder that is there keeps its mode', async t => {
  const dataDir = folder(t)
  chmodSync(dataDir, 0o750)
  await loadMediaKey(dataDir)
  t.equal(statSync(dataDir).mode & 0o777, 0o750)
})

t.test('what is no key is replaced by one', async t => {
  for (const make of [
    (dataDir: string) => fifo(dataDir, 'media.key'),
    (dataDir: string) => writeFileSync(join(dataDir, 'media.key'), Buffer.alloc(32))
  ]) {
    const dataDir = folder(t)
    make(dataDir)
    const key = await loadMediaKey(dataDir)
    t.equal(key.length, 32)
    t.ok(key.some(byte => byte !== 0))
    t.ok(readFileSync(join(dataDir, 'media.key')).equals(key))
  }
})

t.test('a data folder that is a file is told in one line', async t => {
  const dataDir = join(folder(t, { data: 'a file' }), 'data')
  await t.rejects(loadMediaKey(dataDir), { message: /^DATA_DIR must be a folder that the source may write to: EEXIST/ })
})
