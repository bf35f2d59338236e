// npm test [-- [--all] [--products] [--per-node] [file]...]: runs the tests, several files in each process (see
// group.js). Without files it runs each behaviour once, without browsers, services and coverage. The last lines report
// the skipped tests.
//
//   --all       adds the pages in a browser, services, the blocks of the documents, and the coverage, which has to be
//               100 %. Where a service is missing its tests are skipped, and so is the coverage; with CI=true they fail
//   --products  runs all of each product, instead of a fixed fifth
//   --per-node  runs only tests whose result can depend on the version of Node

import { spawnSync } from 'node:child_process'
import {
  chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { isCovered } from './coverage.ts'
import { canDiffer, needsBrowser, usesDatabase } from './per-node.ts'
import { runPlain } from './run-plain.ts'
import { commandFor, isSkipped, reasonFor, serviceNames, startsNone } from './services.ts'
import { slowTests } from './slow-tests.ts'

const results = '.tap/test-results'
const groups = '.tap/groups'
const filesOfGroup = 12
/** The maximum number of slow tests that are printed. */
const mostShown = 15

const { values: { all, products, 'per-node': isPerNode = false }, positionals: named } = readArgs()
const isQuick = !all && !isPerNode && named.length === 0
if (isQuick) process.env.TESTS = 'quick'
else if (products) process.env.TESTS = 'all'

function readArgs () {
  try {
    const read = parseArgs({
      allowPositionals: true,
      options: { all: { type: 'boolean' }, products: { type: 'boolean' }, 'per-node': { type: 'boolean' } }
    })
    const missing = read.positionals.find(file => !existsSync(file))
    if (missing !== undefined) throw new Error(`File not found: ${missing}`)
    return read
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm test -- [--all] [--products] [--per-node] [file]...`)
    return process.exit(2)
  }
}

function build (): void {
  // In its first run tap has the plugins of its own, whatever package.json says: this one would compile the tests.
  const signature =
    spawnSync(process.execPath, ['--eval', "import('tap').then(({ t }) => console.error(t.pluginSignature))"])
  if (!signature.stderr.includes('@tapjs/typescript')) return
  const { status, error } = spawnSync('tap', ['build'], { stdio: 'inherit', shell: process.platform === 'win32' })
  if (error !== undefined || status !== 0) throw error ?? new Error('tap build has failed')
}

function countSkipped (reason: string): number {
  const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter(file => /\.test\.[jt]s\.tap$/.test(file))
  const texts = files.map(file => readFileSync(join(results, file), 'utf8'))
  return texts.reduce((count, text) => count + text.split(` # SKIP ${reason}\n`).length - 1, 0)
}

const isTest = (file: string) => file.endsWith('.test.ts')
/** Its clock runs each timer of the process, also those that tests before it have left. */
const isAlone = (file: string) => file.startsWith('test/resilience/')
const [major] = process.versions.node.split('.')
/** Node 22 and later have the same database driver: the tests of databases run on the newest version only. */
const runsHere = (file: string) => canDiffer(file) || (major !== '22' && usesDatabase(file) && !needsBrowser(file))
const isLong = (file: string) => needsBrowser(file) || file === 'test/docs.test.ts'

function testFiles (): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(isTest)
    .map(file => posix.join('test', ...file.split(sep))).sort()
}

/** Writes a file for each group of tests, which runs as one. */
function writeGroups (files: readonly string[]): string[] {
  rmSync(groups, { recursive: true, force: true })
  mkdirSync(groups, { recursive: true })
  const count = Math.ceil(files.length / filesOfGroup)
  return Array.from({ length: count }, (_, index) => {
    // Neighbours are alike, and the slow ones of a folder would all be in one group.
    const part = files.filter((file, at) => at % count === index && !isAlone(file))
    const path = posix.join(groups, `${index + 1}.test.js`)
    writeFileSync(path, `import { runGroup } from '../../test/group.js'\n\nrunGroup(${JSON.stringify(part)})\n`)
    return path
  })
}

const shared = '/dev/shm'

/** A folder for temporary files in memory, where databases wait for no disk; containers may have too little of it. */
function memoryFolder (): string | undefined {
  if (process.env.TMPDIR || !existsSync(shared)) return undefined
  const { bavail, bsize } = statfsSync(shared)
  if (bavail * bsize < 2 ** 31) return undefined
  const folder = mkdtempSync(join(shared, 'tests-'))
  // PostgreSQL and others run as another user.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  // Ends the tests; then this goes on.
  process.on('SIGINT', () => {})
  return folder
}

const inMemory = memoryFolder()
build()
const found = named.length > 0 ? named : testFiles()
const left = found.filter(file => (isPerNode && !runsHere(file)) || (isQuick && isLong(file)))
const run = found.filter(file => !left.includes(file))
const own = run.filter(file => !isTest(file) || isAlone(file))
const files = own.length === run.length || run.length === 1 ? run : [...writeGroups(run.filter(isTest)), ...own]
console.log(`${run.length} files of tests; those that fail are shown`)
const skipped = serviceNames.filter(isSkipped)
const coverage = all && skipped.length === 0 ? mkdtempSync(join(tmpdir(), 'coverage-')) : undefined
const havePassed = await runPlain(files, results, coverage)
const areCovered = !havePassed || coverage === undefined || await isCovered(coverage)
process.exitCode = havePassed && areCovered ? 0 : 1
if (process.exitCode === 0) console.log('All tests have passed')
if (coverage !== undefined) rmSync(coverage, { recursive: true, force: true })
if (inMemory !== undefined) rmSync(inMemory, { recursive: true, force: true })

const slow = slowTests(results)
if (slow.length > 0) {
  console.log(`${slow.length} tests took more than a second; the slowest:\n${slow.slice(0, mostShown).join('\n')}`)
}
for (const name of skipped) {
  const count = countSkipped(reasonFor(name))
  const how = startsNone() ? '' : `. On Debian this installs it: ${commandFor(name)}`
  if (count > 0) console.log(`${reasonFor(name)}: ${count} tests were skipped${how}`)
}
if (isQuick) console.log(`${left.length} files of tests in a browser or of documents were skipped: npm test -- --all`)
