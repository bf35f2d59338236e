import { EventEmitter } from 'node:events'
import fs, { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WatchedFolder } from '../../../example/scan/watched-folder.ts'
import { fakeTime } from '../../fake-time.ts'
import { replace, replaceExports } from '../../replace.ts'
import { folder, lineOf } from '../helper.ts'

type Scan = (folders?: ReadonlySet<string>) => unknown

/** A folder with something in it, the folders that are watched, and what was logged. */
async function build (t: Test, scan: Scan = () => {}, options: { platform?: NodeJS.Platform, fail?: string } = {}) {
  /** Open watchers by the paths of their folders. */
  const watchers = new Map<string, EventEmitter & { tell: (event: string, name: string | null) => void }>()
  const lines: string[] = []
  replaceExports(t, fs, {
    readFileSync: (() => { throw new Error('not on this system') }) as never,
    watch: ((path: string, _options: unknown, tell: () => void) => {
      const { fail } = options
      if (fail !== undefined) throw Object.assign(new Error(`${fail}, watch ${path}`), { code: fail })
      const watcher = Object.assign(new EventEmitter(), { tell, close: () => { watchers.delete(path) } })
      watchers.set(path, watcher)
      return watcher
    }) as never
  })
  const root = realpathSync(folder(t, { 'in/a.mp3': '' }))
  const log = { warn: (details: object, event: string) => lines.push(lineOf(details, event)), info () {} }
  replace(t, process, 'platform', options.platform ?? 'linux')
  const watched = new WatchedFolder(root, log as any, scan, join(root, 'data'))
  t.teardown(() => watched.close())
  /** Paths of what is watched. */
  const all = () => [...watchers.keys()].map(path => path.slice(root.length + 1))
  /** Lists a folder. */
  const see = (path: string, id = path) => watched.see(join(root, path), id)
  const tell = (path: string, event: string, name: string | null) => watchers.get(join(root, path))!.tell(event, name)
  return { root, watched, watchers, lines, all, see, tell }
}

t.test('a folder is watched when it is listed first, and again when it is another one', async t => {
  const { watched, all, see } = await build(t)
  t.equal(see('in'), false)
  t.same(all(), [])
  t.equal(watched.sees('in'), true)
  watched.watch()
  t.equal(watched.sees('in'), false)
  t.same(['in', 'in'].map(path => see(path)), [true, false])
  t.equal(watched.sees('in'), true)
  t.equal(see('in', 'other'), true)
  t.same(all(), ['in'])
  watched.close()
  t.equal(see('in', 'third'), false)
  t.same(all(), [])
})

t.test('a folder that is moved is not watched any more, nor those in it after a scan', async t => {
  const { watched, all, see, tell } = await build(t)
  watched.watch()
  for (const path of ['', 'in', 'in/disc', 'in/disc/deep']) see(path)
  tell('', 'rename', 'in')
  tell('in', 'change', 'in')
  t.equal(all().length, 4)
  tell('in', 'rename', 'in')
  t.same(all(), ['', 'in/disc', 'in/disc/deep'])
  watched.prune()
  t.same(all(), [''])
})

t.test('what changes is scanned, with the folders that it may have replaced, and nothing that is left out', async t => {
  const time = fakeTime(t)
  const scans: unknown[] = []
  const { root, watched, see, tell } = await build(t, folders => scans.push(folders))
  watched.watch()
  for (const path of ['', 'in', 'in/disc', '@eaDir', 'data']) see(path)
  const scanned = () => {
    time.advance(500)
    return scans.splice(0)
  }
  tell('', 'rename', 'new')
  tell('in', 'change', 'a.mp3')
  t.same(scanned(), [new Set(['', 'in'])])
  tell('in', 'rename', 'disc')
  t.same(scanned(), [new Set(['in', 'in/disc'])])
  tell('@eaDir', 'rename', 'a')
  tell('data', 'change', 'index.sqlite')
  t.same(scanned(), [])
  tell('', 'rename', null)
  tell('in', 'change', 'a.mp3')
  t.same(scanned(), [undefined])
  tell('in', 'change', '.ndignore')
  t.same(scanned(), [undefined], 'what it leaves out may be in any folder below')
  tell('', 'rename', root.split('/').at(-1)!)
  t.same(scanned(), [new Set([''])])
})

