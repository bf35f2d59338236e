// Runs the projects of authors in this folder with the packed package: one installation, and no file of this project
// besides the tarball.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const projects = ['archive', 'house', 'nest', 'bundles', 'apps']
const work = mkdtempSync(join(tmpdir(), 'authors-'))
const run = (cwd, command, ...args) => execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })

try {
  cpSync('test/authors', work, { recursive: true })
  // Packs what has been built.
  const packed = String(run('.', 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', work))
  run(work, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', packed.trim().split('\n').at(-1))
  // The library of the archive is the one over SQL of the documents, without its rows.
  const document = readFileSync(join(work, 'node_modules/fastify-source-origin/docs/reference/library.md'), 'utf8')
  const [block] = document.split('```js\n').find(part => part.includes('CREATE TABLE')).split('```')
  const lines = block.split('\n').filter(line => !/^(?:add|console)\b/.test(line))
  writeFileSync(join(work, 'archive/library.mjs'), [...lines, 'export { add, database, library }', ''].join('\n'))
  for (const project of projects) {
    const test = join(work, project, 'test.mjs')
    process.stdout.write(run(work, process.execPath, '--test', '--test-reporter=spec', test))
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
