import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../contract/errors.ts'
import { createConnections } from './ask-upstream.ts'
import type { SignedQuery, Signer } from './create-signer.ts'
import { endResponses } from './end-responses.ts'
import { isFileKind, type FileKind } from './file-kind.ts'
import { hostMatcher } from '../text/host-list.ts'
import { Locations } from './locations.ts'
import type { MediaKind } from './media-kind.ts'
import { readMediaPath } from './media-path.ts'
import { defaultTypes } from './media-types.ts'
import { registerOwnMedia, type ReadOwn } from './own-media.ts'
import { sendTranscoded } from './transcode/send-transcoded.ts'
import { readTranscoding } from './transcode/transcoded-url.ts'
import type { Transcoder } from './transcode/transcoder-options.ts'
import { sendMedia, type ReadyFileKind, type ReadyKind } from './send-media.ts'

interface ProxyParts {
  signer: Signer
  kinds: Readonly<Record<string, MediaKind | FileKind>>
  transcoder: Pick<Transcoder, 'send'> | undefined
}

/** Registers the proxy's routes, which handle every path below the prefix. */
export async function mediaRoutes (app: FastifyInstance, { signer, kinds, transcoder }: ProxyParts): Promise<void> {
  const ready = new Map(Object.entries(kinds).map(([name, kind]) => [name, prepare(kind)]))
  const register = endResponses(app)
  app.addHook('onClose', async () => {
    for (const kind of ready.values()) if ('upstream' in kind) await kind.upstream.connections.close()
  })
  const read: ReadOwn = (rest, query) => {
    const { path, read } = readMediaPath(rest)
    signer.check(app.prefix + path, query)
    const media = read()
    const kind = ready.get(media.kind)
    if (kind === undefined) throw new NotFoundError('Kind of media not found')
    return { kind, media, expires: Number(query.expires) }
  }
  registerOwnMedia(app.server, app.prefix, read)

  app.route<{ Params: { '*': string }, Querystring: SignedQuery & Record<string, unknown> }>({
    method: ['GET', 'HEAD'],
    url: '/*',
    schema: { hide: true },
    async handler (request, reply) {
      const { kind, media, expires } = read(request.params['*'], request.query)
      register(reply.raw)
      const asked = transcoder && readTranscoding(request.query)
      if (asked) return sendTranscoded(transcoder, asked, kind, media, request, reply)
      return sendMedia(kind, media, expires, request, reply)
    }
  })
}

function prepare (kind: MediaKind | FileKind): ReadyKind | ReadyFileKind {
  if (isFileKind(kind)) return { file: kind, types: kind.types ?? defaultTypes }
  const settings = { timeout: kind.timeout ?? 15_000, allowPrivate: kind.allowPrivate ?? false }
  return {
    upstream: { ...settings, connections: createConnections(settings), isListed: hostMatcher(kind.hosts) },
    locations: new Locations(kind, settings.timeout),
    types: kind.types ?? defaultTypes,
    readError: kind.readError,
    trusted: kind.trusted,
    chunk: kind.chunk
  }
}
