import { EventEmitter } from 'node:events'
import t, { type Test } from 'tap'
import type { FileAnswer, FileJob } from '../../../example/scan/answer-job.ts'
import { AwaitedTask } from '../../../example/scan/awaited-task.ts'
import { AwayError } from '../../../example/scan/in-time.ts'
import type * as Module from '../../../example/scan/file-process.ts'
import { mockImport } from '../../mock-import.ts'

/** A worker that does what the test says. */
class FakeWorker extends EventEmitter {
  static made: FakeWorker[] = []
  readonly jobs: FileJob[] = []
  isTerminated = false
  isHolding = false

  constructor () {
    super()
    FakeWorker.made.push(this)
  }

  ref () { this.isHolding = true }
  unref () { this.isHolding = false }
  postMessage (job: FileJob) { this.jobs.push(job) }
  terminate () { this.isTerminated = true }

  tell (answer: FileAnswer) { this.emit('message', answer) }

  answer (path: string, answer: FileAnswer) {
    const { id } = this.jobs.find(job => job.path === path)!
    this.tell({ id, isOver: true, ...answer })
  }

  die (reason: Error) { this.emit('exit', reason) }
}

const { FileProcess } =
  await mockImport<typeof Module>(import.meta.resolve('../../../example/scan/file-process.ts'), {
    './child-worker.ts': { ChildWorker: FakeWorker }
  })

const tooMuch = new Error('too much')

function make (t: Test) {
  FakeWorker.made = []
  const looks: (() => void)[] = []
  t.intercept(globalThis, 'setInterval', { value: (look: () => void) => { looks.push(look); return { unref () {} } } })
  const ends: (() => void)[] = []
  t.intercept(globalThis, 'setTimeout', { value: (end: () => void) => { ends.push(end); return { unref () {} } } })
  const files = new FileProcess(new URL('file:///worker'), () => {})
  const told: string[] = []
  const tasks = new Map<string, AwaitedTask>()
  const add = (...paths: string[]) => {
    for (const path of paths) {
      const task = new AwaitedTask({ task: 'tags', root: '/', path }, outcome => {
        told.push(`${path}: ${outcome instanceof Error ? `${outcome.constructor.name} ${outcome.message}` : outcome.value}`)
      }, () => told.push(`${path} ends`))
      tasks.set(path, task)
      files.add(task)
    }
  }
  const look = (times: number, tell = (_worker: FakeWorker) => {}) => {
    for (let time = 0; time < times; time++) {
      tell(FakeWorker.made.at(-1)!)
      looks.at(-1)!()
    }
  }
  return { files, told, add, tasks, look, ends, worker: () => FakeWorker.made.at(-1)! }
}

t.test('a worker is started by the first task, and ended some time after the last one', t => {
  const { files, told, add, ends, worker } = make(t)
  t.notOk(files.isRunning)
  t.equal(files.room, 4)
  add('a')
  t.ok(files.isRunning)
  t.equal(files.room, 3)
  t.ok(worker().isHolding)
  worker().tell({})
  worker().answer('a', { value: 1 })
  t.same(told, ['a: 1', 'a ends'])
  t.notOk(worker().isHolding, 'the process may end')
  ends.at(-1)!()
  t.ok(worker().isTerminated)
  t.notOk(files.isRunning)
  t.end()
})

t.test('a file that takes the memory is refused; those beside it are read again, each by itself', t => {
  const { files, told, add, worker } = make(t)
  add('a', 'bad', 'b')
  worker().tell({})
  worker().die(tooMuch)
  t.same(told, [])
  t.equal(files.room, 0, 'nothing else is read meanwhile')
  t.same(worker().jobs.map(({ path }) => path), ['a'])
  worker().tell({})
  worker().answer('a', { value: 1 })
  worker().die(tooMuch)
  t.same(told, ['a: 1', 'a ends', 'bad: Error too much', 'bad ends'])
  t.same(worker().jobs.map(({ path }) => path), ['b'])
  worker().answer('b', { value: 2 })
  t.same(told.slice(4), ['b: 2', 'b ends'])
  t.equal(files.room, 4)
  t.end()
})