t.test('what is mounted on the folder, above it or in it, or no more, has everything scanned', async t => {
  const time = fakeTime(t)
  const scans: unknown[] = []
  const { root, watched } = await build(t, folders => scans.push(folders))
  const line = (path: string) => `36 35 98:0 /a ${path} rw,noatime master:1 - ext4 /dev/sda rw\n`
  let mounts = line('/')
  replaceExports(t, fs, { readFileSync: (() => mounts) as never })
  watched.watch()
  const scanned = () => {
    time.advance(2500)
    return scans.splice(0)
  }
  t.same(scanned(), [])
  for (const path of [root, join(root, 'in'), join(root, '..')]) {
    mounts += line(path)
    t.same(scanned(), [undefined])
  }
  mounts = line('/')
  t.same(scanned(), [undefined])
  mounts += line('/elsewhere')
  t.same(scanned(), [])
})

for (const platform of ['darwin', 'win32'] as const) {
  t.test(`on ${platform} one watcher tells of all folders`, async t => {
    const time = fakeTime(t)
    const scans: unknown[] = []
    const { watched, all, see, tell } = await build(t, folders => scans.push(folders), { platform })
    watched.watch()
    t.same(['', 'in', 'in/disc'].map(path => see(path)), [true, true, true])
    t.same(all(), [''])
    tell('', 'rename', 'in/disc')
    tell('', 'change', 'data/index.sqlite')
    tell('', 'change', 'in/@eaDir/a')
    time.advance(500)
    t.same(scans, [new Set(['in', 'in/disc'])])
    t.same([see('in'), see('in/disc', 'other')], [false, true])
  })
}

t.test('a folder that was away between two looks is watched and scanned anew', async t => {
  const time = fakeTime(t)
  const scans: unknown[] = []
  const { root, watched, all, see } = await build(t, folders => scans.push(folders))
  watched.watch()
  await watched.checkThere(() => false)
  see('')
  fs.renameSync(root, `${root} away`)
  t.equal(await watched.checkThere(() => false), undefined)
  fs.renameSync(`${root} away`, root)
  await watched.checkThere(() => false)
  t.same(all(), [])
  time.advance(2000)
  t.same(scans, [undefined])
})

t.test('after more events than the system keeps for a stopped process, the whole folder is watched anew', async t => {
  const time = fakeTime(t)
  const scans: unknown[] = []
  const { watched, all, see, tell } = await build(t, folders => scans.push(folders))
  watched.watch()
  await watched.checkThere(() => false)
  for (const [events, expected] of [[8191, true], [8191, true], [8192, false]] as const) {
    see('in')
    for (let index = 0; index < events; index++) tell('in', 'change', 'a')
    await watched.checkThere(() => false)
    t.equal(all().includes('in'), expected)
  }
  time.advance(500)
  t.same(scans, [undefined])
})

t.test('what a system cannot watch is told once for each reason, and not of folders that are gone', async t => {
  const { watched, lines, all, see, watchers } = await build(t)
  watched.watch()
  see('')
  const errors = ['ENOENT', 'ENOSPC', 'EACCES', 'ENOSPC'].map(code => Object.assign(new Error(code), { code }))
  for (const error of errors) {
    see('in')
    watchers.get([...watchers.keys()].at(-1)!)!.emit('error', error)
  }
  t.same(all(), [''])
  t.match(lines, ['folder not watched: reason=ENOSPC', 'folder not watched: reason=EACCES'])
  t.equal(lines.length, 2)
})

t.test('at the limit of the system a folder is told once, counts as seen, and is tried again when listed', async t => {
  const limit: { fail?: string } = { fail: 'ENOSPC' }
  const { watched, lines, see, all } = await build(t, () => {}, limit)
  watched.watch()
  t.same(['', 'in', ''].map(path => see(path)), [true, true, false])
  t.equal(watched.sees('in'), true)
  t.match(lines, [/^folder not watched: reason=ENOSPC, watch /])
  t.equal(lines.length, 1)
  delete limit.fail
  t.same(['in', 'in'].map(path => see(path)), [false, false], 'it is no news that it is there')
  t.same(all(), ['in'])
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
    watched.close()
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
  watched.close()
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
