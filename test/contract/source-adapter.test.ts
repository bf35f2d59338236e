import { readFile, writeFile } from 'node:fs/promises'
import t from 'tap'
import { declareSourceAdapter } from './declare-source-adapter.ts'

const file = new URL('../../lib/contract/source-adapter.ts', import.meta.url)

// `npm run generate` sets it.
if (process.env.GENERATE) await writeFile(file, declareSourceAdapter())

t.test('the declared methods are those of the table and the schemas: otherwise run "npm run generate"', async t => {
  t.equal(await readFile(file, 'utf8'), declareSourceAdapter())
})