t.test('a file that ends its worker in any way is refused', t => {
  const { told, add, worker } = make(t)
  add('a')
  worker().tell({})
  worker().die(new Error('odd'))
  t.same(told, ['a: Error odd', 'a ends'])
  t.end()
})

t.test('a worker that does not start refuses nothing', t => {
  const { told, add, worker } = make(t)
  add('a', 'b')
  worker().die(new Error('no process'))
  t.same(told, ['a: AwayError no process', 'a ends', 'b: AwayError no process', 'b ends'])
  t.end()
})

t.test('files whose worker somebody ends are tried in another scan', t => {
  const { told, add, worker } = make(t)
  add('a', 'b')
  worker().tell({})
  worker().die(new AwayError('killed'))
  t.same(told, ['a: AwayError killed', 'a ends', 'b: AwayError killed', 'b ends'])
  t.end()
})

t.test('a file whose worker computes and tells nothing is refused', t => {
  const { told, add, look, worker } = make(t)
  add('a')
  worker().tell({})
  const first = worker()
  look(19)
  t.same(told, [])
  look(1)
  t.same(told, ['a: Error It takes more than 20 seconds to work on it', 'a ends'])
  t.ok(first.isTerminated)
  add('b')
  worker().tell({})
  first.tell({ id: 1, value: 'late', isOver: true })
  first.die(new Error('killed'))
  worker().answer('b', { value: 1 })
  t.same(told.slice(2), ['b: 1', 'b ends'])
  t.end()
})

t.test('a file that waits for its disk is not refused; it keeps its place until the system answers', t => {
  const { files, told, add, look, worker } = make(t)
  add('a', 'b')
  worker().tell({})
  look(40, worker => worker.tell({}))
  worker().answer('a', { error: { message: 'late', mayRecover: true }, isOver: false })
  t.same(told, ['a: AwayError late'])
  t.equal(files.room, 2)
  worker().answer('b', { value: 1 })
  look(100, worker => worker.tell({}))
  worker().answer('a', { isOver: true })
  t.same(told, ['a: AwayError late', 'b: 1', 'b ends', 'a ends'])
  t.equal(files.room, 4)
  t.end()
})

t.test('an error of the file is told', t => {
  const { told, add, worker } = make(t)
  add('a')
  worker().answer('a', { error: { message: 'no audio', mayRecover: false } })
  t.same(told, ['a: Error no audio', 'a ends'])
  t.end()
})

t.test('a worker that runs and does not answer is given up, and its files are tried in another scan', t => {
  const { files, told, add, look, worker } = make(t)
  add('a', 'b')
  worker().tell({})
  look(60, worker => worker.tell({}))
  const late = 'AwayError It takes longer than 30 seconds to read it'
  t.same(told, [`a: ${late}`, `b: ${late}`, 'a ends', 'b ends'])
  t.notOk(files.isRunning)
  t.end()
})

t.test('a worker that nobody waits for is ended at once; one that somebody waits for is not', t => {
  const { files, told, add, tasks, worker } = make(t)
  const giveUp = (path: string) => {
    tasks.get(path)!.settle(new Error('given up'))
    files.leave(tasks.get(path)!)
  }
  add('a', 'b')
  worker().tell({})
  giveUp('a')
  t.notOk(worker().isTerminated)
  giveUp('b')
  t.ok(worker().isTerminated)
  t.same(told, ['a: Error given up', 'b: Error given up', 'a ends', 'b ends'])
  t.end()
})

t.test('a file that is to be read again and is given up is not', t => {
  const { files, told, add, tasks, worker } = make(t)
  add('a', 'b', 'c')
  worker().tell({})
  worker().die(tooMuch)
  tasks.get('b')!.settle(new Error('given up'))
  files.leave(tasks.get('b')!)
  worker().answer('a', { value: 1 })
  worker().answer('c', { value: 1 })
  t.same(told, ['b: Error given up', 'b ends', 'a: 1', 'a ends', 'c: 1', 'c ends'])
  t.end()
})
