import type { FastifyInstance, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { readUpTo } from '../async/read-up-to.ts'
import { signalOf } from '../async/on-response-close.ts'
import { BadRequestError, NotFoundError } from '../contract/errors.ts'
import type { Cover, CoverScaler } from '../media/internal.ts'
import { requireSync } from '../options/require-sync.ts'
import { addVary } from '../reply/index.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { ownReader } from './page-routes.ts'

/** The maximum size of a picture in bytes; larger ones are not read. */
const mostBytes = 16 * 1024 * 1024
/** Marks requests of this route: a path that leads back to it would wait for a slot that it holds itself. */
const ownHeader = 'x-source-origin-cover'
const ownMark = randomUUID()
/** The page passes the URL sent by the source, which changes with the picture. */
const caching = 'private, max-age=86400'

/**
 * Registers the page's route that scales covers of this server below the prefix of the source. It loads them as a
 * client does, by their signed URLs, and sends pictures only.
 */
export function registerCovers (
  app: FastifyInstance, path: string, resizeCover: (url: string, pixels: number) => string
): void {
  // Loaded on demand: a source may have no covers of its own.
  const open = async () => new (await import('../media/internal.ts')).CoverScaler(app.log)
  let scaler: Promise<CoverScaler> | undefined
  const read = ownReader('GET cover')
  app.get(`${path}page/cover`, { schema: { hide: true } }, async (request, reply) => {
    if (request.headers[ownHeader] === ownMark) throw new NotFoundError('Cover not found')
    const { of, size: pixels } = read(request)
    if (!/^\/[^/\\]/.test(of)) throw new BadRequestError('Parameter of must be the path of a cover here')
    const load = () => readOwn(app, request, app.prefix + requireSync('resizeCover', resizeCover(of, pixels)))
    const isWebp = /image\/webp/.test(String(request.headers.accept))
    const { bytes, type } = await (await (scaler ??= open())).scaleWhole(of, pixels, load, signalOf(reply), isWebp)
    addVary(reply, 'accept').headers({ 'cache-control': caching, 'x-content-type-options': 'nosniff' })
    // An SVG may contain a script, which would run if it is opened directly.
    return reply.header('content-security-policy', "default-src 'none'").type(type).send(bytes)
  })
}

/**
 * Returns a picture of this server, as the client of a request would receive it. @throws NotFoundError for other
 * content
 */
async function readOwn (app: FastifyInstance, { ip, host, headers }: FastifyRequest, url: string): Promise<Cover> {
  const { accept, 'user-agent': agent } = headers
  const answer = await app.inject({
    url,
    remoteAddress: ip,
    payloadAsStream: true,
    headers: { ...withoutUndefined({ host, accept, 'user-agent': agent }), [ownHeader]: ownMark }
  })
  const body: Readable = answer.stream()
  const type = String(answer.headers['content-type'])
  const isTooLong = Number(answer.headers['content-length']) > mostBytes
  const isPicture = answer.statusCode === 200 && type.startsWith('image/') && !isTooLong
  const read = isPicture ? await readUpTo(body, mostBytes) : undefined
  body.destroy()
  if (!read?.isWhole) throw new NotFoundError('Cover not found')
  return { bytes: Buffer.from(read.bytes), type }
}
