import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { readFile } from 'node:fs/promises'
import { UnauthorizedError } from '../../contract/errors.ts'
import { lruOptions } from '../../options/lru-options.ts'
import { sendError } from '../../reply/index.ts'
import { tokenMatches } from '../../text/token-matches.ts'
import { isFrom } from './is-from.ts'
import type { SignInParts } from './register-provider.ts'
import { requireSameOrigin } from './same-origin.ts'
import type { TrustedHeader } from './sign-in-options.ts'

const lifetime = 30 * 24 * 3_600_000
const longestName = 255

/** Returns all values of a header. Node joins repeated ones. */
const valuesOf = ({ raw: { rawHeaders } }: FastifyRequest, name: string): string[] =>
  rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name.toLowerCase())

/** Registers the route of the sign-in with a header that a reverse proxy sends. */
export function registerHeader (app: FastifyInstance, options: TrustedHeader, parts: SignInParts): void {
  const { name, from, secret, accountOf = ({ account }) => account ?? null } = options
  const { path, publicUrl, identities } = parts
  const logged = new LRUCache<string, true>(lruOptions(10_000))
  app.addHook('onReady', () => warnOfGateway(app.log, from))

  /** Returns the user that the proxy has authenticated; `undefined` without a trusted header. */
  function userOf (request: FastifyRequest): string | undefined {
    const [value = '', ...more] = valuesOf(request, name)
    const user = Buffer.from(value, 'latin1').toString()
    const hasSecret = secret === undefined || tokenMatches(valuesOf(request, secret.name).join(','), secret.value)
    const isValid = user !== '' && user.length <= longestName && more.length === 0 && !user.includes(',')
    return isValid && hasSecret && isFrom(request.raw.socket.remoteAddress, from) ? user : undefined
  }

  app.post(`${path}page/sign-in/header`, {
    schema: { hide: true },
    errorHandler: sendError,
    async handler (request, reply) {
      reply.header('cache-control', 'no-store')
      requireSameOrigin(request, publicUrl)
      const user = userOf(request)
      if (user === undefined) {
        const peer = request.raw.socket.remoteAddress ?? 'unix'
        if (!logged.has(peer)) request.log.warn({ peer, header: name }, 'trusted header ignored')
        logged.set(peer, true)
        await app.loginLimiter?.check(request, `header ${valuesOf(request, name).join()}`, () => null)
        throw new UnauthorizedError('No trusted proxy has signed you in')
      }
      const issuer = `header:${name.toLowerCase()}`
      const identity = { issuer, subject: user }
      const account = await identities.admit({ identity, claims: { sub: user }, accountOf, lifetime })
      return { code: 200, data: { token: await identities.issueLink(account, issuer, undefined) } }
    }
  })
}

/**
 * Warns if the default gateway is trusted: in Docker it is the peer of every client.
 *
 * @param file the routing table of Linux. Other systems have none
 */
export async function warnOfGateway (
  log: FastifyBaseLogger, from: readonly string[], file = '/proc/net/route'
): Promise<void> {
  for (const gateway of gatewaysIn(await readFile(file, 'utf8').catch(() => ''))) {
    if (isFrom(gateway, from)) log.warn({ gateway }, 'trusted header from gateway')
  }
}

/** Returns the default gateways of a routing table of Linux, whose bytes are reversed. */
const gatewaysIn = (routes: string): string[] => routes.split('\n').map(line => line.split('\t'))
  .filter(([, destination, gateway]) => destination === '00000000' && gateway !== undefined && gateway !== '00000000')
  .map(([, , gateway]) => Buffer.from(gateway!, 'hex').reverse().join('.'))
