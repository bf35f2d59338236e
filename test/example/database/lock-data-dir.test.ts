import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, promises, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { lockDataDir, connectToOwner } from '../../../example/database/lock-data-dir.ts'
import { StartError } from '../../../example/start/start-error.ts'
import { replace, replaceExports } from '../../replace.ts'
import { folder } from '../helper.ts'
import { deferred } from '../../helper.ts'

const end = (socket: { destroy (): unknown }) => { socket.destroy() }

t.test('a folder has one owner, until that releases it', async t => {
  const dir = folder(t)
  const first = await lockDataDir(dir, end)
  await t.rejects(lockDataDir(dir, end), new StartError(`DATA_DIR is in use by another process: ${dir}`))
  await first.release()
  t.equal(await connectToOwner(dir), undefined)
  const second = await lockDataDir(dir, end)
  await second.release()
})

t.test('a folder that is missing is made, with those above, by several at once', async t => {
  const dir = join(folder(t), 'in/a/folder')
  const claims = await Promise.allSettled([lockDataDir(dir, end), lockDataDir(dir, end)])
  const owners = claims.flatMap(claim => claim.status === 'fulfilled' ? [claim.value] : [])
  t.equal(owners.length, 1)
  t.equal(statSync(dir).mode & 0o777, 0o700)
  await owners[0]!.release()
})

t.test('a folder that the system makes nowhere is refused', { skip: process.platform !== 'linux' }, async t => {
  const message = /^DATA_DIR must be a folder that the source may write to: ENOENT.+$/
  for (const dir of ['/proc/x', '/proc/x/y']) await t.rejects(lockDataDir(dir, end), { message })
})

t.test('a folder nearby', async t => {
  const dir = t.testdir()
  const claim = await lockDataDir(dir, end)
  const socket = await connectToOwner(dir)
  t.ok(socket)
  socket!.destroy()
  await claim.release()
})

t.test('of many that claim a folder at once, one has it', async t => {
  const dir = folder(t)
  for (let round = 0; round < 3; round++) {
    const claims = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDir(dir, end)))
    const owners = claims.flatMap(claim => claim.status === 'fulfilled' ? [claim.value] : [])
    t.equal(owners.length, 1)
    await owners[0]!.release()
  }
  t.ok(readdirSync(dir).length <= 2, 'what earlier owners left is removed')
})

t.test('the claim of a process that was killed has ended', async t => {
  const dir = folder(t)
  const program = `
    import { lockDataDir } from './example/database/lock-data-dir.ts'
    const { server } = await lockDataDir(${JSON.stringify(dir)}, () => {})
    server.ref()
    console.log('claimed')`
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  await once(child.stdout, 'data')
  await t.rejects(lockDataDir(dir, end), { message: /^DATA_DIR is in use by another process: / })
  child.kill('SIGKILL')
  await once(child, 'close')
  const claim = await lockDataDir(dir, end)
  await claim.release()
})

t.test('connections of the owner end with the claim', async t => {
  const dir = folder(t)
  const { promise: serving, resolve: served } = deferred<void>()
  const claim = await lockDataDir(dir, () => served())
  const socket = await connectToOwner(dir)
  await serving
  const ended = once(socket!.resume(), 'end')
  await claim.release()
  await ended
  socket!.destroy()
})

t.test('a folder with a path that is too long for a socket', async t => {
  const near = folder(t)
  const far = join(near, 'x'.repeat(200), 'y'.repeat(200))
  const temporary = folder(t)
  const { TMPDIR = tmpdir() } = process.env
  process.env.TMPDIR = temporary
  t.teardown(() => { process.env.TMPDIR = TMPDIR })
  const claim = await lockDataDir(far, end)
  await t.rejects(lockDataDir(far, end), new StartError(`DATA_DIR is in use by another process: ${far}`))
  symlinkSync(far, join(near, 'link'))
  await t.rejects(lockDataDir(join(near, 'link'), end), { message: /^DATA_DIR is in use by another process: / })
  const socket = await connectToOwner(far)
  t.ok(socket)
  socket!.destroy()
  t.same(readdirSync(far), ['owner.1'], 'the socket is in the folder')
  await claim.release()
  t.equal(await connectToOwner(far), undefined)
  const again = await lockDataDir(far, end)
  await again.release()
  t.same(readdirSync(temporary), [], 'nothing is left elsewhere')
})

t.test('what a killed process left of its claim is removed ten minutes later', async t => {
  const dir = folder(t, { 'owner.0123456789ab.new': '', 'owner.0123456789ab.newer': '' })
  writeFileSync(join(dir, 'owner.ba9876543210.new'), '')
  const claim = await lockDataDir(dir, end)
  t.same(readdirSync(dir).sort(), ['owner.0123456789ab.newer', 'owner.1', 'owner.ba9876543210.new'])
  await claim.release()
})

t.test('a folder that cannot be made or written to is refused in one line', async t => {
  const dir = folder(t, { file: '' })
  await t.rejects(lockDataDir(join(dir, 'file'), end), {
    message: /^DATA_DIR must be a folder that the source may write to: .+$/
  })
})

t.test('a folder whose sockets cannot be looked at, or cannot be named, is refused in one line', async t => {
  const refused = { message: /^DATA_DIR must be a folder that the source may write to: .+$/ }
  const dir = folder(t)
  symlinkSync('owner.1', join(dir, 'owner.1'))
  await t.rejects(lockDataDir(dir, end), refused)
  await t.rejects(connectToOwner(dir), refused)
})

t.test('a file system without hard links or sockets is told of, with what to do', async t => {
  const dir = folder(t)
  const refused = (missing: string) => ({
    message: RegExp(`^DATA_DIR is on a file system without ${missing}, .+ Choose a folder on a disk .+: EPERM: none$`)
  })
  const failure = (syscall: string) => Object.assign(new Error('EPERM: none'), { code: 'EPERM', syscall })
  const { link } = promises
  replaceExports(t, promises, { link: async () => { throw failure('link') } })
  await t.rejects(lockDataDir(dir, end), refused('hard links'))
  replaceExports(t, promises, { link })
  replace(t, Server.prototype, 'listen', function (this: Server) {
    this.emit('error', failure('listen'))
    return this
  })
  await t.rejects(lockDataDir(dir, end), refused('sockets'))
  t.same(readdirSync(dir), [])
  // Nothing can be made in that one.
  await t.rejects(lockDataDir('/proc', end), { message: /^DATA_DIR must be a folder that the source may write to: / })
})

t.test('what is no socket has no owner', async t => {
  const dir = folder(t)
  mkdirSync(join(dir, 'owner.1'))
  writeFileSync(join(dir, 'owner.other'), '')
  const claim = await lockDataDir(dir, end)
  await claim.release()
})
