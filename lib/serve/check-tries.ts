import type { FastifyInstance } from 'fastify'
import { UnauthorizedError } from '../contract/errors.ts'
import type { ResolveContext } from '../index.ts'
import { isLong } from '../text/shortest-secret.ts'
import type { ResolveLogin } from '../subsonic-server/index.ts'

/** Limits wrong tokens where the server has a door. Who sends none has not tried. */
export function checksToken ({ tries }: FastifyInstance, resolve: ResolveContext): ResolveContext {
  if (tries === undefined) return resolve
  return call => {
    const { authorization } = call
    if (!authorization) return resolve(call)
    return tries.check(call.request, authorization, async () => await resolve(call) || null)
  }
}

/** Limits wrong logins of Subsonic apps where the server has a door. */
export function checksLogin (
  { tries }: FastifyInstance, resolve: ResolveLogin | undefined
): ResolveLogin | undefined {
  if (resolve === undefined || tries === undefined) return resolve
  return async login => {
    const { secret, username = '', digest, request, signal } = login
    let needed: unknown
    // An app that needs an app password may guess at a fixed token, so it is counted as a wrong one.
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
    // Where only a digest was sent, which is another each time, the name is what is known again.
    const found = await tries.check(request, secret ?? `name ${username}`, find, secret !== undefined, digest)
    if (found === null) await tries.slowDown(request, username, signal)
    else tries.prove(request, found)
    if (needed !== undefined) throw needed
    return found
  }
}
