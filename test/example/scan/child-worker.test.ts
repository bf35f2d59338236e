import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { ChildWorker } from '../../../example/scan/child-worker.ts'
import { AwayError } from '../../../example/scan/in-time.ts'
import { isRunning } from '../../is-running.ts'
import { replace } from '../../replace.ts'
import { folder, until } from '../helper.ts'

const job = (path: string) => ({ id: 1, task: 'tags', root: '/', path }) as const
/** Does what its job is called. */
const entry = pathToFileURL(join(folder(t, {
  'entry.mjs': `
    import { spawn } from 'node:child_process'
    process.on('disconnect', () => process.exit())
    process.on('message', ({ path }) => {
      if (path === 'array') for (const all = [];;) all.push(1.5, all)
      if (path === 'start') return process.send({ id: spawn('sleep', ['1234']).pid })
      if (path === 'exit') process.exit(0)
      if (path === 'throw') throw new Error('odd')
      process.kill(process.pid, path)
    })
    process.send({})`
}), 'entry.mjs'))

async function endOf (path: string): Promise<Error> {
  const worker = new ChildWorker(entry, 16)
  await once(worker, 'message')
  worker.postMessage(job(path))
  const [reason] = await once(worker, 'exit')
  worker.postMessage(job('more'))
  return reason
}

t.test('a file that fills one large array is too much', async t => {
  t.match(await endOf('array'), new Error('It takes more than 16 MB of memory to read it'))
})

for (const way of ['exit', 'throw', 'SIGSEGV']) {
  t.test(`a file that ends its process by ${way} is at fault`, async t => {
    const reason = await endOf(way)
    t.match(reason, new Error('It ended the process that reads files'))
    t.notOk(reason instanceof AwayError)
  })
}

t.test('a file whose process somebody ends is not at fault', async t => {
  t.match(await endOf('SIGKILL'), new AwayError('The process that reads files was ended by SIGKILL'))
})

for (const [way, end] of [
  ['is terminated', worker => worker.terminate()],
  ['ends by itself', worker => worker.postMessage(job('exit'))]
] as [string, (worker: ChildWorker) => void][]) {
  t.test(`what a process has started ends with it where it ${way}`, { skip: process.platform === 'win32' }, async t => {
    const worker = new ChildWorker(entry, 16)
    await once(worker, 'message')
    worker.postMessage(job('start'))
    const [{ id: pid }] = await once(worker, 'message')
    t.ok(isRunning(pid))
    end(worker)
    await once(worker, 'exit')
    await until(() => !isRunning(pid))
  })
}

t.test('a process that the system does not start is away', async t => {
  replace(t, process, 'execPath', '/nowhere/node')
  const worker = new ChildWorker(entry, 16)
  t.match(await once(worker, 'exit'), [new AwayError('spawn /nowhere/node ENOENT')])
  worker.ref()
  worker.unref()
})
