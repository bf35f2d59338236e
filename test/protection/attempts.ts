import type { FastifyInstance, FastifyRequest } from 'fastify'

/** What is read of a request. */
export const from = (ip: string) => ({ ip, routeOptions: { config: {} } }) as unknown as FastifyRequest

export const ask = (app: Pick<FastifyInstance, 'inject'>, authorization: string, remoteAddress: string, headers = {}) =>
  app.inject({ url: '/v1/status', remoteAddress, headers: { authorization, ...headers } })
