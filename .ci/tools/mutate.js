// npm run mutate [-- room ...] [--concurrency 2] [--sample 100] [--seed 1] [--break 85] [--own]: changes the code of
// rooms of lib/, or of schemas/, one spot after the other, and says which changes no test notices. Without rooms it
// takes all of them, which needs hours; `--sample` takes about so many percent of the spots, which ones depends on the
// seed; `--own` asks the tests of the room alone. It fails when tests notice less than `--break` percent.

import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'

const { values, positionals } = parseArgs({
  options: {
    concurrency: { type: 'string', default: '2' },
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    break: { type: 'string', default: '85' },
    own: { type: 'boolean', default: false }
  },
  allowPositionals: true
})
const folders = readdirSync('lib', { withFileTypes: true }).filter(entry => entry.isDirectory()).map(({ name }) => name)
const rooms = positionals.length > 0 ? positionals : [...folders, 'lib', 'schemas']

/** The tests of a room, then those of the whole that it is a part of. They run in this order until one fails. */
const testsOf = room => [
  // The ones left out look at the text of the code, at its size, or send a process signals.
  `test/${room}/!(source-adapter|index|browser|interrupt).test.ts`,
  `test/${room}/*/**/*.test.ts`,
  ...values.own ? [] : testsOfTheWhole(room)
]

const testsOfTheWhole = room => [
  ...['reply', 'request', 'source'].includes(room)
    ? ['test/cache/{invalidation,http-caching,source-cache,in-flight-requests}.test.ts']
    : [],
  'test/{order-of-checks,wire-contract,index,host,token-matches,linear}.test.ts',
  'test/{contract,source,reply,request,routes}/!(source-adapter).test.ts'
]

function filesOf (room) {
  const isFlat = room === 'lib' || room === 'schemas'
  const folder = isFlat ? room : `lib/${room}`
  return readdirSync(folder, { recursive: !isFlat })
    .filter(file => file.endsWith('.ts') && !/^(browser|template)\//.test(file))
    .map(file => `${folder}/${file}`)
}

/** Number of lines that are drawn together. */
const linesOfPart = 15

/** The code of a room, or parts of it, as Stryker names them. */
function codeOf (room) {
  if (values.sample === '100') return filesOf(room)
  return filesOf(room).flatMap(file => {
    const lines = readFileSync(file, 'utf8').split('\n').length
    const starts = Array.from({ length: Math.ceil(lines / linesOfPart) }, (_, index) => index * linesOfPart + 1)
    return starts.map(start => `${file}:${start}-${start + linesOfPart - 1}`).filter(isDrawn)
  })
}

const isDrawn = part => parseInt(hash('sha256', values.seed + part).slice(0, 8), 16) / 2 ** 32 < values.sample / 100

for (const room of rooms) {
  const mutate = codeOf(room)
  // A small sample may have nothing of a small room.
  if (mutate.length === 0) continue
  await new Stryker({
    mutate,
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
    dryRunTimeoutMinutes: 15,
    // A running source has its socket in data.
    ignorePatterns: ['/data', '/dist', '/.tap', '/reports'],
    tempDirName: '.stryker',
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: `reports/mutation/${room}.json` },
    thresholds: { high: 95, low: 85, break: Number(values.break) }
  }).runMutationTest()
}
