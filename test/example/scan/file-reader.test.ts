import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { EndOfStreamError } from 'strtok3'
import t, { type Test } from 'tap'
import { FileReader } from '../../../example/scan/file-reader.ts'
import { unlessAborted } from '../../../example/scan/in-time.ts'
import { replace } from '../../replace.ts'
import { folder } from '../helper.ts'

const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at * 7 % 251))

async function open (t: Test, { signal = new AbortController().signal, size = content.length } = {}) {
  const root = realpathSync(folder(t, { file: content }))
  const file = join(root, 'file')
  truncateSync(file, size)
  const reader = await FileReader.open(root, 'file', signal)
  t.teardown(() => reader.close())
  return { reader, file }
}

t.test('any part is given, across blocks and again', async t => {
  const { reader } = await open(t)
  for (const [position, length] of [[0, 10], [65_530, 20], [100, 200_000], [250_000, 50_000], [0, 300_000]] as const) {
    const bytes = new Uint8Array(length)
    t.equal(await reader.readBuffer(bytes, { position }), length)
    t.equal(Buffer.compare(bytes, content.subarray(position, position + length)), 0)
    t.equal(reader.position, position + length)
  }
})

t.test('a look does not go on', async t => {
  const { reader } = await open(t)
  await reader.peekBuffer(new Uint8Array(5), { position: 9 })
  t.equal(reader.position, 0)
})

t.test('the end is the end, unless less is enough', async t => {
  const { reader } = await open(t)
  await t.rejects(reader.readBuffer(new Uint8Array(11), { position: 299_990 }), EndOfStreamError)
  t.equal(await reader.peekBuffer(new Uint8Array(11), { position: 299_990, mayBeLess: true }), 10)
  t.equal((await reader.read(299_990, 100)).length, 10)
  t.equal((await reader.read(400_000, 100)).length, 0)
})

t.test('a file that became shorter ends there', async t => {
  const { reader, file } = await open(t)
  truncateSync(file, 1000)
  t.equal((await reader.read(900, 500)).length, 100)
})

t.test('a file that is read on and on is given up', async t => {
  const { reader } = await open(t, { size: 100 * 1024 * 1024 })
  const byte = new Uint8Array(1)
  const read = async () => {
    for (let position = 0; position < reader.fileInfo.size; position += 65_536) {
      await reader.readBuffer(byte, { position })
    }
  }
  await t.rejects(read(), { message: 'No audio was found in 64 MB of it' })
})

t.test('what takes long to work on is given up, but not for the time that the process was stopped', async t => {
  let now = 0
  replace(t, performance, 'now', () => now)
  const { reader } = await open(t)
  const readAfter = (milliseconds: number) => {
    now += milliseconds
    return reader.read(0, 100_000)
  }
  await readAfter(3_600_000)
  for (let second = 0; second < 59; second++) await readAfter(1000)
  await t.rejects(readAfter(1), { message: 'It takes more than 60 seconds to work on it' })
})

t.test('nothing is read when it is given up', async t => {
  const giveUp = new AbortController()
  const { reader } = await open(t, { signal: giveUp.signal })
  giveUp.abort(new Error('enough'))
  await t.rejects(reader.read(0, 10), { message: 'enough' })
})

t.test('a pipe is refused at once, and a folder too', async t => {
  const root = folder(t, { 'folder/': '' })
  execFileSync('mkfifo', [join(root, 'pipe')])
  for (const name of ['pipe', 'folder']) {
    await t.rejects(FileReader.open(root, name, new AbortController().signal), {
      message: 'not a regular file'
    })
  }
})

t.test('what a link leads to is read inside of the folder alone', async t => {
  const root = realpathSync(folder(t, { 'in/a': 'text' }))
  symlinkSync('a', join(root, 'in/link'))
  const { signal } = new AbortController()
  const reader = await FileReader.open(join(root, 'in'), 'link', signal)
  t.equal(String(await reader.read(0, 9)), 'text')
  await reader.close()
  mkdirSync(join(root, 'other'))
  symlinkSync('../in', join(root, 'other/folder'))
  await t.rejects(FileReader.open(join(root, 'other'), 'folder/a', signal), { message: 'It leads out of the folder' })
})

t.test('work is not waited for when it is given up, whatever becomes of it', async t => {
  const giveUp = new AbortController()
  let fail = (_error: Error) => {}
  const waiting = unlessAborted(new Promise((_resolve, reject) => { fail = reject }), giveUp.signal)
  giveUp.abort(new Error('enough'))
  await t.rejects(waiting, { message: 'enough' })
  fail(new Error('too late'))
  await t.rejects(unlessAborted(new Promise(() => {}), giveUp.signal), { message: 'enough' })
  t.equal(await unlessAborted(Promise.resolve(1), new AbortController().signal), 1)
})
