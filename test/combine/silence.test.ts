import t from 'tap'
import { fakeTime } from '../fake-time.ts'
import { held, settled } from '../helper.ts'
import { combined, sourceOf, trackOf } from './helper.ts'

const one = { getNewTracks: () => [trackOf('1')] }

t.test('a source that hangs is waited for once, until it answers that', async t => {
  const time = fakeTime(t)
  const calls: ReturnType<typeof held>[] = []
  const hanging = { getNewTracks: () => { calls.push(held()); return calls.at(-1)!.method() } }
  /** A combination as each request makes one. */
  const lists = (account: string | undefined) =>
    combined([sourceOf('a', one, { account: 'x' }), sourceOf('b', hanging, { account })]).getNewTracks()
  const passing = async (asked: Promise<unknown[]>) => {
    const began = time.now()
    await time.passUntil(asked)
    t.equal((await asked).length, 1)
    return time.now() - began
  }
  t.equal(await passing(lists('hangs')), 3000)
  t.equal(await passing(lists('hangs')), 0)
  t.equal(await passing(lists('other')), 3000, 'another account is another source')
  t.equal(calls.length, 2)

  calls[0]!.answer.resolve([trackOf('2')])
  await settled()
  t.equal(await passing(lists('hangs')), 3000, 'it answers again')
  calls[2]!.answer.reject(new Error('away'))
  await settled()
  t.equal(await passing(lists('hangs')), 3000, 'whatever it answers')
  time.advance(30_001)
  t.equal(await passing(lists('hangs')), 3000, 'what never answers is asked again after 30 s')

  t.equal(await passing(lists(undefined)), 3000)
  t.equal(await passing(lists(undefined)), 3000, 'without an account nothing is known of it')
})
