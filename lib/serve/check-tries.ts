import type { FastifyInstance } from 'fastify'
import { UnauthorizedError } from '../contract/errors.ts'
import { TooManyAttemptsError } from '../errors/too-many-attempts.ts'
import type { ResolveContext } from '../index.ts'
import { isLong } from '../text/shortest-secret.ts'
import type { ResolveLogin } from '../subsonic-server/index.ts'

/**
 * Limits wrong tokens if the server has the option `protection`. A request without a token does not count as an
 * attempt.
 */
export function checksToken ({ loginLimiter: tries }: FastifyInstance, resolve: ResolveContext): ResolveContext {
  if (tries === undefined) return resolve
  return call => {
    const { authorization } = call
    if (!authorization) return resolve(call)
    return tries.check(call.request, authorization, async () => await resolve(call) || null)
  }
}

/** Limits wrong logins of Subsonic apps if the server has the option `protection`. */
export function checksLogin (
  { loginLimiter: tries }: FastifyInstance, resolve: ResolveLogin | undefined
): ResolveLogin | undefined {
  if (resolve === undefined || tries === undefined) return resolve
  return async login => {
    const { secret, username = '', digest, request, signal } = login
    let needed: UnauthorizedError | undefined
    // An app that needs an app password may guess at a fixed token, so the attempt counts as a wrong one.
    const find = async (onlyLong: boolean) => {
      const verify = (known: string) => (!onlyLong || isLong(known)) && login.verify(known)
      try {
        return await resolve({ ...login, verify }) || null
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error
        needed = error
        return null
      }
    }
    // A login with only a digest is different each time, so its attempts are recognised by the name.
    const found = await tries.check(request, secret ?? `name ${username}`, find, secret !== undefined, digest)
      .catch(error => {
        if (!(error instanceof TooManyAttemptsError)) throw error
        const { message, retryAfterSeconds } = error
        throw new TooManyAttemptsError(message, { code: needed?.code, retryAfterSeconds })
      })
    if (found === null) await tries.slowDown(request, username, signal)
    else tries.prove(request, found)
    if (needed !== undefined) throw needed
    return found
  }
}
