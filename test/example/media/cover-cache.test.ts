import fs from 'node:fs'
import {
  lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync,
  writeFileSync
} from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CoverCache, limits } from '../../../example/media/cover-cache.ts'
import { folder, mp3, pathOf, put, start, until } from '../helper.ts'
import { replace, replaceExports } from '../../replace.ts'

// Its types are not there where it is not installed, and then nothing is scaled.
const name = 'sharp'
const { default: sharp } = await import(name).catch(() => ({ default: undefined }))
const skip = !sharp && process.env.CI === undefined && 'sharp is not installed'

/** A source of an album with a cover, that can be started again. */
async function library (t: Test) {
  const picture = sharp({ create: { width: 400, height: 400, channels: 3, background: '#a52' } })
  const MUSIC_DIR = folder(t, {
    'a.mp3': mp3({ title: 'One', artist: 'Ada', album: 'A' }), 'cover.jpg': await picture.jpeg().toBuffer()
  })
  const DATA_DIR = folder(t)
  const covers = join(DATA_DIR, 'covers')
  const run = async () => {
    const source = await start(t, { MUSIC_DIR, DATA_DIR, PAGE: 'true' })
    const { items: [{ coverUrl }] } = await source.data('/v1/search/albums?keyword=a')
    const of = pathOf(coverUrl)
    /** As the page loads it. */
    const shown = (size: number, path = of) => source.call(
      `/page/cover?${new URLSearchParams({ of: path, size: String(size) })}`, { headers: { accept: 'image/webp' } }
    )
    /** As a Subsonic app loads it. */
    const sent = (size: number, path = of) => source.call(`${path}&size=${size}`, { headers: {} })
    return { ...source, shown, sent, of }
  }
  const names = () => readdirSync(covers)
  /** Puts what a test knows again in the place of each cover. */
  const mark = (bytes: Buffer, digest = createHash('sha256').update(bytes).digest()) => {
    for (const name of names()) writeFileSync(join(covers, name), Buffer.concat([bytes, digest]))
  }
  return { MUSIC_DIR, DATA_DIR, covers, run, names, mark }
}

const marked = Buffer.from('what the disk had')
const widthOf = async (bytes: Buffer): Promise<number> => (await sharp(bytes).metadata()).width

t.test('after a restart scaled covers come from the disk, for the page and for Subsonic apps', { skip }, async t => {
  const { run, names, mark } = await library(t)
  const first = await run()
  t.match((await first.shown(100)).headers, { 'content-type': 'image/webp' })
  t.match((await first.sent(100)).headers, { 'content-type': 'image/jpeg', vary: 'accept' })
  t.equal((await first.shown(1000)).statusCode, 200)
  t.equal(names().length, 2, 'what is not scaled is there already')
  await first.app.close()
  mark(marked)
  const second = await run()
  for (const answer of [await second.shown(100), await second.sent(100)]) t.ok(answer.rawPayload.equals(marked))
  t.equal((await second.shown(100)).headers['content-type'], 'image/webp')
  t.equal((await second.sent(100)).headers['content-type'], 'image/jpeg')
})

t.test('a cover that is on the disk is refused without its signature', { skip }, async t => {
  const { run } = await library(t)
  const { shown, sent, of } = await run()
  t.equal((await shown(100)).statusCode, 200)
  t.equal((await sent(100)).statusCode, 200)
  for (const wrong of [of.replace(/signature=..../, 'signature=xxxx'), of.replace(/expires=\d/, 'expires=9')]) {
    t.equal((await shown(100, wrong)).statusCode, 404)
    t.equal((await sent(100, wrong)).statusCode, 403)
  }
})

t.test('another cover of the album is another one on the disk', { skip }, async t => {
  const { MUSIC_DIR, run, mark } = await library(t)
  const first = await run()
  await first.shown(100)
  await first.app.close()
  mark(marked)
  const green = sharp({ create: { width: 300, height: 300, channels: 3, background: '#2a5' } })
  put(MUSIC_DIR, 'cover.jpg', await green.jpeg().toBuffer())
  t.equal(await widthOf((await (await run()).shown(100)).rawPayload), 100)
})

t.test('files that are damaged, cut short, unreadable or gone are made anew', { skip }, async t => {
  const { covers, run, names, mark } = await library(t)
  const damages: Record<string, (file: string) => void> = {
    damaged: () => mark(marked, Buffer.alloc(32)),
    'cut short': file => writeFileSync(file, readFileSync(file).subarray(0, 20)),
    empty: file => writeFileSync(file, ''),
    gone: file => rmSync(file),
    'a folder': file => { rmSync(file); mkdirSync(file) }
  }
  for (const [what, damage] of Object.entries(damages)) {
    const { app, shown } = await run()
    t.equal(await widthOf((await shown(100)).rawPayload), 100, what)
    await app.close()
    for (const name of names()) damage(join(covers, name))
  }
  t.equal(await widthOf((await (await run()).shown(100)).rawPayload), 100)
})

t.test('what a killed process began to write is removed', { skip }, async t => {
  const { covers, run, names } = await library(t)
  mkdirSync(covers)
  writeFileSync(join(covers, 'x.new'), 'beg')
  writeFileSync(join(covers, 'notes of somebody'), 'kept')
  const { app, shown } = await run()
  await shown(100)
  await app.close()
  t.strictSame(names().map(name => name.replace(/^[\da-f]{64}/, '')).sort(), ['-100.webp', 'notes of somebody'])
})

