import fastify from 'fastify'
import { createSigner, mediaProxy, openFile, sendFile, type FileKind } from 'fastify-source-origin/media'
import { once } from 'node:events'
import { chmod, readdir, readlink, rename, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { request, type ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { isOpenInside } from '../../lib/media/open-file.ts'
import { deferred, logged } from '../helper.ts'
import { song } from './helper.ts'

const content = song(200_000)
const folder = t.testdir({
  music: { 'song.mp3': content, 'empty.flac': '', 'page.html': '<p>', 'no-extension': 'x', sub: {} },
  'secret.mp3': 'secret'
})
const root = join(folder, 'music')
await symlink('song.mp3', join(root, 'inside.mp3'))
await symlink('../secret.mp3', join(root, 'outside.mp3'))
await symlink('loop.mp3', join(root, 'loop.mp3'))
await utimes(join(root, 'song.mp3'), new Date(), new Date('2026-01-02T03:04:05.678Z'))

const calls: unknown[] = []
const audio: FileKind = {
  root,
  async file ({ path }, { signal }) {
    calls.push(signal)
    return path === 'none' ? undefined : path === 'number' ? 1 as unknown as string : path
  }
}
const { lines, logger } = logged()
const app = fastify({ logger })
await app.register(mediaProxy, {
  signer: createSigner({ keys: [Buffer.alloc(32, 1)], ttl: 3_600_000 }),
  kinds: { audio, cover: { ...audio, types: /^image\// }, gone: { ...audio, root: join(folder, 'unmounted') } }
})
let sent = 0
let beforeSending = async (_raw: ServerResponse) => {}
app.get<{ Params: { name: string } }>('/own/:name', async ({ params: { name } }, reply) => {
  const file = (await openFile(root, name))!
  await beforeSending(reply.raw)
  return sendFile(reply.type('audio/mpeg'), file, bytes => { sent += bytes })
})
await app.listen()
t.teardown(() => app.close())

const urlOf = (path: string, kind = 'audio') =>
  app.listeningOrigin + app.mediaUrl(kind, { path }, { extension: 'mp3' })
const get = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}, kind?: string) => {
  const response = await fetch(urlOf(path, kind), { headers, ...init })
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

t.test('a folder that is not there is told at the start', async t => {
  t.match(lines.filter(({ level }) => level === 40), [
    { kind: 'gone', msg: 'media folder missing' }
  ])
})

t.test('a file is sent with type, length, ETag and date, by a path in the folder or an absolute one', async t => {
  for (const path of ['song.mp3', join(root, 'song.mp3'), 'inside.mp3', 'sub/../song.mp3']) {
    const { status, headers, body } = await get(path)
    t.equal(status, 200, path)
    t.ok(body.equals(content))
    t.match(Object.fromEntries(headers), {
      'content-type': 'audio/mpeg',
      'content-length': '200000',
      'accept-ranges': 'bytes',
      'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
      'x-content-type-options': 'nosniff',
      'cache-control': /^private, max-age=3(600|599)$/
    })
  }
})

t.test('a range is a part of the file', async t => {
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1], ['bytes=100000-', 100_000, 200_000], ['bytes=-5', 199_995, 200_000],
    ['bytes=199999-300000', 199_999, 200_000], ['bytes=-300000', 0, 200_000]
  ] as const) {
    const { status, headers, body } = await get('song.mp3', { range })
    t.strictSame([status, headers.get('content-range')], [206, `bytes ${start}-${end - 1}/200000`], range)
    t.ok(body.equals(content.subarray(start, end)))
  }
  for (const [path, range, size] of [
    ['song.mp3', 'bytes=200000-', 200_000], ['song.mp3', 'bytes=-0', 200_000], ['empty.flac', 'bytes=0-', 0]
  ] as const) {
    const { status, headers } = await get(path, { range })
    t.strictSame([status, headers.get('content-range')], [416, `bytes */${size}`], range)
  }
  for (const range of ['bytes=5-1', 'bytes=0-1,5-6', 'lines=1-2']) {
    t.equal((await get('song.mp3', { range })).status, 200, range)
  }
})

