// node lib/build/build.js [--changed]: writes dist/ and openapi.json. With `--changed`, it does so only if a source
// file, a setting or a dependency has changed since the last build. `npm run types` checks the types.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const stamp = 'dist/built'
const inputs = ['lib', 'schemas', 'example', 'package.json', 'package-lock.json', 'tsconfig.json']

/** Returns a hash of the names and contents of all files that a build reads. */
function hashInputs () {
  const hash = createHash('sha256')
  const add = path => {
    if (!statSync(path).isDirectory()) return hash.update(`${path}\0`).update(readFileSync(path))
    for (const name of readdirSync(path).sort()) if (name !== 'node_modules' && name !== 'music') add(join(path, name))
  }
  for (const path of inputs) if (existsSync(path)) add(path)
  return hash.digest('hex')
}

const wasBuilt = () => existsSync(stamp) && existsSync('openapi.json') && readFileSync(stamp, 'utf8') === hashInputs()

if (!process.argv.includes('--changed') || !wasBuilt()) {
  rmSync('dist', { recursive: true, force: true })
  const built = hashInputs()
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--noCheck'], { stdio: 'inherit' })
  await import('./declare-types.js')
  await import('./declare-require.js')
  await import('../page/write-assets.js')
  await import('./bundle-example.js')
  cpSync('lib/create/templates', 'dist/lib/create/templates', { recursive: true })
  const { openApiDocument } = await import('fastify-source-origin')
  writeFileSync('openapi.json', JSON.stringify(await openApiDocument(), null, 2) + '\n')
  writeFileSync(stamp, built)
}