t.test('a file that is larger than all may be together is removed', { skip }, async t => {
  const { covers, run, names } = await library(t)
  mkdirSync(covers)
  const large = `${'a'.repeat(64)}-100`
  writeFileSync(join(covers, large), '')
  truncateSync(join(covers, large), limits.bytes)
  const { app, shown } = await run()
  await shown(100)
  await app.close()
  t.equal(names().length, 1)
  t.notOk(names().includes(large))
})

t.test('a folder that was removed while the source runs is made anew', { skip }, async t => {
  const { covers, run, names } = await library(t)
  const { app, shown } = await run()
  await shown(100)
  rmSync(covers, { recursive: true })
  t.equal(await widthOf((await shown(101)).rawPayload), 101)
  await app.close()
  t.strictSame(names().map(name => name.replace(/^[\da-f]{64}/, '')), ['-101.webp'])
})

t.test('a cover that was removed after it was written is not there', async t => {
  const covers = folder(t)
  const kept = new CoverCache(covers)
  t.teardown(() => kept.close())
  const name = `${'a'.repeat(64)}-100.webp`
  await kept.set(name, marked)
  t.strictSame(await kept.get(name), marked)
  rmSync(join(covers, name))
  t.equal(await kept.get(name), undefined)
})

t.test('links and names of others in the folder are not read, and keep no cover from the disk', { skip }, async t => {
  const { covers, run, names } = await library(t)
  const first = await run()
  await first.shown(100)
  await first.app.close()
  const [name] = names()
  const file = join(covers, name!)
  const elsewhere = join(folder(t), 'a file')
  writeFileSync(elsewhere, Buffer.concat([createHash('sha256').update(marked).digest(), marked]))
  rmSync(file)
  symlinkSync(elsewhere, file)
  symlinkSync('/nowhere', join(covers, name!.replace('-100', '-101')))
  writeFileSync(Buffer.concat([Buffer.from(`${file}-`), Buffer.of(0xff)]), 'a name that is no UTF-8')
  const { shown } = await run()
  for (const size of [100, 101]) t.equal(await widthOf((await shown(size)).rawPayload), size)
  t.ok(lstatSync(file).isFile(), 'it is replaced')
})

t.test('a disk that takes nothing fails no request, and is told once', { skip }, async t => {
  const { covers, run } = await library(t)
  writeFileSync(covers, 'no folder')
  const { shown, sent, lines } = await run()
  for (const size of [100, 101]) {
    for (const answer of [await shown(size), await sent(size)]) t.equal(await widthOf(answer.rawPayload), size)
  }
  t.equal(lines.filter(({ msg }) => msg === 'scaled covers not stored').length, 1)
})

t.test('a file that cannot be put in its place leaves nothing behind', { skip }, async t => {
  const { covers, run, names } = await library(t)
  const { app, shown } = await run()
  await shown(100)
  const [name] = names()
  mkdirSync(join(covers, name!.replace('-100', '-101'), 'x'), { recursive: true })
  t.equal(await widthOf((await shown(101)).rawPayload), 101)
  await app.close()
  t.equal(names().length, 2)
})

t.test('the covers that were used last stay where they have too many bytes', { skip }, async t => {
  replace(t, limits, 'bytes', 3 * 5000)
  const { run, names } = await library(t)
  const { app, shown } = await run()
  for (const size of [100, 101, 102, 103]) await shown(size)
  await app.close()
  t.equal(names().length, 3)
  t.notOk(names().some(name => name.endsWith('-100.webp')))
})

t.test('a cover that was not used for long is removed', { skip }, async t => {
  const { covers, run, names } = await library(t)
  const first = await run()
  for (const size of [100, 101]) await first.shown(size)
  await first.app.close()
  const old = new Date(Date.now() - limits.age - 1000)
  const [file, other] = names().map(name => join(covers, name))
  utimesSync(file!, old, old)
  utimesSync(other!, new Date(Date.now() - 5000), new Date(Date.now() - 5000))
  const { atimeMs } = statSync(other!)
  const second = await run()
  await second.shown(other!.includes('-100.') ? 100 : 101)
  await second.app.close()
  t.strictSame(names().map(name => join(covers, name)), [other])
  t.ok(statSync(other!).atimeMs > atimeMs, 'and stays longer since it was used')
})

t.test('covers give way where the disk has no more room for what cannot be made anew', { skip }, async t => {
  const timers: (() => void)[] = []
  const real = setInterval
  replace(t, globalThis, 'setInterval', ((run: () => void, delay: number) => {
    if (delay === 60_000) timers.push(run)
    return real(run, delay)
  }) as typeof setInterval)
  const { run, names } = await library(t)
  const { shown, lines } = await run()
  for (const tidy of timers) tidy()
  await shown(100)
  t.equal(names().length, 1)
  const mb = 2 ** 20
  replaceExports(t, fs, { statfsSync: (() => ({ blocks: 9000, bavail: 255, bsize: mb })) as never })
  t.equal(await widthOf((await shown(101)).rawPayload), 101)
  t.equal(names().length, 1)
  t.match(lines.filter(({ msg }) => msg === 'scaled covers not stored'), [{ reason: /^the disk is full: its last 256 MB/ }])
  for (const tidy of timers) tidy()
  await until(() => names().length === 0)
})
