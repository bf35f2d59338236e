import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'
import * as client from 'fastify-source-origin/client'
import * as plugin from 'fastify-source-origin'

const bundled = await build({
  stdin: { contents: "export * from 'fastify-source-origin/client'", resolveDir: import.meta.dirname },
  conditions: ['source-origin-dev'],
  platform: 'browser',
  format: 'esm',
  bundle: true,
  minify: true,
  write: false,
  metafile: true
})

t.test('the bundle for browsers holds files of the client and a few that need nothing of Node only', async t => {
  const inputs = Object.keys(bundled.metafile.inputs).filter(name => name !== '<stdin>')
  t.strictSame(inputs.filter(name => !/^lib\/client\/[\w-]+\.ts$/.test(name)).sort(), [
    'lib/async/handled.ts',
    'lib/async/longest-timeout.ts',
    'lib/async/read-up-to.ts',
    'lib/async/with-timeout.ts',
    'lib/contract/capabilities.ts',
    'lib/contract/errors.ts',
    'lib/contract/operations.ts',
    'lib/contract/partial.ts',
    'lib/contract/path-header.ts',
    'lib/errors/author-errors.ts',
    'lib/errors/retry-after.ts',
    'lib/errors/source-failure.ts',
    'lib/errors/upstream-status.ts',
    'lib/text/is-http-url.ts'
  ])
  t.ok(inputs.includes('lib/client/send-request.ts'))
})

t.test('the bundle is under 5 kB, minified and gzipped', async t => {
  const { length } = gzipSync(bundled.outputFiles[0]!.contents)
  t.comment(`${length} bytes`)
  t.ok(length < 5000, `${length} bytes`)
})

t.test('the bundle names no global that browsers do not have', async t => {
  t.notMatch(bundled.outputFiles[0]!.text, /\b(process|Buffer|require|global)\b/)
})

t.test('require and import lead to the same module, which needs no await to load', async t => {
  const require = createRequire(import.meta.url)
  t.equal(pathToFileURL(require.resolve('fastify-source-origin/client')).href, import.meta.resolve(
    'fastify-source-origin/client'
  ))
  const file = t.testdir({ 'client.mjs': bundled.outputFiles[0]!.text }) + '/client.mjs'
  const { stdout } = await promisify(execFile)(
    process.execPath, ['--print', `Object.keys(require(${JSON.stringify(file)})).length`], { env: {} }
  )
  t.equal(Number(stdout), Object.keys(client).length)
})

t.test('what it exports', async t => {
  t.strictSame(Object.keys(client).sort(), [
    'BadRequestError', 'NotFoundError', 'RateLimitedError', 'SourceError', 'TimeoutError', 'UnauthorizedError',
    'UnplayableError',
    'UnsupportedFeatureError', 'UpstreamError', 'capabilities', 'createSourceClient', 'errors', 'operations'
  ])
  for (const [name, value] of Object.entries(client)) {
    if (name !== 'createSourceClient') t.equal(value, (plugin as Record<string, unknown>)[name], name)
  }
})
