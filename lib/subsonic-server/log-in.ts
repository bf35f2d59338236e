import { withinTime } from '../async/timed-call.ts'
import { enter, type CurrentCall, type RegisteredSource } from '../request/index.ts'
import { readError } from '../errors/read-error.ts'
import { isLong, shortestSecret } from '../text/shortest-secret.ts'
import type { RestAccount } from './account/rest-account.ts'
import type { RestAccounts } from './account/rest-accounts.ts'
import type { ValidOptions } from './subsonic-options.ts'
import type { SubsonicLogin } from './read-login.ts'
import { RestSession } from './session.ts'
import { SubsonicError } from './subsonic-error.ts'

/** Creates the function that authenticates calls of `/rest` at a source. */
export function createLogIn (
  { resolveLogin }: Pick<ValidOptions, 'resolveLogin'>, registered: RegisteredSource, accounts: RestAccounts
) {
  const { source, adapterTimeout: timeout } = registered
  let hasWarned = false

  /** @throws SubsonicError 40 to 44 if the login is rejected */
  return async function logIn (login: SubsonicLogin, call: CurrentCall): Promise<RestSession<RestAccount>> {
    const { kind, username, client, request } = login
    const refuse = () => {
      // A name as long as a secret may be a secret in the wrong field.
      const name = username !== undefined && !isLong(username) ? username : undefined
      request.log.warn({ username: name, client: client.slice(0, 64), address: request.ip }, 'login rejected')
      return kind === 'apiKey'
        ? new SubsonicError(44, 'Invalid API key')
        : new SubsonicError(40, 'Wrong username or password')
    }
    const verify = (secret: string) => {
      const isRight = login.verify(secret)
      if (isRight && !isLong(secret) && !hasWarned) {
        hasWarned = true
        const hint = `Use at least ${shortestSecret} characters: shorter secrets can be guessed from the tokens of apps`
        request.log.warn({ hint }, 'short secret used')
      }
      return isRight
    }
    const authorization = await withinTime(call, () => resolveLogin({ ...login, verify })).catch(refuseLogin)
    if (authorization === false || authorization === '' || authorization == null) throw refuse()
    if (typeof authorization !== 'string') throw new TypeError('resolveLogin must give a text, or null to refuse')
    call.logIn(authorization)
    const resolve = () => enter(registered, call)
      .catch(error => { throw readError(error, []).status === 401 ? refuse() : error })
    const context = await resolve()
    const account = accounts.of(context, authorization)
    return new RestSession({ account, source, call, context, resolve, timeout })
  }
}

/** Throws the login error. A 401 of `resolveLogin` with a Subsonic login code retains its code and message. */
function refuseLogin (error: unknown): never {
  const { status, code, message } = readError(error, [])
  throw status === 401 && code >= 40 && code <= 44 ? new SubsonicError(code, message) : error
}
