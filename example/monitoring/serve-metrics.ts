import type { FastifyInstance } from 'fastify'
import { SourceError, tokenMatches, UnauthorizedError } from 'fastify-source-origin'
import type { SourceCache } from 'fastify-source-origin/cache'
import { createMetrics, type MetricsOptions } from 'fastify-source-origin/metrics'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MusicFolder } from '../index/music-folder.ts'
import type { Settings } from '../start/settings.ts'
import { StartError } from '../start/start-error.ts'

/**
 * Serves metrics at `/metrics` with a token (`METRICS_TOKEN`), at a separate address (`METRICS_ADDRESS`), or both.
 *
 * @throws StartError if the server cannot listen at the address
 */
export async function serveMetrics (
  app: FastifyInstance, { METRICS_TOKEN: token, METRICS_ADDRESS: address }: Settings,
  { cache, folder, checks }: { cache: SourceCache, folder: MusicFolder } & Pick<MetricsOptions, 'checks'>
): Promise<void> {
  if (token === '' && address === '') return
  const { default: { Registry } } = await import('prom-client')
  const { countFolder } = await import('./count-folder.ts')
  const registry = new Registry()
  const metrics = await createMetrics({ registry, cache, library: () => countItems(folder), checks })
  const endCounting = countFolder(registry)
  app.addHook('onClose', async () => {
    metrics.close()
    endCounting()
  })

  /** Returns the metrics; `undefined` after a failure, whose reason is only logged. */
  const read = () => metrics.text().catch((error: unknown) => {
    app.log.error({ err: error }, 'metrics failed')
    return undefined
  })

  if (token !== '') {
    app.get('/metrics', { logLevel: 'warn', config: { shedLoad: false } }, async (request, reply) => {
      const { authorization } = request.headers
      const isRight = authorization !== undefined &&
        await app.loginLimiter!.check(
          request, authorization, () => tokenMatches(authorization, `Bearer ${token}`) || null
        )
      if (!isRight) throw new UnauthorizedError()
      const text = await read()
      if (text === undefined) throw new SourceError(500, 'Metrics are not available')
      return reply.type(metrics.contentType).send(text)
    })
  }
  if (address === '') return
  const server = createServer(async ({ url }, response) => {
    if (url !== '/metrics') return response.writeHead(404).end()
    const text = await read()
    response.writeHead(text === undefined ? 500 : 200, { 'content-type': metrics.contentType }).end(text)
  })
  const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(address)!
  server.listen({ host, port: Number(port) })
  await once(server, 'listening').catch(({ message }) => {
    throw new StartError(`METRICS_ADDRESS must be free, and an address of this machine: ${message}`)
  })
  app.log.info({ port: (server.address() as AddressInfo).port }, 'metrics server started')
  app.addHook('onClose', () => {
    server.closeAllConnections()
    server.close()
  })
}

function countItems ({ catalogue: { tracks, albums, artists } }: MusicFolder) {
  return { tracks: tracks.size, albums: albums.size, artists: artists.size }
}
