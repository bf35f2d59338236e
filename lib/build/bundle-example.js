// Bundles the modules that the example loads at every start into a few files. Finding and opening a thousand files
// takes half of the start time. The other files of dist/example stay beside the bundles.

import { build } from 'esbuild'

/** Packages that read files beside their code, are rarely needed, or must be loaded only once in a process. */
const external = [
  'fastify', 'sharp', 'node-sqlite3-wasm', 'pg', 'ioredis', 'prom-client', '@fastify/swagger', '@fastify/swagger-ui'
]

await build({
  entryPoints: {
    app: 'dist/example/app.js',
    account: 'dist/example/account.js',
    // The code that starts the worker looks for this file in its own folder.
    'file-worker': 'dist/example/scan/file-worker.js'
  },
  outdir: 'dist/example',
  // The chunks are written beside the entry points.
  chunkNames: '[name]-[hash]',
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  // CommonJS packages need `require`.
  banner: {
    js: 'import { createRequire as requireFor } from \'node:module\'; const require = requireFor(import.meta.url)'
  },
  logLevel: 'warning'
})
