import fastify from 'fastify'
import { EventEmitter, on, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Media } from '../../lib/media/open-media.ts'
import { scalerWith } from '../media/scaler-with.ts'
import { get, login, queryOf, serve } from './helper.ts'

// Its types are not there where it is not installed, and then nothing is scaled.
const name = 'sharp'
const { default: sharp } = await import(name).catch(() => ({ default: undefined }))
const skip = !sharp && process.env.CI === undefined && 'sharp is not installed'

const picture = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#a52' } }).jpeg().toBuffer()

/** A source whose one cover is a picture of an upstream. */
async function start (t: Test, bytes: Buffer, options: Parameters<typeof serve>[1] = {}) {
  const requests: Record<string, unknown>[] = []
  const upstream = fastify()
  t.teardown(() => upstream.close())
  upstream.get('/c', ({ headers }, reply) => {
    requests.push(headers)
    return reply.type('image/jpeg').header('etag', '"v1"').send(bytes)
  })
  const coverUrl = `${await upstream.listen({ port: 0 })}/c`
  const adapter = { getAlbumDetail: () => ({ id: 'b', name: 'B', coverUrl, tracks: [] }) }
  const app = await serve(t, { adapter, allowPrivate: true, ...options })
  return { app, requests, cover: (size?: number) => get(app, 'getCoverArt', { id: 'al-b', size }) }
}

t.test('a cover is scaled to the size that an app names, and kept', { skip }, async t => {
  const { app, requests, cover } = await start(t, await picture(400, 200))
  for (const size of [100, 50, 100, 50]) {
    const { statusCode, headers, rawPayload } = await cover(size)
    t.equal(statusCode, 200)
    t.match(headers, {
      'content-type': 'image/jpeg',
      'content-length': String(rawPayload.length),
      'cache-control': /^private, max-age=86\d{3}$/,
      'x-content-type-options': 'nosniff',
      etag: undefined
    })
    const { width, height } = await sharp(rawPayload).metadata()
    t.strictSame([width, height], [size, size / 2])
  }
  t.equal(requests.length, 2)
  const url = `/rest/getCoverArt?${queryOf({ ...login, id: 'al-b', size: 60 })}`
  const part = await app.inject({ url, headers: { range: 'bytes=0-9', 'if-none-match': '"v1"' } })
  t.equal(part.statusCode, 200)
  t.equal((await sharp(part.rawPayload).metadata()).width, 60)
  t.match(requests[2], { range: undefined, 'if-none-match': undefined })
})

t.test('a cover is not scaled up, nor where no size is named or the source scales', { skip }, async t => {
  const bytes = await picture(40, 20)
  const { app, cover } = await start(t, bytes)
  for (const size of [undefined, 0, 40, 400, 999_999_999_999_999]) t.ok((await cover(size)).rawPayload.equals(bytes))
  const head = await app.inject({ method: 'HEAD', url: `/rest/getCoverArt?${queryOf({ ...login, id: 'al-b', size: 20 })}` })
  t.equal(head.statusCode, 200)
  const scaling = await start(t, bytes, { resizeCover: (url, pixels) => `${url}?${pixels}` })
  t.ok((await scaling.cover(10)).rawPayload.equals(bytes))
})

t.test('a picture that cannot be read, or is larger than 16 MiB, is sent as it is', { skip }, async t => {
  const whole = await picture(400, 400)
  for (const bytes of [Buffer.from('no picture'), whole.subarray(0, 1000), Buffer.concat([whole], 17 * 1024 * 1024)]) {
    const { cover } = await start(t, bytes)
    const { statusCode, rawPayload } = await cover(100)
    t.equal(statusCode, 200)
    t.ok(rawPayload.equals(bytes))
  }
})

async function * bytesOf (...parts: string[]) { for (const part of parts) yield Buffer.from(part) }
const mediaOf = (body: Media['body']): Media => ({ status: 200, headers: {}, type: 'image/png', ...body && { body } })

t.test('without sharp, covers are sent as they are, and the log says so once', async t => {
  const lines: unknown[] = []
  const log = { info: (...line: unknown[]) => { lines.push(line) } }
  const scaler = await scalerWith(new Error('Cannot find package'), log)
  const media = mediaOf(bytesOf('a'))
  const { signal } = new AbortController()
  for (let i = 0; i < 2; i++) t.equal(await scaler.scale(media, 'image/png', 'u', 10, signal), media)
  t.strictSame(lines, [[{ reason: 'Cannot find package' }, 'covers not scaled']])
  t.equal(scaler.find('u', 10), undefined)
})

t.test('two covers are read at a time, and who hangs up waits no longer', async t => {
  const scaler = await scalerWith({ default () { throw new Error('no picture') } })
  const events = new EventEmitter()
  let isReading = 0
  async function * slow () {
    isReading++
    events.emit('begun')
    await once(events, 'go')
    yield Buffer.from('a')
  }
  const { signal } = new AbortController()
  const begun = on(events, 'begun')
  const scale = (name: string, ended = signal) => scaler.scale(mediaOf(slow()), 'image/png', name, 10, ended)
  const running = ['a', 'b'].map(name => scale(name))
  for (let i = 0; i < 2; i++) await begun.next()
  const leaving = new AbortController()
  const waiting = scale('c', leaving.signal)
  await setImmediate()
  leaving.abort(new Error('The client hung up'))
  await t.rejects(waiting, { message: 'The client hung up' })
  t.equal(isReading, 2)
  events.emit('go')
  await Promise.all(running)
  t.match(scaler.find('a', 10), { type: 'image/png', bytes: { length: 1 } })
  t.equal(scaler.find('c', 10), undefined)
})
