import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import sourceOrigin, { tokenMatches } from 'fastify-source-origin'
import sourcePage from 'fastify-source-origin/page'
import { createAdapter } from './adapter.ts'
import { serveDemoAudio } from './demo-audio.ts'

export interface Settings {
  /** What callers send as their `Authorization` header. */
  token: string
  /** Where clients reach this source. Default: where each request went to. */
  publicUrl?: string | undefined
}

/** The server, which does not listen yet. */
export async function buildApp (
  { token, publicUrl }: Settings, options: FastifyServerOptions = {}
): Promise<FastifyInstance> {
  const app = fastify(options)
  await app.register(sourceOrigin, {
    resolveContext ({ authorization, request }) {
      if (!tokenMatches(authorization, token)) return null
      return { adapter: createAdapter(publicUrl ?? `${request.protocol}://${request.host}`) }
    }
  })
  await app.register(sourcePage, { title: 'my-source' })
  serveDemoAudio(app)
  return app
}
