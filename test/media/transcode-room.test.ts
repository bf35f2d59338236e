import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { idleAfter } from '../../lib/media/transcode/listener.ts'
import { until } from '../example/helper.ts'
import { replace } from '../replace.ts'
import { load, open as openStream, read } from './helper.ts'
import { fake, folder } from './sound.ts'
import { serve, warnings } from './transcode-server.ts'

/** 2.7 MB that differ from place to place. */
const large = 'seq 1 400000'
/** 20 MB: more than the system takes of what a client does not read. */
const huge = 'seq 1 2500000'
const cacheSize = 2 ** 20

const sizeOf = (folder: string) => readdirSync(folder).reduce((sum, name) =>
  sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0)

t.test('what has no room is sent as fast as its listeners read, whole, and is not stored', async t => {
  const { base, files, cacheDir, lines } = await serve(t, { ffmpeg: fake(t, large), cacheSize })
  writeFileSync(join(files, 'a'), 'x')
  const streams = [await openStream(`${base}/a`), await openStream(`${base}/a`)]
  const bodies = (await Promise.all(streams.map(read))).map(({ body }) => String(body))
  const whole = Array.from({ length: 400_000 }, (_, at) => `${at + 1}\n`).join('')
  t.ok(bodies.every(body => body === whole))
  await until(() => sizeOf(cacheDir) === 0)
  t.same(warnings(lines), [])
})

t.test('a client that waits for a transcoding without room receives it while it is created', async t => {
  const { base, files } = await serve(t, { ffmpeg: fake(t, large), cacheSize })
  writeFileSync(join(files, 'a'), 'x')
  const { status, body } = await load(`${base}/a`, { range: 'bytes=-100' })
  t.same([status, body.length], [200, 2_688_895])
})

t.test('another listener of what has no room gets all of it too, from another run', async t => {
  const { base, files } = await serve(t, { ffmpeg: fake(t, large), cacheSize })
  writeFileSync(join(files, 'a'), 'x')
  const first = await openStream(`${base}/a`)
  let bytes = 0
  for await (const part of first) {
    bytes += part.length
    if (bytes > cacheSize * 1.5) break
  }
  t.equal((await load(`${base}/a`)).body.length, 2_688_895)
})

t.test('clients that hold connections and read nothing fill no disk beyond its limit', async t => {
  const { base, files, cacheDir } = await serve(t, { ffmpeg: fake(t, large), cacheSize })
  writeFileSync(join(files, 'a'), 'x')
  let most = 0
  const streams = []
  for (let start = 0; start < 12; start++) {
    streams.push(await openStream(`${base}/a?start=${start}`))
    most = Math.max(most, sizeOf(cacheDir))
  }
  t.equal(String((await load(`${base}/a?start=20`)).body).slice(0, 4), '1\n2\n')
  most = Math.max(most, sizeOf(cacheDir))
  t.ok(most > 0 && most <= cacheSize, `${most}`)
  for (const stream of streams) stream.destroy()
  await until(() => sizeOf(cacheDir) === 0)
})

t.test('a run that nobody hears any more and that has no room closes nobody, and leaves nothing', async t => {
  const ffmpeg = fake(t, `printf x; until [ -e "$0.go" ]; do sleep 0.01; done; ${large}; touch "$0.end"`)
  const { app, base, files, cacheDir } = await serve(t, { ffmpeg, cacheSize })
  writeFileSync(join(files, 'a'), 'x')
  ;(await openStream(`${base}/a`)).destroy()
  await until(() => new Promise(resolve => app.server.getConnections((_error, count) => resolve(count === 0))))
  writeFileSync(`${ffmpeg}.go`, '')
  await until(() => existsSync(`${ffmpeg}.end`) && sizeOf(cacheDir) === 0)
  t.equal((await load(`${base}/a`)).body.length, 2_688_896)
})

/** An ffmpeg that stops after some MB of a file that is called slow. */
const some = `if [ "$(cat /dev/fd/3)" = slow ]; then head -c 1500000 /dev/zero; sleep 60; else ${large}; fi`

t.test('for room the client that has been idle for longest is closed, by a server that goes on meanwhile', async t => {
  // Nothing in it waits for the system.
  const prepare = async () => {}
  const { base, files, cacheDir } = await serve(t, {
    ffmpeg: fake(t, some), cacheSize: 2 * cacheSize, concurrency: 2, prepare
  })
  writeFileSync(join(files, 'slow'), 'slow')
  writeFileSync(join(files, 'a'), 'x')
  const idle = await openStream(`${base}/slow`)
  const ended = read(idle)
  await until(() => sizeOf(cacheDir) === 1_500_000)
  replace(t, idleAfter, 'ms', 0)
  t.equal((await load(`${base}/a`)).body.length, 2_688_895)
  t.equal((await ended).complete, false)
})

