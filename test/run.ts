// npm test [-- what tap takes]: runs the tests. Those whose service is not installed are skipped and told of at the
// end, and coverage is shown and not required then. With CI=true nothing is skipped.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandFor, isMissing, maySkip, reasonFor, serviceNames } from './services.ts'

const results = '.tap/test-results'

function tap (...args: string[]): number {
  const { status, error } = spawnSync('tap', args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (error !== undefined) throw error
  return status ?? 1
}

function countSkipped (reason: string): number {
  const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.tap'))
  const texts = files.map(file => readFileSync(join(results, file), 'utf8'))
  return texts.reduce((count, text) => count + text.split(` # SKIP ${reason}\n`).length - 1, 0)
}

const missing = maySkip() ? serviceNames.filter(isMissing) : []
// In its first run tap has the plugins of its own, whatever package.json says: this one would compile the tests.
const signature =
  spawnSync(process.execPath, ['--eval', "import('tap').then(({ t }) => console.error(t.pluginSignature))"])
if (signature.stderr.includes('@tapjs/typescript')) tap('build')
process.exitCode = tap(...(missing.length === 0 ? [] : ['--allow-incomplete-coverage']), ...process.argv.slice(2))

for (const name of missing) {
  const count = countSkipped(reasonFor(name))
  if (count > 0) {
    console.log(`${reasonFor(name)}: ${count} tests were skipped. On Debian this installs it: ${commandFor(name)}`)
  }
}
