import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { TimedCall } from '../../lib/async/timed-call.ts'

for (const isShared of [false, true]) {
  t.test(`the signal of a call that is ${isShared ? '' : 'not '}shared is ${isShared ? 'not ' : ''}aborted when its client leaves`, async t => {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    const call = new TimedCall(response, 1000)
    if (isShared) call.share()
    const { signal } = call
    t.equal(signal.aborted, false)
    response.emit('close')
    t.equal(signal.aborted, !isShared)
  })
}
