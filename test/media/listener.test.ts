import t from 'tap'
import { Listener } from '../../lib/media/transcode/listener.ts'
import { fakeTime } from '../fake-time.ts'

t.test('a client that waits for its first byte is not idle, however long it waits', t => {
  const time = fakeTime(t)
  const listener = new Listener(async () => {}, false)
  time.advance(60_000)
  t.equal(listener.idle, 0)
  listener.take(1)
  time.advance(10_000)
  t.equal(listener.idle, 10_000)
  t.end()
})
