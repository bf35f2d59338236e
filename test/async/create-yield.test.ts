import t from 'tap'
import { createYield } from 'fastify-source-origin'
import { countTurns } from '../count-turns.ts'
import { replace } from '../replace.ts'

t.test('others have their turn when work takes long, and not before', async t => {
  let now = 0
  replace(t, performance, 'now', () => now)
  const pause = createYield()
  const { turns } = await countTurns(async () => {
    for (let step = 0; step < 100; step++) await pause()
  })
  t.equal(turns, 0)
  const { turns: ofLong } = await countTurns(async () => {
    for (let step = 0; step < 100; step++) {
      now++
      await pause()
    }
  })
  t.equal(ofLong, 10)
})

t.test('work ends with its signal, after a turn in which that can come', async t => {
  let now = 0
  replace(t, performance, 'now', () => now)
  const controller = new AbortController()
  const pause = createYield(controller.signal)
  await pause()
  now = 10
  const pausing = pause()
  controller.abort(new Error('gone'))
  await t.rejects(async () => pausing, { message: 'gone' })
  await t.rejects(async () => pause(), { message: 'gone' })
})
