import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import serveSource, { serverOptions, type StartSettings } from 'fastify-source-origin/serve'
import { resolve } from 'node:path'
import { createAdapter } from './adapter.ts'
import { readMusic } from './read-music.ts'

/** The server, which does not listen yet. It reads the folder once: start it again after a change. */
export async function buildApp (
  { token, secret, publicUrl }: StartSettings, options: FastifyServerOptions = {}
): Promise<FastifyInstance> {
  const folder = resolve(process.env.MUSIC_DIR ?? 'music')
  const songs = await readMusic(folder)
  // Addresses of proxies whose word of who calls is believed. Without them all clients of a proxy are one.
  const app = fastify({ trustProxy: process.env.TRUST_PROXY || false, ...serverOptions, ...options })
  await app.register(serveSource, {
    title: 'my-source',
    accounts: createAccounts({ store: memoryAccountStore(), tokens: { owner: token } }),
    adapter: ({ mediaUrl }) =>
      createAdapter(songs, ({ track: { id }, format }) => mediaUrl('audio', { id }, { extension: format })),
    publicUrl,
    withoutQueries: true,
    shutdown: {},
    // Limits of requests, connections and wrong tokens, compression, and headers for browsers.
    protection: {},
    // Players send no token, so the URL of a song is signed, and valid for six hours.
    media: {
      keys: [Buffer.from(secret)],
      kinds: { audio: { root: folder, file: ({ id = '' }) => songs.get(id)?.file } }
    }
  })
  return app
}
