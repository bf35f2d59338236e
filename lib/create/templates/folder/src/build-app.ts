import fastifyStatic from '@fastify/static'
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { createSigner, withoutQueries, type SignedQuery } from 'fastify-source-origin/media'
import serveSource, { type StartSettings } from 'fastify-source-origin/serve'
import { resolve } from 'node:path'
import { createAdapter } from './adapter.ts'
import { readMusic } from './read-music.ts'

/** The server, which does not listen yet. It reads the folder once: start it again after a change. */
export async function buildApp (
  { token, secret, publicUrl }: StartSettings, options: FastifyServerOptions = {}
): Promise<FastifyInstance> {
  const folder = resolve(process.env.MUSIC_DIR ?? 'music')
  const songs = await readMusic(folder)
  // Subsonic apps send long URLs; proxies keep a connection for up to two minutes.
  const app = fastify({ ...options, keepAliveTimeout: 130_000, http: { maxHeaderSize: 262_144 } })
  withoutQueries(app)

  // Players send no token, so the URL of a song is signed, and valid for six hours.
  const signer = createSigner({ keys: [Buffer.from(secret)], ttl: 6 * 3600 })
  await app.register(fastifyStatic, { root: folder, serve: false })
  app.get<{ Params: { id: string }, Querystring: SignedQuery }>('/audio/:id', async (request, reply) => {
    const { params: { id }, query } = request
    signer.check(`/audio/${id}`, query)
    return reply.sendFile(songs.get(id)?.file ?? '')
  })

  await app.register(serveSource, {
    title: 'my-source',
    accounts: createAccounts({ store: memoryAccountStore(), tokens: { owner: token } }),
    adapter: ({ baseUrl }) => createAdapter(songs, ({ track }) => baseUrl + signer.sign(`/audio/${track.id}`)),
    publicUrl
  })
  return app
}
