// Start-up in a process of its own: `start-up.js ours | bare` prints the milliseconds of the import and from there to
// `ready()`. Bare is Fastify with as many plain routes and native serializers.

const kind = process.argv[2]
const started = performance.now()
const { default: fastify } = await import('fastify')
const sdk = kind === 'ours' ? await import('fastify-source-origin') : undefined
const imported = performance.now()

const app = fastify()
if (sdk) await app.register(sdk.default, { resolveContext: () => null })
else {
  app.setSerializerCompiler(() => JSON.stringify)
  const { operations } = await import('../../dist/lib/contract/operations.js')
  for (const { method, path } of operations) {
    app.route({ method, url: path, handler: async () => ({ code: 200, data: null }) })
  }
  for (const path of ['/status', '/openapi.json', '/v1/status', '/v1/track/fm', '/v1/track/lyric']) {
    app.get(path, async () => ({}))
  }
}
await app.ready()
process.stdout.write(JSON.stringify({ imports: imported - started, ready: performance.now() - imported }))
