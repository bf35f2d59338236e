// npm run mutate [-- room ...] [--concurrency 2]: changes the code of rooms of lib/, or of schemas/, one spot after the
// other, and says which changes no test notices. Without rooms it takes all of them, which needs hours.

import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'

const { values, positionals } = parseArgs({
  options: { concurrency: { type: 'string', default: '2' } }, allowPositionals: true
})
const folders = readdirSync('lib', { withFileTypes: true }).filter(entry => entry.isDirectory()).map(({ name }) => name)
const rooms = positionals.length > 0 ? positionals : [...folders, 'lib', 'schemas']

/** The tests of a room, and those of the whole that it is a part of. They run in this order until one fails. */
const testsOf = room => [
  // The ones left out look at the text of the code, or at its size.
  `test/${room}/!(source-adapter|index|browser).test.ts`,
  `test/${room}/*/**/*.test.ts`,
  'test/{order-of-checks,wire-contract,index,host,token-matches,check-options,linear}.test.ts',
  'test/{contract,reply,request,routes}/!(source-adapter).test.ts'
]

const codeOf = room => room === 'lib' ? 'lib/*.ts' : room === 'schemas' ? 'schemas/*.ts' : `lib/${room}/**/*.ts`

for (const room of rooms) {
  await new Stryker({
    mutate: [codeOf(room), '!lib/page/browser/**', '!lib/create/template/**'],
    testRunner: 'tap',
    tap: {
      testFiles: testsOf(room),
      nodeArgs: [
        '--conditions=source-origin-dev', '--import=./test/strip-types.js', '-r', '{{hookFile}}', '{{testFile}}'
      ]
    },
    coverageAnalysis: 'perTest',
    concurrency: Number(values.concurrency),
    // Other work on the machine must not look like an endless loop.
    timeoutMS: 30_000,
    ignorePatterns: ['/dist', '/.tap', '/reports'],
    tempDirName: '.stryker',
    reporters: ['clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: `reports/mutation/${room}.json` },
    thresholds: { high: 95, low: 85, break: 85 }
  }).runMutationTest()
}
