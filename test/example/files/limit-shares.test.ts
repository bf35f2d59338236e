import fs, { closeSync, openSync, realpathSync } from 'node:fs'
import promises, { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { findShares, limitShare } from '../../../example/files/limit-shares.ts'
import { openRegularFile } from '../../../example/files/open-regular-file.ts'
import { unlessAborted } from '../../../example/scan/in-time.ts'
import { nothingSeen, walkFolder } from '../../../example/scan/walk-folder.ts'
import { deferred } from '../../helper.ts'
import { replaceExports } from '../../replace.ts'
import { demo, fifo, folder, pathOf, start, until } from '../helper.ts'

const { open } = promises
const { readFileSync } = fs

/** Makes the system tell of mounts: the type of each by its path, as the system writes it. */
function mount (t: Test, mounts: Record<string, string> | Error): void {
  t.teardown(findShares)
  replaceExports(t, fs, {
    readFileSync: ((path: string, encoding: 'utf8') => {
      if (path !== '/proc/self/mountinfo') return readFileSync(path, encoding)
      if (mounts instanceof Error) throw mounts
      const lines = Object.entries(mounts)
        .map(([path, type]) => `36 35 98:0 /a ${path} rw,noatime master:1 - ${type} server:/music rw\n`)
      return ['1 0 0:1 / / rw - ext4 /dev/sda rw\n', ...lines].join('')
    }) as typeof readFileSync
  })
  findShares()
}

/** How many of five calls with a path begin before one ends. */
async function begunAt (path: string): Promise<number> {
  let end = () => {}
  const ended = new Promise<void>(resolve => { end = resolve })
  let begun = 0
  const calls = Array.from({ length: 5 }, () => limitShare(path, () => {
    begun++
    return ended
  }))
  await setImmediate()
  const before = begun
  end()
  await Promise.all(calls)
  return before
}

t.test('the calls of a share that hangs leave threads for other files, and those of two shares too', async t => {
  const root = realpathSync(folder(t, { 'nfs/a.mp3': '', 'smb/a.mp3': '', 'local/a.mp3': 'local' }))
  fifo(root, 'pipe')
  mount(t, { [join(root, 'nfs')]: 'nfs4', [join(root, 'smb')]: 'cifs' })
  const begun: string[] = []
  replaceExports(t, promises, {
    // Holds a thread until somebody opens the pipe to write.
    open: async path => {
      begun.push(dirname(String(path)))
      return open(join(root, 'pipe'))
    }
  })
  const ofNfs = Array.from({ length: 8 }, () => openRegularFile(root, 'nfs/a.mp3'))
  await until(() => begun.length >= 2)
  t.equal(await readFile(join(root, 'local/a.mp3'), 'utf8'), 'local')
  t.same(begun, Array(2).fill(join(root, 'nfs')))

  const ofSmb = Array.from({ length: 8 }, () => openRegularFile(root, 'smb/a.mp3'))
  await until(() => begun.length >= 3)
  t.equal(await readFile(join(root, 'local/a.mp3'), 'utf8'), 'local')
  t.same(begun.slice(2), [join(root, 'smb')])

  const writer = openSync(join(root, 'pipe'), 'w')
  t.same(await Promise.all([...ofNfs, ...ofSmb]), Array(16))
  closeSync(writer)
})

t.test('a call that hangs keeps its place when its caller has given up; one that waits leaves', async t => {
  mount(t, { '/mnt': 'nfs' })
  let end = () => {}
  const ended = new Promise<void>(resolve => { end = resolve })
  const giveUp = new AbortController()
  const { signal } = giveUp
  const hanging = Array.from({ length: 2 }, () =>
    unlessAborted(limitShare('/mnt/a', () => ended, { signal }), signal))
  let begun = 0
  const next = async () => { begun++ }
  const leaving = limitShare('/mnt/a', next, { signal })
  giveUp.abort(new Error('enough'))
  for (const call of [...hanging, leaving, limitShare('/mnt/b', next, { signal })]) {
    await t.rejects(call, { message: 'enough' })
  }
  const last = limitShare('/mnt/a', next)
  await setImmediate()
  t.equal(begun, 0)
  end()
  await last
  t.equal(begun, 1)
})

t.test('of calls that wait for a share, those that list come after those that read', async t => {
  mount(t, { '/mnt': 'nfs' })
  const order: string[] = []
  const call = (name: string, priority?: number) =>
    limitShare('/mnt/a', async () => { order.push(name) }, priority === undefined ? {} : { priority })
  await Promise.all([call('first'), call('second'), call('list', -1), call('read')])
  t.same(order, ['first', 'second', 'read', 'list'])
})

t.test('a path is on the mount that is nearest above it', async t => {
  mount(t, {
    '/mnt/nas': 'nfs4',
    '/mnt/nas/disk': 'ext4',
    '/mnt/my\\040music': 'fuse.sshfs',
    '/mnt/ntfs': 'fuseblk',
    '/mnt/pool': 'fuse.mergerfs'
  })
  for (const path of ['/mnt/nas', '/mnt/nas/a', '/mnt/my music/a/b']) t.equal(await begunAt(path), 2, path)
  for (const path of ['/mnt/nas2', '/mnt/nas/disk/a', '/mnt/ntfs', '/mnt/pool', '/a']) {
    t.equal(await begunAt(path), 5, path)
  }
})

t.test('where the system does not tell its mounts, nothing waits', async t => {
  mount(t, new Error('There is no /proc'))
  t.equal(await begunAt('/mnt/nas/a'), 5)
})

t.test('of a share that hangs in the middle of a scan no more is asked for', async t => {
  const names = Array.from({ length: 20 }, (_, at) => `nfs/${at}`)
  const root = realpathSync(folder(t, Object.fromEntries(['local', ...names].map(name => [`${name}/a.mp3`, '']))))
  mount(t, { [join(root, 'nfs')]: 'nfs4' })
  const { readdir } = promises
  const end = deferred<never>()
  let asked = 0
  replaceExports(t, promises, {
    readdir: (async (path: string, options: { withFileTypes: true }) => {
      if (!/nfs.\d/.test(path)) return readdir(path, options)
      asked++
      return end.promise
    }) as never
  })
  const set = t.capture(globalThis, 'setInterval', setInterval)
  const looks: (() => void)[] = []
  const unreadable: string[] = []
  const found: string[] = []
  const walked = (async () => {
    for await (const { path } of walkFolder(root, nothingSeen(), path => { unreadable.push(path) })) found.push(path)
  })()
  // What looks before that takes the pace of a busy machine for a share that hangs.
  await until(() => asked === 2)
  await until(() => {
    looks.push(...set().map(({ args: [look] }) => look as () => void))
    for (const look of looks) look()
    return unreadable.length === 20
  })
  await walked
  t.same(found, ['', 'local', 'nfs'])
  t.same(unreadable.toSorted(), names.toSorted())
  t.equal(asked, 2)
  end.reject(new Error('It is back'))
})

t.test('a music folder on a share is scanned and served', async t => {
  mount(t, { [demo]: 'nfs4' })
  const { call, data } = await start(t)
  const [track] = (await data('/v1/search/tracks?keyword=prelude')).items
  const { url } = await data(`/v1/track/url?id=${track.id}`)
  const { statusCode, rawPayload } = await call(pathOf(url))
  t.equal(statusCode, 200)
  t.ok(rawPayload.equals(readFileSync(join(demo, 'Ada Plume/Plucked at Dawn/01 Prelude in C.flac'))))
})
