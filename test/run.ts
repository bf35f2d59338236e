// npm test [-- what tap takes]: runs the tests, several files in each process (see group.js). Those whose service is
// not installed are skipped and told of at the end; coverage would not be whole then, and is left out. With CI=true
// nothing is skipped. `--per-node` leaves out what another Node does not change.

import { spawnSync } from 'node:child_process'
import {
  chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync
} from 'node:fs'
import { join, posix, sep } from 'node:path'
import { runPlain } from './run-plain.ts'
import { commandFor, isMissing, maySkip, reasonFor, serviceNames } from './services.ts'

const results = '.tap/test-results'
const groups = '.tap/groups'
const filesOfGroup = 12

function tap (...args: string[]): number {
  const { status, error } = spawnSync('tap', args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (error !== undefined) throw error
  return status ?? 1
}

function countSkipped (reason: string): number {
  const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter(file => /\.test\.[jt]s\.tap$/.test(file))
  const texts = files.map(file => readFileSync(join(results, file), 'utf8'))
  return texts.reduce((count, text) => count + text.split(` # SKIP ${reason}\n`).length - 1, 0)
}

const isTest = (file: string) => file.endsWith('.test.ts')

/** Pages run in the browser; others look at documents, the shape of the code, or what it computes of given values. */
const sameOnEveryNode = new RegExp(`^test/(${[
  'page/', 'create/', 'contract/', 'options/', 'schemas/', 'text/', '(docs|imports).test', '(.+/)?linear',
  'check/(check|content|docs|faults|report)', 'request/create-operation', 'source/(?!unawaited)',
  'subsonic-server/(?!accounts|bare-answers|cover-size|login|media|requests)'
].join('|')})`)

/** What the folder's library computes: it is the same on every Node with `node:sqlite`, and the newest runs it. */
const sameWithOneDriver =
  /^test\/example\/(albums|browse|catalogue|extras|source\/folder-source|genre-lists|identity|incremental|lyrics|playlists|scan\/(?!file|wa))/
const [major] = process.versions.node.split('.')
const runsHere = (file: string) => !sameOnEveryNode.test(file) && !(major === '22' && sameWithOneDriver.test(file))

function testFiles (): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(isTest)
    .map(file => posix.join('test', ...file.split(sep))).sort()
}

/** Writes a file for each group of tests, which tap runs as one. */
function writeGroups (files: readonly string[]): string[] {
  rmSync(groups, { recursive: true, force: true })
  mkdirSync(groups, { recursive: true })
  const count = Math.ceil(files.length / filesOfGroup)
  return Array.from({ length: count }, (_, index) => {
    // Neighbours are alike, and the slow ones of a folder would all be in one group.
    const part = files.filter((_, at) => at % count === index)
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
const missing = maySkip() ? serviceNames.filter(isMissing) : []
// In its first run tap has the plugins of its own, whatever package.json says: this one would compile the tests.
const signature =
  spawnSync(process.execPath, ['--eval', "import('tap').then(({ t }) => console.error(t.pluginSignature))"])
if (signature.stderr.includes('@tapjs/typescript')) tap('build')
const perNode = '--per-node'
const isPerNode = process.argv.includes(perNode)
const args = process.argv.slice(2).filter(arg => arg !== perNode)
const named = args.filter(arg => !arg.startsWith('-'))
const all = named.length > 0 ? named : testFiles()
const grouped = all.filter(file => isTest(file) && (!isPerNode || runsHere(file)))
const others = all.filter(file => !isTest(file))
const files = all.length === 1 ? all : [...writeGroups(grouped), ...others]
console.log(`${grouped.length + others.length} files of tests; those that fail are shown`)
const options = args.filter(arg => arg.startsWith('-'))
const withoutCoverage = '--disable-coverage'
if (missing.length > 0 && !options.includes(withoutCoverage)) options.push(withoutCoverage)
if (options.join() === withoutCoverage) {
  process.exitCode = await runPlain(files, results) ? 0 : 1
} else {
  // The other reporters draw each assertion anew, which takes as long as many tests.
  const reporter = options.some(option => /^(-R|--reporter)/.test(option)) ? [] : ['--reporter=min']
  process.exitCode = tap(...reporter, ...options, ...files)
}
if (process.exitCode === 0) console.log('All tests have passed')
if (inMemory !== undefined) rmSync(inMemory, { recursive: true, force: true })

for (const name of missing) {
  const count = countSkipped(reasonFor(name))
  if (count > 0) {
    console.log(`${reasonFor(name)}: ${count} tests were skipped. On Debian this installs it: ${commandFor(name)}`)
  }
}
