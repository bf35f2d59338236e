// Puts what the example loads at every start into few files: to find and open a thousand takes half of a start. The
// other files of dist/example stay beside them.

import { build } from 'esbuild'

/** These find files of their own beside them, are rarely needed, or have to be the same ones for everybody. */
const external = [
  'fastify', 'sharp', 'node-sqlite3-wasm', 'pg', 'ioredis', 'prom-client', '@fastify/swagger', '@fastify/swagger-ui'
]

await build({
  entryPoints: {
    app: 'dist/example/app.js',
    account: 'dist/example/account.js',
    // Found beside the code that starts it.
    'file-worker': 'dist/example/scan/file-worker.js'
  },
  outdir: 'dist/example',
  // Beside the entries.
  chunkNames: '[name]-[hash]',
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  // For packages that are no ES modules.
  banner: {
    js: 'import { createRequire as requireFor } from \'node:module\'; const require = requireFor(import.meta.url)'
  },
  logLevel: 'warning'
})
