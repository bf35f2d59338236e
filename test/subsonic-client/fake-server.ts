import fastify, { type FastifyRequest } from 'fastify'
import type { SourceAdapter } from 'fastify-source-origin'
import { createSubsonicAdapter, createSubsonicClient, type SubsonicClientOptions } from 'fastify-source-origin/subsonic'
import { parse } from 'node:querystring'
import type { Test } from 'tap'

export type Asked = Record<string, string | string[] | undefined> & { method: string, verb: string }
type Answer = object | { code: number, message?: string, http?: number } | ((asked: Asked) => object) | undefined

/** An error in an envelope. */
export const failed = (code: number, message = 'no', http = 200) => ({ failed: { code, message }, http })

/**
 * A Subsonic server of the tests with an adapter over it. Answers are the members of envelopes by method; methods
 * without one are HTTP 404.
 *
 * @returns the adapter, and what was asked in order
 */
export async function fakeServer (
  t: Test,
  answers: Record<string,
  Answer>,
  options: Partial<SubsonicClientOptions> = {},
  more: { version?: string, openSubsonic?: boolean | string, log?: any } = {}
) {
  const asked: Asked[] = []
  const app = fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, parse(String(body))))
  app.route({
    method: ['GET', 'POST'],
    url: '/music/rest/:method',
    handler: async (request: FastifyRequest, reply) => {
      const method = (request.params as { method: string }).method.replace('.view', '')
      const call = { method, verb: request.method, ...request.query as object, ...request.body as object } as Asked
      asked.push(call)
      const answer = method === 'ping' && !Object.hasOwn(answers, 'ping') ? {} : answers[method]
      const value: any = typeof answer === 'function' ? await answer(call) : answer
      if (value === undefined) return reply.code(404).send('nothing here')
      if (value.raw !== undefined) return reply.code(value.http ?? 200).type(value.type ?? 'text/html').send(value.raw)
      const { version = '1.16.1', openSubsonic } = more
      const envelope = { version, type: 'fake', ...(openSubsonic && { openSubsonic }) }
      return reply.code(value.http ?? 200).send({
        'subsonic-response': value.failed === undefined
          ? { status: 'ok', ...envelope, ...value }
          : {
              status: 'failed',
              ...envelope,
              ...value.type && { type: value.type },
              version: value.version ?? version,
              error: value.failed
            }
      })
    }
  })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/music`
  const client = createSubsonicClient(
    { url, username: 'ada', password: 'sésame', transcoding: false, ...options } as SubsonicClientOptions
  )
  t.teardown(async () => {
    await client.close()
    await app.close()
  })
  const adapter = createSubsonicAdapter(client, {
    log: more.log,
    media: (kind, params, { extension }) => `${kind}/${Object.values(params).filter(Boolean).join('-')}.${extension}`
  }) as Required<SourceAdapter>
  const methods = () => asked.map(({ method }) => method)
  return { adapter, client, asked, methods, url }
}
