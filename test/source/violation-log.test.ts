import t, { type Test } from 'tap'
import { build, callOf, completeAdapter, dataOf, logged } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'
import { createViolationLog } from '../../lib/source/violation-log.ts'

const operation = operationOf('getTrackDetail')

/**
 * A production host that answers the given data one after another, then closes; gives the warnings before and after
 * that.
 */
async function serve (t: Test, answers: object[]) {
  const { lines, logger } = logged()
  const left = [...answers]
  const app = await build(
    t, { adapter: { ...completeAdapter().adapter, getTrackDetail: () => left.shift() }, validateResponses: false },
    { logger }
  )
  while (left.length > 0) t.equal((await app.inject(callOf(operation))).statusCode, 200)
  const warnings = () => lines.filter(({ level }) => level === 40)
  const before = warnings()
  await app.close()
  return { before, after: warnings().slice(before.length) }
}

const track = (more: object = {}) => ({ ...dataOf('getTrackDetail'), ...more })
const times = (count: number, answer: object) => Array.from({ length: count }, () => answer)

t.test('drift is logged once with operation and path, however often it comes', async t => {
  const { before } = await serve(t, times(12, track({ raw: 1 })))
  t.equal(before.length, 1)
  t.match(before[0], {
    operation: 'getTrackDetail', path: '/raw', msg: 'response repaired', reason: 'Track /raw Unexpected property'
  })
})

t.test('each path is logged', async t => {
  const { before } = await serve(t, [track({ raw: 1 }), track({ id: 7 }), track({ raw: 1 })])
  t.strictSame(before.map(({ path }) => path), ['/raw', '/id'])
})

t.test('the index in a list makes no other path', async t => {
  const artist = { id: '1', name: 'a' }
  const { before } =
    await serve(t, [track({ artists: [{ ...artist, raw: 1 }] }), track({ artists: [artist, { ...artist, raw: 1 }] })])
  t.strictSame(before.map(({ path }) => path), ['/artists/*/raw'])
})

t.test('an index of several digits, and one at the end, makes no other path either', async t => {
  const aliases = (index: number) => track({ aliases: Array.from({ length: 20 }, (_, at) => at === index ? 7 : 'a') })
  const { before } = await serve(t, [aliases(3), aliases(12)])
  t.strictSame(before.map(({ path }) => path), ['/aliases/*'])
})

t.test('how often a path was met is logged on close, if it was more than once', async t => {
  const { after } = await serve(t, [...times(3, track({ raw: 1 })), track({ id: 7 })])
  t.equal(after.length, 1)
  t.match(after[0], { operation: 'getTrackDetail', path: '/raw', count: 3 })
})

t.test('what keeps the contract is no drift', async t => {
  const { before, after } = await serve(t, times(2, track()))
  t.strictSame([before, after], [[], []])
})

t.test('any number of foreign names takes a bounded log and a bounded memory', async t => {
  const lines: [object, string][] = []
  const log = { warn: (record: object, message: string) => lines.push([record, message]) } as never
  const drifts = createViolationLog(log)
  for (let i = 0; i < 5000; i++) drifts.note('getTrackDetail', `/name${i}${'x'.repeat(1000)}`, 'drift')
  t.equal(lines.length, 1000)
  t.ok(lines.every(([record]) => JSON.stringify(record).length < 300))
  drifts.report()
  t.strictSame(lines.slice(1000), [[{ operation: 'others', path: '/', count: 4000 }, 'responses repaired']])
})
