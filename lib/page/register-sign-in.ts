import type { FastifyInstance } from 'fastify'
import type { Accounts } from '../accounts/index.ts'
import { UnauthorizedError } from '../contract/errors.ts'
import { sendError } from '../reply/index.ts'
import { requireSameOrigin } from './sign-in/same-origin.ts'

const browsers = [
  [/ (?:Edg|EdgA|EdgiOS)\//, 'Edge'], [/ (?:OPR|Opera)\//, 'Opera'], [/ SamsungBrowser\//, 'Samsung Internet'],
  [/ (?:Firefox|FxiOS)\//, 'Firefox'], [/ (?:Chrome|CriOS)\//, 'Chrome'], [/ Safari\//, 'Safari']
] as const
const systems = [
  [/Android/, 'Android'], [/iPhone/, 'iPhone'], [/iPad/, 'iPad'], [/Windows/, 'Windows'], [/Mac OS X/, 'Mac'],
  [/CrOS/, 'ChromeOS'], [/Linux/, 'Linux']
] as const

const nameIn = (list: readonly (readonly [RegExp, string])[], userAgent: string) =>
  list.find(([pattern]) => pattern.test(userAgent))?.[1]

/** Returns the name of a browser, as far as known: `Firefox on Android`. */
export const deviceOf = (userAgent = ''): string =>
  [nameIn(browsers, userAgent) ?? 'Browser', nameIn(systems, userAgent)].filter(Boolean).join(' on ')

/**
 * Registers the route that exchanges a token or a one-time link for a token of the browser alone, so that each browser
 * is listed and revoked separately. Other values are a 401; a token of 256 bits cannot be guessed.
 */
export function registerSignIn (
  app: FastifyInstance, path: string, signIn: Accounts['signIn'], publicUrl: string | undefined
): void {
  app.post(`${path}page/sign-in`, {
    schema: { hide: true },
    errorHandler: sendError,
    async handler (request, reply) {
      const { headers } = request
      reply.header('cache-control', 'no-store')
      requireSameOrigin(request, publicUrl)
      const token = await signIn(headers.authorization, { label: deviceOf(headers['user-agent']) })
      if (token === null) throw new UnauthorizedError()
      return { code: 200, data: { token } }
    }
  })
}
