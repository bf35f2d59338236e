import t from 'tap'
import { operations } from 'fastify-source-origin'
import { operationOf } from '../../lib/contract/operations.ts'

t.test('every operation is found by its adapter method', async t => {
  for (const operation of operations) t.equal(operationOf(operation.adapterMethod), operation)
})
