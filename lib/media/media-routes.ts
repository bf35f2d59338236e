import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../contract/errors.ts'
import { createAgent } from './ask-upstream.ts'
import type { SignedQuery, Signer } from './create-signer.ts'
import { endResponses } from './end-responses.ts'
import { isFileKind, type FileKind } from './file-kind.ts'
import { hostMatcher } from './host-list.ts'
import { Locations } from './locations.ts'
import type { MediaKind } from './media-kind.ts'
import { readMediaPath } from './media-path.ts'
import { defaultTypes } from './media-types.ts'
import { sendError } from './send-error.ts'
import { sendMedia, type ReadyFileKind, type ReadyKind } from './send-media.ts'

interface ProxyParts { signer: Signer, kinds: Readonly<Record<string, MediaKind | FileKind>> }

/** The routes of the proxy: everything below the prefix. */
export async function mediaRoutes (app: FastifyInstance, { signer, kinds }: ProxyParts): Promise<void> {
  const ready = new Map(Object.entries(kinds).map(([name, kind]) => [name, prepare(kind)]))
  const noteRunning = endResponses(app)
  app.addHook('onClose', async () => {
    for (const kind of ready.values()) if ('upstream' in kind) await kind.upstream.agent.destroy()
  })
  app.setErrorHandler(sendError)

  app.route<{ Params: { '*': string }, Querystring: SignedQuery }>({
    method: ['GET', 'HEAD'],
    url: '/*',
    async handler (request, reply) {
      const { path, read } = readMediaPath(request.params['*'])
      signer.check(app.prefix + path, request.query)
      const media = read()
      const kind = ready.get(media.kind)
      if (kind === undefined) throw new NotFoundError('There is no such kind of media')
      noteRunning(reply.raw)
      return sendMedia(kind, media, Number(request.query.expires), request, reply)
    }
  })
}

function prepare (kind: MediaKind | FileKind): ReadyKind | ReadyFileKind {
  if (isFileKind(kind)) return { file: kind, types: kind.types ?? defaultTypes }
  const settings = { timeout: kind.timeout ?? 15_000, allowPrivate: kind.allowPrivate ?? false }
  return {
    upstream: { ...settings, agent: createAgent(settings), isListed: hostMatcher(kind.hosts) },
    locations: new Locations(kind, settings.timeout),
    types: kind.types ?? defaultTypes,
    readError: kind.readError,
    own: kind.own,
    chunk: kind.chunk
  }
}
