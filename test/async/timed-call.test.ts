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

for (const settle of ['gives', 'throws'] as const) {
  t.test(`what a function ${settle} after the time limit is ignored`, async t => {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    const ends: { gives?: (value: string) => void, throws?: (error: Error) => void } = {}
    const late = new Promise((resolve, reject) => Object.assign(ends, { gives: resolve, throws: reject }))
    const told: unknown[] = []
    await new Promise<void>(resolve => new TimedCall(response, 1).run(() => late, value => told.push(value), error => {
      told.push(error.name)
      resolve()
    }))
    if (settle === 'gives') ends.gives!('late')
    else ends.throws!(new Error('late'))
    await late.catch(() => {})
    t.same(told, ['TimeoutError'])
  })
}
