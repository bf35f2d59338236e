import type { FastifyInstance } from 'fastify'
import sourceOrigin, { tokenMatches } from 'fastify-source-origin'
import { createSigner, mediaProxy, withoutQueries, type MediaUrl } from 'fastify-source-origin/media'
import { requestOrigin } from 'fastify-source-origin/serve'
import { createSubsonicAdapter, createSubsonicClient } from 'fastify-source-origin/subsonic/client'
import { randomBytes } from 'node:crypto'

/**
 * A Subsonic server as a source, started by fastify-cli: `fastify start dist/example/subsonic/app.js`.
 *
 * Settings: SUBSONIC_URL, SUBSONIC_USER, SUBSONIC_PASSWORD, SOURCE_API_TOKEN; PUBLIC_URL where the address that clients
 * use is another
 */
export default async function app (app: FastifyInstance, _options: object): Promise<void> {
  const { SOURCE_API_TOKEN, PUBLIC_URL = '' } = process.env
  const { SUBSONIC_URL: url = '', SUBSONIC_USER: username = '', SUBSONIC_PASSWORD: password = '' } = process.env
  withoutQueries(app)
  const client = createSubsonicClient({ url, username, password })
  app.addHook('onClose', () => client.close())
  // Another key at each start: clients ask again for URLs that no longer work.
  const signer = createSigner({ keys: [randomBytes(32)], ttl: 21_600_000 })
  await app.register(mediaProxy, { signer, kinds: client.mediaKinds })

  await app.register(sourceOrigin, {
    resolveContext ({ authorization, request, signal }) {
      if (!tokenMatches(authorization, SOURCE_API_TOKEN)) return null
      // Blank in a copy of .env.example, where that is not set.
      const baseUrl = PUBLIC_URL.trim().replace(/\/$/, '') || requestOrigin(request)
      const media: MediaUrl = (...media) => baseUrl + app.mediaUrl(...media)
      return {
        adapter: createSubsonicAdapter(client, { media, signal, log: request.log }),
        stateless: false,
        qualityMap: client.qualityMap,
        playlistSortOptions: client.playlistSortOptions,
        account: client.account,
        varyBy: baseUrl
      }
    }
  })
}
