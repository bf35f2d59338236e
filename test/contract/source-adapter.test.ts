import { readFile, writeFile } from 'node:fs/promises'
import t from 'tap'
import { declareSourceAdapter } from './declare-source-adapter.ts'
import { describeData } from './describe-data.ts'

const file = new URL('../../lib/contract/source-adapter.ts', import.meta.url)
const page = new URL('../../docs/reference/data.md', import.meta.url)

// `npm run generate` sets it.
if (process.env.GENERATE) await Promise.all([writeFile(file, declareSourceAdapter()), writeFile(page, describeData())])

t.test('the declared methods are those of the table and the schemas: otherwise run "npm run generate"', async t => {
  t.equal(await readFile(file, 'utf8'), declareSourceAdapter())
})

t.test('docs/reference/data.md says what the schemas say: otherwise run "npm run generate"', async t => {
  t.equal(await readFile(page, 'utf8'), describeData())
})
