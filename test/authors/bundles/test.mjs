import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const cwd = fileURLToPath(new URL('.', import.meta.url))
const npx = async (...args) => promisify(execFile)('npx', args, { cwd, maxBuffer: 1e8 })
  .catch(error => { throw new Error(`${error.stdout}${error.stderr}`) })
/** Optional packages that this server does not use. */
const external = ['sharp', 'ioredis', 'kysely', 'prom-client', '@fastify/*']

const bundlers = {
  esbuild: () => build({
    entryPoints: [`${cwd}server.ts`],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: `${cwd}out/esbuild.mjs`,
    external,
    // CommonJS packages in an ES module use require.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url)' }
  }),
  // It leaves out what the package.json of its folder names.
  tsup: () => npx('tsup', 'server.ts', '--format', 'esm', '--out-dir', 'out/tsup', '--silent'),
  vite: () => npx('vite', 'build', '--ssr', 'server.ts', '--outDir', 'out/vite', '--logLevel', 'error')
}
const outputs = { esbuild: 'out/esbuild.mjs', tsup: 'out/tsup/server.js', vite: 'out/vite/server.js' }

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`a server bundled by ${name} serves the API, apps and the page`, async () => {
    await bundle()
    const { start } = await import(`./${outputs[name]}`)
    const app = await start()
    assert.equal((await app.inject('/v1/artist/top')).json().data[0].name, 'Ada')
    assert.equal((await app.inject('/rest/ping?f=json')).json()['subsonic-response'].type.length > 0, true)
    assert.equal((await app.inject('/')).statusCode, 200)
    await app.close()
  })
}

test('vitest runs the tests of a source', () => npx('vitest', 'run', '--reporter', 'dot'))
