import { expect, test } from 'vitest'
import { start } from './server.ts'

test('vitest runs a source', async () => {
  const app = await start()
  expect((await app.inject('/v1/artist/top')).json().data).toEqual([{ id: 'ada', name: 'Ada' }])
  await app.close()
})
