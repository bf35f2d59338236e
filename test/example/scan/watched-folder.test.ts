import { EventEmitter } from 'node:events'
import { mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import chokidar from 'chokidar'
import t, { type Test } from 'tap'
import { WatchedFolder } from '../../../example/scan/watched-folder.ts'
import { fakeTime } from '../../fake-time.ts'
import { replace } from '../../replace.ts'
import { folder } from '../helper.ts'

/** A folder with something in it, the watchers that were made for it, and what was logged. */
async function build (t: Test, scan: (folders?: ReadonlySet<string>) => unknown = () => {}) {
  const watchers: EventEmitter[] = []
  /** Names that the watcher knows, by the paths of their folders. */
  const known: Record<string, string[]> = {}
  const lines: string[] = []
  replace(t, chokidar, 'watch', (() => {
    const watcher = Object.assign(new EventEmitter(), { close: async () => {}, getWatched: () => known })
    watchers.push(watcher)
    return watcher
  }) as never)
  const root = realpathSync(folder(t, { 'in/a.mp3': '' }))
  const watched = new WatchedFolder(root, { warn: (text: string) => lines.push(text) } as any, scan)
  t.teardown(() => watched.close())
  return { root, watched, watchers, lines, known }
}

t.test('a folder that was away between two looks is watched anew', async t => {
  const { root, watched, watchers } = await build(t)
  await watched.look(undefined)
  watched.watch()
  watchers[0]!.emit('unlinkDir', join(root, 'in'))
  await watched.look(undefined)
  t.equal(watchers.length, 1)
  watchers[0]!.emit('unlinkDir', root)
  await watched.look(undefined)
  t.equal(watchers.length, 2)
})

t.test('a folder in the place of another one is watched, which the watcher does not tell of', async t => {
  const time = fakeTime(t)
  const { root, watched, watchers } = await build(t)
  watched.watch()
  const isOther = (event: string, path: string) =>
    watchers.at(-1)!.emit('raw', event, basename(path), { watchedPath: join(root, dirname(path)) })
  isOther('change', 'in')
  isOther('rename', 'in')
  watchers[0]!.emit('addDir', join(root, 'in'))
  for (const path of ['gone', 'in/a.mp3', '@eaDir']) isOther('rename', path)
  watchers[0]!.emit('raw', 'rename', null, { watchedPath: root })
  time.advance(5000)
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  t.equal(watchers.length, 1)
  isOther('rename', 'in')
  time.advance(5000)
  while (watchers.length === 1) await setImmediate()
  time.advance(5000)
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  t.equal(watchers.length, 2)
})

t.test('a new folder is looked at again, since the watcher lists it before it watches it', async t => {
  const time = fakeTime(t)
  const scans: unknown[] = []
  const { root, watched, watchers } = await build(t, folders => scans.push(folders))
  watched.watch()
  for (const name of ['one', 'two']) watchers[0]!.emit('addDir', join(root, name))
  time.advance(2500)
  watchers[0]!.emit('addDir', join(root, 'three'))
  time.advance(3000)
  t.same(scans, [new Set(['one', 'two'])])
  time.advance(2500)
  t.same(scans[1], new Set(['three']))
  watchers[0]!.emit('addDir', join(root, 'four'))
  await watched.close()
  time.advance(5500)
  t.equal(scans.length, 2)
})

t.test('a folder in a new one that came while that was listed is watched', async t => {
  const time = fakeTime(t)
  const { root, watched, watchers, known } = await build(t)
  watched.watch()
  for (const name of ['in/disc', 'in/@eaDir']) mkdirSync(join(root, name))
  known[join(root, 'in')] = ['disc']
  watchers[0]!.emit('addDir', join(root, 'in'))
  time.advance(5000)
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  t.equal(watchers.length, 1)
  delete known[join(root, 'in')]
  watchers[0]!.emit('addDir', join(root, 'in'))
  time.advance(5000)
  while (watchers.length === 1) await setImmediate()
  t.equal(watchers.length, 2)
})

t.test('a folder that is to be watched anew for two reasons at once has one watcher', async t => {
  const time = fakeTime(t)
  const { root, watched, watchers } = await build(t)
  watched.watch()
  mkdirSync(join(root, 'in/disc'))
  watchers[0]!.emit('addDir', join(root, 'in'))
  watchers[0]!.emit('raw', 'rename', 'disc', { watchedPath: join(root, 'in') })
  time.advance(5000)
  while (watchers.length === 1) await setImmediate()
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  t.equal(watchers.length, 2)
})

t.test('disks that are followed while the watcher is made anew make no second one', async t => {
  const { watched, watchers } = await build(t)
  watched.watch()
  await Promise.all([watched.follow(new Map([['in', '1']])), watched.follow(new Map([['in', '2']]))])
  t.equal(watchers.length, 2)
})

t.test('after more events than the system keeps for a stopped process, the whole folder is watched anew', async t => {
  const { root, watched, watchers } = await build(t)
  await watched.look(undefined)
  watched.watch()
  const watchedPath = join(root, 'in')
  for (const [events, expected] of [[8191, 1], [8191, 1], [8192, 2]] as const) {
    for (let index = 0; index < events; index++) watchers[0]!.emit('raw', 'change', 'a', { watchedPath })
    await watched.look(undefined)
    t.equal(watchers.length, expected)
  }
})

t.test('a system that cannot watch is told of', async t => {
  const { watched, watchers, lines } = await build(t)
  watched.watch()
  watchers[0]!.emit('error', new Error('no space left'))
  t.match(lines, [/^Changes of the folder may be seen late: no space left/])
})

t.test('what a system says of each folder is told once', async t => {
  const { watched, watchers, lines } = await build(t)
  watched.watch()
  for (const [code, name] of [['ENOSPC', 'a'], ['ENOSPC', 'b'], ['EACCES', 'c'], ['ENOSPC', 'd']] as const) {
    watchers[0]!.emit('error', Object.assign(new Error(`${code}, watch ${name}`), { code }))
  }
  t.match(lines, [/: ENOSPC, watch a$/, /: EACCES, watch c$/])
  t.equal(lines.length, 2)
})

t.test('a folder is scanned again at an interval that begins when the scan before has ended', async t => {
  const time = fakeTime(t)
  const scans: (() => void)[] = []
  const { watched } = await build(t, () => new Promise<void>(resolve => scans.push(resolve)))
  watched.scanEvery(60_000)
  time.advance(59_999)
  t.equal(scans.length, 0)
  time.advance(1)
  t.equal(scans.length, 1)
  time.advance(600_000)
  t.equal(scans.length, 1)
  scans[0]!()
  await time.pass(60_000)
  t.equal(scans.length, 2)
})

t.test('without an interval a folder is not scanned again', async t => {
  const time = fakeTime(t)
  let scans = 0
  const { watched } = await build(t, () => { scans++ })
  watched.scanEvery(0)
  time.advance(1e9)
  t.equal(scans, 0)
})

t.test('a closed folder is not scanned again, neither when that is due nor after the scan that goes on', async t => {
  const time = fakeTime(t)
  for (const isScanning of [false, true]) {
    const scans: (() => void)[] = []
    const { watched } = await build(t, () => new Promise<void>(resolve => scans.push(resolve)))
    watched.scanEvery(60_000)
    if (isScanning) time.advance(60_000)
    const begun = scans.length
    await watched.close()
    scans[0]?.()
    await setImmediate()
    time.advance(600_000)
    t.equal(scans.length, begun)
  }
})

t.test('a folder that is closed before the first interval begins is not scanned again', async t => {
  const time = fakeTime(t)
  let scans = 0
  const { watched } = await build(t, () => { scans++ })
  await watched.close()
  watched.scanEvery(60_000)
  time.advance(600_000)
  t.equal(scans, 0)
})

t.test('the interval does not keep a process alive', async t => {
  const { watched } = await build(t)
  const set = t.capture(globalThis, 'setTimeout', setTimeout)
  watched.scanEvery(60_000)
  t.same(set().map(({ args, returned }: any) => [args[1], returned.hasRef()]), [[60_000, false]])
})
