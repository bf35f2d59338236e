import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { createServer } from 'node:net'
import { readPart } from 'fastify-source-origin/media'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { openRegularFile, readRegularFile, type OpenedFile } from '../../../example/files/open-regular-file.ts'
import { replaceExports } from '../../replace.ts'
import { fifo, folder } from '../helper.ts'

const { open: openFile } = promises

const root = realpathSync(folder(t, { 'a.txt': 'text', 'empty.txt': '', 'dir/': '', 'here/b.txt': 'inside' }))
fifo(root, 'fifo')

const contentOf = (file: OpenedFile) => text(readPart(file, 0, file.stats.size - 1))

t.test('a regular file is opened, by a link inside of the folder too', async t => {
  symlinkSync('a.txt', join(root, 'link.txt'))
  for (const path of ['a.txt', 'link.txt']) {
    const file = (await openRegularFile(root, path))!
    t.equal(file.stats.size, 4)
    t.equal(await contentOf(file), 'text')
    await file.handle.close()
  }
})

t.test('what is no regular file is not opened', async t => {
  const server = createServer().listen(join(root, 'socket'))
  await once(server, 'listening')
  for (const path of ['fifo', 'dir', 'socket', 'nothing', 'a.txt/b', '', '../']) {
    t.equal(await openRegularFile(root, path), undefined, path)
  }
  server.close()
})

t.test('small files are read, larger ones are not', async t => {
  t.equal(String(await readRegularFile(root, 'a.txt', 4)), 'text')
  t.equal(String(await readRegularFile(root, 'empty.txt', 4)), '')
  t.equal(await readRegularFile(root, 'a.txt', 3), undefined)
  t.equal(await readRegularFile(root, 'nothing', 3), undefined)
})

/** The function with some calls of the system as the test wants them, and the handles that were opened. */
async function opening (t: Test, calls: Partial<typeof promises>, meanwhile: () => void) {
  const handles: FileHandle[] = []
  const open: typeof promises.open = async (...args) => {
    meanwhile()
    const handle = await openFile(...args)
    handles.push(handle)
    return handle
  }
  replaceExports(t, promises, { open, ...calls })
  return { openRegularFile, handles }
}

const systems: Record<string, Partial<typeof promises>> = {
  'a system that tells where an open file is': {},
  'a system that does not': { readlink: async () => { throw new Error('There is no /proc') } }
}
for (const [system, calls] of Object.entries(systems)) {
  t.test(`on ${system} a regular file is opened`, async t => {
    const { openRegularFile } = await opening(t, calls, () => {})
    const file = (await openRegularFile(root, 'here/b.txt'))!
    t.equal(await contentOf(file), 'inside')
    await file.handle.close()
  })

  t.test(`on ${system} a folder that is swapped for a link does not lead out of the folder, and nothing stays open`, async t => {
    const root = realpathSync(folder(t, { 'here/b.txt': 'inside' }))
    const outside = folder(t, { 'b.txt': 'secret' })
    const { openRegularFile, handles } = await opening(t, calls, () => {
      renameSync(join(root, 'here'), join(root, 'there'))
      symlinkSync(outside, join(root, 'here'))
    })
    t.equal(await openRegularFile(root, 'here/b.txt'), undefined)
    t.same(handles.map(({ fd }) => fd), [-1])
  })

  t.test(`on ${system} a file that is swapped for a link is not opened`, async t => {
    const root = realpathSync(folder(t, { 'b.txt': 'inside' }))
    const outside = folder(t, { 'b.txt': 'secret' })
    const { openRegularFile, handles } = await opening(t, calls, () => {
      rmSync(join(root, 'b.txt'))
      symlinkSync(join(outside, 'b.txt'), join(root, 'b.txt'))
    })
    t.equal(await openRegularFile(root, 'b.txt'), undefined)
    t.equal(handles.length, 0)
  })

  t.test(`on ${system} a file that goes away meanwhile is not there`, async t => {
    const root = realpathSync(folder(t, { 'b.txt': 'inside' }))
    const { openRegularFile } = await opening(t, calls, () => rmSync(join(root, 'b.txt')))
    t.equal(await openRegularFile(root, 'b.txt'), undefined)
  })
}

t.test('where the system does not tell, a path that leads elsewhere by then is refused', async t => {
  const root = realpathSync(folder(t, { 'here/b.txt': 'inside' }))
  const opened: FileHandle[] = []
  const { openRegularFile } = await opening(t, {
    ...systems['a system that does not'],
    async open (...args) {
      const handle = await openFile(...args)
      opened.push(handle)
      rmSync(join(root, 'here'), { recursive: true })
      mkdirSync(join(root, 'here'))
      if (opened.length > 1) writeFileSync(join(root, 'here/b.txt'), 'another')
      return handle
    }
  }, () => {})
  t.equal(await openRegularFile(root, 'here/b.txt'), undefined)
  writeFileSync(join(root, 'here/b.txt'), 'inside')
  t.equal(await openRegularFile(root, 'here/b.txt'), undefined)
  t.same(opened.map(({ fd }) => fd), [-1, -1])
})

t.test('a file that the system does not let us open is an error', async t => {
  const { openRegularFile } = await opening(t, {
    open: async () => { throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }) }
  }, () => {})
  await t.rejects(openRegularFile(root, 'a.txt'), { code: 'EACCES' })
})
