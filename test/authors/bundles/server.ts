import fastify from 'fastify'
import type { SourceAdapter } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createLibrary } from 'fastify-source-origin/library'
import serveSource, { serverOptions } from 'fastify-source-origin/serve'

const artists = [{ id: 'ada', name: 'Ada' }]
const album = { id: 'dawn', name: 'Dawn', artistName: 'Ada', coverUrl: '' }
const tracks = [{ id: '1', title: 'One', artists, album, durationMs: 1000 }]
const adapter: SourceAdapter = {
  library: createLibrary({ artists, albums: [album], tracks }), getTopArtists: () => artists
}

export async function start () {
  const app = fastify(serverOptions)
  const cache = createSourceCache({ scope: 'public' })
  await app.register(serveSource, { resolveContext: () => ({ adapter }), cache })
  return app
}
