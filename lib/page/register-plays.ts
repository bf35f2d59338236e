import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { FastifyInstance } from 'fastify'
import { longestId } from '../../schemas/common.ts'
import { BadRequestError } from '../contract/errors.ts'
import { listenerKey } from '../plays/index.ts'
import { resolveRequest, type RegisteredSource } from '../routes/index.ts'

const milliseconds = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Plays as the page sums them up, each as it is at the last. Their times are those of a clock that says `now`. */
const ToldSchema = Type.Object({
  now: milliseconds,
  plays: Type.Array(Type.Object({
    id: Type.String({ minLength: 1, maxLength: 64 }),
    track: Type.String({ minLength: 1, maxLength: longestId }),
    length: milliseconds,
    startedAt: milliseconds,
    position: milliseconds,
    played: milliseconds,
    state: Type.Union([Type.Literal('playing'), Type.Literal('paused'), Type.Literal('stopped')])
  }), { maxItems: 500 })
})

/** The page's own route that it tells what is played. It tells again later what it could not. */
export function registerPlays (app: FastifyInstance, path: string, source: RegisteredSource): void {
  app.post(`${path}page/plays`, { schema: { hide: true } }, async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', vary: 'authorization' })
    const { context, call } = await resolveRequest(source, request, reply)
    const { body } = request
    if (!Value.Check(ToldSchema, body)) {
      throw new BadRequestError('Parameters now and plays must be a time and a list of plays')
    }
    const { account, accountName = account ?? '' } = context
    const listener = {
      key: listenerKey(account, String(request.headers.authorization)),
      context,
      username: accountName,
      client: 'page',
      log: call.log,
      secrets: call.secrets
    }
    const ahead = Date.now() - body.now
    for (const play of body.plays) {
      await source.source.plays.tell(listener, { ...play, startedAt: play.startedAt + ahead })
    }
    return { code: 200, data: {} }
  })
}