t.test('for room a run that nobody hears any more ends at once', async t => {
  const { base, files, cacheDir } = await serve(t, { ffmpeg: fake(t, some), cacheSize: 2 * cacheSize, concurrency: 2 })
  writeFileSync(join(files, 'slow'), 'slow')
  writeFileSync(join(files, 'a'), 'x')
  const left = await openStream(`${base}/slow`)
  await until(() => sizeOf(cacheDir) === 1_500_000)
  left.destroy()
  t.equal((await load(`${base}/a`)).body.length, 2_688_895)
  await until(() => sizeOf(cacheDir) === 0)
})

t.test('a folder that is deleted meanwhile costs nobody a byte', async t => {
  const { base, files, cacheDir, lines } = await serve(t, { ffmpeg: fake(t, 'printf be; sleep 0.3; printf gin') })
  writeFileSync(join(files, 'a'), 'x')
  const stream = await openStream(`${base}/a`)
  rmSync(cacheDir, { recursive: true })
  t.equal(String((await read(stream)).body), 'begin')
  await until(() => warnings(lines).length === 1)
  t.equal(String((await load(`${base}/a`)).body), 'begin')
  await until(() => existsSync(cacheDir) && readdirSync(cacheDir).join().endsWith('.opus'))
})

t.test('files that somebody listens to stay, and what nobody uses goes first', async t => {
  const { base, files, cacheDir } = await serve(t, { ffmpeg: fake(t, huge), cacheSize: 30 * cacheSize })
  writeFileSync(join(files, 'a'), 'x')
  const whole = (await load(`${base}/a`)).body
  await until(() => readdirSync(cacheDir).some(name => name.endsWith('.opus')))
  const [kept] = readdirSync(cacheDir)
  const slow = await openStream(`${base}/a`)
  ;(await openStream(`${base}/a`)).destroy()
  t.equal((await load(`${base}/a?start=1`)).body.length, whole.length)
  t.ok(readdirSync(cacheDir).includes(kept!))
  t.same((await read(slow)).body, whole)
  t.equal((await load(`${base}/a?start=2`)).body.length, whole.length)
  t.notOk(readdirSync(cacheDir).includes(kept!))
})

t.test('the disk is looked at every few MB, and what is stored goes before it is full', async t => {
  let isFull = false
  const prepare = async () => { if (isFull) throw new Error('the disk is full') }
  const { base, files, cacheDir } = await serve(t, { ffmpeg: fake(t, `${large}; ${large}`), prepare })
  for (const name of ['a', 'b']) writeFileSync(join(files, name), 'x')
  await load(`${base}/a`)
  await until(() => readdirSync(cacheDir).some(name => name.endsWith('.opus')))
  const stream = await openStream(`${base}/b`)
  isFull = true
  t.equal((await read(stream)).body.length, 2 * 2_688_895)
  await until(() => sizeOf(cacheDir) === 0)
})

for (const [damage, spoil] of [
  ['short', (path: string) => truncateSync(path, 100)],
  ['empty', (path: string) => truncateSync(path, 0)],
  ['full of zeros', (path: string) => writeFileSync(path, Buffer.alloc(2_688_927))]
] as const) {
  t.test(`a stored file that is ${damage} after a loss of power is made again`, async t => {
    const cacheDir = folder(t)
    const options = { ffmpeg: fake(t, large), cacheDir }
    const first = await serve(t, options)
    writeFileSync(join(first.files, 'a'), 'x')
    const { body } = await load(`${first.base}/a`)
    await until(() => readdirSync(cacheDir).some(name => name.endsWith('.opus')))
    await first.app.close()
    const path = join(cacheDir, readdirSync(cacheDir)[0]!)
    t.equal(statSync(path).size, body.length + 32)
    const isHit = async () => {
      const { app, base, files } = await serve(t, options)
      writeFileSync(join(files, 'a'), 'x')
      const answer = await load(`${base}/a`)
      t.ok(answer.body.equals(body))
      await until(() => readdirSync(cacheDir).some(name => name.endsWith('.opus')))
      await app.close()
      return answer.headers['content-length'] !== undefined
    }
    t.equal(await isHit(), true)
    spoil(path)
    t.equal(await isHit(), false)
    t.equal(await isHit(), true)
  })
}

t.test('a folder that cannot be read is no reason to send nothing', async t => {
  const cacheDir = join(folder(t), 'file')
  writeFileSync(cacheDir, '')
  const { base, files, lines } = await serve(t, { ffmpeg: fake(t, 'printf sound'), cacheDir, prepare: async () => {} })
  writeFileSync(join(files, 'a'), 'x')
  for (const url of [`${base}/a`, `${base}/a?start=1`]) t.equal(String((await load(url)).body), 'sound')
  t.match(warnings(lines), [['transcodings not stored', /ENOTDIR/]])
})
