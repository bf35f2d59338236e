import { EventEmitter } from 'node:events'
import t from 'tap'
import { clientSignal } from '../../lib/async/client-signal.ts'

const responseThat = (destroyed: boolean) => Object.assign(new EventEmitter(), { destroyed })

t.test('the signal is aborted when the response closes, not before', async t => {
  const response = responseThat(false)
  const signal = clientSignal(response)
  t.equal(signal.aborted, false)
  response.emit('close')
  t.match(signal.reason, { message: 'The client hung up' })
})

t.test('the signal of a client that has left already is aborted', async t => {
  t.equal(clientSignal(responseThat(true)).aborted, true)
})