t.test('HEAD, an empty file, and what the client has already', async t => {
  const head = await get('song.mp3', { range: 'bytes=0-1' }, { method: 'HEAD' })
  t.strictSame([head.status, head.headers.get('content-length'), head.body.length], [200, '200000', 0])
  const empty = await get('empty.flac')
  t.strictSame([empty.status, empty.headers.get('content-length'), empty.headers.get('content-type')],
    [200, '0', 'audio/flac'])
  const etag = head.headers.get('etag')!
  for (const [headers, status] of [
    [{ 'if-none-match': etag }, 304], [{ 'if-none-match': `"x", W/${etag}` }, 304], [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, 200], [{ 'if-modified-since': head.headers.get('last-modified')! }, 304],
    [{ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 200], [{ 'if-modified-since': 'x' }, 200],
    [{ range: 'bytes=0-1', 'if-range': etag }, 206], [{ range: 'bytes=0-1', 'if-range': '"x"' }, 200],
    [{ range: 'bytes=0-1', 'if-range': head.headers.get('last-modified')! }, 206],
    [{ range: 'bytes=0-1', 'if-none-match': etag }, 304], [{ 'if-match': `"x", ${etag}` }, 200],
    [{ 'if-match': '*', 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 200],
    [{ 'if-match': `W/${etag}` }, 412], [{ 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 412],
    [{ 'if-unmodified-since': head.headers.get('last-modified')! }, 200]
  ] as [Record<string, string>, number][]) {
    t.equal((await get('song.mp3', headers)).status, status, JSON.stringify(headers))
  }
})

t.test('what is no file of the folder is a 404, what is no path or must not be sent an error', async t => {
  const missing = ['none', '', 'nothing.mp3', 'outside.mp3', '../secret.mp3', join(folder, 'secret.mp3'), 'loop.mp3',
    'sub', '.', 'song.mp3/x', 'a\0b', 'x'.repeat(300), '/dev/null', 'socket']
  const socket = createServer().listen(join(root, 'socket'))
  t.teardown(() => socket.close())
  await once(socket, 'listening')
  for (const path of missing) {
    const { status, body } = await get(path)
    t.strictSame([status, JSON.parse(String(body)).message], [404, 'File not found'], path)
  }
  t.equal((await get('song.mp3', {}, {}, 'gone')).status, 404, 'the folder is not there')
  t.equal((await get('number')).status, 500)
  t.equal((await get('page.html')).status, 200, 'an unknown extension has the type of the URL')
  t.equal((await get('song.mp3', {}, {}, 'cover')).status, 502)
})

t.test('what the system does not let us open is an error', { skip: process.platform === 'win32' }, async t => {
  const { mode } = await stat(root)
  await chmod(join(root, 'no-extension'), 0)
  // Root may open everything.
  const isRoot = process.getuid!() === 0
  if (isRoot) process.seteuid!(65_534)
  t.teardown(() => {
    if (isRoot) process.seteuid!(0)
    return chmod(root, mode)
  })
  await t.rejects(openFile(root, 'no-extension'), { code: 'EACCES' })
})

/** Files of this process that are open. */
const openFiles = async () => {
  const fds = await readdir('/proc/self/fd')
  const paths = await Promise.all(fds.map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return paths.filter(path => path.startsWith(root))
}

t.test('a client that leaves, and a file that gets shorter, end the answer and close the file', {
  skip: process.platform !== 'linux' && 'it looks into /proc'
}, async t => {
  const large = join(root, 'large.mp3')
  await writeFile(large, '')
  await truncate(large, 50_000_000)
  const leave = async () => {
    const asked = request(urlOf('large.mp3')).end()
    const [response] = await once(asked, 'response')
    await once(response, 'data')
    return { asked, response }
  }
  const left = await leave()
  t.strictSame(await openFiles(), [large])
  left.asked.destroy()
  while ((await openFiles()).length > 0) await new Promise(setImmediate)
  const { response } = await leave()
  // The connection may end before all that was read ahead is taken.
  const ended = t.rejects(once(response, 'end'), { code: 'ECONNRESET' })
  await truncate(large, 10)
  response.resume()
  await ended
  while ((await openFiles()).length > 0) await new Promise(setImmediate)
  await get('song.mp3', {}, {}, 'cover')
  while ((await openFiles()).length > 0) await new Promise(setImmediate)
})

t.test('a client that leaves while the file is looked for leaves none open', async t => {
  const asked = request(urlOf('slow'))
  const found = deferred<void>()
  const { file } = audio
  audio.file = async (_params, { signal }) => {
    asked.destroy()
    await once(signal, 'abort')
    found.resolve()
    return 'song.mp3'
  }
  t.teardown(() => { audio.file = file })
  asked.on('error', () => {}).end()
  await found.promise
  while ((await openFiles()).length > 0) await new Promise(setImmediate)
})

t.test('a route of its own answers 304 and 416 for an open file', async t => {
  const url = `${app.listeningOrigin}/own/song.mp3`
  const { status, headers } = await fetch(url, { headers: { range: 'bytes=900000-' } })
  t.equal(status, 416)
  t.equal((await fetch(url, { headers: { 'if-none-match': headers.get('etag')! } })).status, 304)
})

t.test('a route of its own sends an open file, and closes it where the client has left by then', async t => {
  const url = `${app.listeningOrigin}/own/song.mp3`
  const response = await fetch(url, { headers: { range: 'bytes=100000-' } })
  t.ok(Buffer.from(await response.arrayBuffer()).equals(content.subarray(100_000)))
  t.equal(sent, 100_000)
  const head = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=0-9' } })
  t.strictSame([head.status, head.headers.get('content-length')], [206, '10'])
  const asked = request(url)
  const left = new Promise<void>(resolve => {
    beforeSending = async raw => {
      asked.destroy()
      await once(raw, 'close')
      resolve()
    }
  })
  asked.on('error', () => {}).end()
  await left
  while ((await openFiles()).length > 0) await new Promise(setImmediate)
  t.equal(sent, 100_000)
})

t.test('where the system does not tell what is open, it has to be what the path leads to', async t => {
  const song = join(root, 'song.mp3')
  const { handle, stats } = (await openFile(root, 'song.mp3'))!
  t.teardown(() => handle.close())
  const opened = { handle: { fd: -1 }, stats, path: song }
  t.equal(await isOpenInside(root, opened), true)
  t.equal(await isOpenInside(join(root, 'sub'), opened), false)
  await rename(song, join(root, 'moved.mp3'))
  t.equal(await isOpenInside(root, opened), false)
})

for (const [name, kind] of Object.entries({
  file: { root }, root: { file: () => '' }, types: { ...audio, types: 'audio' }, hosts: { ...audio, hosts: [] }
})) {
  t.test(`a file kind without a right ${name} is refused by name`, t =>
    t.rejects(async () => fastify().register(mediaProxy, {
      signer: createSigner({ keys: [Buffer.alloc(32)], ttl: 1000 }), kinds: { audio: kind as unknown as FileKind }
    }), { message: `"kinds.audio.${name}"` }))
}
